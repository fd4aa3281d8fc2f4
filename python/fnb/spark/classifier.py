"""The estimator and its model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark import keyword_only
from pyspark.ml.base import Estimator
from pyspark.ml.base import Model as SparkModel
from pyspark.ml.util import MLReadable, MLWritable
from pyspark.sql import DataFrame
from pyspark.sql.types import ArrayType, DoubleType, StringType, StructType

from fnb._names import listed, nearest
from fnb.distributed import train
from fnb.distributed._score import packed
from fnb.distributed._types import arrow_schema, readable
from fnb.distributed.driver import check_columns
from fnb.distributed.spark import quoted
from fnb.model import Model
from fnb.spark._files import Reader, Writer
from fnb.spark._params import Outputs, Training

# `_score.ADDED` in terms of Spark.
_REASON = (
    StructType()
    .add("variable", StringType(), False)
    .add("part", StringType(), False)
    .add("contribution", DoubleType(), False)
)
_ADDED = {
    "prediction": StringType(),
    "probability": ArrayType(DoubleType(), False),
    "reasons": ArrayType(_REASON, False),
}


class FNBClassifier(Training, Outputs, Estimator, MLReadable, MLWritable):  # type: ignore[misc]
    """The classifier as an estimator of `pyspark.ml`.

    It learns from columns as they are: numbers, texts, dates, missing values. So there is no
    ``featuresCol``: no vector has to be assembled and no label indexed. The names of the parameters
    are those of `pyspark.ml` where it has them, otherwise those of `fnb.distributed.train` in the
    same manner: ``max_selected`` is ``maxSelected``.

    Parameters
    ----------
    labelCol : str, default="label"
        The column to predict, of any plain type; its values are the classes, as texts.
    featuresCols : list of str, default=None
        The columns to learn from, in any order; None is all but label and weight. Name them where
        columns come along that tell nothing about new rows: ``CrossValidator`` adds one of random
        numbers.
    weightCol : str, default=None
        The column that says how many rows each row stands for.
    predictionCol, probabilityCol : str, default="prediction", "probability"
        The columns that the model adds; "" leaves one out, as in `pyspark.ml`.
    reasonsCol : str, default=None
        The column for the reasons, which the model adds if it has a name.
    numReasons : int, default=5
        The terms in the reasons of a row, at most.
    preset, method, start, regularization, exponent, maxSelected, sparser, interactions, \
