"""Rows to probabilities, reasons and parts: what a model needs of a table, found and given."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fnb import _fnb
from fnb._inputs import open_pandas, open_table, pandas_arrays
from fnb._names import absent_names
from fnb._threads import threads
from fnb.tables import data_by_name, open_frames

# Matrices of at most so many rows are scored without turning them into columns first.
_FEW_ROWS = 4096
# Types of columns that a matrix of doubles holds as well. Single precision does not pass for it.
_AS_DOUBLES = frozenset(np.dtype(kind) for kind in ("f8", "i8", "i4", "i2", "i1", "u4", "u2", "u1"))


class Seen:
    """The columns that a model was fitted on, and who scores with it.

    Attributes
    ----------
    names : list of str
        As the model calls them.
    named : bool
        Are columns found by name, if the table to score has names? Otherwise by place.
    by : str
        Who asks, for messages.
    labels : sequence
        The names as the container had them: integers, tuples.
    """

    def __init__(
        self,
        names: list[str],
        named: bool = True,
        by: str = "the model",
        labels: Sequence[Any] | None = None,
    ) -> None:
        self.names = names
        self.named = named
        self.by = by
        self._labels = names if labels is None else list(labels)
        # The index of pandas that had these labels last.
        self._index: Any = None

    def is_known(self, X: Any) -> bool:
        """Is it a pandas frame of just these columns, which need not be looked up one by one?"""
        pandas = sys.modules.get("pandas")
        if pandas is None or not self.named or not isinstance(X, pandas.DataFrame):
            return False
        index = X.columns
        if self._index is not index:
            if index.tolist() != self._labels:
                return False
            self._index = index
        return True

    def opened(self, X: Any) -> Any:
        """A table that can be read twice, which a stream cannot; as it is if it need not be."""
        return X if isinstance(X, np.ndarray) or self.is_known(X) else open_table(X)

    @cached_property
    def _label_of(self) -> dict[str, Any]:
        return dict(zip(self.names, self._labels, strict=True))

    def label(self, name: str) -> Any:
        """A column as its container calls it; anything else as it is."""
        return self._label_of.get(name, name)


class Scoring:
    """A native model, and what is found once to score with it."""

    def __init__(self, native: _fnb.Model) -> None:
        self.native = native
        self._places: tuple[Any, list[int]] = (None, [])

    @cached_property
    def inputs(self) -> list[str]:
        """The columns that are needed."""
        return self.native.inputs

    @cached_property
    def tables(self) -> list[str]:
        """The data paths of the tables that are needed besides the main one."""
        return self.native.tables

    @cached_property
    def _of_numbers(self) -> bool:
        return self.native.of_numbers

    def places(self, seen: Seen) -> list[int]:
        """Where the needed columns were in the training table."""
        # The names of a fitted estimator are one list, and there may be many of them.
        if self._places[0] is not seen.names:
            place = {name: i for i, name in enumerate(seen.names)}
            self._places = (seen.names, [place[name] for name in self.inputs])
        return self._places[1]

    def probabilities(
        self,
        X: Any,
        seen: Seen,
        prior: list[float] | None = None,
        n_jobs: int | None = None,
        tables: Any = None,
    ) -> np.ndarray[Any, Any]:
        """A probability per row and class of the model."""
        matrix = self._few_numbers(X, seen) if self._of_numbers else None
        if matrix is not None:
            return self.native.probabilities_of_matrix(*matrix, prior)
        frame = self.frame(X, seen, tables)
        if frame.rows == 0:
            return np.empty((0, len(self.native.classes)))
        return self.native.probabilities(frame, prior, threads(n_jobs))

    def scores(
        self,
        X: Any,
        seen: Seen,
        prior: list[float] | None = None,
        n_jobs: int | None = None,
        tables: Any = None,
    ) -> np.ndarray[Any, Any]:
        """The scores that probabilities are made of: those without a variable, plus `evidence`."""
        frame = self.frame(X, seen, tables)
        if frame.rows == 0:
            return np.empty((0, len(self.native.classes)))
        return self.native.scores(frame, prior, threads(n_jobs))

    def _few_numbers(self, X: Any, seen: Seen) -> tuple[np.ndarray[Any, Any], list[int]] | None:
        """A few rows as a matrix, and the places of the needed columns in it."""
        if type(X) is np.ndarray:
            if X.ndim != 2 or X.shape[1] != len(seen.names) or len(X) > _FEW_ROWS:
                return None
            return (X, self.places(seen)) if X.dtype == np.float64 else None
        if not seen.is_known(X) or len(X) > _FEW_ROWS:
            return None
        array = pandas_arrays(X)
        first, last = array(0), array(len(seen.names) - 1)
        if first.dtype == np.float64 and getattr(first, "base", None) is not None:
            # Columns of one type mostly lie in one block, which is a matrix already; what is put
            # together from several blocks is a copy.
            matrix = X.values if first.base is last.base else None
            if matrix is not None and np.may_share_memory(matrix, first):
                return matrix, self.places(seen)
        columns = [array(place) for place in self.places(seen)]
        if not columns or not _AS_DOUBLES.issuperset(column.dtype for column in columns):
            return None
        return np.array(columns, dtype=np.float64).T, list(range(len(columns)))

    def frame(self, X: Any, seen: Seen, tables: Any = None) -> _fnb.Frame:
        """The needed columns, found by name or by place, and the tables around."""
        if seen.is_known(X):
            table = open_pandas(X, seen.names)
            frame = table.frame(self.places(seen), self.inputs)
            return self._with_tables(frame, tables)
        table = open_table(X)
        place = {name: i for i, name in enumerate(table.names or [])}
        absent = [name for name in self.inputs if name not in place]
        # Numbers instead of names are places, unless fit had such names too.
        if table.names is None or not seen.named or (absent and table.is_numbered()):
            if table.width != len(seen.names):
                raise ValueError(
                    f"X has {table.width} features, but {seen.by} is expecting "
                    f"{len(seen.names)} features as input."
                )
            places = self.places(seen)
        elif absent:
            raise ValueError(absent_names(absent, table.names, seen.names))
        else:
            places = [place[name] for name in self.inputs]
        return self._with_tables(table.frame(places, self.inputs), tables)

    def _with_tables(self, frame: _fnb.Frame, tables: Any) -> _fnb.Frame:
        if not self.tables:
            return frame
        return frame.with_tables(open_frames(data_by_name(tables), self.tables))

    def explanation(
        self,
        X: Any,
        seen: Seen,
        classes: np.ndarray[Any, Any],
        top: int,
        labels: Sequence[Any],
        n_jobs: int | None = None,
        tables: Any = None,
        like: Any = None,
    ) -> Any:
        """The largest terms of every row for a class of each, with the labels to show for them.

        The frame is of the kind of `like`, and has its index.
        """
        if isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1:
            raise ValueError(f"top must be an int of at least 1. Got {top!r} instead.")
        frame = self.frame(X, seen, tables)
        columns: tuple[list[Any], ...] = ([], [], [], [], [], [])
        if frame.rows:
            columns = self.native.explain(frame, classes, int(top), threads(n_jobs))
        row, against, variable, value, part, contribution = columns
        label_of = dict(zip(self.native.classes, labels, strict=True))
        explained = {
            "row": row,
            "class": [labels[classes[i]] for i in row],
            "against": [label_of.get(text) for text in against],
            "variable": [seen.label(name) for name in variable],
            "value": value,
            "part": part,
            "contribution": contribution,
        }
        return as_frame(explained, like, row)

    def parts(self, frame: _fnb.Frame, n_jobs: int | None = None) -> np.ndarray[Any, Any]:
        """The part of each row and variable."""
        return self.native.parts(frame, threads(n_jobs))

    def evidence(self, codes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """What the parts of rows add to the scores: of shape (rows, variables, classes)."""
        tables, log_prior = self.native.evidence()
        values = np.empty((*codes.shape, len(log_prior)))
        for place, table in enumerate(tables):
            values[:, place] = np.asarray(table)[codes[:, place]]
        return values

    def log_prior(self) -> np.ndarray[Any, Any]:
        """What the scores start from: the logarithms of the class shares."""
        return np.asarray(self.native.evidence()[1])

    def prior(self, given: Mapping[str, float], counts: Mapping[str, int]) -> list[float]:
        """Shares of all classes: those given, the others in proportion to the training rows."""
        unknown = [name for name in given if name not in counts]
        if unknown:
            known = list(counts)
            raise ValueError(f"prior names unknown classes {unknown}; the classes are {known}")
        left = 1.0 - sum(given.values())
        others = sum(count for name, count in counts.items() if name not in given)
        if left < -1e-9 or (others == 0 and abs(left) > 1e-6):
            raise ValueError(f"the shares of prior add up to {1.0 - left}, not 1")
        return [
            float(given[name]) if name in given else max(left, 0.0) * count / others
            for name, count in counts.items()
        ]


def as_frame(columns: dict[str, list[Any]], like: Any = None, rows: Any = None) -> Any:
    """A frame of the kind of `like`: polars, else pandas, else the dict itself.

    `rows` are those of `like` that the lines speak of: they keep their index.
    """
    if type(like).__module__.startswith("polars"):
        import polars

        return polars.DataFrame(columns)
    try:
        import pandas
    except ImportError:
        return columns
    index = (
        like.index.take(rows) if rows is not None and isinstance(like, pandas.DataFrame) else None
    )
    return pandas.DataFrame(columns, index=index)
