"""Several tables: what they are and how they are related. Needs numpy only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal
from weakref import WeakValueDictionary

from fnb import _fnb
from fnb._choices import FeatureType, Kind, check_choice
from fnb._inputs import open_table
from fnb._names import check_names, nearest
from fnb._reading import Reading

# The tables of this process by their marks: a copy by way of a pickle shares their data.
_ALIVE: WeakValueDictionary[str, Table] = WeakValueDictionary()


class Table:
    """Records beside the main table: those that belong to its rows, or that they refer to.

    Parameters
    ----------
    name : str
        Its name in formulas.
    data : table
        Any container that `FNBClassifier` takes, with named columns.
    on : str, list of str or dict
        The key: the columns that tell to which row of the parent a record belongs, of the same
        names in the parent; of a table that has tables of its own, also those that tell its
        records apart. A dict has the columns of the parent first: ``{"customer": "id"}``. For a
        look-up table the key of its records, and in a dict the columns that refer to it. A look-up
        table that several columns refer to is given several times, with the same data.
    parent : str, default=None
        The name of the table that its records belong to, or that refers to it; None is the main
        one. Like ``"orders.items"`` where a name alone could be several.
    kind : {"many", "one", "lookup"}, default="many"
        Any number of records per row of the parent, at most one, or records that many rows may
        refer to.
    time : str or False, default=None
        The column with the time of each record, for `cutoff`; None is the only date or timestamp.
        False says that there is none: all records are seen at any time.
    feature_types : dict, default=None
        Name of a column to its type, as for `FNBClassifier`.
    categorical_features, drop_features : list of names or places, or mask, default=None
        Columns that are categories even if they hold numbers; columns that are left out. A key that
        is left out still joins tables.

    Examples
    --------
    >>> import pandas as pd
    >>> from fnb import Table
    >>> orders = pd.DataFrame({"customer": [1, 1, 2], "amount": [5.0, 8.0, 2.5]})
    >>> Table("orders", orders, on="customer")
    Table('orders', on=['customer'])
    """

    def __init__(
        self,
        name: str,
        data: Any,
        on: str | Sequence[str] | Mapping[str, str],
        *,
        parent: str | None = None,
        kind: Kind = "many",
        time: str | Literal[False] | None = None,
        feature_types: Mapping[str, FeatureType] | None = None,
        categorical_features: Any = None,
        drop_features: Any = None,
    ) -> None:
        if not isinstance(name, str) or not name or any(c in name for c in "./"):
            raise ValueError(f"the name of a table is a text without . and /. Got {name!r}.")
        check_choice(f"table {name}: kind", kind, Kind)
        if isinstance(time, bool) and time:
            raise ValueError(f"table {name}: time is a column, None or False. Got True instead.")
        if isinstance(on, str):
            on = [on]
        self.name = name
        self.data = data
        self.on: list[str] | dict[str, str] = dict(on) if isinstance(on, Mapping) else list(on)
        if not self.on:
            raise ValueError(f"table {name} has no key: name its columns in on.")
        self.parent = parent
        self.kind = kind
        self.time = time
        self.feature_types = feature_types
        self.categorical_features = categorical_features
        self.drop_features = drop_features
        # Tells tables of other data apart where the data are left out: pickles, caches of joblib.
        self._mark = os.urandom(16).hex()
        _ALIVE[self._mark] = self

    @property
    def key(self) -> list[str]:
        """The columns of the key in this table."""
        return list(self.on.values()) if isinstance(self.on, dict) else self.on

    @property
    def columns_of_parent(self) -> list[str]:
        """The columns of the parent that hold the key."""
        return list(self.on)

    def __deepcopy__(self, memo: Any) -> Table:
        # Never changed: copies of estimators share the data.
        return self

    def __getstate__(self) -> dict[str, Any]:
        # What is kept for later holds no records.
        return {**self.__dict__, "data": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        alive = _ALIVE.get(self._mark)
        if alive is not None:
            self.data = alive.data

    def __repr__(self) -> str:
        parts = [repr(self.name), f"on={self.on!r}"]
        parts += [f"parent={self.parent!r}"] if self.parent is not None else []
        parts += [f"kind={self.kind!r}"] if self.kind != "many" else []
        for name in ("time", "feature_types", "categorical_features", "drop_features"):
            value = getattr(self, name)
            parts += [f"{name}={value!r}"] if value is not None else []
        return f"Table({', '.join(parts)})"


class Around:
    """The tables around the main one, each with its place."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self.tables: dict[str, Table] = {}
        # Of look-up tables: which tables refer to them, and by which columns.
        self._references: dict[str, list[tuple[str, list[str]]]] = {}
        waiting = list(tables)
        for table in waiting:
            if not isinstance(table, Table):
                raise TypeError(f"tables must hold fnb.Table objects. Got {table!r} instead.")
        while waiting:
            later = []
            for table in waiting:
                path = self._path(table, waiting)
                if path is None:
                    later.append(table)
                    continue
                self._add(path, table)
            if len(later) == len(waiting):
                names = ", ".join(table.name for table in later)
                raise ValueError(f"tables {names} belong to each other, not to the main table")
            waiting = later

    def _add(self, path: str, table: Table) -> None:
        known = self.tables.get(path)
        if table.kind == "lookup":
            reference = (self._parent(table), table.columns_of_parent)
            self._references.setdefault(path, []).append(reference)
            if known is not None and known.data is table.data and known.key == table.key:
                return
        if shown(path) in map(shown, self.tables):
            raise ValueError(f"two tables are named {shown(path)!r}: rename one of them")
        self.tables[path] = table

    def _parent(self, table: Table) -> str:
        return "" if table.parent is None else self._find(table.parent) or ""

    def _path(self, table: Table, waiting: Sequence[Table]) -> str | None:
        """Where a table is; None if its parent has no place yet."""
        if table.parent is None:
            return f"/{table.name}" if table.kind == "lookup" else table.name
        parent = self._find(table.parent)
        if parent is not None:
            return f"/{table.name}" if table.kind == "lookup" else f"{parent}/{table.name}"
        names = [other.name for other in waiting if other is not table]
        if table.parent.split(".")[-1] in names:
            return None
        known = [*map(shown, self.tables), *names]
        near = nearest(table.parent, known)
        help = f"did you mean {near!r}?" if near else "give that table too"
        raise ValueError(
            f"table {table.name!r} belongs to {table.parent!r}, which is not given; {help}"
        )

    def _find(self, name: str) -> str | None:
        exact = [path for path in self.tables if shown(path) == name]
        found = exact or [path for path, table in self.tables.items() if table.name == name]
        if len(found) > 1:
            names = ", ".join(map(shown, found))
            raise ValueError(f"{name!r} could be each of {names}: give the whole name")
        return found[0] if found else None

    def data(self, given: Any) -> dict[str, Any]:
        """The data of every table by name, those given instead of those of the construction."""
        tables = self.tables.items()
        data = {shown(path): table.data for path, table in tables if table.data is not None}
        for name, replaced in data_by_name(given).items():
            path = self._find(name)
            if path is None:
                known = ", ".join(map(shown, self.tables))
                raise ValueError(f"there is no table {name}; the tables are {known}")
            data[shown(path)] = replaced
        return data

    def frames(self, given: Any) -> dict[str, _fnb.Frame]:
        """The tables by data path, every one of them."""
        data = self.data(given)
        absent = [shown(path) for path in self.tables if shown(path) not in data]
        if absent:
            given_so = ", ".join(f"{name!r}: ..." for name in absent)
            raise ValueError(
                f"the data of {', '.join(absent)} are not there: what is pickled or saved holds "
                f"none; give them by tables={{{given_so}}}"
            )
        return open_frames(data, self.tables)

    def native(self, cutoff: str | None, frames: Mapping[str, _fnb.Frame]) -> dict[str, Any]:
        """How the tables are related, for the native module."""
        own = self._own_keys()
        described = [
            {
                "path": path,
                "kind": table.kind,
                "key": own[path],
                "references": self._references.get(path, []),
                "time": table.time,
                "reading": _reading(table, shown(path), frames[path].names),
            }
            for path, table in self.tables.items()
        ]
        return {"given": described, "key": own[""], "cutoff": cutoff}

    def _own_keys(self) -> dict[str, list[str]]:
        """The key of each table; it goes on as far as tables that belong to it say in a dict."""
        own: dict[str, list[str]] = {"": []}
        own.update({path: table.key for path, table in self.tables.items()})
        for table in self.tables.values():
            if table.kind == "lookup" or not isinstance(table.on, dict):
                continue
            parent, columns = self._parent(table), table.columns_of_parent
            known = own[parent]
            if known[: len(columns)] != columns[: len(known)]:
                place = f"table {shown(parent)}" if parent else "the main table"
                raise ValueError(
                    f"table {table.name}: the key of {place} is {known}, not {columns}"
                )
            own[parent] = max(known, columns, key=len)
        return own

    def check_columns(self, names: Sequence[str], frames: Mapping[str, _fnb.Frame]) -> None:
        """Every key column is there."""
        columns = {"": list(names), **{path: frames[path].names for path in frames}}
        for path, table in self.tables.items():
            _check(shown(path), f"table {shown(path)}", table.key, columns[path])
            # A table that owns others has a longer key than its parent.
            owned = [(self._parent(table), table.columns_of_parent[:1])]
            for parent, needed in self._references.get(path, owned):
                place = f"table {shown(parent)}" if parent else "the main table"
                _check(shown(path), place, needed, columns[parent])


