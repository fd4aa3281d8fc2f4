"""The preparation alone, as a scikit-learn transformer."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fnb import _fnb
from fnb._choices import FeatureType, Output, Preset, check_choice
from fnb._estimator import (
    Training,
    check_names_known,
    check_not_empty,
    places_of,
    settings_json,
)
from fnb._inputs import open_table
from fnb._names import listed
from fnb._persist import Persistent
from fnb._report import write_estimator_report
from fnb._scoring import Seen
from fnb._target import class_texts
from fnb.model import Model


class MODLEncoder(Persistent, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns of any type recoded by what they tell about the classes.

    Each column is cut into the intervals or groups that describe the classes best (MODL), or left
    in one piece if it tells nothing; rows are then replaced by something that stands for their
    part. Dates and long texts, which `FNBClassifier` uses through variables made of them, stay in
    one piece, with a warning: `RelationalFeatures` makes calendar parts of dates.

    Parameters
    ----------
    output : {"logodds", "index", "label", "onehot", "probability"}, default="logodds"
        What stands for a part: the log odds of the classes given the part, compared with those of
        all rows (numbers that a linear model can use directly); the number of the part; its
        description; a column of 0 and 1 per part; the share of each class among the training rows
        of the part. Log odds and shares make one column for two classes, that of ``classes_[1]``,
        and one per class for more.
    preset : {"default", "khiops", "paper"}, default="default"
        How hard the best parts are searched for: "khiops" does as Khiops 11, the others try more.
    feature_types : dict, default=None
        Name of a column to what it is used as, as for `FNBClassifier`.
    categorical_features, drop_features : list of names or places, or mask, default=None
        Columns that are categories even if they hold numbers; columns that are left out.
    class_weight : dict or "balanced", default=None
        Weights of the classes.
    n_jobs : int, default=-1
        Number of threads, as for `FNBClassifier`; the result does not depend on it.
    verbose, callback :
        As for `FNBClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if they have names.
    levels_ : ndarray of shape (n_features_in_,)
        What each column tells about the classes, from 0 to 1.
    partitions_ : dict
        Name of each column to the descriptions of its parts.
    model_ : Model
        The partitions, as a model of all informative columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fnb import MODLEncoder
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> encoder = MODLEncoder(output="label").fit(X, y)
    >>> encoder.transform(X[:1])[0, 3]
    '<= 0.8'
    >>> MODLEncoder(output="onehot").fit(X, y).get_feature_names_out()[-3:].tolist()
    ['petal width (cm)=<= 0.8', 'petal width (cm)=]0.8; 1.75]', 'petal width (cm)=> 1.75']
    """

    _derived = ("_columns",)

    def __init__(
        self,
        *,
        output: Output = "logodds",
        preset: Preset = "default",
        feature_types: Mapping[Any, FeatureType] | None = None,
        categorical_features: Any = None,
        drop_features: Any = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        n_jobs: int | None = -1,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.output = output
        self.preset = preset
        self.feature_types = feature_types
        self.categorical_features = categorical_features
        self.drop_features = drop_features
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MODLEncoder:
        """Find the parts of each column.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            As for `FNBClassifier`.
        y : array of shape (n_samples,)
            The labels.
        sample_weight : array of shape (n_samples,), default=None
            Number of rows that each row stands for.
        """
        check_choice("output", self.output, Output)
        check_choice("preset", self.preset, Preset)
        training = Training(self, X, y, sample_weight)
        native = training.learn(_fnb.prepare, settings_json(preset=self.preset))
        self.classes_ = training.labels.classes
        self._names = training.names
        self._left_out = sorted(training.reading.left_out)
        self._set_model(Model(native))
        self._warn_of_dates()
        return self

    def _warn_of_dates(self) -> None:
        """Dates, and texts too long to be categories, are not cut into parts."""
        unused = [
            name
            for name, kind in self.model_.columns.items()
            if kind not in ("numerical", "categorical", "key", "ignored")
        ]
        if unused:
            warnings.warn(
                f"dates and long texts stay in one part, which tells nothing: {listed(unused)}; "
                "RelationalFeatures makes variables of dates; drop_features leaves them out",
                UserWarning,
                stacklevel=3,
            )

    def _set_model(self, model: Model) -> None:
        """For each column: place in the model (or -1), labels and numbers of its parts."""
        self.model_ = model
        known = {text: place for place, text in enumerate(model.classes)}
        order = [known.get(text, -1) for text in class_texts(self.classes_)]
        counts_of_classes = np.asarray(model._content["target"]["counts"], dtype=float)
        words = model._native.labels()
        places = {variable["name"]: i for i, variable in enumerate(model.variables)}
        # Columns that tell nothing, nearly all of a wide table, have the same single part.
        constant = (-1, ["all"], *_numbers(counts_of_classes[None, :], counts_of_classes, order))
        self._columns: list[tuple[int, list[str], Any, Any]] = []
        for name in self._kept():
            place = places.get(name, -1)
            if place < 0:
                self._columns.append(constant)
                continue
            counts = np.asarray(model.variables[place]["counts"], dtype=float)
            numbers = _numbers(counts, counts_of_classes, order)
            self._columns.append((place, _told_apart(words[place]), *numbers))

    def _kept(self) -> list[str]:
        left_out = set(self._left_out)
        return [name for name in self._names if name not in left_out]

    def _codes(self, X: Any) -> Any:
        """The part of each row and column."""
        scoring = self.model_._scoring
        frame = scoring.frame(*self._opened(X))
        parts = scoring.parts(frame, self.n_jobs)
        codes = np.zeros((frame.rows, len(self._columns)), dtype=np.int64)
        for column, (place, *_) in enumerate(self._columns):
            if place >= 0:
                codes[:, column] = parts[:, place]
        return codes

    def report(
        self,
        path: str | os.PathLike[str],
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        title: str | None = None,
        main_class: Any = None,
    ) -> None:
        """Write a page that shows the parts of every column: one HTML file, to look at.

        What the columns tell together is that of a naive Bayes of all of them, none weighted.

        Parameters
        ----------
        path : str or path-like
            Where to write it. The file is complete or absent, and holds no row of the data.
        X, y, sample_weight : table, labels and weights
            Rows to measure on, best such that were not given to `fit`.
        title : str, optional
            What is written above the page.
        main_class : label, optional
            The class that the page speaks of; the second of two by default.

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import load_breast_cancer
        >>> from fnb import MODLEncoder
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> path = os.path.join(tempfile.mkdtemp(), "parts.html")
        >>> MODLEncoder().fit(X[::2], y[::2]).report(path, X[1::2], y[1::2])
        >>> os.path.getsize(path) > 0
        True
        """
        check_is_fitted(self)
        rows = (X, y, sample_weight)
        write_estimator_report(
            self.model_, path, rows, self._probabilities, self.classes_, title, main_class
        )

    def _probabilities(self, X: Any) -> Any:
        """Those of the classes of the model."""
        scoring = self.model_._scoring
        return scoring.probabilities(*self._opened(X), None, self.n_jobs)

    def _opened(self, X: Any) -> tuple[Any, Seen]:
        table = open_table(X)
        check_names_known(self, table)
        places_of(self, table, self._names)
        check_not_empty(self, table)
        named = hasattr(self, "feature_names_in_")
        return table, Seen(self._names, named, type(self).__name__)

    def transform(self, X: Any) -> Any:
        """Recode a table.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)

        Returns
        -------
        encoded : ndarray of shape (n_samples, n_features_out)
            Or a frame, by ``set_output``.
        """
        check_is_fitted(self)
        codes = self._codes(X)
        if self.output == "index":
            return codes
        if self.output == "label":
            encoded = np.empty(codes.shape, dtype=object)
            for column, (_, labels, _, _) in enumerate(self._columns):
                encoded[:, column] = np.array(labels, dtype=object)[codes[:, column]]
            return encoded
        blocks = [self._table(column)[codes[:, column]] for column in range(len(self._columns))]
        return np.concatenate(blocks, axis=1) if blocks else np.empty((len(codes), 0))

    def _table(self, column: int) -> Any:
        """What stands for each part of a column."""
        _, labels, log_odds, shares = self._columns[column]
        if self.output == "onehot":
            return np.eye(len(labels))
        return log_odds if self.output == "logodds" else shares

    def inverse_transform(self, X: Any) -> Any:
        """The descriptions of the parts that the columns of an encoded table stand for.

        Parts that the output does not tell apart, such as two with the same log odds, come back as
        the first of them.

        Returns
        -------
        labels : ndarray of str objects, of shape (n_samples, number of encoded columns)
        """
        check_is_fitted(self)
        encoded = np.asarray(X)
        if self.output == "label":
            return encoded.astype(object)
        widths = [
            1 if self.output == "index" else self._table(column).shape[1]
            for column in range(len(self._columns))
        ]
        if encoded.ndim != 2 or encoded.shape[1] != sum(widths):
            raise ValueError(
                f"X has shape {encoded.shape}, but inverse_transform is expecting {sum(widths)} "
                "features as input."
            )
        labels = np.empty((len(encoded), len(self._columns)), dtype=object)
        start = 0
        for column, width in enumerate(widths):
            block = encoded[:, start : start + width].astype(float)
            words = np.array(self._columns[column][1], dtype=object)
            if self.output == "index":
                places = block[:, 0].astype(np.int64)
                if (places < 0).any() or (places >= len(words)).any():
                    raise ValueError(f"column {self._kept()[column]!r} has {len(words)} parts")
            else:
                distances = np.abs(block[:, None, :] - self._table(column)[None, :, :])
                places = distances.sum(axis=2).argmin(axis=1)
            labels[:, column] = words[places]
            start += width
        return labels

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the encoded columns.

        Parameters
        ----------
        input_features : array of str, default=None
            Must be the names that fit has seen, if any; otherwise they replace x0, x1...
        """
        check_is_fitted(self)
        names = self._names
        if input_features is not None:
            given = [str(name) for name in input_features]
            if hasattr(self, "feature_names_in_"):
                if given != list(self.feature_names_in_):
                    raise ValueError("input_features is not equal to feature_names_in_")
            elif len(given) != len(names):
                raise ValueError(
                    "input_features should have length equal to number of features "
                    f"({len(names)}), got {len(given)}"
                )
            names = given
        left_out = set(self._left_out)
        shown = [name for name, own in zip(names, self._names, strict=True) if own not in left_out]
        if self.output in ("index", "label"):
            return np.array(shown, dtype=object)
        result = []
        for column, name in enumerate(shown):
            width = self._table(column).shape[1]
            if self.output == "onehot":
                result += [f"{name}={label}" for label in self._columns[column][1]]
            elif width == 1:
                result.append(name)
            else:
                result += [f"{name}_{label}" for label in self.classes_]
        return np.array(result, dtype=object)

    @property
    def levels_(self) -> Any:
        check_is_fitted(self)
        levels = {variable["name"]: variable["level"] for variable in self.model_.variables}
        return np.array([levels.get(name, 0.0) for name in self._names])

    @property
    def partitions_(self) -> dict[str, list[str]]:
        check_is_fitted(self)
        return {
            name: list(labels)
            for name, (_, labels, _, _) in zip(self._kept(), self._columns, strict=True)
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        if self.output in ("index", "label"):
            tags.transformer_tags.preserves_dtype = []
        return tags

    def _repr_html_(self) -> str:
        if hasattr(self, "model_"):
            from fnb.display import encoder_html

            return encoder_html(self)
        from sklearn.utils import estimator_html_repr

        return str(estimator_html_repr(self))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _told_apart(labels: list[str]) -> list[str]:
    """Labels of parts, with their numbers where long values begin alike."""
    if len(set(labels)) == len(labels):
        return labels
    return [f"{label} #{part}" for part, label in enumerate(labels)]


def _numbers(counts: Any, class_counts: Any, order: list[int]) -> tuple[Any, Any]:
    """Log odds and shares of the classes in each part, in the order of the labels."""
    rows = class_counts.sum()
    # As in the model: every count is raised by 1 / (rows + 1).
    epsilon = 1.0 / (rows + 1.0)
    parts = len(counts)
    sizes = counts.sum(axis=1, keepdims=True)
    inside = (counts + epsilon) / (class_counts + parts * epsilon)
    others = max(counts.shape[1] - 1, 1)
    outside = (sizes - counts + others * epsilon) / (rows - class_counts + parts * others * epsilon)
    log_odds = np.log(inside / outside)
    if counts.shape[1] == 1:
        log_odds = np.zeros_like(log_odds)
    shares = counts / np.maximum(sizes, 1.0)
    both = []
    for values in (log_odds, shares):
        ordered = np.where(np.array(order) < 0, 0.0, values[:, order])
        both.append(ordered[:, 1:] if len(order) == 2 else ordered)
    return both[0], both[1]
