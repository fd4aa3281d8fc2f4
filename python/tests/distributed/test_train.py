"""Trained on an engine, a model is that of the same rows in one place, byte for byte."""

from __future__ import annotations

import glob
import itertools
import os
import pathlib
import sys
import threading
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark import cloudpickle

import fnb
from fnb import distributed
from fnb.distributed import _work, driver
from fnb.distributed.engine import Engine
from fnb.distributed.spark import SparkEngine

from .local import local_model, table

# Workers do not have the tests: their functions are sent along.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

ON_SPARK = bool(os.environ.get("FNB_TEST_REMOTE"))


def sail_only(test: Any) -> Any:
    """Many trainings: some hundred rounds each, of which Spark does five or ten per second."""
    test = pytest.mark.parametrize("kind", ["local"], indirect=True)(test)
    reason = "many trainings: on Sail, whose rounds are short"
    return pytest.mark.skipif(ON_SPARK, reason=reason)(test)


def frame_of(session: Any, rows: pa.Table, path: pathlib.Path, parts: int) -> Any:
    """A table of the engine in so many files, some of them without rows."""
    path.mkdir()
    ends = np.linspace(0, rows.num_rows, parts + 1).astype(int)
    for part, (first, last) in enumerate(itertools.pairwise(ends)):
        pq.write_table(rows.slice(first, last - first), path / f"part-{part}.parquet")
    pq.write_table(rows.slice(0, 0), path / "part-none.parquet")
    return session.read.parquet(str(path))


def same(model: fnb.Model, expected: str) -> None:
    """As texts, and something was learnt."""
    found = model.to_json()
    for line, (one, other) in enumerate(zip(found.split("\n"), expected.split("\n"), strict=False)):
        assert one == other, f"line {line + 1}"
    assert found == expected
    assert model.variables


@pytest.mark.parametrize("shards", [3] if ON_SPARK else [1, 3, 7])
@pytest.mark.parametrize("classes", [2] if ON_SPARK else [2, 20])
def test_the_number_of_shards_does_not_show(
    session: Any, tmp_path: pathlib.Path, classes: int, shards: int
) -> None:
    rows = table(600 if classes == 20 else 400, classes).drop_columns(["integers", "fractions"])
    frame = frame_of(session, rows, tmp_path / "table", 3)
    model = distributed.train(session, frame, "y", shards=shards, scratch=str(tmp_path / "scratch"))
    same(model, local_model(rows))
    assert classes > 2 or any(" × " in table["name"] for table in model.interactions)


@sail_only
@pytest.mark.parametrize("weight", ["integers", "fractions"])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"class 1": 2.5}])
def test_weights(session: Any, tmp_path: pathlib.Path, weight: str, class_weight: Any) -> None:
    rows = table(300, 3).drop_columns([{"integers": "fractions"}.get(weight, "integers")])
    frame = frame_of(session, rows, tmp_path / "table", 2)
    model = distributed.train(
        session, frame, "y", weight=weight, class_weight=class_weight, shards=3
    )
    given = list(class_weight.items()) if isinstance(class_weight, dict) else class_weight
    same(model, local_model(rows, weight=weight, class_weight=given))


def test_very_many_categories(session: Any, tmp_path: pathlib.Path) -> None:
    random = np.random.default_rng(4)
    label = random.integers(0, 2, 200_000)
    keys = 2 * random.integers(0, 50_000, label.size) + label
    rows = pa.table({"key": [f"k{key}" for key in keys], "y": pa.array(label).cast(pa.string())})
    frame = frame_of(session, rows, tmp_path / "table", 3)
    same(distributed.train(session, frame, "y", shards=3), local_model(rows))


@sail_only
def test_one_row_in_each_partition(session: Any, tmp_path: pathlib.Path) -> None:
    rows = table(60).drop_columns(["integers", "fractions"])
    frame = frame_of(session, rows, tmp_path / "table", 60)
    same(distributed.train(session, frame, "y", shards=3), local_model(rows))


def test_a_partition_with_nearly_all_rows(session: Any, tmp_path: pathlib.Path) -> None:
    rows = table(500).drop_columns(["integers", "fractions"])
    path = tmp_path / "table"
    path.mkdir()
    pq.write_table(rows.slice(0, 5), path / "a.parquet")
    pq.write_table(rows.slice(5), path / "b.parquet")
    engine = SparkEngine(session)
    frame = session.read.parquet(str(path))
    run = driver.Run(engine, frame, _work.Source("y", None, [], []), shards=4)
    same(run.train('{"interactions": "none"}'), local_model(rows, interactions="none"))
    # Cut into shards of about equal size all the same.
    assert 4 <= run.shards <= 6
    assert run.rows == 500
    assert run.rounds > 50
    assert list(run.seconds) == ["survey", "count", "prepare", "encode", "learn"]


