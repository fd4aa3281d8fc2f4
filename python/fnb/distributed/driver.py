"""The whole path from a table of an engine to a model: counts, variables, shards, rounds."""

from __future__ import annotations

import os
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

import pyarrow as pa

from fnb import _fnb
from fnb._choices import FeatureType, Method, Preset, Start, check_choice
from fnb._estimator import check_features, settings_json
from fnb._names import nearest
from fnb._threads import threads
from fnb.distributed._work import COUNTED, ENCODED, Answer, Count, Encode, End, Source, Survey
from fnb.distributed.engine import Engine
from fnb.model import Model
from fnb.tables import rules_text

# Fewer rows are not worth a shard of their own: asking it takes longer than counting them.
_FEWEST_ROWS = 50_000

# Called with a stage, steps done and steps to do, which is 0 where it is not known.
Callback = Callable[[str, int, int], Any]


class Run:
    """A training, step by step. Its figures are there when it is over.

    Attributes
    ----------
    shards, rows, rounds : int
        Shards and rows of the table, and sums over all rows that were taken.
    seconds : dict of str to float
        Wall time by stage: survey, count, prepare, encode, learn.
    """

    def __init__(
        self,
        engine: Engine,
        source: Any,
        reading: Source,
        *,
        shards: int | None = None,
        scratch: str | None = None,
        callback: Callback | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        self._engine = engine
        self._table = source
        self._source = reading
        self._tasks = engine.parallelism()
        self._shards = shards
        self._folder = os.path.join(
            scratch or os.path.join(tempfile.gettempdir(), "fnb"), uuid.uuid4().hex
        )
        self._callback = callback
        self._threads = threads(n_jobs)
        self.shards = self.rows = self.rounds = 0
        self.seconds: dict[str, float] = {}
        self._paths: list[str] = []

    def train(self, settings: str, class_weights: Any = None) -> Model:
        """The model of settings, given as JSON."""
        try:
            return self._train(settings, class_weights)
        except BaseException:
            with suppress(Exception):
                self._engine.cancel()
            raise
        finally:
            with suppress(Exception):
                self._end()

    def _train(self, settings: str, class_weights: Any) -> Model:
        schema = self._engine.schema(self._table)
        columns = _read_columns(schema, self._source)
        texts = _texts(schema, self._source)
        described = self._source.with_types([(name, "categorical") for name in texts])
        empty = _fnb.Frame.from_arrow(schema.empty_table())
        # What is left out is not sent to the workers.
        self._source = described.of(columns)
        asked = self._stage("survey")
        of_target = [c for c in (self._source.target, self._source.weight) if c is not None]
        surveys = self._map(Survey(self._source.of(of_target)), COUNTED, of_target)
        again = _fnb.ShardSurvey.again(surveys, self._source.target)
        if again is not None:
            surveys = self._map(Survey(self._source.of(of_target), again), COUNTED, of_target)
        plan = _fnb.ShardPlan(
            described.native(), surveys, empty, settings, class_weights=class_weights
        )
        self.rows = plan.rows
        asked = self._stage("count", asked)
        counts = self._map(Count(self._source, plan.to_bytes()), COUNTED, columns)
        asked = self._stage("prepare", asked)
        encoding = plan.prepare(counts, texts, self._threads, self._callback)
        del counts
        asked = self._stage("encode", asked)
        sent = encoding.to_bytes()
        shards = self._shards or max(1, min(self._tasks, self.rows // _FEWEST_ROWS))
        most_rows = -(-self.rows // shards)
        encode = Encode(self._source, sent, self._folder, most_rows)
        # One partition for each shard: fewer are cut, more would be more tasks in every round.
        encoded = self._engine.map_partitions(
            self._table, encode, ENCODED, columns=columns, partitions=shards
        )
        # The order of the shards does not matter; this one is the same for all rounds.
        encoded = encoded.sort_by("path")
        self._paths = encoded.column("path").to_pylist()
        facts = encoded.column("facts").to_pylist()
        self.shards = len(self._paths)
        start = encoding.start(facts)
        asked = self._stage("learn", asked)
        answer = Answer(self._paths, start)

        def ask(question: bytes) -> list[bytes]:
            self.rounds += 1
            self._tell("round", self.rounds, 0)
            return self._engine.map_shards(answer, [question] * self.shards)

        model, _ = encoding.learn(facts, ask, self._threads, self._callback)
        self._stage(None, asked)
        return Model(model)

    def _map(self, work: Any, schema: pa.Schema, columns: Sequence[str]) -> list[bytes]:
        found = self._engine.map_partitions(
            self._table, work, schema, columns=columns, partitions=4 * self._tasks
        )
        return [content.as_py() for content in found.column("content")]

    def _stage(self, name: str | None, before: tuple[str, float] | None = None) -> Any:
        """Ends a stage and starts the next one."""
        now = time.perf_counter()
        if before is not None:
            self.seconds[before[0]] = now - before[1]
        if name is None:
            return None
        self._tell(name, 0, 0)
        return name, now

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self._callback is not None and self._callback(stage, done, total) is False:
            raise _fnb.Interrupted("training was ended by the callback")

    def _end(self) -> None:
        """Nothing is left on the workers."""
        if self._paths or self.seconds:
            count = max(len(self._paths), 1)
            self._engine.map_shards(End(self._folder), [b""] * count)
        self._engine.close()


def check_columns(said: Mapping[str, Sequence[str]], names: Sequence[str]) -> None:
    """Fail if a parameter names what is no column."""
    for parameter, wanted in said.items():
        for name in wanted:
            if name not in names:
                near = nearest(name, names)
                help = f"did you mean {near!r}?" if near else f"the columns are {_listed(names)}"
                raise ValueError(
                    f"{parameter} names {name!r}, which is no column of the table; {help}"
                )


def _read_columns(schema: pa.Schema, source: Source) -> list[str]:
    """The columns that are read, after looking at what is asked for."""
    names = schema.names
    said = {
        "target": [source.target],
        "weight": [source.weight] if source.weight is not None else [],
        "feature_types": [name for name, _ in source.types],
        "drop_features": source.drop,
    }
    check_columns(said, names)
    if source.target == source.weight:
        raise ValueError(
            f"{source.target!r} is both the target and the weight; name another column"
        )
    left_out = {*source.drop, *(name for name, word in source.types if word == "ignore")}
    for name in (source.target, source.weight):
        if name in left_out:
            raise ValueError(f"{name!r} is needed, but among the columns that are left out")
    for field in schema:
        if field.name not in left_out and pa.types.is_nested(field.type):
            raise TypeError(
                f"column {field.name!r} holds nested values of type {field.type}; unnest it into "
                "columns of plain values, or leave it out"
            )
    return [name for name in names if name not in left_out]


def _texts(schema: pa.Schema, source: Source) -> list[str]:
    """Columns of texts of which nothing is said: categories, unless their values look otherwise.

    Dates written as texts are read in the order of day and month that all of them tell together,
    which no worker knows; long texts are counted word by word in one place only.
    """
    types = dict(source.types)
    for field in schema:
        word = types.get(field.name)
        if not _is_text(field.type) or word in (None, "categorical", "numerical", "ignore"):
            continue
        raise ValueError(
            f"feature_types says that the texts of {field.name!r} are {word!r}, which is not known "
            "on a cluster; convert the column in a query (to_date, to_timestamp), or name it in "
            "drop_features"
        )
    said = {source.target, source.weight, *source.drop, *types}
    return [field.name for field in schema if _is_text(field.type) and field.name not in said]


def _is_text(kind: pa.DataType) -> bool:
    return (
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _listed(names: Sequence[str], most: int = 12) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, ..."


class _Printed:
    """Progress as lines on standard error, when it is not a callback's."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.perf_counter()
        if done == 0 or now - self._last > 2.0:
            self._last = now
            of = f" {done} of {total}" if total else f" {done}" if done else ""
            print(f"fnb: {stage}{of}", file=sys.stderr, flush=True)


def train(
    session: Any,
    source: Any,
    target: str,
    *,
    weight: str | None = None,
    preset: Preset = "default",
    method: Method | None = None,
    start: Start | None = None,
    regularization: float | None = None,
    exponent: float | None = None,
    max_selected: int | None = None,
    sparser: float | None = None,
    interactions: Literal["auto", "none"] | int | None = None,
    feature_types: Mapping[str, FeatureType] | None = None,
    drop_features: Sequence[str] | None = None,
    class_weight: Mapping[str, float] | Literal["balanced"] | None = None,
    n_features: int = 1000,
    rules: Any = None,
    seed: int = 0,
    shards: int | None = None,
    scratch: str | None = None,
    n_jobs: int | None = -1,
    verbose: int = 0,
    callback: Callback | None = None,
) -> Model:
    """Train on a table of Spark or Sail, where it is.

    The model is that of the same rows in one place, byte for byte. The rows stay on the workers,
    which read the table three times; then they hold a byte for each row and informative variable.

    Parameters
    ----------
    session : pyspark.sql.SparkSession or Engine
        Of Spark Connect (Apache Spark 4.0 or later, or Sail), or a classic one.
    source : str or DataFrame
        The name of a table, a query ``SELECT ...``, or a frame. It is read several times and must
        give the same rows each time.
    target : str
        The column to predict.
    weight : str, default=None
        The column that says how many rows each row stands for.
    preset, method, start, regularization, exponent, max_selected, sparser, interactions :
        As for `FNBClassifier`.
    feature_types : dict, default=None
        Name of a column to what it is used as, as for `FNBClassifier`. Texts are categories unless
        they are said to be something else.
    drop_features : list of str, default=None
        Columns that are not read.
    class_weight : dict or "balanced", default=None
        Weights of the classes, which are texts here.
    n_features, rules :
        What is constructed from dates, as for `FNBClassifier`.
    seed : int, default=0
        Of the methods that try variables in random order.
    shards : int, default=None
        Number of parts that the rows are cut into, about; None is the number of tasks that run at
        the same time, or fewer for few rows. It does not show in the model.
    scratch : str, default=None
        A folder that all workers can read and write, for the encoded rows; they are removed at the
        end. None is a folder for temporary files, which is enough when all workers are on one
        machine.
    n_jobs : int, default=-1
        Threads of the driver, which prepares the variables.
    verbose : int, default=0
        Progress on standard error.
    callback : callable, default=None
        Called with stage, steps done and steps to do (0 if not known); returning False ends the
        training with `fnb.Interrupted`.

    Returns
    -------
    Model
        The ordinary model: it predicts here too, and is saved, shown and reported like any other.
    """
    check_choice("preset", preset, Preset)
    check_choice("method", method, Method, none=True)
    check_choice("start", start, Start, none=True)
    check_features("n_features", n_features)
    for column, word in (feature_types or {}).items():
        check_choice(f"feature_types of {column!r}", word, FeatureType)
    engine = session if isinstance(session, Engine) else _engine_of(session)
    reading = Source(
        target,
        weight,
        [(name, str(word)) for name, word in (feature_types or {}).items()],
        list(drop_features or []),
    )
    settings = settings_json(
        preset=preset,
        method=method,
        start=start,
        max_selected=max_selected,
        sparser=sparser,
        interactions=interactions,
        seed=seed,
        features=int(n_features),
        rules=rules_text(rules),
        **{"lambda": regularization, "p": exponent},
    )
    if callback is None and verbose:
        callback = _Printed()
    run = Run(
        engine, source, reading, shards=shards, scratch=scratch, callback=callback, n_jobs=n_jobs
    )
    weights = (
        class_weight
        if class_weight is None or class_weight == "balanced"
        else list(dict(class_weight).items())
    )
    model = run.train(settings, weights)
    if verbose:
        took = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in run.seconds.items())
        print(
            f"fnb: {run.rows} rows in {run.shards} shards, {run.rounds} rounds; {took}",
            file=sys.stderr,
        )
    return model


def _engine_of(session: Any) -> Engine:
    from fnb.distributed.spark import SparkEngine

    return SparkEngine(session)
