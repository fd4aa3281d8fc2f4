"""Looking at a table before and beside a model: `describe`, `compare`, `cross_validate`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, Literal, get_args

import numpy as np

from fnb import _fnb
from fnb._choices import FeatureType, Method, Preset, Tokeniser, check_choice
from fnb._estimator import Training, check_count, construction, settings_json
from fnb._scoring import as_frame
from fnb._threads import threads
from fnb.tables import Around, Table


class _Caller:
    """Stands for an estimator: has its parameters, and takes the attributes that fit would set."""

    class_weight = None

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)

    def surround(self, training: Training) -> None:
        """Put the tables that were given around the main one."""
        given: dict[str, Any] = self.__dict__
        if given["tables"]:
            training.surround(Around(given["tables"]), None, given["cutoff"])
        elif given["cutoff"] is not None:
            raise ValueError("cutoff speaks of other tables, but none is given")


def _warn(found: list[str]) -> None:
    """What joining tables found."""
    for note in found:
        warnings.warn(note, UserWarning, stacklevel=3)


def describe(
    X: Any,
    y: Any,
    *,
    preset: Preset = "default",
    tables: Sequence[Table] | None = None,
    cutoff: str | None = None,
    n_features: int = 1000,
    rules: Any = None,
    text_features: int | None = None,
    tokeniser: Tokeniser | None = None,
    pairs: int = 0,
    trees: int = 0,
    feature_types: Mapping[Any, FeatureType] | None = None,
    categorical_features: Any = None,
    drop_features: Any = None,
    n_jobs: int | None = -1,
) -> Any:
    """What each variable tells about the target on its own, the best first.

    Variables are the columns, and what `FNBClassifier` makes of them: calendar parts of dates,
    words of long texts. The figures are those of ``fnb describe``.

    Parameters
    ----------
    X, y : table and labels
        As for `FNBClassifier.fit`.
    preset : {"default", "khiops", "paper"}, default="default"
    tables, cutoff, n_features, rules, text_features, tokeniser, pairs, trees :
        Tables around X, and what is made of them, of dates, of texts and of several columns.
    feature_types, categorical_features, drop_features :
        What columns are used as.
    n_jobs : int, default=-1
        All of these as for `FNBClassifier`.

    Returns
    -------
    frame
        Columns variable, type, level (share of the description of the classes that the variable
        saves), parts, distinct, missing. A polars frame for polars, otherwise a pandas frame, or a
        dict of lists if pandas is not installed. Columns that no variable is made of come last
        with their type and level 0.

    Examples
    --------
    >>> import fnb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fnb.describe(X, y)[["variable", "level", "parts"]].round(3)
                variable  level  parts
    0   petal width (cm)  0.685      3
    1  petal length (cm)  0.661      3
    2  sepal length (cm)  0.299      3
    3   sepal width (cm)  0.147      3
    """
    check_choice("preset", preset, Preset)
    caller = _Caller(
        tables=tables,
        cutoff=cutoff,
        n_features=n_features,
        rules=rules,
        text_features=text_features,
        tokeniser=tokeniser,
        pairs=pairs,
        trees=trees,
        feature_types=feature_types,
        categorical_features=categorical_features,
        drop_features=drop_features,
    )
    settings = settings_json(preset=preset, **construction(caller))
    training = Training(caller, X, y)
    caller.surround(training)
    found = _fnb.describe(
        training.frame,
        training.target,
        settings,
        training.reading.native(),
        threads(n_jobs),
        tables=training.tables,
    )
    _warn(found["found"])
    columns = found["columns"]
    for name, kind in found["unused"]:
        line = {"variable": name, "type": kind, "level": 0.0, "parts": 0}
        for key in columns:
            columns[key].append(line.get(key))
    return as_frame(columns, like=X)


# Columns of the results, and the figures of the native module that they show.
FIGURES = {
    "selected": "selected",
    "accuracy": "accuracy",
    "auc": "auc",
    "log_loss": "log_loss",
    "brier": "brier",
    "compression": "compression",
    "criterion": "criterion",
    "seconds": "weights_seconds",
}


def compare(
    X: Any,
    y: Any,
    methods: Sequence[Method] | Literal["all"] = ("coordinate", "fnb-ordered", "fnb", "snb", "nb"),
    *,
    regularization: float | None = None,
    folds: int = 10,
    preset: Preset = "default",
    tables: Sequence[Table] | None = None,
    cutoff: str | None = None,
    n_features: int = 1000,
    rules: Any = None,
    text_features: int | None = None,
    tokeniser: Tokeniser | None = None,
    feature_types: Mapping[Any, FeatureType] | None = None,
    categorical_features: Any = None,
    drop_features: Any = None,
    n_jobs: int | None = -1,
) -> Any:
    """Methods on the same stratified folds: means over the folds, one line per method.

    The folds are those of ``fnb compare``.

    Parameters
    ----------
    X, y : table and labels
        As for `FNBClassifier.fit`.
    methods : sequence of str
        Names of methods; "all" is every one of them.
    regularization : float, default=None
        That of the preset by default.
    folds : int, default=10
    preset : {"default", "khiops", "paper"}, default="default"
    tables, cutoff, n_features, rules, text_features, tokeniser :
        Tables around X, and what is made of them, of dates and of texts.
    feature_types, categorical_features, drop_features :
        What columns are used as.
    n_jobs : int, default=-1
        All of these as for `FNBClassifier`.

    Returns
    -------
    frame
        Columns method, selected (variables), accuracy, auc, log_loss, brier, compression, criterion
        (the one that all methods share), seconds (for the weights). The AUC is NaN where it is not
        defined: on rows of a single class.

    Examples
    --------
    >>> import fnb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fnb.compare(X, y, ["coordinate", "nb"])[["method", "selected", "accuracy"]].round(3)
           method  selected  accuracy
    0  coordinate       2.0     0.947
    1          nb       4.0     0.940
    """
    given = [methods] if isinstance(methods, str) else list(methods)
    names = list(get_args(Method)) if given == ["all"] else given
    for name in names:
        check_choice("methods", name, Method)
    check_choice("preset", preset, Preset)
    check_count("folds", folds)
    caller = _Caller(
        tables=tables,
        cutoff=cutoff,
        n_features=n_features,
        rules=rules,
        text_features=text_features,
        tokeniser=tokeniser,
        pairs=0,
        trees=0,
        feature_types=feature_types,
        categorical_features=categorical_features,
        drop_features=drop_features,
    )
    made = construction(caller)
    settings = [
        settings_json(preset=preset, method=name, **made, **{"lambda": regularization})
        for name in names
    ]
    training = Training(caller, X, y)
    caller.surround(training)
    lines, found = _fnb.compare(
        training.frame,
        training.target,
        settings,
        training.reading.native(),
        int(folds),
        threads(n_jobs),
        tables=training.tables,
    )
    _warn(found)
    columns: dict[str, list[Any]] = {"method": names}
    for column, figure in FIGURES.items():
        of_method: list[list[float]] = [[] for _ in names]
        for _, place, figures in lines:
            of_method[place].append(figures[figure])
        columns[column] = [_mean(values) for values in of_method]
    return as_frame(columns, like=X)


def _mean(values: list[float]) -> float:
    """The mean of those that are defined; NaN if none is."""
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")


def cross_validate(
    X: Any,
    y: Any,
    *,
    method: Method | None = None,
    regularization: float | None = None,
    cv: Any = 10,
    preset: Preset = "default",
    tables: Sequence[Table] | None = None,
    cutoff: str | None = None,
    n_features: int = 1000,
    rules: Any = None,
    text_features: int | None = None,
    tokeniser: Tokeniser | None = None,
    pairs: int = 0,
    trees: int = 0,
    feature_types: Mapping[Any, FeatureType] | None = None,
    categorical_features: Any = None,
    drop_features: Any = None,
    n_jobs: int | None = -1,
) -> Any:
    """A model per fold, learnt without it and tested on it: one line per fold.

    The figures are those of ``fnb train --cv``.

    Parameters
    ----------
    X, y : table and labels
        As for `FNBClassifier.fit`.
    method : str, default=None
        How weights are learnt; that of the preset by default.
    regularization : float, default=None
        That of the preset by default.
    cv : int or sequence of int, default=10
        Number of stratified folds, or the fold of every row.
    preset : {"default", "khiops", "paper"}, default="default"
    tables, cutoff, n_features, rules, text_features, tokeniser, pairs, trees :
        Tables around X, and what is made of them, of dates, of texts and of several columns.
    feature_types, categorical_features, drop_features :
        What columns are used as.
    n_jobs : int, default=-1
        All of these as for `FNBClassifier`.

    Returns
    -------
    frame
        Columns fold, selected (variables), accuracy, auc, log_loss, brier, compression, criterion
        (the one that all methods share), seconds (for the weights). The AUC is NaN where it is not
        defined: on rows of a single class.

    Examples
    --------
    >>> import fnb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fnb.cross_validate(X, y, cv=3)[["fold", "selected", "accuracy"]]
       fold  selected  accuracy
    0     0       2.0      0.92
    1     1       2.0      0.96
    2     2       2.0      0.94
    """
    check_choice("method", method, Method, none=True)
    check_choice("preset", preset, Preset)
    caller = _Caller(
        tables=tables,
        cutoff=cutoff,
        n_features=n_features,
        rules=rules,
        text_features=text_features,
        tokeniser=tokeniser,
        pairs=pairs,
        trees=trees,
        feature_types=feature_types,
        categorical_features=categorical_features,
        drop_features=drop_features,
    )
    settings = settings_json(
        preset=preset, method=method, **construction(caller), **{"lambda": regularization}
    )
    training = Training(caller, X, y)
    caller.surround(training)
    lines, found = _fnb.compare(
        training.frame,
        training.target,
        [settings],
        training.reading.native(),
        _folds(cv),
        threads(n_jobs),
        tables=training.tables,
    )
    _warn(found)
    columns: dict[str, list[Any]] = {"fold": [fold for fold, _, _ in lines]}
    for column, figure in FIGURES.items():
        columns[column] = [figures[figure] for _, _, figures in lines]
    return as_frame(columns, like=X)


def _folds(cv: Any) -> int | list[int]:
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        check_count("cv", cv)
        return int(cv)
    folds = np.asarray(cv)
    if folds.ndim != 1 or folds.dtype.kind not in "iu" or (folds < 0).any():
        raise ValueError(f"cv must be an int or the fold of every row. Got {cv!r} instead.")
    of_rows: list[int] = folds.tolist()
    return of_rows
