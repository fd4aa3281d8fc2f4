"""Weights of rows, from those of the rows and of their classes."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from fnb._target import Labels


def row_weights(
    sample_weight: Any, class_weight: Any, labels: Labels, rows: int
) -> np.ndarray[Any, Any] | None:
    """A weight per row, or None if all count the same."""
    weights = None if sample_weight is None else _checked(sample_weight, rows)
    if class_weight is None:
        return weights
    factors = _factors(class_weight, labels, weights)
    return factors[labels.codes] if weights is None else weights * factors[labels.codes]


def _checked(sample_weight: Any, rows: int) -> np.ndarray[Any, Any]:
    if isinstance(sample_weight, Real):
        return np.full(rows, float(sample_weight))
    weights = np.asarray(sample_weight)
    if weights.dtype.kind not in "iufb":
        weights = weights.astype(np.float64)
    weights = np.ascontiguousarray(weights, dtype=np.float64)
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


def _factors(
    class_weight: Any, labels: Labels, weights: np.ndarray[Any, Any] | None
) -> np.ndarray[Any, Any]:
    """A factor per class."""
    count = len(labels.classes)
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(
                f"class_weight must be None, a dict or 'balanced'. Got {class_weight!r} instead."
            )
        sizes = np.bincount(labels.codes, weights=weights, minlength=count)
        with np.errstate(divide="ignore"):
            balanced = sizes.sum() / (np.count_nonzero(sizes) * sizes)
        return np.where(sizes > 0, balanced, 0.0)
    if not isinstance(class_weight, dict):
        raise ValueError(
            f"class_weight must be None, a dict or 'balanced'. Got {class_weight!r} instead."
        )
    known = {label: place for place, label in enumerate(labels.classes.tolist())}
    factors = np.ones(count)
    unknown = [label for label in class_weight if label not in known]
    if unknown:
        raise ValueError(f"The classes, {unknown}, are not in class_weight's target y.")
    for label, weight in class_weight.items():
        if not isinstance(weight, Real) or not np.isfinite(weight) or weight < 0:
            raise ValueError(f"class_weight of {label!r} must be a number from 0. Got {weight!r}.")
        factors[known[label]] = weight
    return factors