featureTypes, classWeight, nFeatures, rules, seed, shards, scratch, nJobs, verbose :
        As for `fnb.distributed.train`.

    Examples
    --------
    >>> from fnb.spark import FNBClassifier
    >>> classifier = FNBClassifier(labelCol="diagnosis", maxSelected=3)
    >>> classifier.setReasonsCol("reasons").getMaxSelected()
    3
    >>> print(classifier.explainParam("labelCol"))
    labelCol: label column name. (default: label, current: diagnosis)

    With a session, ``classifier.fit(df).transform(df)``.
    """

    _input_kwargs: dict[str, Any]

    @keyword_only  # type: ignore[misc, untyped-decorator]
    def __init__(
        self,
        *,
        labelCol: str = "label",
        featuresCols: list[str] | None = None,
        weightCol: str | None = None,
        predictionCol: str = "prediction",
        probabilityCol: str = "probability",
        reasonsCol: str | None = None,
        numReasons: int = 5,
        preset: str = "default",
        method: str | None = None,
        start: str | None = None,
        regularization: float | None = None,
        exponent: float | None = None,
        maxSelected: int | None = None,
        sparser: float | None = None,
        interactions: str | int | None = None,
        featureTypes: dict[str, str] | None = None,
        classWeight: dict[str, float] | str | None = None,
        nFeatures: int = 1000,
        rules: str | list[str] | None = None,
        seed: int = 0,
        shards: int | None = None,
        scratch: str | None = None,
        nJobs: int | None = -1,
        verbose: int = 0,
    ) -> None:
        super().__init__()
        # Those that were given, as keyword_only keeps them: the others are defaults, not values.
        self.setParams(**self._input_kwargs)

    def _fit(self, dataset: DataFrame) -> FNBClassificationModel:
        """Train on the session of the DataFrame, which is read several times."""
        names = _columns(dataset)
        label, weight, features = self.getLabelCol(), self.getWeightCol(), self.getFeaturesCols()
        here = [label] if weight is None else [label, weight]
        check_columns(
            {"labelCol": here[:1], "weightCol": here[1:], "featuresCols": features or []}, names
        )
        if features is not None:
            taken = {*here, *features}
            names = [name for name in names if name in taken]
            # In the order of the table: that of a parameter does not show in the model.
            dataset = dataset.select(*map(quoted, names))
        check_columns({"featureTypes": list(self.getFeatureTypes() or {})}, names)
        model = train(
            dataset.sparkSession,
            dataset,
            label,
            weight=weight,
            preset=self.getPreset(),  # type: ignore[arg-type]
            method=self.getMethod(),  # type: ignore[arg-type]
            start=self.getStart(),  # type: ignore[arg-type]
            regularization=self.getRegularization(),
            exponent=self.getExponent(),
            max_selected=self.getMaxSelected(),
            sparser=self.getSparser(),
            interactions=self.getInteractions(),  # type: ignore[arg-type]
            feature_types=self.getFeatureTypes(),  # type: ignore[arg-type]
            class_weight=self.getClassWeight(),  # type: ignore[arg-type]
            n_features=self.getNFeatures(),
            rules=self.getRules(),
            seed=self.getSeed(),
            shards=self.getShards(),
            scratch=self.getScratch(),
            n_jobs=self.getNJobs(),
            verbose=self.getVerbose(),
        )
        # Of the same uid, so that parameters of the estimator can be given to the model.
        fitted: FNBClassificationModel = FNBClassificationModel(model)._resetUid(self.uid)
        return self._copyValues(fitted)

    def write(self) -> Writer:
        """A writer of the parameters, as `save` uses it."""
        return Writer(self)

    @classmethod
    def read(cls) -> Reader:
        """A reader of what was saved, as `load` uses it."""
        return Reader(cls)


class FNBClassificationModel(Outputs, SparkModel, MLReadable, MLWritable):  # type: ignore[misc]
    """A trained model that scores DataFrames.

    Made by `FNBClassifier.fit`, by `load`, or by `from_model` of a model that was learnt anywhere.

    `transform` adds columns to those of the DataFrame, and is lazy: rows are read when the result
    is. The columns that the model needs are found by name; others may come along. Rows whose
    values are missing or new are scored as they are everywhere.

    * ``prediction``: the most probable class, a text. Classifiers of `pyspark.ml` give a number,
      because they are given numbers.
    * ``probability``: an array of doubles, in the order of ``model.classes``. It is no vector, a
      type that Arrow and SQL lack; ``pyspark.ml.functions.array_to_vector`` makes one of it. A map
      would repeat the names of the classes in each row.
    * the reasons, if ``reasonsCol`` names a column: an array of structs of ``variable``, ``part``
      and ``contribution``, the largest first, as those of `Model.explain`.

    Workers need the Python package fnb.

    Attributes
    ----------
    model : fnb.Model
        The ordinary model: it predicts here too, and is saved, shown and reported like any other.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fnb import FNBClassifier
    >>> from fnb.spark import FNBClassificationModel
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = FNBClassifier().fit(X, y)
    >>> scorer = FNBClassificationModel.from_model(clf.model_, reasonsCol="reasons")
    >>> scorer.model.classes
    ['0', '1', '2']

    With a session, ``scorer.transform(df)``.
    """

    def __init__(self, model: Model) -> None:
        super().__init__()
        if not isinstance(model, Model):
            raise TypeError(
                f"model must be an fnb.Model: the model_ of an fnb.FNBClassifier, or one that "
                f"fnb.load_model has read. Got {type(model).__name__} instead."
            )
        self.model = model

    @classmethod
    def from_model(cls, model: Model, **params: Any) -> FNBClassificationModel:
        """The model to score with in Spark, whatever it was learnt by.

        Parameters
        ----------
        model : fnb.Model
            The ``model_`` of an `fnb.FNBClassifier`, or one that `fnb.load_model` has read.
        params :
            predictionCol, probabilityCol, reasonsCol, numReasons.
        """
        return cls(model).setParams(**params)

    def _transform(self, dataset: DataFrame) -> DataFrame:
        added = {
            "prediction": self.getPredictionCol(),
            "probability": self.getProbabilityCol(),
            "reasons": self.getReasonsCol(),
        }
        added = {kind: name for kind, name in added.items() if name}
        names = _columns(dataset)
        _check_free(added, names)
        struct = dataset.schema
        schema = readable(arrow_schema(struct))
        places = [names.index(name) for name in _needed(self.model, names)]
        needed = pa.schema([schema.field(place) for place in places])
        # A row without values tells whether the types will do.
        nothing = [pa.nulls(1, field.type) for field in needed]
        self.model.predict_proba(pa.table(nothing, schema=pa.schema(_nullable(needed))))
        returned = StructType()
        for place, field in enumerate(struct):
            returned.add(f"c{place}", field.dataType, field.nullable, field.metadata)
        for kind in added:
            returned.add(kind, _ADDED[kind], False)
        task = _task(packed(self.model), places, needed, list(added), self.getNumReasons())
        # Spark reads the names again at this place, and stumbles over quotes in them.
        plain = dataset.toDF(*(f"c{place}" for place in range(len(names))))
        return plain.mapInArrow(task, returned).toDF(*names, *added.values())

    def write(self) -> Writer:
        """A writer of model and parameters, as `save` uses it."""
        return Writer(self, self.model)

    @classmethod
    def read(cls) -> Reader:
        """A reader of what was saved, as `load` uses it."""
        return Reader(cls, cls)

    def __repr__(self) -> str:
        return f"{type(self).__name__}: uid={self.uid}, model={self.model!r}"


def _task(model: bytes, places: list[int], needed: pa.Schema, added: list[str], most: int) -> Any:
    """What workers do. It holds nothing of fnb, so that it can say when they lack the package."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            from fnb.distributed._score import score
        except ModuleNotFoundError as error:
            package = str(error.name).partition(".")[0]
            raise ModuleNotFoundError(
                f"the workers have no Python package {package!r}; install what the driver has on "
                "each of them, or ship an environment with spark.archives",
                name=package,
            ) from None
        yield from score(batches, model, places, needed, added, most)

    return task


