"""One column of numpy, pandas or objects, as the native module takes it."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Any

import numpy as np

# What may be NaN or NaT: these differ from themselves.
_MAY_BE_MISSING = (float, np.floating, np.datetime64, np.timedelta64, datetime, timedelta)


def numpy_column(values: np.ndarray[Any, Any]) -> Any:
    """A one-dimensional array as the native module takes it."""
    kind = values.dtype.kind
    if kind in "iufb":
        if kind == "f" and values.dtype.itemsize not in (4, 8):
            values = values.astype(np.float64)
        return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))
    if kind == "M":
        return _moments(values, np.datetime_data(values.dtype)[0] in _DAYS)
    if kind == "m":
        return ("duration", values.astype("timedelta64[us]").astype(np.int64))
    if kind == "c":
        raise ValueError(f"Complex data not supported\n{values}\n")
    if kind == "S":
        values = np.char.decode(values, "utf-8")
    return object_column(values.astype(object))


# Units of numpy that tell a day and no time.
_DAYS = ("D", "W", "M", "Y")


def object_column(values: np.ndarray[Any, Any]) -> Any:
    """Objects: dates if all are, otherwise left to the native module to look at."""
    kinds = (date, np.datetime64)
    first = next((value for value in values if not _is_missing(value)), None)
    if isinstance(first, (timedelta, np.timedelta64)):
        return _durations(values)
    if not isinstance(first, kinds):
        return values.tolist()
    present = [value for value in values if not _is_missing(value)]
    if not all(isinstance(value, kinds) for value in present):
        return values.tolist()
    zones = {getattr(value, "tzinfo", None) for value in present}
    names = {_zone_name(zone) for zone in zones if zone is not None}
    if None not in zones and len(names) > 1:
        # Arrow knows one zone of a column; texts have their own.
        return [None if _is_missing(value) else _zoned_text(value) for value in values]
    moments = np.array(
        [None if _is_missing(value) else _in_utc(value) for value in values], dtype=object
    )
    if None not in zones:
        _, micros = _moments(moments, False)
        return ("zoned", micros, names.pop())
    return _moments(moments, all(_is_day(value) for value in present))


def _durations(values: np.ndarray[Any, Any]) -> Any:
    """Objects of which the first is a duration: durations if all are."""
    known = [None if _is_missing(value) else value for value in values]
    if all(isinstance(value, (timedelta, np.timedelta64, type(None))) for value in known):
        return numpy_column(np.array(known, dtype="timedelta64[us]"))
    return values.tolist()


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT or NA."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return bool(value != value) if isinstance(value, _MAY_BE_MISSING) else False


def _is_day(value: Any) -> bool:
    """Is it a date without a time?"""
    if isinstance(value, np.datetime64):
        return np.datetime_data(value.dtype)[0] in _DAYS
    return not isinstance(value, datetime)


def _moments(values: np.ndarray[Any, Any], days: bool) -> tuple[str, np.ndarray[Any, Any]]:
    """Days or microseconds since 1970."""
    if days:
        return ("date", values.astype("datetime64[D]").astype(np.int64))
    return ("timestamp", values.astype("datetime64[us]").astype(np.int64))


def _zoned_text(value: Any) -> str:
    """A moment as it is written in files, by the clocks of its own zone."""
    return f"{value.replace(tzinfo=None).isoformat()}{_offset(value.utcoffset())}"


def _in_utc(value: Any) -> Any:
    """A moment with a zone as the same moment of UTC; anything else as it is."""
    if getattr(value, "tzinfo", None) is None:
        return value
    return value.astimezone(timezone.utc).replace(tzinfo=None)


def _zone_name(zone: Any) -> str:
    """A zone as Arrow writes it: a name, or how far it is ahead of UTC."""
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    if name:
        return str(name)
    ahead = zone.utcoffset(None)
    return "UTC" if ahead is None else _offset(ahead)


def _offset(ahead: Any) -> str:
    """How far clocks are ahead of UTC, as +02:00."""
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
        codes = array.codes.astype(np.int32)
        index = array.categories
        if _is_of_arrow(index.dtype):
            return ("categories", codes, pandas_column(index.array))
        if isinstance(index.dtype, np.dtype) and index.dtype.kind in "iufbM":
            # As objects, large integers would lose digits.
            return ("categories", codes, numpy_column(index.to_numpy()))
        return ("categories", codes, list(index.astype(object)))
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
