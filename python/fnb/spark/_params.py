"""Parameters in the manner of `pyspark.ml`: declared, explained, read and set one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasLabelCol, HasPredictionCol, HasProbabilityCol, HasSeed

from fnb._names import nearest

if TYPE_CHECKING:
    from typing_extensions import Self

_Convert = Callable[[Any], Any]


def _optional(convert: _Convert) -> _Convert:
    # The converters of pyspark refuse None, which it writes to files nevertheless.
    return lambda value: None if value is None else convert(value)


def _count(value: Any) -> int:
    number: int = TypeConverters.toInt(value)
    if isinstance(value, bool) or number < 1:
        raise ValueError(f"it must be at least 1. Got {value!r} instead.")
    return number


def _text_or(convert: _Convert) -> _Convert:
    return lambda value: value if isinstance(value, str) else convert(value)


def _dict_of(convert: _Convert) -> _Convert:
    def converted(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise TypeError(f"Could not convert {value!r} to a dict")
        return {TypeConverters.toString(key): convert(value[key]) for key in value}

    return converted


def _param(name: str, doc: str, convert: _Convert) -> Any:
    return Param(Params._dummy(), name, doc, convert)


class _Named(Params):  # type: ignore[misc]
    """Parameters that are set by name, several at a time."""

    def setParams(self, **params: Any) -> Self:
        """Set parameters by name."""
        for name in params:
            if not self.hasParam(name):
                known = [param.name for param in self.params]
                near = nearest(name, known)
                step = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}; {step}")
        return self._set(**params)


class Outputs(_Named, HasPredictionCol, HasProbabilityCol):  # type: ignore[misc]
    """The columns that scoring adds; of the estimator for its models, and of the model."""

    reasonsCol = _param(
        "reasonsCol",
        "reasons column name; None for no reasons.",
        _optional(TypeConverters.toString),
    )
    numReasons = _param(
        "numReasons",
        "number of terms in the reasons of a row, at most (>= 1).",
        _count,
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(reasonsCol=None, numReasons=5)

    def setPredictionCol(self, value: str) -> Self:
        """Set `predictionCol`."""
        return self._set(predictionCol=value)

    def setProbabilityCol(self, value: str) -> Self:
        """Set `probabilityCol`."""
        return self._set(probabilityCol=value)

    def getReasonsCol(self) -> str | None:
        """The value of `reasonsCol`, or its default."""
        return self.getOrDefault(self.reasonsCol)

    def setReasonsCol(self, value: str | None) -> Self:
        """Set `reasonsCol`."""
        return self._set(reasonsCol=value)

    def getNumReasons(self) -> int:
        """The value of `numReasons`, or its default."""
        return self.getOrDefault(self.numReasons)

    def setNumReasons(self, value: int) -> Self:
        """Set `numReasons`."""
        return self._set(numReasons=value)


class Training(HasLabelCol, HasSeed):  # type: ignore[misc]
    """What `fnb.distributed.train` takes; a callback is no value that a file could hold."""

    featuresCols = _param(
        "featuresCols",
        "names of the columns to learn from; None for all others.",
        _optional(TypeConverters.toListString),
    )
    weightCol = _param(
        "weightCol",
        "name of the column that says how many rows each row stands for.",
        _optional(TypeConverters.toString),
    )
    preset = _param(
        "preset",
        "the settings to start from: default, khiops or paper.",
        TypeConverters.toString,
    )
    method = _param(
        "method",
        "how the weights are learnt; None for that of the preset.",
        _optional(TypeConverters.toString),
    )
    start = _param(
        "start",
        "where the methods of gradients start: half, norm, snb or fnb.",
        _optional(TypeConverters.toString),
    )
    regularization = _param(
        "regularization",
        "weight of the prior in the criterion; None for that of the preset.",
        _optional(TypeConverters.toFloat),
    )
    exponent = _param(
        "exponent",
        "exponent of the weights in the prior, in ]0, 1].",
        _optional(TypeConverters.toFloat),
    )
    maxSelected = _param(
        "maxSelected",
        "number of variables of the model, at most.",
        _optional(_count),
    )
    sparser = _param(
        "sparser",
        "leave out variables while the criterion stays within this share.",
        _optional(TypeConverters.toFloat),
    )
    interactions = _param(
        "interactions",
        "tables over several variables: auto, none, or at most so many.",
        _optional(_text_or(TypeConverters.toInt)),
    )
    featureTypes = _param(
        "featureTypes",
        "name of a column to what it is used as.",
        _optional(_dict_of(TypeConverters.toString)),
    )
    classWeight = _param(
        "classWeight",
        "weights of the classes: a dict, or balanced.",
        _optional(_text_or(_dict_of(TypeConverters.toFloat))),
    )
    nFeatures = _param(
        "nFeatures",
        "number of variables to construct from dates, at most.",
        TypeConverters.toInt,
    )
    rules = _param(
        "rules",
        "what to construct them by: families or names of rules.",
        _optional(_text_or(TypeConverters.toListString)),
    )
    shards = _param(
        "shards",
        "number of parts that the rows are cut into, about.",
        _optional(_count),
    )
    scratch = _param(
        "scratch",
        "a folder that all workers can read and write.",
        _optional(TypeConverters.toString),
    )
    nJobs = _param(
        "nJobs",
        "threads of the driver; -1 for all processors.",
        _optional(TypeConverters.toInt),
    )
    verbose = _param(
        "verbose",
        "progress on standard error, if not 0.",
        TypeConverters.toInt,
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(
            featuresCols=None,
            weightCol=None,
            preset="default",
            method=None,
            start=None,
            regularization=None,
            exponent=None,
            maxSelected=None,
            sparser=None,
            interactions=None,
            featureTypes=None,
            classWeight=None,
            nFeatures=1000,
            rules=None,
            shards=None,
            scratch=None,
            nJobs=-1,
            verbose=0,
            seed=0,
        )

    def setLabelCol(self, value: str) -> Self:
        """Set `labelCol`."""
        return self._set(labelCol=value)

    def getFeaturesCols(self) -> list[str] | None:
        """The value of `featuresCols`, or its default."""
        return self.getOrDefault(self.featuresCols)

    def setFeaturesCols(self, value: list[str] | None) -> Self:
        """Set `featuresCols`."""
        return self._set(featuresCols=value)

    def getWeightCol(self) -> str | None:
        """The value of `weightCol`, or its default."""
        return self.getOrDefault(self.weightCol)

    def setWeightCol(self, value: str | None) -> Self:
        """Set `weightCol`."""
        return self._set(weightCol=value)

    def getPreset(self) -> str:
        """The value of `preset`, or its default."""
        return self.getOrDefault(self.preset)

    def setPreset(self, value: str) -> Self:
        """Set `preset`."""
        return self._set(preset=value)

    def getMethod(self) -> str | None:
        """The value of `method`, or its default."""
        return self.getOrDefault(self.method)

    def setMethod(self, value: str | None) -> Self:
        """Set `method`."""
        return self._set(method=value)

    def getStart(self) -> str | None:
        """The value of `start`, or its default."""
        return self.getOrDefault(self.start)

    def setStart(self, value: str | None) -> Self:
        """Set `start`."""
        return self._set(start=value)

    def getRegularization(self) -> float | None:
        """The value of `regularization`, or its default."""
        return self.getOrDefault(self.regularization)

    def setRegularization(self, value: float | None) -> Self:
        """Set `regularization`."""
        return self._set(regularization=value)

    def getExponent(self) -> float | None:
        """The value of `exponent`, or its default."""
        return self.getOrDefault(self.exponent)

    def setExponent(self, value: float | None) -> Self:
        """Set `exponent`."""
        return self._set(exponent=value)

    def getMaxSelected(self) -> int | None:
        """The value of `maxSelected`, or its default."""
        return self.getOrDefault(self.maxSelected)

    def setMaxSelected(self, value: int | None) -> Self:
        """Set `maxSelected`."""
        return self._set(maxSelected=value)

    def getSparser(self) -> float | None:
        """The value of `sparser`, or its default."""
        return self.getOrDefault(self.sparser)

    def setSparser(self, value: float | None) -> Self:
        """Set `sparser`."""
        return self._set(sparser=value)

    def getInteractions(self) -> str | int | None:
        """The value of `interactions`, or its default."""
        return self.getOrDefault(self.interactions)

    def setInteractions(self, value: str | int | None) -> Self:
        """Set `interactions`."""
        return self._set(interactions=value)

    def getFeatureTypes(self) -> dict[str, str] | None:
        """The value of `featureTypes`, or its default."""
        return self.getOrDefault(self.featureTypes)

    def setFeatureTypes(self, value: dict[str, str] | None) -> Self:
        """Set `featureTypes`."""
        return self._set(featureTypes=value)

    def getClassWeight(self) -> dict[str, float] | str | None:
        """The value of `classWeight`, or its default."""
        return self.getOrDefault(self.classWeight)

    def setClassWeight(self, value: dict[str, float] | str | None) -> Self:
        """Set `classWeight`."""
        return self._set(classWeight=value)

    def getNFeatures(self) -> int:
        """The value of `nFeatures`, or its default."""
        return self.getOrDefault(self.nFeatures)

    def setNFeatures(self, value: int) -> Self:
        """Set `nFeatures`."""
        return self._set(nFeatures=value)

    def getRules(self) -> str | list[str] | None:
        """The value of `rules`, or its default."""
        return self.getOrDefault(self.rules)

    def setRules(self, value: str | list[str] | None) -> Self:
        """Set `rules`."""
        return self._set(rules=value)

    def getShards(self) -> int | None:
        """The value of `shards`, or its default."""
        return self.getOrDefault(self.shards)

    def setShards(self, value: int | None) -> Self:
        """Set `shards`."""
        return self._set(shards=value)

    def getScratch(self) -> str | None:
        """The value of `scratch`, or its default."""
        return self.getOrDefault(self.scratch)

    def setScratch(self, value: str | None) -> Self:
        """Set `scratch`."""
        return self._set(scratch=value)

    def getNJobs(self) -> int | None:
        """The value of `nJobs`, or its default."""
        return self.getOrDefault(self.nJobs)

    def setNJobs(self, value: int | None) -> Self:
        """Set `nJobs`."""
        return self._set(nJobs=value)

    def getVerbose(self) -> int:
        """The value of `verbose`, or its default."""
        return self.getOrDefault(self.verbose)

    def setVerbose(self, value: int) -> Self:
        """Set `verbose`."""
        return self._set(verbose=value)

    def setSeed(self, value: int) -> Self:
        """Set `seed`."""
        return self._set(seed=value)