@sail_only
def test_a_query_and_a_view(session: Any, tmp_path: pathlib.Path) -> None:
    rows = table(200).drop_columns(["integers", "fractions"])
    frame_of(session, rows, tmp_path / "table", 2).createOrReplaceTempView("customers")
    expected = local_model(rows)
    same(distributed.train(session, "customers", "y"), expected)
    same(distributed.train(session, "SELECT * FROM customers", "y"), expected)


@sail_only
def test_methods_types_and_columns(session: Any, tmp_path: pathlib.Path) -> None:
    rows = table(300, 3).drop_columns(["integers", "fractions"])
    frame = frame_of(session, rows, tmp_path / "table", 2)
    for settings in [
        {"preset": "paper"},
        {"preset": "khiops"},
        {"method": "sg.cf"},
        {"interactions": "none", "max_selected": 2},
    ]:
        model = distributed.train(session, frame, "y", shards=3, **settings)  # type: ignore[arg-type]
        same(model, local_model(rows, **settings))
    model = distributed.train(session, frame, "y", rules=["WeekDay", "YearDay"])
    same(model, local_model(rows, rules="WeekDay,YearDay"))
    model = distributed.train(
        session, frame, "y", feature_types={"whole": "categorical"}, drop_features=["near", "id"]
    )
    same(model, local_model(rows, types=[("whole", "categorical")], drop=["near", "id"]))


def test_nothing_is_left(session: Any, tmp_path: pathlib.Path) -> None:
    rows = table(200)
    frame = frame_of(session, rows, tmp_path / "table", 2)
    scratch = tmp_path / "scratch"
    distributed.train(session, frame, "y", scratch=str(scratch))
    assert glob.glob(str(scratch / "*")) == []

    def stop(stage: str, done: int, total: int) -> bool:
        return not (stage == "round" and done == 5)

    with pytest.raises(fnb.Interrupted, match="ended by the callback"):
        distributed.train(session, frame, "y", scratch=str(scratch), callback=stop)
    assert glob.glob(str(scratch / "*")) == []


def test_a_shard_that_is_gone(session: Any, tmp_path: pathlib.Path) -> None:
    """Its session is forgotten and its file deleted: there is no model rather than a wrong one."""
    frame = frame_of(session, table(200), tmp_path / "table", 2)
    scratch = tmp_path / "scratch"
    forgetful = Forgetful(SparkEngine(session), delete=str(scratch))
    with pytest.raises(ValueError, match=r"cannot read its shard .*scratch="):
        distributed.train(forgetful, frame, "y", scratch=str(scratch), shards=3)


@sail_only
def test_sessions_that_are_lost(session: Any, tmp_path: pathlib.Path) -> None:
    """As when executors come and go: the model is the same."""
    rows = table(300, 3)
    frame = frame_of(session, rows, tmp_path / "table", 2)
    forgetful = Forgetful(SparkEngine(session))
    same(distributed.train(forgetful, frame, "y", shards=3), local_model(rows))
    assert forgetful.forgotten > 3


class Forgetful(Engine):
    """An engine whose workers forget their sessions, and perhaps lose their files, now and then."""

    def __init__(self, engine: Engine, delete: str | None = None) -> None:
        self._engine = engine
        self._delete = delete
        self._rounds = 0
        self.forgotten = 0

    def map_shards(self, work: Any, arguments: Any) -> list[bytes]:
        self._rounds += 1
        if self._rounds % 20 == 10:
            self.forgotten += 1
            self._engine.map_shards(Forget(self._delete), [b""] * 8)
        return self._engine.map_shards(work, arguments)

    def __getattribute__(self, name: str) -> Any:
        if name in {
            "schema",
            "relation",
            "sql",
            "map_partitions",
            "parallelism",
            "cancel",
            "close",
        }:
            return getattr(self._engine, name)
        return super().__getattribute__(name)

    def schema(self, source: Any) -> Any: ...
    def relation(self, source: Any) -> Any: ...
    def sql(self, text: str) -> Any: ...
    def map_partitions(self, *args: Any, **kwargs: Any) -> Any: ...
    def parallelism(self) -> Any: ...
    def cancel(self) -> Any: ...
    def close(self) -> Any: ...


class Forget:
    def __init__(self, delete: str | None) -> None:
        self.delete = delete

    def __call__(self, shard: int, argument: bytes) -> bytes:
        _work._SESSIONS._sessions.clear()
        for path in glob.glob(f"{self.delete}/*/*.shard") if self.delete else []:
            # Other tasks of the round remove them too.
            pathlib.Path(path).unlink(missing_ok=True)
        return b""