def _columns(dataset: Any) -> list[str]:
    if not isinstance(dataset, DataFrame):
        raise TypeError(
            f"a DataFrame of Spark or Sail is needed. Got {type(dataset).__name__} instead; "
            "fnb.FNBClassifier takes tables of other kinds"
        )
    return list(dataset.columns)


def _check_free(added: dict[str, str], names: list[str]) -> None:
    """Fail if a column that is to be added is there; Spark takes no notice of upper case."""
    taken = {name.lower() for name in names}
    for kind, name in added.items():
        if name.lower() in taken:
            raise ValueError(
                f"{kind}Col is {name!r}, which the table or another parameter has already; take "
                "another name, or leave that column out"
            )
        taken.add(name.lower())


def _needed(model: Model, names: list[str]) -> list[str]:
    """The columns that a model needs, all of them there and once."""
    if model.tables:
        raise ValueError(
            f"the model needs the tables {listed(model.tables)} besides the DataFrame; score with "
            "model.predict_proba(X, tables=...)"
        )
    needed = model._scoring.inputs
    absent = [name for name in needed if name not in names]
    if absent:
        near = nearest(absent[0], names)
        step = f"; did you mean {near!r}?" if near else "; add it, missing values are enough"
        raise ValueError(f"the model needs {listed(absent)}, which the table lacks{step}")
    twice = [name for name in needed if names.count(name) > 1]
    if twice:
        raise ValueError(f"the table has several columns {twice[0]!r}; rename all but one")
    return needed


def _nullable(schema: pa.Schema) -> list[pa.Field]:
    return [field.with_nullable(True) for field in schema]
