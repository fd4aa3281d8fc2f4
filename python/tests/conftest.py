"""Data that the tests share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


def mixed_table(rows: int = 400, seed: int = 7) -> tuple[pd.DataFrame, pd.Series]:
    """Numbers, integers, texts, categories and booleans, some missing; two classes."""
    r = np.random.default_rng(seed)
    z = r.normal(size=rows)
    city = r.choice(["Lannion", "Rennes", "Paris", "Brest"], rows)
    frame = pd.DataFrame(
        {
            "size": np.where(r.random(rows) < 0.1, np.nan, np.round(z, 3)),
            "count": r.integers(0, 30, rows),
            "city": pd.Series(city, dtype="str").mask(r.random(rows) < 0.05),
            "member": r.random(rows) < 0.4,
            "noise": np.round(r.normal(size=rows), 2),
        }
    )
    score = 1.5 * z + 1.6 * (city == "Paris") + 0.8 * frame["member"] - 0.8
    label = np.where(r.random(rows) < 1 / (1 + np.exp(-2 * score)), "yes", "no")
    return frame, pd.Series(label, name="answer")


@pytest.fixture(scope="session")
def mixed() -> tuple[pd.DataFrame, pd.Series]:
    return mixed_table()


@pytest.fixture(scope="session")
def cancer() -> tuple[pd.DataFrame, pd.Series]:
    from sklearn.datasets import load_breast_cancer

    data, target = load_breast_cancer(return_X_y=True, as_frame=True)
    return data, target


@pytest.fixture(scope="session")
def iris() -> tuple[pd.DataFrame, pd.Series]:
    from sklearn.datasets import load_iris

    data, target = load_iris(return_X_y=True, as_frame=True)
    return data, target
