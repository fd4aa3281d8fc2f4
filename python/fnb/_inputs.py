"""Tables of any kind, as columns that the native module takes.

A table is opened with `open_table`; nothing is copied before `frame` asks for columns, and then
only what does not lie in one piece.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from fnb import _fnb
from fnb._columns import numpy_column, pandas_column, series_array
from fnb._names import listed, text_names


class Table:
    """A table whose columns can be asked for by place.

    Attributes
    ----------
    rows, width : int
    names : list of str or None
        None if the container does not name its columns.
    labels : list or None
        The names as the container has them: integers, tuples. None if it does not name its columns.
    """

    def __init__(
        self,
        rows: int,
        width: int,
        names: list[str] | None,
        column: Callable[[int], Any],
        labels: list[Any] | None = None,
    ) -> None:
        self.rows = rows
        self.width = width
        self.names = names
        self.labels = names if labels is None else labels or None
        self._column = column

    def is_numbered(self) -> bool:
        """Are the columns called 0, 1, 2 and so on, as pandas does without names?"""
        return self.labels == list(range(self.width))

    def frame(self, places: Sequence[int], names: Sequence[str]) -> _fnb.Frame:
        """The columns at some places, under the given names."""
        columns = [self._column(place) for place in places]
        return _fnb.Frame.from_columns(list(names), columns, self.rows)


class ArrowTable(Table):
    """A table that speaks the Arrow protocol: taken as a whole, without a copy."""

    def __init__(self, source: Any) -> None:
        self._frame = _fnb.Frame.from_arrow(source)
        names = self._frame.names
        super().__init__(self._frame.rows, len(names), names, lambda place: None)

    def frame(self, places: Sequence[int], names: Sequence[str]) -> _fnb.Frame:
        return self._frame.select(list(places), list(names))


class SparseTable(Table):
    """A scipy sparse matrix: what it stores is handed over as it lies, never made dense."""

    def __init__(self, X: Any) -> None:
        if X.dtype.kind == "c":
            raise ValueError(f"Complex data not supported\n{X}\n")
        if len(X.shape) != 2:
            raise ValueError(_EXPECTED_2D.format(len(X.shape), "sparse array", "\n" + repr(X)))
        super().__init__(X.shape[0], X.shape[1], None, lambda place: None)
        self._X = X

    def frame(self, places: Sequence[int], names: Sequence[str]) -> _fnb.Frame:
        X = self._X
        if len(places) < self.width:
            # Rows that lie together lose most of what they store before they are turned around.
            X = (X if X.format == "csr" else X.tocsc())[:, list(places)]
        X = X.tocsc()
        if not X.has_canonical_format:
            # Entries given twice are added up, as scipy does; not in the caller's matrix.
            X = X.copy()
            X.sum_duplicates()
        # A sparse matrix holds numbers, also where they are written as booleans.
        data = X.data.astype(np.uint8) if X.dtype.kind == "b" else X.data
        return _fnb.Frame.from_sparse(
            list(names),
            X.indptr.astype(np.int64, copy=False),
            X.indices.astype(np.int32, copy=False),
            numpy_column(data),
            self.rows,
        )


def open_table(X: Any) -> Table:
    """Recognise the container of a table."""
    if isinstance(X, Table):
        return X
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return open_pandas(X)
    if pandas is not None and isinstance(X, pandas.Series):
        raise ValueError(_EXPECTED_2D.format(1, "Series", "\n" + str(X.head(3))))
    if type(X).__module__.startswith("polars"):
        X = _polars_frame(X)
    if isinstance(X, np.ndarray):
        return _open_matrix(X)
    if hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__"):
        return ArrowTable(X)
    if hasattr(X, "tocsc") and hasattr(X, "nnz"):
        return SparseTable(X)
    if hasattr(X, "fetch_arrow_table"):
        return ArrowTable(X.fetch_arrow_table())
    return _open_matrix(_as_array(X))


def _polars_frame(X: Any) -> Any:
    """Collected if it is lazy; columns without any type, which are all missing, as texts."""
    if hasattr(X, "collect"):
        X = X.collect()
    polars = sys.modules["polars"]
    if isinstance(X, polars.DataFrame):
        _check_polars_types(X)
    if isinstance(X, polars.DataFrame) and polars.Null in X.dtypes:
        # As polars lends them, the Arrow protocol has no word for them.
        X = X.with_columns(polars.col(polars.Null).cast(polars.String))
    return X


# Types of polars that no other library reads, and what to cast them to.
_ONLY_POLARS = {"Int128": "Int64", "UInt128": "UInt64", "Float16": "Float32", "Object": "String"}


def _check_polars_types(X: Any) -> None:
    for name, dtype in X.schema.items():
        if str(dtype) in _ONLY_POLARS:
            cast = f"X.with_columns(pl.col({name!r}).cast(pl.{_ONLY_POLARS[str(dtype)]}))"
            raise TypeError(
                f"column {name!r} is of type {dtype}, which only polars reads; convert it, for "
                f"example by {cast}, or leave it out by X.drop({name!r})"
            )


def _as_array(X: Any) -> np.ndarray[Any, Any]:
    first = X[0] if isinstance(X, (list, tuple)) and X else X
    if isinstance(first, Mapping):
        what = "a dict" if first is X else "a list of dicts"
        raise ValueError(
            f"Expected 2D array, got {what} instead, which is no table: give pandas.DataFrame(X)"
        )
    if isinstance(X, (str, bytes, set, frozenset, Iterator)) or X is None:
        raise ValueError(f"Expected 2D array, got {type(X).__name__} instead")
    array = np.asarray(X)
    if array.dtype.kind in "US":
        # numpy turns numbers among texts into texts: keep them apart.
        array = np.asarray(X, dtype=object)
    return array


_EXPECTED_2D = (
    "Expected 2D array, got {}D {} instead:{}\nReshape your data either using "
    "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
    "contains a single sample."
)


def _open_matrix(X: np.ndarray[Any, Any]) -> Table:
    if isinstance(X, np.matrix):
        raise TypeError("np.matrix is not supported. Please convert to a numpy array with asarray.")
    if X.ndim == 0:
        raise ValueError(_EXPECTED_2D.format("0", "scalar array", f"\narray={X}."))
    if X.ndim == 1:
        raise ValueError(_EXPECTED_2D.format(1, "array", f"\narray={X}."))
    if X.ndim > 2:
        raise ValueError(f"Found array with dim {X.ndim}, while dim <= 2 is required.")
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    if X.dtype.kind == "V":
        raise TypeError(f"arrays of dtype {X.dtype} are not supported")
    if isinstance(X, np.ma.MaskedArray):
        # What is masked is missing, not what lies below.
        X = _without_mask(X)
    if X.dtype.kind == "f" and not X.flags.f_contiguous and X.dtype.itemsize == 8:
        return Table(X.shape[0], X.shape[1], None, _Columns(X))
    return Table(X.shape[0], X.shape[1], None, lambda place: numpy_column(X[:, place]))


def _without_mask(X: Any) -> Any:
    if X.dtype.kind in "iuf":
        return X.astype(np.float64).filled(np.nan)
    values = X.data.astype(object)
    values[np.ma.getmaskarray(X)] = None
    return values


class _Columns:
    """The columns of a matrix that lies row by row: turned around once, if most are asked for."""

    def __init__(self, X: np.ndarray[Any, Any]) -> None:
        self._X = X
        self._asked = 0

    def __call__(self, place: int) -> Any:
        self._asked += 1
        # One column costs as much memory traffic as eight: beyond a few, turn around everything.
        if self._asked > 4 and not self._X.flags.f_contiguous:
            self._X = np.asfortranarray(self._X)
        return numpy_column(self._X[:, place])


def open_pandas(X: Any, known: list[str] | None = None) -> Table:
    """A pandas frame; `known` are its names if they need not be looked at."""
    array = pandas_arrays(X)
    labels = X.columns.tolist() if known is None else None
    names = known if labels is None else text_names(labels)

    def column(place: int) -> Any:
        return pandas_column(array(place))

    return Table(X.shape[0], X.shape[1], names or None, column, labels)


def pandas_arrays(X: Any) -> Callable[[int], Any]:
    """What gives the array of a column of a pandas frame by its place."""
    # What pandas itself takes columns by: to make a series of each takes a hundred times as long.
    own = getattr(X, "_get_column_array", None)
    return own or (lambda place: series_array(X.iloc[:, place]))


def warn_numbers_from_objects(frame: _fnb.Frame) -> None:
    """One warning about columns of objects that turned out to be numbers."""
    names = frame.numbers_from_objects
    if names:
        warnings.warn(
            f"columns of dtype object that hold numbers are used as numbers: {listed(names)}; "
            "name them in categorical_features if they are codes",
            UserWarning,
            stacklevel=5,
        )
