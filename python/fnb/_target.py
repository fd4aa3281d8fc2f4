"""The target: from any container to classes and the class of every row."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from fnb import _fnb
from fnb._columns import numpy_column, pandas_column, series_array
from fnb._inputs import ArrowTable
from fnb._names import check_text


class Labels:
    """The classes of a target.

    Attributes
    ----------
    name : str
        The name of the series, or "y".
    classes : ndarray
        The distinct labels, sorted, of the type they came in.
    codes : ndarray of int64
        Place of each row's label among the classes.
    """

    def __init__(self, name: str, classes: Any, codes: Any) -> None:
        self.name = name
        self.classes = classes
        self.codes = codes


def read_labels(y: Any) -> Labels:
    """The labels of a list, an array, a series or a frame of one column."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    name, column = _column(y)
    check_text("the name of y,", name)
    if isinstance(column, np.ndarray):
        classes, codes = np.unique(_checked(column), return_inverse=True)
        return Labels(name, classes, codes.astype(np.int64, copy=False).reshape(-1))
    codes, texts = _fnb.factorize(column)
    if (codes < 0).any():
        raise ValueError("Input y contains NaN.")
    order = np.argsort(np.array(texts, dtype=object))
    rank = np.empty(len(texts), dtype=np.int64)
    rank[order] = np.arange(len(texts))
    labels = np.array(texts, dtype=object)[order]
    kind = _dtype(y)
    if kind is not None and kind.kind == "U":
        labels = labels.astype(kind)
    return Labels(name, labels, rank[codes])


def _dtype(y: Any) -> Any:
    dtype = getattr(y, "dtype", None)
    if dtype is None and isinstance(y, (list, tuple)) and y and isinstance(y[0], str):
        return np.asarray(y).dtype
    return dtype if isinstance(dtype, np.dtype) else None


