"""What parameters may be where there is a choice."""

from __future__ import annotations

from typing import Any, Literal, get_args

Preset = Literal["default", "khiops", "paper"]
Method = Literal[
    "nb",
    "snb-map",
    "snb",
    "fnb",
    "fnb-khiops",
    "fnb-ordered",
    "coordinate",
    "sg",
    "am",
    "sg.cf",
    "sg.ue",
    "ug.cf",
    "ug.ue",
    "cg.cf",
    "cg.ue",
]
Start = Literal["half", "norm", "snb", "fnb"]
Tokeniser = Literal["words", "tokens", "ngrams"]
FeatureType = Literal[
    "numerical", "categorical", "date", "time", "timestamp", "timestamptz", "text", "ignore"
]
Output = Literal["logodds", "index", "label", "onehot", "probability"]
Kind = Literal["many", "one", "lookup"]


def check_choice(name: str, value: Any, choices: Any, none: bool = False) -> None:
    """Fail if a value is not one of a choice, or None where that may be."""
    known = get_args(choices)
    if (none and value is None) or (isinstance(value, str) and value in known):
        return
    listed = ", ".join(repr(choice) for choice in known) + (" or None" if none else "")
    raise ValueError(f"{name} must be one of {listed}. Got {value!r} instead.")
