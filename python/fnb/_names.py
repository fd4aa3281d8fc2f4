"""Names of columns: as containers have them, as models write them, as parameters give them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np


def text_names(labels: list[Any]) -> list[str]:
    """The labels of columns as a model file writes them, and as pandas names them in Parquet."""
    texts = [isinstance(label, str) for label in labels]
    if any(texts) and not all(texts):
        kinds = sorted({type(label).__name__ for label in labels})
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {kinds} as feature name / column name types. If you want feature names to "
            "be stored and validated, you must convert them all to strings, by using X.columns = "
            "X.columns.astype(str) for example. Otherwise you can remove feature / column names "
            "from your input data, or convert them all to a non-string data type."
        )
    return [str(label) for label in labels]


def default_names(width: int) -> list[str]:
    """What columns without names are called."""
    return [f"x{place}" for place in range(width)]


def as_array(labels: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Labels as an array of objects, tuples among them."""
    array = np.empty(len(labels), dtype=object)
    for place, label in enumerate(labels):
        array[place] = label
    return array


def check_text(what: str, text: str) -> None:
    """Fail on half of a surrogate pair: it is no character, and no file can hold it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{what} {text!r} has a lone surrogate, which is no character; repair it, for example "
            'by text.encode("utf-8", "replace").decode()'
        ) from None


def check_names(names: Sequence[str]) -> None:
    """Fail if two columns have the same name, telling where they are, or one has no valid name."""
    first: dict[str, int] = {}
    for place, name in enumerate(names):
        check_text("the column name", name)
        if name in first:
            raise ValueError(
                f"columns {first[name] + 1} and {place + 1} are both named {name!r}: rename one"
            )
        first[name] = place


def chosen(parameter: str, choice: Any, names: Sequence[str], table: str = "X") -> list[str]:
    """The columns of a table that a parameter names by name, place or mask."""
    if choice is None or (isinstance(choice, str) and choice == "auto"):
        return []
    if isinstance(choice, str):
        choice = [choice]
    choice = list(choice)
    if choice and all(isinstance(item, (bool, np.bool_)) for item in choice):
        if len(choice) != len(names):
            raise ValueError(
                f"{parameter} is a mask of {len(choice)} features, but {table} has {len(names)}."
            )
        return [name for name, taken in zip(names, choice, strict=True) if taken]
    found = []
    for item in choice:
        if isinstance(item, (str, tuple)):
            if str(item) not in names:
                raise ValueError(f"{parameter} names {item!r}, which is no column of {table}.")
            found.append(str(item))
        elif isinstance(item, Integral):
            if not -len(names) <= int(item) < len(names):
                raise ValueError(
                    f"{parameter} has place {item}, but {table} has {len(names)} columns."
                )
            found.append(names[int(item)])
        else:
            raise TypeError(f"{parameter} must hold names, places or a mask. Got {item!r}.")
    return found


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The name that was perhaps meant."""
    from difflib import get_close_matches  # slow to import

    return next(iter(get_close_matches(name, known, 1)), None)


def listed(names: Sequence[str]) -> str:
    """The first of some names, for a message."""
    shown = ", ".join(repr(name) for name in names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown


def absent_names(absent: list[str], given: Sequence[str], known: Sequence[str]) -> str:
    """The message of scikit-learn about columns that fit had."""
    lines = ["The feature names should match those that were passed during fit."]
    seen = set(known)
    unseen = [name for name in given if name not in seen]
    if unseen:
        lines += ["Feature names unseen at fit time:", *_lines(unseen)]
    lines += ["Feature names seen at fit time, yet now missing:", *_lines(absent)]
    return "\n".join(lines) + "\n"


def _lines(names: list[str]) -> list[str]:
    more = [] if len(names) <= 5 else [f"- ... and {len(names) - 5} more"]
    # What would act on a terminal is written out.
    shown = (name if name.isprintable() else repr(name) for name in names[:5])
    return [f"- {name}" for name in shown] + more
