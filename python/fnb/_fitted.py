"""What a fitted classifier tells of its model, one attribute each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fnb._scoring import Seen
from fnb._target import class_texts
from fnb.model import Model


class FittedAttributes:
    """The attributes of `FNBClassifier` that are read from its model; documented there."""

    classes_: np.ndarray[Any, Any]
    model_: Model
    _prior: Callable[[], list[float] | None]
    _contrasts: Callable[..., Any]
    # The names of the columns, and the place of each class in the model.
    _names: list[str]
    _order: np.ndarray[Any, Any]
    _seen: Seen

    @property
    def base_values_(self) -> Any:
        check_is_fitted(self)
        prior = self._prior()
        with np.errstate(divide="ignore"):
            starts = self.model_._scoring.log_prior() if prior is None else np.log(prior)
        base = self._contrasts(starts, absent=-np.inf)
        return float(base) if base.ndim == 0 else base

    @property
    def selected_features_(self) -> list[Any]:
        check_is_fitted(self)
        terms = self.model_._content["terms"]
        variables = [term["name"] for term in terms if term["weight"] > 0]
        # A pair is a variable itself; tables that correct others bring theirs.
        tables = [term for term in terms if term["weight"] == 0]
        inputs = [axis["name"] for term in tables for axis in term["axes"]]
        return [self._seen.label(name) for name in dict.fromkeys(variables + inputs)]

    @property
    def interactions_(self) -> list[dict[str, Any]]:
        check_is_fitted(self)
        return self.model_.interactions

    @property
    def constructed_features_(self) -> list[dict[str, Any]]:
        check_is_fitted(self)
        return self.model_.constructed

    @property
    def findings_(self) -> list[dict[str, Any]]:
        check_is_fitted(self)
        return self.model_.findings

    @property
    def n_selected_(self) -> int:
        return len(self.selected_features_)

    def _per_column(self, key: str) -> np.ndarray[Any, Any]:
        check_is_fitted(self)
        values = np.zeros(len(self._names))
        place = {name: i for i, name in enumerate(self._names)}
        terms = self.model_._content["terms"]
        for term, sources in zip(terms, self.model_._sources, strict=True):
            for source in sources:
                if source not in place:
                    continue  # made of another table
                if key == "importance":
                    values[place[source]] += term[key] / len(sources)
                elif term["weight"] > 0:
                    values[place[source]] = max(values[place[source]], term[key])
        if key == "level":
            for entry in self.model_._content["dropped"]:
                if entry["name"] in place:
                    values[place[entry["name"]]] = max(values[place[entry["name"]]], entry["level"])
        return values

    @property
    def weights_(self) -> np.ndarray[Any, Any]:
        return self._per_column("weight")

    @property
    def levels_(self) -> np.ndarray[Any, Any]:
        return self._per_column("level")

    @property
    def feature_importances_(self) -> np.ndarray[Any, Any]:
        return self._per_column("importance")

    @property
    def dropped_features_(self) -> dict[Any, str]:
        check_is_fitted(self)
        dropped = self.model_.dropped
        left_out = [name for name in self._names if name not in self.model_.columns]
        dropped.update(dict.fromkeys(left_out, "left out by drop_features"))
        return {self._seen.label(name): reason for name, reason in dropped.items()}

    @property
    def partitions_(self) -> dict[Any, list[dict[str, Any]]]:
        check_is_fitted(self)
        texts = class_texts(self.classes_)
        labels = dict(zip(texts, self.classes_.tolist(), strict=True))
        classes = [labels[text] for text in self.model_.classes]
        partitions = {}
        in_words = self.model_._of_variables(self.model_._native.labels())
        for variable, words in zip(self.model_.variables, in_words, strict=True):
            partitions[self._seen.label(variable["name"])] = [
                {
                    "label": label,
                    "rows": sum(counts),
                    "counts": dict(zip(classes, counts, strict=True)),
                    **values,
                }
                for label, counts, values in zip(
                    words, variable["counts"], _values(variable, len(words)), strict=True
                )
            ]
        return partitions

    @property
    def size_path_(self) -> list[dict[str, Any]]:
        check_is_fitted(self)
        return self.model_.size_path

    @property
    def evaluation_(self) -> dict[str, Any]:
        check_is_fitted(self)
        return self.model_.evaluation

    @property
    def criterion_(self) -> float:
        check_is_fitted(self)
        return float(self.model_._content["training"]["criterion"]["total"])

    @property
    def compression_(self) -> float:
        check_is_fitted(self)
        return float(self.model_._content["training"]["compression"])


def _values(variable: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """All values of each group, whose label may name a few; nothing of intervals and cells."""
    groups: list[list[Any]] | None = variable.get("parts", {}).get("groups")
    if groups is None:
        return [{}] * count
    return [{"values": list(group)} for group in groups]
