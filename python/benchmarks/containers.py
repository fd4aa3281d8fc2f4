"""Scoring the same rows from several containers, in one run: read ratios, not seconds.

    python containers.py [--repeat 9]

Needs fnb, pandas, polars and scikit-learn. Numbers: 30 columns of doubles. Mixed: half of the
columns are texts of eight values. Microseconds per call of `predict_proba`, and how many times
those of the first container of each line.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl

from fnb import FNBClassifier

ROWS = (1, 64, 65, 256, 1024, 4096, 4097, 16_384, 131_072)
APART = "pandas, columns apart"


def tables():
    """The columns of breast cancer, rows repeated with noise: numbers, and half of them texts."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    places = np.random.default_rng(0).integers(0, len(X), max(ROWS))
    numbers, y = X.iloc[places].reset_index(drop=True), y.iloc[places].reset_index(drop=True)
    mixed = numbers.copy()
    for name in numbers.columns[::2]:
        mixed[name] = pd.qcut(numbers[name], 8).astype(str)
    return numbers, mixed, y


def containers(numbers, mixed):
    """By kind of table: name, fitted on, how a slice of rows is made."""
    texts = [name for name in mixed.columns if mixed[name].dtype.kind not in "iuf"]
    return {
        "numbers": {
            "numpy": numbers.to_numpy(),
            "pandas": numbers,
            APART: numbers,
            "polars": pl.from_pandas(numbers),
        },
        "mixed": {
            "polars": pl.from_pandas(mixed),
            "pandas": mixed,
            "pandas, objects": mixed.astype(dict.fromkeys(texts, object)),
            "pandas, categories": mixed.astype(dict.fromkeys(texts, "category")),
        },
    }


def alone(name, table, rows):
    """The first rows, with nothing remembered of the whole."""
    part = table[:rows]
    if name == APART:
        # Every column in a block of its own, as files are often read.
        columns = {column: part[column].to_numpy().copy() for column in part.columns}
        return pd.DataFrame(columns, copy=False)
    return part if isinstance(part, pl.DataFrame) else part.copy()


def microseconds(clf, table):
    """Of one call, the mean of several."""
    calls = max(1, 2000 // len(table))
    start = time.perf_counter()
    for _ in range(calls):
        clf.predict_proba(table)
    return (time.perf_counter() - start) / calls * 1e6


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repeat", type=int, default=25)
    repeat = arguments.parse_args().repeat
    warnings.simplefilter("ignore")
    numbers, mixed, y = tables()
    for kind, of_kind in containers(numbers, mixed).items():
        fitted = {
            name: FNBClassifier().fit(table[:4096], y[:4096]) for name, table in of_kind.items()
        }
        print(f"{kind:>8}" + "".join(f"{name:>26}" for name in of_kind))
        for rows in ROWS:
            parts = {name: alone(name, table, rows) for name, table in of_kind.items()}
            # In alternation, and the fastest of each: what else runs here only ever adds.
            runs = [
                [microseconds(fitted[n], part) for n, part in parts.items()] for _ in range(repeat)
            ]
            times = [min(of_one) for of_one in zip(*runs, strict=True)]
            cells = "".join(f"{t:>17.0f} ({t / times[0]:>5.1f})" for t in times)
            print(f"{rows:>8}{cells}")


if __name__ == "__main__":
    main()
