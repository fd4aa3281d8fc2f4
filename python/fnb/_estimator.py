"""What the two estimators share: parameters to settings, tables to columns, progress."""

from __future__ import annotations

import contextlib
import json
import sys
import warnings
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

from fnb import _fnb
from fnb._choices import Tokeniser, check_choice
from fnb._inputs import Table, open_table, warn_numbers_from_objects
from fnb._names import absent_names, as_array, check_names, default_names
from fnb._reading import Reading
from fnb._target import Labels, class_texts, label_type, read_labels
from fnb._threads import threads
from fnb._weights import class_weights, row_weights
from fnb.tables import Around, rules_text


def check_number(name: str, value: Any, low: float, high: float, open_low: bool) -> None:
    if value is None:
        return
    number = isinstance(value, Real) and not isinstance(value, bool)
    inside = number and low <= float(value) <= high
    if not inside or (open_low and value == low):
        left = "]" if open_low else "["
        raise ValueError(
            f"{name} must be None or a number in {left}{low}, {high}]. Got {value!r} instead."
        )


def check_count(name: str, value: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name} must be None or an int of at least 1. Got {value!r} instead.")


def check_features(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise ValueError(f"{name} must be an int of at least 0. Got {value!r} instead.")


def settings_json(**given: Any) -> str:
    """Settings on top of a preset, without those that are None."""
    return json.dumps({name: value for name, value in given.items() if value is not None})


def construction(by: Any) -> dict[str, Any]:
    """The settings of what is made of tables, dates, texts and several columns, checked."""
    check_features("n_features", by.n_features)
    if by.text_features is not None:
        check_features("text_features", by.text_features)
    check_choice("tokeniser", by.tokeniser, Tokeniser, none=True)
    check_features("pairs", by.pairs)
    check_features("trees", by.trees)
    return {
        "features": int(by.n_features),
        "rules": rules_text(by.rules),
        "text_features": None if by.text_features is None else int(by.text_features),
        "tokeniser": by.tokeniser,
        "pairs": int(by.pairs),
        "trees": int(by.trees),
    }


class Training:
    """A table and its target, read as the parameters of an estimator say.

    Attributes
    ----------
    names : list of str
        The columns.
    labels : Labels
    frame, target
        For the native module.
    reading : Reading
        The types that are said of columns, and which are left out.
    tables : dict or None
        How other tables are related to it, for the native module.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
        table = open_table(X)
        name = type(estimator).__name__
        check_not_empty(estimator, table)
        if y is None:
            raise ValueError(f"{name} requires y to be passed, but the target y is None")
        self.labels: Labels = read_labels(y)
        if len(self.labels.codes) != table.rows:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"{[table.rows, len(self.labels.codes)]}"
            )
        self._estimator = estimator
        self._table: Table = table
        self.names = names_of(table)
        check_names(self.names)
        set_names(estimator, table)
        self.frame = table.frame(range(table.width), self.names)
        self.reading = self._reading()
        self.tables: dict[str, Any] | None = None
        self.target = self._target(sample_weight)

    def surround(self, around: Around, given: Any, cutoff: str | None) -> None:
        """Put other tables around this one, with data that are given instead of theirs."""
        frames = around.frames(given)
        around.check_columns(self.names, frames)
        self.frame = self.frame.with_tables(frames)
        self.tables = around.native(cutoff, frames)

    def learn(self, native: Callable[..., Any], settings: str) -> Any:
        """What a function of the native module learns, telling how far it has come."""
        estimator = self._estimator
        jobs = threads(estimator.n_jobs)
        reading = self.reading.native()
        around = {} if self.tables is None else {"tables": self.tables}
        return with_progress(
            estimator.verbose,
            estimator.callback,
            lambda callback: native(
                self.frame, self.target, settings, reading, jobs, callback, **around
            ),
        )

    def _target(self, sample_weight: Any) -> _fnb.Target:
        """The target, rows and classes weighted; warns of classes that vanish so."""
        labels = self.labels
        texts = class_texts(labels.classes)
        weights = row_weights(sample_weight, self._table.rows)
        of_classes = class_weights(self._estimator.class_weight, labels)
        kind = label_type(labels.classes)
        target = _fnb.Target(labels.name, texts, labels.codes, weights, of_classes, kind)
        lost = len(texts) - len(target.classes)
        if lost:
            warnings.warn(
                f"{lost} of {len(texts)} classes have no weight: their probability is 0",
                UserWarning,
                stacklevel=4,
            )
        if len(target.classes) == 1:
            warnings.warn(
                f"y has a single class, {target.classes[0]!r}: the model always predicts it",
                UserWarning,
                stacklevel=4,
            )
        return target

    def _reading(self) -> Reading:
        reading = Reading(self._estimator, self.names, self._table.labels)
        if len(reading.left_out) == len(self.names):
            raise ValueError("drop_features and feature_types leave no column")
        if not {*reading.types, *reading.drop}.issuperset(self.frame.numbers_from_objects):
            warn_numbers_from_objects(self.frame)
        return reading


def check_not_empty(estimator: Any, table: Table) -> None:
    """There is a column and a row."""
    name = type(estimator).__name__
    if table.width == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({table.rows}, 0)) while a minimum of 1 is "
            f"required by {name}."
        )
    if table.rows == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape=(0, {table.width})) while a minimum of 1 is "
            f"required by {name}."
        )


def set_names(estimator: Any, table: Table) -> None:
    """The attributes that tell what fit has seen."""
    estimator.n_features_in_ = table.width
    if table.labels is not None:
        estimator.feature_names_in_ = as_array(table.labels)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def places_of(estimator: Any, table: Table, names: Sequence[str]) -> list[int]:
    """Where the columns of fit are: by name if fit had names, otherwise by place."""
    if table.names is None or not hasattr(estimator, "feature_names_in_"):
        if table.width != len(names):
            raise ValueError(
                f"X has {table.width} features, but {type(estimator).__name__} is expecting "
                f"{len(names)} features as input."
            )
        return list(range(len(names)))
    place = {name: i for i, name in enumerate(table.names)}
    absent = [name for name in names if name not in place]
    if absent:
        raise ValueError(absent_names(absent, table.names, names))
    return [place[name] for name in names]


def names_of(table: Table) -> list[str]:
    """The names of the columns, x0, x1, ... if they have none."""
    return table.names or default_names(table.width)


def is_numbered(estimator: Any) -> bool:
    """Were the columns of fit called 0, 1, 2 and so on, so that places are their names?"""
    names = estimator.feature_names_in_
    return bool(names[0] == 0 and names.tolist() == list(range(len(names))))


def check_names_known(estimator: Any, table: Table) -> None:
    """The warnings of scikit-learn when only one of fit and predict had names."""
    fitted = hasattr(estimator, "feature_names_in_")
    name = type(estimator).__name__
    if table.names is None and fitted and is_numbered(estimator):
        return
    if table.names is not None and not fitted and table.is_numbered():
        return
    if fitted and table.names is None:
        warnings.warn(
            f"X does not have valid feature names, but {name} was fitted with feature names",
            UserWarning,
            stacklevel=4,
        )
    elif not fitted and table.names is not None:
        warnings.warn(
            f"X has feature names, but {name} was fitted without feature names",
            UserWarning,
            stacklevel=4,
        )


class Show:
    """Tells how far training has come: a bar of tqdm, or lines on standard error."""

    def __init__(self, callback: Callable[[str, int, int], Any] | None) -> None:
        self._callback = callback
        self._bars: dict[str, Any] = {}
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm

    def __call__(self, stage: str, done: int, total: int) -> Any:
        # Standard error that is closed or full costs messages, never the model.
        with contextlib.suppress(OSError, ValueError):
            self._show(stage, done, total)
        return None if self._callback is None else self._callback(stage, done, total)

    def _show(self, stage: str, done: int, total: int) -> None:
        if self._tqdm is None:
            print(f"fnb: {stage} {done}/{total}", file=sys.stderr)
        else:
            bar = self._bars.get(stage)
            if bar is None:
                bar = self._bars[stage] = self._tqdm(total=total, desc=stage, file=sys.stderr)
            bar.total = total
            bar.update(done - bar.n)

    def close(self) -> None:
        for bar in self._bars.values():
            with contextlib.suppress(OSError, ValueError):
                bar.close()


def with_progress(verbose: Any, callback: Any, work: Callable[[Any], Any]) -> Any:
    """Does the work with a callback that shows progress, if that is asked for."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be None or callable. Got {callback!r} instead.")
    if not verbose:
        return work(callback)
    show = Show(callback)
    try:
        return work(show)
    finally:
        show.close()


__all__ = [
    "Training",
    "check_count",
    "check_features",
    "check_names_known",
    "check_not_empty",
    "check_number",
    "construction",
    "names_of",
    "places_of",
    "set_names",
    "settings_json",
]
