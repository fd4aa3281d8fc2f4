"""Figures and parts as people read them: shares, signs, intervals, dates, groups of values."""

from __future__ import annotations

import math
from datetime import date, timedelta
from itertools import pairwise, product
from typing import Any

_WEEK = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# Values of a group that are named, and characters of each.
_MOST_VALUES = 4
_LONGEST_VALUE = 40
# Rules that give whole numbers.
_WHOLE = ("TableCount", "TableCountDistinct", "Day", "YearDay")
# Rules whose numbers stand for times.
_TIMES = ("WeekDay", "DecimalWeekDay", "DecimalTime", "DecimalYear", "DecimalYearTS")


def share(part: float) -> str:
    """A share in per cent: one decimal, two near the ends, 0 and 100 only if that is exact."""
    if math.isnan(part):
        return "not defined"
    percent = 100.0 * part
    if percent in (0.0, 100.0):
        return f"{percent:.0f}\u202f%"
    if percent < 0.01:
        return "<0.01\u202f%"
    if percent > 99.99:
        return ">99.99\u202f%"
    digits = 2 if percent < 1.0 or percent > 99.0 else 1
    return f"{percent:.{digits}f}\u202f%"


def signed(number: float) -> str:
    """A number with its sign, a true minus, and never a signed zero."""
    text = f"{abs(number):.2f}"
    if text == "0.00":
        return text
    return ("\u2212" if number < 0 else "+") + text


def shortened(text: str, longest: int) -> str:
    """Without its middle if it is long: names often differ at the end."""
    if len(text) <= longest:
        return text
    end = longest // 3
    return f"{text[: longest - end - 1]}…{text[len(text) - end :]}"


def parts_in_words(variable: dict[str, Any]) -> list[str]:
    """Each part of a variable of a model file, or each cell of a pair."""
    if "parts" not in variable:
        return [", ".join(cell) for cell in product(*map(parts_in_words, variable["axes"]))]
    parts = variable["parts"]
    if parts["kind"] == "groups":
        default = parts["default"]
        return [_group(values, place == default) for place, values in enumerate(parts["groups"])]
    bounds = [None, *parts["cuts"], None]
    rule = _rule(variable)
    words = [_interval(rule, low, high) for low, high in pairwise(bounds)]
    return ["missing", *words] if parts["missing"] == "own" else words


def value_in_words(variable: dict[str, Any], value: str) -> str:
    """A value of a variable as `explain` gives it: numbers that stand for times are these."""
    rule = _rule(variable)
    try:
        number = float(value)
    except ValueError:
        return value
    if rule is None or not math.isfinite(number):
        return value
    return _moment(rule, number) or value


def meaning_in_words(variable: dict[str, Any], sentence: str | None) -> str | None:
    """What a constructed variable is, without what is said of numbers that are shown as times."""
    if sentence is None or _rule(variable) not in _TIMES:
        return sentence
    value = sentence.removesuffix(", the time as a fraction").removesuffix(" (Monday is 1)")
    value = value.removesuffix(" in hours")
    short = value.removesuffix(" in years, the day as a fraction")
    return f"date of {short}" if short != value else value.removeprefix("(").removesuffix(")")


def _rule(variable: dict[str, Any]) -> str | None:
    """The rule that makes the numbers of a variable."""
    origin = variable.get("from")
    if not isinstance(origin, dict):
        return None
    if "text" in origin:
        return "TableCount"  # of a token
    expression = origin.get("expression")
    return expression.get("rule") if isinstance(expression, dict) else None


def _group(values: list[str | None], is_default: bool) -> str:
    if not values:
        return "any value"
    named = [
        "missing" if value is None else shortened(value, _LONGEST_VALUE) or "(empty)"
        for value in values[:_MOST_VALUES]
    ]
    words = ", ".join(named)
    if len(values) > _MOST_VALUES:
        words += f" + {len(values) - _MOST_VALUES:,}"
    return f"{words}, any other" if is_default else words


def _interval(rule: str | None, low: float | None, high: float | None) -> str:
    """The numbers over `low`, up to `high`."""
    if low is None and high is None:
        return "all"
    days = rule == "DecimalYear" and all(n is None or _is_year(n) for n in (low, high))
    if days or rule in (*_WHOLE, "WeekDay"):
        return _whole(str(rule), low, high)
    first, last = (None if n is None else _moment(rule, n) or _number(n) for n in (low, high))
    if first is None:
        return f"up to {last}"
    if last is None:
        return f"{'after' if rule in _TIMES else 'over'} {first}"
    return f"{first} to {last}"


def _whole(rule: str, low: float | None, high: float | None) -> str:
    """Both bounds of an interval of whole numbers, or of days, belong to it."""
    if rule == "DecimalYear":
        after, until = (None if n is None else _day(n) for n in (low, high))
        first = None if after is None else (after + timedelta(days=1)).isoformat()
        last = None if until is None else until.isoformat()
    else:
        first = None if low is None else _step(rule, math.floor(low) + 1)
        last = None if high is None else _step(rule, math.floor(high))
    if first is None:
        return f"up to {last}"
    if last is None:
        return f"from {first}"
    return first if first == last else f"{first} – {last}"


def _step(rule: str, number: int) -> str:
    return _WEEK[number - 1] if rule == "WeekDay" and 1 <= number <= 7 else f"{number:,}"


def _number(number: float) -> str:
    """The shortest text, whole numbers without a fraction, long ones with commas."""
    if number == int(number) and abs(number) < 1e15:
        # Years and codes have four digits.
        text = f"{number:,.0f}" if abs(number) >= 1e4 else f"{number:.0f}"
    else:
        text = repr(number)
    return text.replace("-", "\u2212", 1) if number < 0 else text


def _moment(rule: str | None, number: float) -> str | None:
    """What a number that a calendar rule gives stands for."""
    if rule == "DecimalTime":
        return _clock(number)
    if rule == "WeekDay":
        return _WEEK[int(number) - 1] if 1 <= number < 8 else None
    if rule == "DecimalWeekDay":
        if not 1 <= number < 8:
            return None
        return f"{_WEEK[int(number) - 1]} {_clock(24 * (number % 1))}"
    if rule in ("DecimalYear", "DecimalYearTS") and _is_year(number):
        day = _day(number).isoformat()
        return day if rule == "DecimalYear" else f"{day} {_clock(24 * (_days(number) % 1))}"
    return None


def _is_year(number: float) -> bool:
    """Is it one that has a date?"""
    return 1 <= number < 9999


def _days(number: float) -> float:
    """Days since the start of the year: numbers have ten digits, which are good to 16 seconds."""
    year = int(number)
    length = (date(year + 1, 1, 1) - date(year, 1, 1)).days
    return (number - year) * length + 2e-4


def _day(number: float) -> date:
    return date(int(number), 1, 1) + timedelta(days=math.floor(_days(number)))


def _clock(hours: float) -> str:
    minutes = min(math.floor(60 * hours + 1e-6), 24 * 60 - 1)
    return f"{minutes // 60:02}:{minutes % 60:02}"
