"""A trained model: predictions, reasons, its file. Needs numpy only."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fnb import _fnb
from fnb._inputs import Table, open_table
from fnb.tables import data_by_name, open_frames, shown

# Matrices of at most so many rows are scored without turning them into columns first.
_FEW_ROWS = 4096
# Bytes of the largest model file: no more is read, and the native module refuses what is longer.
_LARGEST = 256 << 20


def load_model(path: str | os.PathLike[str]) -> Model:
    """Read a model file, written by Python or by the program `fnb`.

    Parameters
    ----------
    path : str or path-like
        A JSON file. Its checksum and its self test are verified.

    Returns
    -------
    Model

    Examples
    --------
    >>> import os, tempfile, fnb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.json")
    >>> fnb.FNBClassifier().fit(X, y).save(path)
    >>> fnb.load_model(path).predict(X[:2])
    array(['0', '0'], dtype=object)
    """
    with open(path, encoding="utf-8") as file:
        return Model.from_json(file.read(_LARGEST + 1))


class Model:
    """A trained classifier whose classes are texts, as in its file.

    Made by `load_model`, `Model.from_json`, or found as ``FNBClassifier.model_``.

    Attributes
    ----------
    classes : list of str
        The classes, in the order of the probabilities.
    variables : list of dict
        The selected variables as in the file: name, weight, level, importance, parts, counts.
    dropped : dict
        Name to reason, for the columns left out of the model.
    size_path : list of dict
        Smaller and smaller models: number of variables, criterion, weights.
    evaluation : dict
        Figures of quality on the training rows.
    columns : dict
        Name to type of each column of the training table.
    tables : list of str
        The tables that it needs besides the main one.
    constructed : list of dict
        The variables that are computed: name, formula, cost in nats, sentence.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fnb import FNBClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = FNBClassifier().fit(X, y).model_
    >>> model.classes
    ['0', '1', '2']
    >>> model.predict_proba(X[:1]).round(3)
    array([[0.998, 0.001, 0.001]])
    """

    def __init__(self, native: _fnb.Model) -> None:
        self._native = native

    @classmethod
    def from_json(cls, text: str) -> Model:
        """The model of the text of a model file."""
        return cls(_fnb.Model.from_json(text))

    def to_json(self) -> str:
        """The text of the model file, the same as the program `fnb` writes."""
        return self._native.to_json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file; it is complete or absent, never half written.

        A file that is replaced keeps its mode, a link stays a link, and devices such as /dev/null
        are written directly.
        """
        import tempfile  # slow to import

        path = os.path.realpath(path)
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(self.to_json())
            return
        mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".", suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(self.to_json())
            os.chmod(temporary, mode)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    @cached_property
    def _content(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.to_json())
        return content

    @cached_property
    def _inputs(self) -> list[str]:
        return self._native.inputs

    @cached_property
    def tables(self) -> list[str]:
        return [shown(path) for path in self._native.tables]

    @property
    def constructed(self) -> list[dict[str, Any]]:
        """The variables that are computed: name, formula, cost in nats, sentence."""
        with_words = zip(self.variables, self._native.sentences(), strict=True)
        return [
            {
                "name": variable["name"],
                "formula": next(iter(variable["from"].values())),
                "cost": variable["cost"]["construction"],
                "sentence": sentence,
            }
            for variable, sentence in with_words
            if sentence is not None
        ]

    @property
    def classes(self) -> list[str]:
        return self._native.classes

    @property
    def variables(self) -> list[dict[str, Any]]:
        return [_variable(term) for term in self._content["terms"]]

    @property
    def dropped(self) -> dict[str, str]:
        return {entry["name"]: entry["reason"] for entry in self._content["dropped"]}

    @property
    def size_path(self) -> list[dict[str, Any]]:
        path: list[dict[str, Any]] = self._content["training"]["size_path"]
        return path

    @property
    def evaluation(self) -> dict[str, Any]:
        evaluation: dict[str, Any] = self._content["evaluation"].get("train", {})
        return evaluation

    @cached_property
    def columns(self) -> dict[str, str]:
        columns = self._content["tables"][0]["columns"]
        return {c["name"]: c.get("role") or c["type"] for c in columns}

    def predict_proba(
        self,
        X: Any,
        *,
        prior: Mapping[str, float] | None = None,
        n_jobs: int | None = None,
        tables: Any = None,
    ) -> np.ndarray[Any, Any]:
        """A probability per row and class.

        Parameters
        ----------
        X : table
            Columns are found by name if the container names them, otherwise by place.
        prior : dict, optional
            Class probabilities where the model is used, if they are not those of the training.
        n_jobs : int, optional
            Number of threads.
        tables : dict or list of Table, optional
            The tables that the model needs besides X, by name.
        """
        shares = None if prior is None else self.prior_of(prior)
        return self.probabilities(X, list(self.columns), shares, n_jobs, tables=tables)

    def predict(self, X: Any, *, tables: Any = None) -> np.ndarray[Any, Any]:
        """The most probable class of each row."""
        best = self.predict_proba(X, tables=tables).argmax(axis=1)
        return np.array(self.classes, dtype=object)[best]

    def prior_of(self, given: Mapping[str, float]) -> list[float]:
        """Shares of all classes: those given, the others in proportion to the training rows."""
        classes = self.classes
        unknown = [name for name in given if name not in classes]
        if unknown:
            raise ValueError(f"prior names unknown classes {unknown}; the classes are {classes}")
        counts = dict(zip(classes, self._content["target"]["counts"], strict=True))
        left = 1.0 - sum(given.values())
        others = sum(count for name, count in counts.items() if name not in given)
        if left < -1e-9 or (others == 0 and abs(left) > 1e-6):
            raise ValueError(f"the shares of prior add up to {1.0 - left}, not 1")
        return [
            float(given[name]) if name in given else max(left, 0.0) * counts[name] / others
            for name in classes
        ]

    def probabilities(
        self,
        X: Any,
        names: Sequence[str],
        prior: list[float] | None = None,
        n_jobs: int | None = None,
        estimator: str = "the model",
        by_place: bool = False,
        tables: Any = None,
    ) -> np.ndarray[Any, Any]:
        """Probabilities; `names` are those of the training table, for containers without names."""
        if type(X) is np.ndarray and X.ndim == 2 and len(X) <= _FEW_ROWS:
            if X.dtype == np.float64 and X.shape[1] == len(names) and self._all_numbers:
                places = self._places(names)
                return self._native.probabilities_of_matrix(X, places, prior)
        frame = self.frame(open_table(X), names, estimator, by_place, tables)
        if frame.rows == 0:
            return np.empty((0, len(self.classes)))
        return self._native.probabilities(frame, prior, threads(n_jobs))

    def has_columns(self, index: Any, names: Sequence[str]) -> bool:
        """Are these the names of an index of pandas? The last one that was is remembered."""
        known = self.__dict__.get("_known_index")
        if known is not None and known[0] is index and known[1] is names:
            return True
        same = bool(index.tolist() == names)
        if same:
            self.__dict__["_known_index"] = (index, names)
        return same

    @cached_property
    def _all_numbers(self) -> bool:
        return self._native.of_numbers

    @cached_property
    def sources(self) -> list[str]:
        """The column that each variable comes from; constructed ones name the first of theirs."""
        return [_source(variable) for variable in self.variables]

    def _places(self, names: Sequence[str]) -> list[int]:
        """Where the column of each variable is among these names."""
        return self._known_places(names)[1]

    def _input_places(self, names: Sequence[str]) -> list[int]:
        """Where the columns that scoring needs are among these names."""
        return self._known_places(names)[2]

    def _known_places(self, names: Sequence[str]) -> tuple[Sequence[str], list[int], list[int]]:
        # The names of a fitted estimator are one list, and there may be many of them.
        known: tuple[Sequence[str], list[int], list[int]] | None = self.__dict__.get("_known")
        if known is None or known[0] is not names:
            place = {name: i for i, name in enumerate(names)}
            # Variables of other tables have no column here.
            sources = [place.get(name, -1) for name in self.sources]
            known = (names, sources, [place[name] for name in self._inputs])
            self.__dict__["_known"] = known
        return known

    def frame(
        self,
        table: Table,
        names: Sequence[str],
        estimator: str,
        by_place: bool = False,
        tables: Any = None,
    ) -> _fnb.Frame:
        """The columns that the model needs, found by name or by place, and the tables around."""
        needed = self._inputs
        if table.names is None or by_place:
            if table.width != len(names):
                raise ValueError(
                    f"X has {table.width} features, but {estimator} is expecting {len(names)} "
                    "features as input."
                )
            return self._with_tables(table.frame(self._input_places(names), needed), tables)
        place = {name: i for i, name in enumerate(table.names)}
        absent = [name for name in needed if name not in place]
        if absent:
            raise ValueError(absent_names(absent, table.names, names))
        frame = table.frame([place[name] for name in needed], needed)
        return self._with_tables(frame, tables)

    def _with_tables(self, frame: _fnb.Frame, tables: Any) -> _fnb.Frame:
        if not self.tables:
            return frame
        return frame.with_tables(open_frames(data_by_name(tables), self._native.tables))

    def parts(self, X: Any, names: Sequence[str] | None = None, **how: Any) -> Any:
        """The part of each row and variable of the model, as integers."""
        names = list(self.columns) if names is None else names
        frame = self.frame(open_table(X), names, how.get("estimator", "the model"))
        if frame.rows == 0:
            return np.empty((0, len(self.variables)), dtype=np.int32)
        return self._native.parts(frame, threads(how.get("n_jobs")))

    def explain(
        self,
        X: Any,
        top: int = 5,
        *,
        target_class: str | None = None,
        n_jobs: int | None = None,
        tables: Any = None,
    ) -> Any:
        """Why rows are predicted as they are.

        Parameters
        ----------
        X : table
        top : int
            Terms per row, the largest first.
        target_class : str, optional
            The class whose log odds are explained; that predicted for each row by default.
        tables : dict or list of Table, optional
            The tables that the model needs besides X, by name.

        Returns
        -------
        frame
            Columns row, class, variable, value, part, contribution. A polars frame for polars,
            otherwise a pandas frame, or a dict of lists without pandas.
        """
        probabilities = self.predict_proba(X, n_jobs=n_jobs, tables=tables)
        if target_class is None:
            classes = probabilities.argmax(axis=1).astype(np.int64)
        else:
            if target_class not in self.classes:
                raise ValueError(f"no class is {target_class!r}; the classes are {self.classes}")
            place = self.classes.index(target_class)
            classes = np.full(len(probabilities), place, dtype=np.int64)
        return self.explanation(
            X, list(self.columns), classes, top, self.classes, n_jobs, tables=tables
        )

    def explanation(
        self,
        X: Any,
        names: Sequence[str],
        classes: np.ndarray[Any, Any],
        top: int,
        labels: Sequence[Any],
        n_jobs: int | None = None,
        estimator: str = "the model",
        by_place: bool = False,
        tables: Any = None,
    ) -> Any:
        """`explain` for given classes, with the labels to show for them."""
        if isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1:
            raise ValueError(f"top must be an int of at least 1. Got {top!r} instead.")
        frame = self.frame(open_table(X), names, estimator, by_place, tables)
        columns: tuple[list[Any], ...] = ([], [], [], [], [])
        if frame.rows:
            columns = self._native.explain(frame, classes, int(top), threads(n_jobs))
        row, variable, value, part, contribution = columns
        table = {
            "row": row,
            "class": [labels[classes[i]] for i in row],
            "variable": variable,
            "value": value,
            "part": part,
            "contribution": contribution,
        }
        return as_frame(table, like=X)

    def contributions(self, codes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
        """Contributions (rows, variables, classes) of rows given by their parts; mean log odds."""
        tables, base = self._native.contributions()
        values = np.empty((*codes.shape, len(self.classes)))
        for place, table in enumerate(tables):
            values[:, place] = np.asarray(table)[codes[:, place]]
        return values, np.asarray(base)

    def labels(self) -> list[list[str]]:
        """The parts of each variable in words."""
        return self._native.labels()

    def prune(self, size: int) -> Model:
        """The largest model of the size path with at most that many variables."""
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
            raise ValueError(f"the number of variables must be an int of at least 1, not {size!r}")
        return Model(self._native.prune(int(size)))

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Model.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        target, count = self._content["target"]["name"], len(self.variables)
        return f"<fnb.Model of {target!r}: {len(self.classes)} classes, {count} variables>"

    def _repr_html_(self) -> str:
        from fnb.display import model_html

        return model_html(self)


def _variable(term: dict[str, Any]) -> dict[str, Any]:
    """A term of the file as users know it: a variable with its parts."""
    (axis,) = term["axes"]
    return {**term, **axis}


def _source(variable: dict[str, Any]) -> str:
    origin = variable["from"]
    if origin == "column":
        return str(variable["name"])
    if "text" in origin:
        feature = origin["text"]
        return str(feature["path"][0] if feature.get("path") else feature["text"])
    operand = origin["expression"]
    while isinstance(operand, dict):
        operand = operand["args"][0] if "args" in operand else operand["select"]
    return str(operand)


def absent_names(absent: list[str], given: Sequence[str], known: Sequence[str]) -> str:
    """The message of scikit-learn about columns that fit had."""
    lines = ["The feature names should match those that were passed during fit."]
    seen = set(known)
    unseen = [name for name in given if name not in seen]
    if unseen:
        lines += ["Feature names unseen at fit time:", *_listed(unseen)]
    lines += ["Feature names seen at fit time, yet now missing:", *_listed(absent)]
    return "\n".join(lines) + "\n"


def _listed(names: list[str]) -> list[str]:
    more = [] if len(names) <= 5 else [f"- ... and {len(names) - 5} more"]
    return [f"- {name}" for name in names[:5]] + more


def threads(n_jobs: int | None) -> int | None:
    """Number of threads: None is as many as there are processors; -1 all, -2 all but one."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or an int other than 0. Got {n_jobs!r} instead.")
    if n_jobs < 0:
        return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
    return int(n_jobs)


def as_frame(columns: dict[str, list[Any]], like: Any = None) -> Any:
    """A frame of the kind of `like`: polars, else pandas, else the dict itself."""
    if type(like).__module__.startswith("polars"):
        import polars

        return polars.DataFrame(columns)
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


def _umask() -> int:
    if sys.platform == "win32":
        return 0o022
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
