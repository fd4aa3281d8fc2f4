"""One column of numpy, pandas or objects, as the native module takes it."""

from __future__ import annotations

from typing import Any

import numpy as np


def numpy_column(values: np.ndarray[Any, Any]) -> Any:
    """A one-dimensional array as the native module takes it."""
    kind = values.dtype.kind
    if kind in "iufb":
        if kind == "f" and values.dtype.itemsize not in (4, 8):
            values = values.astype(np.float64)
        return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))
    if kind == "M":
        return ("timestamp", values.astype("datetime64[us]").astype(np.int64))
    if kind == "m":
        return ("duration", values.astype("timedelta64[us]").astype(np.int64))
    if kind == "c":
        raise ValueError(f"Complex data not supported\n{values}\n")
    if kind == "S":
        values = np.char.decode(values, "utf-8")
    return object_column(values.astype(object))


def object_column(values: np.ndarray[Any, Any]) -> Any:
    """Objects: dates if all are, otherwise left to the native module to look at."""
    from datetime import date, datetime, timedelta

    first = next((value for value in values if value is not None), None)
    if isinstance(first, (date, np.datetime64)):
        kinds = (date, datetime, np.datetime64, type(None))
        if all(isinstance(value, kinds) for value in values):
            zones = {getattr(value, "tzinfo", None) for value in values if value is not None}
            if zones != {None}:
                values = np.array([_in_utc(value) for value in values], dtype=object)
            moments = values.astype("datetime64[us]").astype(np.int64)
            if None in zones:
                return ("timestamp", moments)
            # Arrow knows one zone of a column; clocks of several are read by that of UTC.
            names = {_zone_name(zone) for zone in zones}
            return ("zoned", moments, names.pop() if len(names) == 1 else "UTC")
    if isinstance(first, (timedelta, np.timedelta64)):
        # What is missing is not equal to itself, or None.
        known = [None if value is None or value != value else value for value in values]
        if all(isinstance(value, (timedelta, np.timedelta64, type(None))) for value in known):
            return numpy_column(np.array(known, dtype="timedelta64[us]"))
    return values.tolist()


def _in_utc(value: Any) -> Any:
    """A moment with a zone as the same moment of UTC; anything else as it is."""
    if getattr(value, "tzinfo", None) is None:
        return value
    from datetime import timezone

    return value.astimezone(timezone.utc).replace(tzinfo=None)


def _zone_name(zone: Any) -> str:
    """A zone as Arrow writes it: a name, or how far it is ahead of UTC."""
    from datetime import timedelta

    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    if name:
        return str(name)
    ahead = zone.utcoffset(None)
    if ahead is None:
        return "UTC"
    minutes = round(ahead / timedelta(minutes=1))
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def series_array(series: Any) -> Any:
    """The array of a pandas column: of numpy if that is its type, otherwise of pandas."""
    return series.to_numpy() if isinstance(series.dtype, np.dtype) else series.array


def pandas_column(array: Any) -> Any:
    """The array of a pandas column, of numpy or of pandas, as the native module takes it."""
    if isinstance(array, np.ndarray):
        return numpy_column(array)
    import pandas as pd

    dtype = array.dtype
    if isinstance(dtype, np.dtype):
        return numpy_column(np.asarray(array))
    if isinstance(dtype, pd.CategoricalDtype):
        values = array.categories.array
        lent = _is_of_arrow(values.dtype) or getattr(values.dtype, "kind", "O") in "iu"
        values = pandas_column(values) if lent else list(values.astype(object))
        return ("categories", array.codes.astype(np.int32), values)
    if _is_of_arrow(dtype):
        return array.__arrow_array__()
    if isinstance(dtype, pd.DatetimeTZDtype):
        moments = np.asarray(array.tz_convert(None)).astype("datetime64[us]")
        return ("zoned", moments.astype(np.int64), _zone_name(dtype.tz))
    if isinstance(dtype, pd.SparseDtype):
        return numpy_column(np.asarray(array))
    if getattr(dtype, "kind", "O") in "iuf":
        return array.to_numpy(dtype=np.float64, na_value=np.nan)
    return array.to_numpy(dtype=object, na_value=None).tolist()


def _is_of_arrow(dtype: Any) -> bool:
    """Are the values held by Arrow?"""
    return hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow"