@pytest.mark.skipif(not ON_SPARK, reason="Sail runs tasks in the process of the tests")
def test_a_killed_worker(session: Any, tmp_path: pathlib.Path) -> None:
    """A process of a worker ends in the middle of a round: the model is the same."""
    rows = table(300, 3)
    frame = frame_of(session, rows, tmp_path / "table", 2)
    deadly = Deadly(SparkEngine(session), str(tmp_path / "killed"))
    same(distributed.train(deadly, frame, "y", shards=2), local_model(rows))
    assert (tmp_path / "killed").exists()


class Deadly(Forgetful):
    """An engine one of whose workers is killed once, in round 30."""

    def __init__(self, engine: Engine, mark: str) -> None:
        super().__init__(engine)
        self._mark = mark

    def map_shards(self, work: Any, arguments: Any) -> list[bytes]:
        self._rounds += 1
        if self._rounds == 30:
            work = Kill(work, self._mark)
        return self._engine.map_shards(work, arguments)


class Kill:
    def __init__(self, work: Any, mark: str) -> None:
        self.work, self.mark = work, mark

    def __call__(self, shard: int, argument: bytes) -> bytes:
        answer = self.work(shard, argument)
        if shard == 1 and not os.path.exists(self.mark):
            with open(self.mark, "w"):
                pass
            os.kill(os.getpid(), 9)
        return answer  # type: ignore[no-any-return]


def test_bad_input(session: Any, tmp_path: pathlib.Path) -> None:
    rows = table(100)
    frame = frame_of(session, rows, tmp_path / "table", 2)
    frame.createOrReplaceTempView("t")
    train = distributed.train
    with pytest.raises(ValueError, match="no column of the table; did you mean 'near'"):
        train(session, frame, "neer")
    with pytest.raises(ValueError, match="weight names 'w'"):
        train(session, frame, "y", weight="w")
    with pytest.raises(ValueError, match="drop_features names 'a'"):
        train(session, frame, "y", drop_features=["a"])
    with pytest.raises(ValueError, match="feature_types of 'id' must be one of"):
        train(session, frame, "y", feature_types={"id": "number"})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="absent"):
        train(session, "absent", "y")
    with pytest.raises(ValueError, match="both the target and the weight"):
        train(session, frame, "y", weight="y")
    with pytest.raises(TypeError, match="nested values of type list"):
        train(session, "SELECT *, array(1, 2) AS pair FROM t", "y")
    with pytest.raises(TypeError, match=r'"s" holds dates or times .*to_date'):
        train(session, "SELECT *, cast(day AS string) AS s FROM t", "y")
    with pytest.raises(TypeError, match=r'"s" holds long text .*leave it out'):
        train(session, "SELECT *, repeat(id, 30) AS s FROM t", "y")
    with pytest.raises(ValueError, match="the texts of 'word' are 'date', which is not known"):
        train(session, frame, "y", feature_types={"word": "date"})
    with pytest.raises(ValueError, match="row"):
        train(session, "SELECT * FROM t WHERE near > 1e9", "y")
    with pytest.raises(ValueError, match="more than half the rows"):
        train(session, frame, "id")
    with pytest.raises(ValueError, match="negative"):
        train(session, "SELECT *, -1.0D AS w FROM t", "y", weight="w")
    with pytest.raises(ValueError, match="the weight is missing or not a number"):
        train(session, frame, "y", weight="word")
    with pytest.raises(ValueError, match="preset must be one of"):
        train(session, frame, "y", preset="best")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="name of a table, a query or a DataFrame"):
        train(session, 5, "y")


def test_rows_that_change_between_passes(session: Any, tmp_path: pathlib.Path) -> None:
    frame = frame_of(session, table(400), tmp_path / "table", 2)

    class Changing(Forgetful):
        def map_partitions(self, source: Any, work: Any, schema: Any, **given: Any) -> Any: ...

        def __getattribute__(self, name: str) -> Any:
            if name == "map_partitions":
                return lambda source, work, schema, **given: self._engine.map_partitions(
                    source.limit(390) if isinstance(work, _work.Encode) else source,
                    work,
                    schema,
                    **given,
                )
            return super().__getattribute__(name)

    with pytest.raises(ValueError, match="has changed while it was read"):
        distributed.train(Changing(SparkEngine(session)), frame, "y")


def test_an_interrupt(session: Any, tmp_path: pathlib.Path) -> None:
    """Ctrl-C in the driver ends the training, and leaves nothing."""
    import _thread

    frame = frame_of(session, table(400), tmp_path / "table", 2)
    scratch = tmp_path / "scratch"

    def interrupt(stage: str, done: int, total: int) -> None:
        if stage == "round" and done == 20:
            threading.Timer(0.0, _thread.interrupt_main).start()

    with pytest.raises(KeyboardInterrupt):
        distributed.train(session, frame, "y", scratch=str(scratch), callback=interrupt)
    assert glob.glob(str(scratch / "*")) == []
