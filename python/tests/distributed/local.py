"""The same model from the same rows in this process, and tables to learn from."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from fnb import _fnb


def local_model(
    table: pa.Table,
    target: str = "y",
    *,
    weight: str | None = None,
    class_weight: Any = None,
    types: Any = (),
    drop: Any = (),
    **settings: Any,
) -> str:
    """The text of the model file that the ordinary training writes."""
    column = table.column(target).combine_chunks()
    classes = sorted({str(value) if value is not None else "" for value in column.to_pylist()})
    place = {text: code for code, text in enumerate(classes)}
    codes = np.array(
        [place[str(value) if value is not None else ""] for value in column.to_pylist()],
        dtype=np.int64,
    )
    weights = None
    if weight is not None:
        weights = table.column(weight).cast(pa.float64()).to_numpy()
        table = table.drop_columns([weight])
    native = _fnb.Target(target, classes, codes, weights, class_weight)
    frame = _fnb.Frame.from_arrow(table.drop_columns([target]))
    reading = {"types": list(types), "drop": list(drop)}
    text = json.dumps({name: value for name, value in settings.items() if value is not None})
    model, _ = _fnb.train(frame, native, text, reading, None, None)
    return model.to_json()


def table(rows: int, classes: int = 2, seed: int = 0) -> pa.Table:
    """Numbers, texts, dates, truth values, missing values; some columns tell the class."""
    random = np.random.default_rng(seed)
    label = random.integers(0, classes, rows)
    label[:classes] = np.arange(classes)[:rows]
    missing = random.random(rows) < 0.1
    near = np.round(random.normal(size=rows) + 0.5 * label, 2)
    half = random.integers(0, 2, rows)
    day = (
        np.datetime64("2020-01-01")
        + 7 * random.integers(0, 200, rows)
        + (label + random.integers(0, 4, rows)) % 7
    )
    word = (random.integers(0, 12, rows) + 2 * label) % 15
    return pa.table(
        {
            "y": pa.array([f"class {code}" for code in label]),
            "near": pa.array(near, mask=missing),
            "whole": pa.array(random.integers(0, 9, rows) + label, pa.int32()),
            "single": pa.array((4 * random.random(rows) + label).astype(np.float32)),
            "noise": pa.array(random.normal(size=rows)),
            "word": pa.array([f"w{code}" for code in word], mask=random.random(rows) < 0.1),
            "flag": pa.array((label + random.integers(0, 3, rows)) % 2 == 0),
            "half": pa.array(half.astype(float)),
            "other": pa.array((half ^ (label % 2)).astype(float)),
            "day": pa.array(day.astype("datetime64[D]")),
            "same": pa.array(np.full(rows, 4)),
            "id": pa.array([f"row {row}" for row in range(rows)]),
            "integers": pa.array(random.integers(0, 3, rows).astype(float)),
            "fractions": pa.array(random.integers(1, 30, rows) / 8.0),
        }
    )
