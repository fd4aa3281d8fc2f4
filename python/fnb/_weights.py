"""Weights of rows and of classes, checked."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np

from fnb._names import listed
from fnb._target import Labels, class_texts


def row_weights(sample_weight: Any, rows: int) -> np.ndarray[Any, Any] | None:
    """A weight per row, or None if all count the same."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        return np.full(rows, float(sample_weight))
    weights = np.ascontiguousarray(np.asarray(sample_weight), dtype=np.float64)
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array")
    if len(weights) != rows:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    if not np.isfinite(weights).all():
        kind = "NaN" if np.isnan(weights).any() else "infinity"
        raise ValueError(f"Input sample_weight contains {kind}.")
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise ValueError(f"Negative values in sample_weight: row {row} has {weights[row]}.")
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights


def class_weights(given: Any, labels: Labels) -> str | list[tuple[str, float]] | None:
    """Class weights by the texts of the classes, or "balanced"."""
    if given is None or (isinstance(given, str) and given == "balanced"):
        return given
    if not isinstance(given, dict):
        raise ValueError(f"class_weight must be None, a dict or 'balanced'. Got {given!r} instead.")
    texts = dict(zip(labels.classes.tolist(), class_texts(labels.classes), strict=True))
    weights = []
    for label, weight in given.items():
        if not isinstance(weight, Real) or not 0 <= float(weight) < np.inf:
            raise ValueError(f"class_weight of {label!r} must be a number from 0. Got {weight!r}.")
        if label in texts:
            weights.append((texts[label], float(weight)))
    _check_known(given, list(texts))
    return weights


def _check_known(given: dict[Any, Any], classes: list[Any]) -> None:
    """Refuse weights of classes that are not there, as scikit-learn does.

    If all classes have a weight, these rows happen to be without some class: a fold, for example.
    """
    unknown = [label for label in given if label not in classes]
    if not unknown:
        return
    message = f"class_weight names {listed(unknown)}, which y does not have: it has "
    if len(given) - len(unknown) < len(classes):
        raise ValueError(message + listed(classes))
    warnings.warn(message + listed(classes), UserWarning, stacklevel=6)