def _reading(table: Table, name: str, columns: Sequence[str]) -> dict[str, Any]:
    return Reading(table, columns, columns, f"table {name}").native()


def _check(name: str, place: str, needed: list[str], columns: Sequence[str]) -> None:
    for column in needed:
        if column not in columns:
            near = nearest(column, columns)
            help = f"did you mean {near!r}?" if near else f"it has {', '.join(columns)}"
            raise ValueError(f"{place} has no column {column!r}, the key of table {name!r}; {help}")


def shown(path: str) -> str:
    """A data path as users write it."""
    return path.lstrip("/").replace("/", ".")


def data_by_name(given: Any) -> dict[str, Any]:
    """Tables given by name, or as `Table` objects."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return dict(given)
    if all(isinstance(table, Table) for table in given):
        around = Around(given)
        return around.data(None)
    raise TypeError(f"tables must be a dict of tables or a list of fnb.Table. Got {given!r}.")


def open_frames(data: Mapping[str, Any], paths: Iterable[str]) -> dict[str, _fnb.Frame]:
    """The tables at some data paths, as far as they are given."""
    return {path: _open(shown(path), data[shown(path)]) for path in paths if shown(path) in data}


def _open(name: str, data: Any) -> _fnb.Frame:
    table = open_table(data)
    if table.names is None:
        raise ValueError(f"table {name}: its columns have no names")
    check_names(table.names)
    return table.frame(range(table.width), table.names)


def rules_text(rules: Any) -> str | None:
    """Rules as the settings want them."""
    if rules is None or isinstance(rules, str):
        return rules
    return ",".join(rules)


__all__ = ["Around", "Table", "data_by_name", "open_frames", "rules_text", "shown"]