def _column(y: Any) -> tuple[str, Any]:
    """Name and column; an array if it holds numbers or booleans."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(y, pandas.DataFrame):
        _check_width(y.shape[1])
        y = y.iloc[:, 0]
    if pandas is not None and isinstance(y, pandas.Series):
        name = y.name if isinstance(y.name, str) else "y"
        if isinstance(y.dtype, pandas.CategoricalDtype):
            labels = y.cat.categories.to_numpy()[y.cat.codes.to_numpy()]
            if (y.cat.codes.to_numpy() < 0).any():
                raise ValueError("Input y contains NaN.")
            return name, _array_or_texts(labels)
        nullable = not isinstance(y.dtype, (np.dtype, pandas.SparseDtype))
        if nullable and getattr(y.dtype, "kind", "O") in "iufb":
            return name, _array_or_texts(y.to_numpy(dtype=object, na_value=None))
        column = pandas_column(series_array(y))
        if isinstance(column, list):
            return name, _array_or_texts(np.array(column, dtype=object))
        return name, _arrow_values(column) if hasattr(column, "to_numpy") else column
    if type(y).__module__.startswith("polars"):
        y = y.collect() if hasattr(y, "collect") else y
        if hasattr(y, "columns"):
            _check_width(y.width)
            y = y.to_series(0)
        if "Int128" in str(y.dtype):
            return y.name or "y", _array_or_texts(np.array(y.to_list(), dtype=object))
        if y.dtype.is_numeric() or y.dtype == bool or str(y.dtype) == "Boolean":
            return y.name or "y", _array_or_texts(y.to_numpy())
        return y.name or "y", y
    if hasattr(y, "__arrow_c_stream__") or hasattr(y, "__arrow_c_array__"):
        return _arrow_column(y)
    array = np.asarray(y)
    if array.dtype.kind == "O" or (array.dtype.kind in "US" and not isinstance(y, np.ndarray)):
        array = np.asarray(y, dtype=object)
    elif array.dtype.kind == "f" and not hasattr(y, "dtype") and (np.abs(array) >= 2.0**63).any():
        # numpy makes floats of integers of more than 64 bits: several of them the same.
        array = np.asarray(y, dtype=object)
    if array.ndim == 2 and array.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape "
            "of y to (n_samples, ), for example using ravel().",
            DataConversionWarning,
            stacklevel=5,
        )
        array = array.reshape(-1)
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    return "y", _array_or_texts(array)


def _arrow_column(y: Any) -> tuple[str, Any]:
    if hasattr(y, "column_names") or hasattr(y, "schema"):
        table = ArrowTable(y)
        _check_width(table.width)
        names = table.names or ["y"]
        if hasattr(y, "column"):
            return names[0], _arrow_column(y.column(0))[1]
        return names[0], y
    return "y", _arrow_values(y)


def _arrow_values(y: Any) -> Any:
    """An array if it holds numbers or booleans, as they are or in a dictionary."""
    kind: Any = getattr(y, "type", None)
    if str(kind).startswith("dictionary") and hasattr(kind, "value_type") and hasattr(y, "cast"):
        y, kind = y.cast(kind.value_type), kind.value_type
    if str(kind).startswith(("int", "uint", "float", "double", "bool", "halffloat")):
        array = y.to_numpy() if hasattr(y, "chunks") else y.to_numpy(zero_copy_only=False)
        return _array_or_texts(np.asarray(array))
    return y


def _check_width(width: int) -> None:
    if width != 1:
        raise ValueError(f"y should be a 1d array, got a frame of {width} columns instead.")


def _array_or_texts(array: np.ndarray[Any, Any]) -> Any:
    """Numbers and booleans stay arrays; texts become a column of the native module."""
    if array.dtype.kind in "iufb":
        return array
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind == "M" or array.dtype.kind == "m":
        return array
    if array.dtype.kind == "O":
        kinds = {type(value) for value in array}
        if not any(issubclass(kind, str) for kind in kinds):
            return _from_objects(array, kinds)
        if any(not issubclass(kind, str) for kind in kinds):
            _check_no_missing(array)
            names = sorted(kind.__name__ for kind in kinds)
            raise TypeError(f"Labels of y must be all text or all numbers. Got {names} instead.")
        return array.tolist()
    return numpy_column(array)


def _from_objects(array: np.ndarray[Any, Any], kinds: set[type]) -> np.ndarray[Any, Any]:
    _check_no_missing(array)
    if all(issubclass(kind, (bool, np.bool_)) for kind in kinds):
        return array.astype(bool)
    if all(issubclass(kind, (int, np.integer, bool, np.bool_)) for kind in kinds):
        return _integers(array)
    if all(issubclass(kind, (int, float, np.number)) for kind in kinds):
        try:
            return array.astype(np.float64)
        except OverflowError:
            raise ValueError("Input y contains infinity or a value too large.") from None
    names = sorted(kind.__name__ for kind in kinds)
    raise ValueError(f"Unknown label type: {', '.join(names)}")


def _integers(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """In 64 bits if they fit, otherwise as Python holds them."""
    if len(array) == 0:
        return array.astype(np.int64)
    low, high = min(array), max(array)
    if low >= -(2**63) and high < 2**63:
        return array.astype(np.int64)
    if low >= 0 and high < 2**64:
        return array.astype(np.uint64)
    return np.array([int(value) for value in array], dtype=object)


def _check_no_missing(array: np.ndarray[Any, Any]) -> None:
    def missing(value: Any) -> bool:
        if isinstance(value, (float, np.floating)):
            return bool(np.isnan(value))
        return value is None or type(value).__name__ in ("NAType", "NaTType")

    if any(missing(value) for value in array):
        raise ValueError("Input y contains NaN.")


def _checked(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    kind = array.dtype.kind
    if kind == "f":
        if np.isnan(array).any():
            raise ValueError("Input y contains NaN.")
        if np.isinf(array).any():
            raise ValueError("Input y contains infinity or a value too large.")
        if (array != np.floor(array)).any():
            raise ValueError(
                "Unknown label type: continuous. Maybe you are trying to fit a classifier, which "
                "expects discrete classes on a regression target with continuous values."
            )
    elif kind in "Mm":
        raise ValueError(f"Unknown label type: {array.dtype}")
    return array


def class_texts(classes: Any) -> list[str]:
    """The classes as model files write them."""
    array = np.asarray(classes)
    if array.dtype.kind == "b":
        return ["true" if value else "false" for value in array]
    if array.dtype.kind == "f":
        return [str(int(value)) for value in array]
    return [str(value) for value in array.tolist()]


def label_type(classes: Any) -> str | None:
    """What a model file has to say of classes whose texts do not tell what they were."""
    array = np.asarray(classes)
    if array.dtype.kind in "iub" or (array.dtype.kind == "O" and isinstance(array[0], int)):
        return None
    if array.dtype.kind == "f":
        return "float"
    texts = class_texts(array)
    return None if typed_classes(texts, None).dtype == object else "text"


def typed_classes(texts: list[str], labels: str | None) -> np.ndarray[Any, Any]:
    """The classes of a model file, sorted, as what they were before they were texts.

    Whole numbers, true and false are what they look like unless `labels` says otherwise.
    """
    objects = np.array(sorted(texts), dtype=object)
    if labels == "float":
        return np.sort(objects.astype(np.float64))
    if labels == "text" or not texts:
        return objects
    if set(texts) <= {"true", "false"}:
        return np.array(sorted(text == "true" for text in texts))
    if all(_is_integer(text) for text in texts):
        return _integers(np.array(sorted(int(text) for text in texts), dtype=object))
    return objects


def _is_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and str(int(text)) == text
