"""The classifier, as a scikit-learn estimator."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from fnb import _fnb, _workers  # noqa: F401
from fnb._choices import FeatureType, Method, Preset, Start, Tokeniser, check_choice
from fnb._estimator import (
    Training,
    check_count,
    check_names_known,
    check_number,
    construction,
    settings_json,
)
from fnb._findings import warnings_of
from fnb._fitted import FittedAttributes
from fnb._inputs import open_table
from fnb._names import as_array, default_names
from fnb._persist import Persistent
from fnb._report import write_estimator_report
from fnb._scoring import Seen
from fnb._target import class_texts, typed_classes
from fnb.model import Model, load_model
from fnb.plots import Showing
from fnb.tables import Around
from fnb.tables import Table as Records

# Parameters, and the settings of a model file that they are.
_TOLD = {
    "preset": "preset",
    "method": "method",
    "start": "start",
    "regularization": "lambda",
    "exponent": "p",
    "max_selected": "max_selected",
    "sparser": "sparser",
    "interactions": "interactions",
    "n_features": "features",
    "rules": "rules",
    "text_features": "text_features",
    "tokeniser": "tokeniser",
    "pairs": "pairs",
    "trees": "trees",
    "random_state": "seed",
}


def _interactions(given: object) -> str | int | None:
    is_number = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    if is_number and int(given) >= 0:  # type: ignore[call-overload]
        return int(given)  # type: ignore[call-overload, no-any-return]
    if given is None or given in ("auto", "none"):
        return given  # type: ignore[return-value]
    raise ValueError(f'interactions must be "auto", "none" or an int of at least 0, not {given!r}')


class FNBClassifier(FittedAttributes, Showing, Persistent, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fractional naive Bayes on MODL preparation: few variables, each a short table.

    Columns are used as they are: numbers, texts, categories, missing values. Each is cut into
    intervals or groups by a criterion without tuning; a weight from 0 to 1 is then learnt for each
    informative column, and most get 0.

    Parameters
    ----------
    preset : {"default", "khiops", "paper"}, default="default"
        The settings to start from: the best we know, those of Khiops 11, the published algorithm.
    method : str, default=None
        How the weights are learnt: "coordinate", "fnb", "fnb-ordered", "snb", "snb-map", "nb", or
        one of the gradient methods "sg", "am", "sg.cf", "sg.ue", "ug.cf", "ug.ue", "cg.cf",
        "cg.ue". None is the method of the preset.
    start : {"half", "norm", "snb", "fnb"}, default=None
        Where the gradient methods and "coordinate" start.
    regularization : float, default=None
        Weight of the prior in the criterion; None is that of the preset (0.2, 0.1, 0.25).
    exponent : float, default=None
        Exponent of the weights in the prior, in ]0, 1]; below 1 it favours few variables. None is
        0.95.
    max_selected : int, default=None
        At most that many variables.
    sparser : float, default=None
        Leave out variables as long as the criterion stays within this share of the lowest one
        found. None is 0.001 with "coordinate", and none leaves for that with the other methods.
    interactions : "auto", "none" or int, default=None
        Tables over several variables that correct what the columns one by one do not explain, and
        better profiles: "auto", as many as pay their price; "none", the plain model; or at most so
        many, 0 for better profiles alone. None is "auto" in preset "default", "none" in the others.
    feature_types : dict, default=None
        Name of a column (its place if columns have no names) to what it is used as, where that is
        not what its values look like: "numerical", "categorical", "date", "time", "timestamp",
        "timestamptz", "text", or "ignore". What cannot be read so is missing.
    categorical_features : list of names or places, or mask, default=None
        Columns that are "categorical", all at once.
    drop_features : list of names or places, or mask, default=None
        Columns that are left out.
    class_weight : dict or "balanced", default=None
        Weights of the classes; they multiply `sample_weight`. A class that a dict does not name has
        weight 1; one that y does not have is refused, unless the dict names all that it has.
    prior : dict or array of shape (n_classes,), default=None
        Class probabilities where the model is used, if they are not those of the training rows.
        A dict may name some of the classes; the others share the rest.
    tables : list of Table, default=None
        Tables around X: variables are constructed from their records.
    n_features : int, default=1000
        Number of variables to construct, at most, from several tables or from dates.
    rules : str or list of str, default=None
        What to construct them by: families ("table", "entity", "date", "time", "timestamp",
        "timestamptz") or rules by name ("TableMean"); None is those of the preset.
    text_features : int, default=None
        Number of variables to make of long texts, at most; None is that of the preset (1000, 0 of
        "khiops").
    tokeniser : {"words", "tokens", "ngrams"}, default=None
        How texts are cut: into words, at blanks only, or into runs of 1 to 8 bytes. None is
        "words".
    pairs : int, default=0
        Number of pairs of columns to try, at most, as Khiops does; preset "khiops" only.
    trees : int, default=0
        Number of trees to grow, at most, as Khiops does; preset "khiops" only. Each is a variable
        whose values are its leaves.
    cutoff : str, default=None
        The column of X with the time of each row: only records before it are seen.
    n_jobs : int, default=-1
        Number of threads, counted as in scikit-learn: -1 is all processors (or as many as
        ``RAYON_NUM_THREADS`` says), -2 all but one, None 1 or what ``joblib.parallel_config``
        says. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of the methods that try variables in random order ("snb", "snb-map", "fnb"). None
        draws one.
    verbose : int, default=0
        Shows progress, by tqdm if it is installed.
    callback : callable, default=None
        Called with stage ("prepare" or "weights"), steps done and steps to do; returning False
        ends the training with `fnb.Interrupted`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if they have names; also integers and tuples.
    model_ : Model
        The trained model.
    interactions_ : list of dict
        The tables over several variables, most important first: name, variables, whether it is
        smooth, importance, level, labels of the parts of each axis, and cells with the rows
        observed and expected by class and the factors between them.
    selected_features_ : list
        The variables of the model, most important first.
    constructed_features_ : list of dict
        Those that are computed: name, formula, cost in nats, sentence, weight, level, importance.
    n_selected_ : int
        How many they are.
    weights_ : ndarray of shape (n_features_in_,)
        The weight of each column, 0 if it is not in the model; the largest one of a date, whose
        calendar parts are variables.
    levels_ : ndarray of shape (n_features_in_,)
        What each column tells about the target on its own, from 0 to 1.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the mean absolute contribution to predictions.
    dropped_features_ : dict
        Name to reason, for the columns that are not in the model.
    findings_ : list of dict
        What to look at in the data: "kind" is "tells_all" (a variable that is perhaps a copy of the
        target: `fit` warns), "row_number", "identifier" or "constant".
    partitions_ : dict
        Name to parts, for each variable of the model: label, number of rows, rows of each class,
        and of a group all its values, of which the label names the most frequent.
    size_path_ : list of dict
        Smaller models: number of variables, criterion, weights.
    evaluation_ : dict
        Figures of quality on the training rows.
    criterion_ : float
        What the model costs, in nats.
    compression_ : float
        Share of the cost of the model without variables that is saved.
    base_values_ : float or ndarray of shape (n_classes,)
        What `decision_function` is without any variable: the log odds of the class shares for two
        classes; for more, their logarithms less their mean. `shap_values` start from it.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from fnb import FNBClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> clf = FNBClassifier(max_selected=3).fit(X, y)
    >>> clf.selected_features_
    ['worst area', 'worst concave points', 'worst texture']
    >>> clf.predict_proba(X[:1]).round(3)
    array([[0.999, 0.001]])
    """

    _derived = ("_order", "_same_order", "_seen")

    def __init__(
        self,
        *,
        preset: Preset = "default",
        method: Method | None = None,
        start: Start | None = None,
        regularization: float | None = None,
        exponent: float | None = None,
        max_selected: int | None = None,
        sparser: float | None = None,
        interactions: Literal["auto", "none"] | int | None = None,
        feature_types: Mapping[Any, FeatureType] | None = None,
        categorical_features: Any = None,
        drop_features: Any = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        prior: Any = None,
        tables: Sequence[Records] | None = None,
        n_features: int = 1000,
        rules: Any = None,
        text_features: int | None = None,
        tokeniser: Tokeniser | None = None,
        pairs: int = 0,
        trees: int = 0,
        cutoff: str | None = None,
        n_jobs: int | None = -1,
        random_state: Any = 0,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.preset = preset
        self.method = method
        self.start = start
        self.regularization = regularization
        self.exponent = exponent
        self.max_selected = max_selected
        self.sparser = sparser
        self.interactions = interactions
        self.feature_types = feature_types
        self.categorical_features = categorical_features
        self.drop_features = drop_features
        self.class_weight = class_weight
        self.prior = prior
        self.tables = tables
        self.n_features = n_features
        self.rules = rules
        self.text_features = text_features
        self.tokeniser = tokeniser
        self.pairs = pairs
        self.trees = trees
        self.cutoff = cutoff
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None, tables: Any = None) -> FNBClassifier:
        """Learn a model.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            numpy array, pandas or polars frame (lazy too), pyarrow table, DuckDB relation, anything
            with ``__arrow_c_stream__``, or a scipy sparse matrix.
        y : array of shape (n_samples,)
            The labels: texts, integers, booleans or categories.
        sample_weight : array of shape (n_samples,), default=None
            Number of rows that each row stands for; 2 is the same as the row given twice, 0 as a
            row left out. Fractions are exact in the likelihood and rounded to whole rows,
            cumulated in the order of the values, in the preparation.
        tables : dict or list of Table, default=None
            Data by name, instead of those of the construction.

        Returns
        -------
        self : FNBClassifier
        """
        settings = self._settings()
        training = Training(self, X, y, sample_weight)
        if self.tables or tables:
            training.surround(self._around(tables), tables, self.cutoff)
        elif self.cutoff is not None:
            raise ValueError("cutoff speaks of other tables, but none is given")
        native, found = training.learn(_fnb.train, settings)
        for note in found:
            warnings.warn(note, UserWarning, stacklevel=2)
        self.classes_ = training.labels.classes
        self._names = training.names
        self._set_model(Model(native))
        for note in warnings_of(self.model_):
            warnings.warn(note, UserWarning, stacklevel=2)
        if self.prior is not None:
            self._prior()
        return self

    def _around(self, tables: Any) -> Around:
        """The tables of the construction, or those given if there are none."""
        if self.tables:
            return Around(self.tables)
        if not isinstance(tables, list) or not all(isinstance(t, Records) for t in tables):
            raise ValueError("the keys of tables are unknown: give fnb.Table objects")
        return Around(tables)

    def _data(self, tables: Any) -> Any:
        """The tables to score with."""
        return Around(self.tables).data(tables) if self.tables else tables

    def _settings(self) -> str:
        check_choice("preset", self.preset, Preset)
        check_choice("method", self.method, Method, none=True)
        check_choice("start", self.start, Start, none=True)
        check_number("regularization", self.regularization, 0.0, 1e300, open_low=False)
        check_number("exponent", self.exponent, 0.0, 1.0, open_low=True)
        check_count("max_selected", self.max_selected)
        check_number("sparser", self.sparser, 0.0, 1.0, open_low=False)
        return settings_json(
            preset=self.preset,
            method=self.method,
            start=self.start,
            max_selected=None if self.max_selected is None else int(self.max_selected),
            sparser=self.sparser,
            interactions=_interactions(self.interactions),
            seed=self._seed(),
            **construction(self),
            **{"lambda": self.regularization, "p": self.exponent},
        )

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)) and self.random_state >= 0:
            return int(self.random_state)
        from sklearn.utils import check_random_state

        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _set_model(self, model: Model) -> None:
        self.model_ = model
        texts = class_texts(self.classes_)
        known = {text: place for place, text in enumerate(model.classes)}
        # The model sorts classes as texts, scikit-learn by value; a class without weight is absent.
        self._order = np.array([known.get(text, -1) for text in texts])
        self._same_order = self._order.tolist() == list(range(len(known)))
        named = hasattr(self, "feature_names_in_")
        labels = self.feature_names_in_ if named else None
        self._seen = Seen(self._names, named, type(self).__name__, labels)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _prior(self) -> list[float] | None:
        """The prior in the order of the model."""
        if self.prior is None:
            return None
        texts = class_texts(self.classes_)
        if isinstance(self.prior, dict):
            labels = dict(zip(self.classes_.tolist(), texts, strict=True))
            unknown = [label for label in self.prior if label not in labels]
            if unknown:
                raise ValueError(f"prior names unknown classes {unknown}.")
            return self.model_._prior({labels[label]: share for label, share in self.prior.items()})
        shares = np.asarray(self.prior, dtype=float)
        if shares.shape != (len(texts),):
            raise ValueError(f"prior must have {len(texts)} shares. Got {shares.shape} instead.")
        return self.model_._prior(dict(zip(texts, shares.tolist(), strict=True)))

    def predict_proba(self, X: Any, tables: Any = None) -> np.ndarray[Any, Any]:
        """A probability per row and class.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Columns are found by name if fit had names: their order does not matter, others are
            ignored, and columns that are not in the model may be absent.
        tables : dict or list of Table, default=None
            Data by name, instead of those of the construction.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            Classes in the order of `classes_`.
        """
        if not hasattr(self, "model_"):
            check_is_fitted(self)
        return self._probabilities(self._opened(X), tables)

    def _probabilities(self, opened: Any, tables: Any) -> np.ndarray[Any, Any]:
        prior = None if self.prior is None else self._prior()
        proba = self.model_._scoring.probabilities(
            opened, self._seen, prior, self.n_jobs, self._data(tables)
        )
        if self._same_order:
            return proba
        ordered = proba[:, self._order]
        if (self._order < 0).any():
            ordered[:, self._order < 0] = 0.0
        return ordered

    def _opened(self, X: Any) -> Any:
        """The table, opened once; warns as scikit-learn does if only one of fit and X has names."""
        if type(X) is np.ndarray and not self._seen.named:
            return X
        opened = self._seen.opened(X)
        if not self._seen.is_known(opened):
            check_names_known(self, open_table(opened))
        return opened

    def predict(self, X: Any, tables: Any = None) -> np.ndarray[Any, Any]:
        """The most probable class of each row."""
        best = self.predict_proba(X, tables).argmax(axis=1)
        return self.classes_[best]  # type: ignore[no-any-return]

    def score(self, X: Any, y: Any, sample_weight: Any = None, tables: Any = None) -> float:
        """The share of rows whose most probable class is their label.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
        tables : dict or list of Table, default=None
            Data by name, instead of those of the construction.
        """
        from sklearn.metrics import accuracy_score

        return float(accuracy_score(y, self.predict(X, tables), sample_weight=sample_weight))

    def predict_log_proba(self, X: Any, tables: Any = None) -> np.ndarray[Any, Any]:
        """The logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, tables))

    def decision_function(self, X: Any, tables: Any = None) -> np.ndarray[Any, Any]:
        """The scores of the classes: `base_values_` plus what each variable adds.

        Returns
        -------
        scores : ndarray
            For two classes of shape (n_samples,), the log odds of ``classes_[1]``. For more, of
            shape (n_samples, n_classes): log scores less their mean over the classes, of which the
            softmax is `predict_proba` before its last smoothing.
        """
        check_is_fitted(self)
        scores = self.model_._scoring.scores(
            self._opened(X), self._seen, self._prior(), self.n_jobs, self._data(tables)
        )
        return self._contrasts(scores, absent=-np.inf)

    def _contrasts(self, scores: np.ndarray[Any, Any], absent: float) -> np.ndarray[Any, Any]:
        """Scores of the classes of the model, on the last axis, against each other.

        Of two classes, the second against the first; of others, each against the mean of all.
        Classes that the model does not have get a value of their own.
        """
        known = self._order >= 0
        if len(self.classes_) == 2 and known.all():
            return scores[..., self._order[1]] - scores[..., self._order[0]]  # type: ignore[no-any-return]
        centred = scores - scores.mean(axis=-1, keepdims=True)
        ordered = np.where(known, centred[..., self._order], absent)
        if len(self.classes_) == 2:
            return ordered[..., 1] - ordered[..., 0]  # type: ignore[no-any-return]
        return ordered[..., 0] if len(self.classes_) == 1 else ordered

    def explain(self, X: Any, top: int = 5, *, target_class: Any = None, tables: Any = None) -> Any:
        """Why rows are predicted as they are.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        top : int, default=5
            Terms per row, the largest first.
        target_class : label, default=None
            The class whose log odds are explained; that predicted for each row by default.
        tables : dict or list of Table, default=None
            Data by name, instead of those of the construction.

        Returns
        -------
        frame
            Columns row, class, against, variable, value, part, contribution. Contributions add up,
            from the log odds of the class shares, to those of the class against another one, the
            most probable of the others: a prediction against its runner-up. A polars frame for
            polars, otherwise a pandas frame, or a dict of lists if pandas is not installed.
        """
        check_is_fitted(self)
        like, X = X, self._opened(X)
        if target_class is None:
            places = self._probabilities(X, tables).argmax(axis=1)
        else:
            found = np.flatnonzero(self.classes_ == target_class)
            if len(found) != 1:
                labels = self.classes_.tolist()
                raise ValueError(f"no class is {target_class!r}; the classes are {labels}")
            places = np.full(open_table(X).rows, found[0])
        classes = self._order[places].astype(np.int64)
        labels_of_model = [
            self.classes_[np.flatnonzero(self._order == place)[0]]
            for place in range(len(self.model_.classes))
        ]
        return self.model_._scoring.explanation(
            X, self._seen, classes, top, labels_of_model, self.n_jobs, self._data(tables), like
        )

    def shap_values(self, X: Any) -> np.ndarray[Any, Any]:
        """Exact Shapley values of `decision_function`.

        ``shap_values(X).sum(axis=1) + base_values_`` equals ``decision_function(X)``. A variable
        that is not known is left out, as naive Bayes does; so they start at the class shares. The
        package `shap` draws such variables from the training rows instead: its values are these
        less their means over those rows.

        Returns
        -------
        values : ndarray
            For two classes of shape (n_samples, n_features_in_), for ``classes_[1]``; for more, of
            shape (n_samples, n_features_in_, n_classes). Columns that are not in the model have 0.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_wine
        >>> from fnb import FNBClassifier
        >>> X, y = load_wine(return_X_y=True)
        >>> clf = FNBClassifier().fit(X, y)
        >>> scores = clf.shap_values(X).sum(axis=1) + clf.base_values_
        >>> np.allclose(scores, clf.decision_function(X))
        True
        """
        check_is_fitted(self)
        if self.model_.tables:
            raise ValueError("variables of other tables are no columns of X: use explain")
        scoring = self.model_._scoring
        frame = scoring.frame(self._opened(X), self._seen)
        place = {name: i for i, name in enumerate(self._names)}
        many = () if len(self.classes_) <= 2 else (len(self.classes_),)
        values = np.zeros((frame.rows, self.n_features_in_, *many))
        if frame.rows and self.model_._content["terms"]:
            evidence = scoring.evidence(scoring.parts(frame, self.n_jobs))
            terms = self._contrasts(evidence, absent=0.0)
            # Several variables may come from one column: dates. Without one of its variables a
            # table says nothing: they share it.
            for sources, term in zip(self.model_._sources, np.moveaxis(terms, 1, 0), strict=True):
                for source in sources:
                    values[:, place[source]] += term / len(sources)
        return values

    def shap_explanation(self, X: Any) -> Any:
        """`shap_values` as the plots of the package `shap` want them: a ``shap.Explanation``."""
        import shap

        values = self.shap_values(X)
        base = np.broadcast_to(self.base_values_, (len(values), *values.shape[2:]))
        dense = X.toarray() if hasattr(X, "toarray") else X
        data = dense.to_numpy() if hasattr(dense, "to_numpy") else np.asarray(dense)
        names = [str(self._seen.label(name)) for name in self._names]
        return shap.Explanation(values, base_values=base, data=data, feature_names=names)

    def prune(self, k: int) -> FNBClassifier:
        """A fitted copy with the largest model of `size_path_` of at most `k` variables.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from fnb import FNBClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> FNBClassifier().fit(X, y).prune(4).n_selected_
        4
        """
        check_is_fitted(self)
        pruned = type(self).__new__(type(self))
        pruned.__dict__.update(self.__dict__)
        pruned._set_model(self.model_.prune(k))
        return pruned

    def to_json(self) -> str:
        """The text of the model file."""
        check_is_fitted(self)
        return self.model_.to_json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file; `load`, `fnb.load_model` and the program `fnb` read it."""
        check_is_fitted(self)
        self.model_.save(path)

    def report(
        self,
        path: str | os.PathLike[str],
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        tables: Any = None,
        title: str | None = None,
        main_class: Any = None,
    ) -> None:
        """Write a page that shows the model: one HTML file, to look at and to pass on.

        It is complete or absent, never half written, and holds no row of the data.

        Parameters
        ----------
        path : str or path-like
            Where to write it.
        X, y, sample_weight : table, labels and weights, optional
            Rows that the model has not seen, to measure it on. Without them the page shows how good
            it is on its training rows.
        tables : dict or list of Table, default=None
            Data by name, instead of those of the construction.
        title : str, optional
            What is written above the page.
        main_class : label, optional
            The class that the page speaks of; the second of two by default.

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import load_breast_cancer
        >>> from fnb import FNBClassifier
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> path = os.path.join(tempfile.mkdtemp(), "cancer.html")
        >>> FNBClassifier().fit(X[::2], y[::2]).report(path, X[1::2], y[1::2])
        >>> os.path.getsize(path) > 0
        True
        """
        check_is_fitted(self)

        def probabilities(X: Any) -> Any:
            texts = class_texts(self.classes_)
            order = [texts.index(text) for text in self.model_.classes]
            return self.predict_proba(X, tables)[:, order]

        rows = (X, y, sample_weight)
        write_estimator_report(
            self.model_, path, rows, probabilities, self.classes_, title, main_class
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FNBClassifier:
        """The fitted classifier of a model file, written by `save` or by the program `fnb`.

        Labels are again what they were: integers (of 64 bits), booleans, floats or texts. Of a
        model that the program has learnt, whole numbers, true and false are what they look like.
        The parameters are those of the training that the file tells: not those about reading
        columns, about weights of classes and about tables, which `predict` takes as `tables`.

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import load_iris
        >>> from fnb import FNBClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> path = os.path.join(tempfile.mkdtemp(), "iris.json")
        >>> FNBClassifier(method="nb").fit(X, y).save(path)
        >>> clf = FNBClassifier.load(path)
        >>> clf.method, clf.predict(X[:2])
        ('nb', array([0, 0]))
        """
        model = load_model(path)
        told = model._content["training"]["params"]
        # A setting that a file leaves out has its default.
        clf = cls(**{name: told[key] for name, key in _TOLD.items() if key in told})
        clf.classes_ = typed_classes(model.classes, model._content["target"].get("labels"))
        clf._names = list(model.columns)
        clf.n_features_in_ = len(clf._names)
        if clf._names != default_names(clf.n_features_in_):
            clf.feature_names_in_ = as_array(clf._names)
        clf._set_model(model)
        return clf

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        return tags
