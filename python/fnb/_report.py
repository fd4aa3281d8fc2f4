"""Pages of estimators: their labels and rows as the model knows them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from fnb._target import class_texts, read_labels
from fnb.model import Model, write_report


def write_estimator_report(
    model: Model,
    path: str | os.PathLike[str],
    rows: tuple[Any, Any, Any],
    probabilities: Callable[[Any], Any],
    classes: np.ndarray[Any, Any],
    title: str | None,
    main_class: Any,
) -> None:
    """The page of the model of an estimator, whose labels may be of any type.

    `rows` are X, y and weights, or None each; `probabilities` gives those of X in the order of the
    classes of the model.
    """
    texts = class_texts(classes)
    if main_class is not None:
        known = dict(zip(classes.tolist(), texts, strict=True))
        if main_class not in known:
            raise ValueError(f"{main_class!r} is no class: there are {list(known)}")
        main_class = known[main_class]
    X, y, weights = rows
    measured = None
    if X is None and y is not None:
        raise ValueError("y is given without X: give the rows that y belongs to")
    if X is not None:
        if y is None:
            raise ValueError("X is given without y: a model is measured against actual classes")
        labels = read_labels(y)
        names = class_texts(labels.classes)
        measured = (probabilities(X), [names[code] for code in labels.codes], weights)
    write_report(model, path, measured, title, main_class)
