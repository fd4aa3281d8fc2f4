"""A trained model: predictions, reasons, its file. Needs numpy only."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from fnb import _fnb
from fnb._scoring import Scoring, Seen
from fnb.tables import shown

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
    # Bytes that are no text make it no model: the error is that of the reader.
    with open(path, encoding="utf-8", errors="replace") as file:
        return Model.from_json(file.read(_LARGEST + 1))


_T = TypeVar("_T")
# Parts of an axis in `interactions`; more are put together.
_MOST_PARTS = 6


class Model:
    """A trained classifier whose classes are texts, as in its file.

    Made by `load_model`, `Model.from_json`, or found as ``FNBClassifier.model_``.

    Attributes
    ----------
    classes : list of str
        The classes, in the order of the probabilities.
    interactions : list of dict
        The tables over several variables: name, variables, whether it is smooth, importance, level,
        labels of the parts of each axis, and cells with rows observed and expected by class and the
        factors between them.
    variables : list of dict
        The selected variables as in the file: name, weight, level, importance, parts, counts.
    dropped : dict
        Name to reason, for the columns left out of the model.
    findings : list of dict
        What to look at in the data: "kind" is "tells_all" (a variable that is perhaps a copy of the
        target), "row_number", "identifier" or "constant".
    size_path : list of dict
        Smaller and smaller models: number of variables, criterion, weights.
    evaluation : dict
        Figures of quality on the training rows, with 95 % "intervals" and, per class, the rows in
        blocks by probability ("scores").
    values : dict
        Name of a column, or of a constructed variable, to how its values lie in the training rows:
        "distinct", "missing", "distribution".
    overlaps : dict
        Name of a variable, selected or not, to the selected ones that say in part the same: pairs
        of a name and a share, the largest first.
    joins : list of dict
        Of several tables: rows and columns of each, and what joining left out.
    columns : dict
        Name to type of each column of the training table.
    tables : list of str
        The tables that it needs besides the main one.
    constructed : list of dict
        The variables that are computed: name, formula, cost in nats, sentence, weight, level,
        importance.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fnb import FNBClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = FNBClassifier().fit(X, y).model_
    >>> model.classes
    ['0', '1', '2']
    >>> model.predict_proba(X[:1]).round(3)
    array([[0.996, 0.002, 0.002]])
    """

    def __init__(self, text: str | _fnb.Model) -> None:
        native = _fnb.Model.from_json(text) if isinstance(text, str) else text
        self._native = native
        self._scoring = Scoring(native)

    @classmethod
    def from_json(cls, text: str) -> Model:
        """The model of the text of a model file."""
        return cls(text)

    def to_json(self) -> str:
        """The text of the model file, the same as the program `fnb` writes."""
        return self._native.to_json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file; it is complete or absent, never half written.

        A file that is replaced keeps its mode, a link stays a link, and devices such as /dev/null
        are written directly.
        """
        write_text(path, self.to_json())

    def report(
        self,
        path: str | os.PathLike[str],
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        tables: Any = None,
        title: str | None = None,
        main_class: str | None = None,
    ) -> None:
        """Write a page that shows the model: one HTML file, to look at and to pass on.

        The page is complete or absent, never half written, and holds no row of the data.

        Parameters
        ----------
        path : str or path-like
            Where to write it.
        X, y, sample_weight : table, column and weights, optional
            Rows that the model has not seen, to measure it on. Classes are compared as texts, as in
            the model file. Without them the page shows how good the model is on its training rows,
            or on those that the program `fnb` tested it on.
        tables : dict or Tables, optional
            The other tables of these rows, as for `predict_proba`.
        title : str, optional
            What is written above the page.
        main_class : str, optional
            The class that the page speaks of; the second of two by default.

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import load_iris
        >>> from fnb import FNBClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> path = os.path.join(tempfile.mkdtemp(), "iris.html")
        >>> FNBClassifier().fit(X, y).model_.report(path)
        >>> os.path.getsize(path) > 0
        True
        """
        if X is None and y is not None:
            raise ValueError("y is given without X: give the rows that y belongs to")
        rows = None
        if X is not None:
            if y is None:
                raise ValueError("X is given without y: a model is measured against actual classes")
            actual = np.asarray([str(label) for label in y], dtype=object)
            rows = (self.predict_proba(X, tables=tables), actual, sample_weight)
        write_report(self, path, rows, title, main_class)

    @cached_property
    def _content(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.to_json())
        return content

    @property
    def tables(self) -> list[str]:
        return [shown(path) for path in self._scoring.tables]

    @property
    def constructed(self) -> list[dict[str, Any]]:
        """The variables that are computed, with their weight, level and importance."""
        with_words = zip(self.variables, self._of_variables(self._native.sentences()), strict=True)
        return [
            {
                "name": variable["name"],
                "formula": next(iter(variable["from"].values())),
                "cost": variable["cost"]["construction"],
                "sentence": sentence,
                "weight": variable["weight"],
                "level": variable["level"],
                "importance": variable["importance"],
            }
            for variable, sentence in with_words
            if sentence is not None and "from" in variable
        ]

    @property
    def classes(self) -> list[str]:
        return self._native.classes

    @property
    def variables(self) -> list[dict[str, Any]]:
        return [_variable(term) for term in self._of_variables(self._content["terms"])]

    @property
    def interactions(self) -> list[dict[str, Any]]:
        """The tables over several variables, or over parts of their own, most important first."""
        return [
            {
                "name": term["name"],
                "variables": [axis["name"] for axis in term["axes"]],
                "smooth": term["correction"]["kind"] == "surface",
                "importance": term["importance"],
                "level": term["level"],
                **json.loads(self._native.blocks(place, _MOST_PARTS)),
            }
            for place, term in enumerate(self._content["terms"])
            if term["weight"] == 0
        ]

    def _of_variables(self, of_terms: Sequence[_T]) -> list[_T]:
        """Of something that every term has, that of the selected variables: tables left out."""
        terms = zip(of_terms, self._content["terms"], strict=True)
        return [value for value, term in terms if term["weight"] > 0]

    @property
    def dropped(self) -> dict[str, str]:
        return {entry["name"]: entry["reason"] for entry in self._content["dropped"]}

    @property
    def findings(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._content["training"].get("findings", [])
        return found

    @property
    def size_path(self) -> list[dict[str, Any]]:
        path: list[dict[str, Any]] = self._content["training"]["size_path"]
        return path

    @property
    def evaluation(self) -> dict[str, Any]:
        evaluation: dict[str, Any] = self._content["evaluation"].get("train", {})
        return evaluation

    @property
    def values(self) -> dict[str, dict[str, Any]]:
        values = self._content.get("values", [])
        return {v["name"]: {k: v[k] for k in v if k != "name"} for v in values}

    @property
    def overlaps(self) -> dict[str, list[tuple[str, float]]]:
        found = self._content.get("overlaps", {}).items()
        return {name: [(o["with"], o["share"]) for o in known] for name, known in found}

    @property
    def joins(self) -> list[dict[str, Any]]:
        joins: list[dict[str, Any]] = self._content.get("joins", [])
        return joins

    @cached_property
    def columns(self) -> dict[str, str]:
        columns = self._content["tables"][0]["columns"]
        return {c["name"]: c.get("role") or c["type"] for c in columns}

    def predict_proba(
        self,
        X: Any,
        *,
        prior: Mapping[str, float] | None = None,
        n_jobs: int | None = -1,
        tables: Any = None,
    ) -> np.ndarray[Any, Any]:
        """A probability per row and class.

        Parameters
        ----------
        X : table
            Columns are found by name if the container names them, otherwise by place.
        prior : dict, optional
            Class probabilities where the model is used, if they are not those of the training.
        n_jobs : int, default=-1
            Number of threads, as in scikit-learn; -1 is all processors.
        tables : dict or list of Table, optional
            The tables that the model needs besides X, by name.
        """
        shares = None if prior is None else self._prior(prior)
        return self._scoring.probabilities(X, self._seen, shares, n_jobs, tables)

    def predict(self, X: Any, *, tables: Any = None) -> np.ndarray[Any, Any]:
        """The most probable class of each row."""
        best = self.predict_proba(X, tables=tables).argmax(axis=1)
        return np.array(self.classes, dtype=object)[best]

    def _prior(self, given: Mapping[str, float]) -> list[float]:
        counts = dict(zip(self.classes, self._content["target"]["counts"], strict=True))
        return self._scoring.prior(given, counts)

    @cached_property
    def _seen(self) -> Seen:
        return Seen(list(self.columns))

    @cached_property
    def _sources(self) -> list[list[str]]:
        """The columns that each term comes from; constructed variables name the first of theirs."""
        return [
            [_source(variable) for axis in term["axes"] for variable in _inputs(axis)]
            for term in self._content["terms"]
        ]

    def explain(
        self,
        X: Any,
        top: int = 5,
        *,
        target_class: str | None = None,
        n_jobs: int | None = -1,
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
            Columns row, class, against, variable, value, part, contribution. Contributions add up,
            from the log odds of the class shares, to those of the class against another one, the
            most probable of the others. A polars frame for polars, otherwise a pandas frame, or a
            dict of lists without pandas.
        """
        like, X = X, self._seen.opened(X)
        probabilities = self.predict_proba(X, n_jobs=n_jobs, tables=tables)
        if target_class is None:
            classes = probabilities.argmax(axis=1).astype(np.int64)
        else:
            if target_class not in self.classes:
                raise ValueError(f"no class is {target_class!r}; the classes are {self.classes}")
            place = self.classes.index(target_class)
            classes = np.full(len(probabilities), place, dtype=np.int64)
        return self._scoring.explanation(
            X, self._seen, classes, top, self.classes, n_jobs, tables, like
        )

    def prune(self, size: int) -> Model:
        """The largest model of the size path with at most that many variables."""
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
            raise ValueError(f"the number of variables must be an int of at least 1, not {size!r}")
        return Model(self._native.prune(int(size)))

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Model, (self.to_json(),)

    def __repr__(self) -> str:
        target, count = self._content["target"]["name"], len(self.variables)
        return f"<fnb.Model of {target!r}: {len(self.classes)} classes, {count} variables>"

    def _repr_html_(self) -> str:
        from fnb.display import model_html

        return model_html(self)


def _variable(term: dict[str, Any]) -> dict[str, Any]:
    """A term of the file as users know it: a variable with its parts; a pair keeps its axes."""
    axes = term["axes"]
    return {**term, **axes[0]} if len(axes) == 1 else term


def _inputs(axis: dict[str, Any]) -> list[dict[str, Any]]:
    """The variables that a tree looks at; any other axis is one itself."""
    origin = axis["from"]
    return origin["tree"]["inputs"] if "tree" in origin else [axis]


def _source(axis: dict[str, Any]) -> str:
    origin = axis["from"]
    if origin == "column":
        return str(axis["name"])
    if "text" in origin:
        feature = origin["text"]
        return str(feature["path"][0] if feature.get("path") else feature["text"])
    operand = origin["expression"]
    while isinstance(operand, dict):
        operand = operand["args"][0] if "args" in operand else operand["select"]
    return str(operand)


def write_report(
    model: Model,
    path: str | os.PathLike[str],
    measured: tuple[Any, Any, Any] | None,
    title: str | None,
    main_class: str | None,
) -> None:
    """The page of a model; `measured` are probabilities, actual classes as texts and weights."""
    rows = None
    if measured is not None:
        probabilities, actual, weights = measured
        if len(actual) != len(probabilities):
            raise ValueError(f"X has {len(probabilities)} rows and y has {len(actual)}")
        known = {name: code for code, name in enumerate(model.classes)}
        codes = [known.setdefault(name, len(known)) for name in actual]
        if weights is not None:
            weights = np.ascontiguousarray(weights, dtype=np.float64)
            if weights.shape != (len(codes),):
                raise ValueError("sample_weight must have one weight per row")
        rows = (np.ascontiguousarray(probabilities), np.asarray(codes, dtype=np.int64), weights)
    elif not (model._content["evaluation"].keys() & {"train", "test"}):
        raise ValueError(
            "the model was never evaluated: a page could not say how good it is. "
            "Give rows to measure it on: report(path, X, y)"
        )
    name = os.path.splitext(os.path.basename(os.fspath(path)))[0]
    write_text(path, _fnb.report(model._native, name, rows, title, main_class))


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file that is complete or absent."""
    import tempfile  # slow to import

    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return
    mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else 0o666 & ~_umask()
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    if sys.platform == "win32":
        return 0o022
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
