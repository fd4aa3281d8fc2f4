"""Variables constructed from several tables, as a scikit-learn transformer."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from fnb import _fnb, _workers  # noqa: F401
from fnb._choices import FeatureType
from fnb._estimator import (
    check_features,
    check_names_known,
    check_not_empty,
    names_of,
    places_of,
    set_names,
    settings_json,
)
from fnb._inputs import open_table
from fnb._names import check_names
from fnb._reading import Reading
from fnb._threads import threads
from fnb.tables import Around, rules_text

# LightGBM refuses names that hold them.
_OF_JSON = str.maketrans({"[": "(", "{": "(", "]": ")", "}": ")", ",": ";", ":": "=", '"': "'"})


class RelationalFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers and categories computed from the records around each row.

    Counts, means, extremes, most frequent values, under conditions or not: those of least
    complexity first. Nothing is learnt from labels.

    Parameters
    ----------
    tables : list of Table, default=None
        The tables around the main one, which is X. Without any, what X alone gives: calendar parts
        of its dates.
    n_features : int, default=1000
        Number of variables, at most.
    rules : str or list of str, default=None
        What to construct them by: families ("table", "entity", "date", "time", "timestamp",
        "timestamptz") or rules by name ("TableMean"); None is all.
    cutoff : str, default=None
        The column of X with the time of each row: only records before it are seen.
    n_jobs : int, default=-1
        Number of threads, as for `FNBClassifier`; the result does not depend on it.
    feature_types : dict, default=None
        Name of a column of X to what it is used as, as for `FNBClassifier`.

    Attributes
    ----------
    constructed_features_ : list of dict
        The variables: name, type, formula, cost in nats, sentence.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if they have names.

    Examples
    --------
    >>> import pandas as pd
    >>> from fnb import RelationalFeatures, Table
    >>> X = pd.DataFrame({"customer": [1, 2, 3]})
    >>> orders = pd.DataFrame({"customer": [1, 1, 2], "amount": [5.0, 8.0, 2.5]})
    >>> features = RelationalFeatures(
    ...     [Table("orders", orders, on="customer")], rules=["TableCount", "TableMax"]
    ... )
    >>> features.fit_transform(X)
    array([[2. , 8. ],
           [1. , 2.5],
           [0. , nan]])
    >>> features.get_feature_names_out().tolist()
    ['Count(orders)', 'Max(orders.amount)']

    In a frame every column has its own type, numbers or categories:

    >>> features = RelationalFeatures(
    ...     [Table("orders", orders.assign(day=["Mo", "Tu", "Mo"]), on="customer")],
    ...     rules=["TableMax", "TableMode"],
    ... ).set_output(transform="pandas")
    >>> features.fit_transform(X).dtypes.astype(str).to_dict()
    {'Max(orders.amount)': 'float64', 'Mode(orders.day)': 'category'}
    """

    def __init__(
        self,
        tables: Any = None,
        n_features: int = 1000,
        rules: Any = None,
        cutoff: str | None = None,
        n_jobs: int | None = -1,
        feature_types: Mapping[Any, FeatureType] | None = None,
    ) -> None:
        self.tables = tables
        self.n_features = n_features
        self.rules = rules
        self.cutoff = cutoff
        self.n_jobs = n_jobs
        self.feature_types = feature_types

    # Columns of X are categories or left out by feature_types.
    categorical_features = None
    drop_features = None

    def fit(self, X: Any, y: Any = None, tables: Any = None) -> RelationalFeatures:
        """Choose the variables.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The main table, with the key columns.
        y : ignored
        tables : dict or list of Table, default=None
            Data by name, instead of those of the construction.
        """
        check_features("n_features", self.n_features)
        table = open_table(X)
        check_not_empty(self, table)
        names = names_of(table)
        check_names(names)
        around = Around(self.tables or [])
        frames = around.frames(tables)
        around.check_columns(names, frames)
        frame = table.frame(range(table.width), names).with_tables(frames)
        settings = settings_json(features=int(self.n_features), rules=rules_text(self.rules))
        reading = Reading(self, names, table.labels).native()
        self._features, found = _fnb.construct(
            frame, around.native(self.cutoff, frames), settings, reading, threads(self.n_jobs)
        )
        for note in found:
            warnings.warn(note, UserWarning, stacklevel=2)
        set_names(self, table)
        self._names = names
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_features")

    @property
    def constructed_features_(self) -> list[dict[str, Any]]:
        check_is_fitted(self)
        variables: list[dict[str, Any]] = json.loads(self._features)["variables"]
        return variables

    def transform(self, X: Any, tables: Any = None) -> Any:
        """The values of the variables.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        tables : dict or list of Table, default=None
            Data by name, instead of those of the construction.

        Returns
        -------
        values : ndarray of shape (n_samples, number of variables)
            Of floats if all variables are numbers, otherwise of objects, with None for a missing
            category. Or a frame, by ``set_output(transform="pandas")`` or ``"polars"``, whose
            columns are floats and categories.
        """
        check_is_fitted(self)
        table = open_table(X)
        check_names_known(self, table)
        check_not_empty(self, table)
        places = places_of(self, table, self._names)
        around = Around(self.tables or [])
        frames = around.frames(tables)
        frame = table.frame(places, self._names).with_tables(frames)
        columns = _fnb.values(self._features, frame, threads(self.n_jobs))
        container = _get_output_config("transform", self)["dense"]
        if container == "pandas":
            return self._pandas(columns, X)
        if container == "polars":
            return self._polars(columns)
        numbers = all(isinstance(column, np.ndarray) for column in columns)
        values = np.empty((frame.rows, len(columns)), dtype=float if numbers else object)
        for place, column in enumerate(columns):
            values[:, place] = column
        return values

    def _pandas(self, columns: list[Any], X: Any) -> Any:
        """A frame with the index of X."""
        import pandas as pd

        frame = {
            name: column if isinstance(column, np.ndarray) else pd.Categorical(column)
            for name, column in zip(self.get_feature_names_out(), columns, strict=True)
        }
        return pd.DataFrame(frame, index=X.index if isinstance(X, pd.DataFrame) else None)

    def _polars(self, columns: list[Any]) -> Any:
        import polars as pl

        return pl.DataFrame(
            [
                pl.Series(
                    name, column, pl.Float64 if isinstance(column, np.ndarray) else pl.Categorical
                )
                for name, column in zip(self.get_feature_names_out(), columns, strict=True)
            ]
        )

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """The names of the columns: those of the variables, written without ``[]{},:"``.

        LightGBM refuses these characters. `input_features` are ignored.
        """
        names: list[str] = []
        for feature in self.constructed_features_:
            name = feature["name"].replace(" in ]", " in (").translate(_OF_JSON)
            others = (f"{name}_{i}" for i in range(1, len(names) + 1))
            names.append(name if name not in names else next(o for o in others if o not in names))
        return np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags
