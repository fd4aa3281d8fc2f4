"""How columns are to be read: what parameters say of their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from fnb._choices import FeatureType, check_choice
from fnb._names import chosen, nearest


class Reading:
    """What an estimator, or a `Table`, says of the columns of a table.

    Attributes
    ----------
    types : dict
        Name to type, of the columns that have one.
    drop : list of str
        Columns that are not read at all.
    """

    def __init__(
        self,
        said: Any,
        names: Sequence[str],
        labels: Sequence[Any] | None = None,
        table: str = "X",
    ) -> None:
        self.drop = chosen("drop_features", said.drop_features, names, table)
        self.types = _types(said.feature_types, names, labels, table)
        for name in chosen("categorical_features", said.categorical_features, names, table):
            if self.types.setdefault(name, "categorical") != "categorical":
                raise ValueError(
                    f"categorical_features has {name!r}, which is {self.types[name]} by "
                    "feature_types: name it once."
                )

    @property
    def left_out(self) -> set[str]:
        """The columns that are not used, whatever they hold."""
        return {*self.drop, *(name for name, word in self.types.items() if word == "ignore")}

    def native(self) -> dict[str, Any]:
        """For the native module."""
        dropped = set(self.drop)
        types = [(name, word) for name, word in self.types.items() if name not in dropped]
        return {"types": types, "drop": self.drop}


def _types(
    given: Any, names: Sequence[str], labels: Sequence[Any] | None, table: str
) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"feature_types must be a dict of column to type. Got {given!r} instead.")
    types = {}
    for key, word in given.items():
        name = _named(key, names, labels, table)
        check_choice(f"feature_types of {key!r}", word, FeatureType)
        types[name] = str(word)
    return types


def _named(key: Any, names: Sequence[str], labels: Sequence[Any] | None, table: str) -> str:
    """A column by its name, by its label, or without names by its place."""
    if isinstance(key, str) and key in names:
        return key
    if labels is not None and key in labels:
        return names[list(labels).index(key)]
    if labels is None and isinstance(key, Integral) and -len(names) <= int(key) < len(names):
        return names[int(key)]
    near = nearest(str(key), names)
    help = f"; did you mean {near!r}?" if near else ""
    raise ValueError(f"feature_types names {key!r}, which is no column of {table}{help}")
