"""Small, readable, exactly reproducible classifiers from raw tables.

The estimators `FNBClassifier`, `MODLEncoder` and `RelationalFeatures` follow scikit-learn, which is
imported when one of them is first used. `load_model`, `Model`, `Table`, `describe`, `compare` and
`cross_validate` need numpy only.

Examples
--------
>>> import fnb
>>> from sklearn.datasets import load_breast_cancer
>>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
>>> clf = fnb.FNBClassifier().fit(X, y)
>>> len(clf.selected_features_), clf.n_features_in_
(10, 30)
>>> clf.predict(X.head(3))
array([0, 0, 0])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fnb._fnb import Interrupted, __version__

if TYPE_CHECKING:
    from fnb._warnings import DataWarning
    from fnb.analysis import compare, cross_validate, describe
    from fnb.classifier import FNBClassifier
    from fnb.encoder import MODLEncoder
    from fnb.model import Model, load_model
    from fnb.relational import RelationalFeatures
    from fnb.tables import Table

__all__ = [
    "TRUSTED_TYPES",
    "DataWarning",
    "FNBClassifier",
    "Interrupted",
    "MODLEncoder",
    "Model",
    "RelationalFeatures",
    "Table",
    "__version__",
    "compare",
    "cross_validate",
    "describe",
    "load_model",
]

# The classes of ours that skops meets in a file. They hold plain values, and models as the text of
# the model file, which is checked when it is read.
TRUSTED_TYPES = [
    "fnb.classifier.FNBClassifier",
    "fnb.encoder.MODLEncoder",
    "fnb.model.Model",
    "fnb.relational.RelationalFeatures",
    "fnb.tables.Table",
]

# Where each public name lives: modules are imported when they are needed.
_HOMES = {
    "DataWarning": "fnb._warnings",
    "FNBClassifier": "fnb.classifier",
    "MODLEncoder": "fnb.encoder",
    "Model": "fnb.model",
    "RelationalFeatures": "fnb.relational",
    "Table": "fnb.tables",
    "load_model": "fnb.model",
    "compare": "fnb.analysis",
    "cross_validate": "fnb.analysis",
    "describe": "fnb.analysis",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fnb' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
