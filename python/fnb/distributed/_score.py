"""Scoring on the workers: batches of rows get the prediction, the probabilities, the reasons."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from fnb.distributed._tasks import cast_to
from fnb.model import Model

# Columns that can be added, in this order. Spark compares them with what was declared.
_REASON = pa.struct(
    [
        pa.field("variable", pa.string(), False),
        pa.field("part", pa.string(), False),
        pa.field("contribution", pa.float64(), False),
    ]
)
ADDED = {
    "prediction": pa.string(),
    "probability": pa.list_(pa.field("element", pa.float64(), False)),
    "reasons": pa.list_(pa.field("element", _REASON, False)),
}
# Rows that are scored together: engines can be told to send a whole partition as one batch, and
# the places of a list are numbers of 32 bits.
_ROWS = 1 << 14


def packed(model: Model) -> bytes:
    """A model as it travels: every task gets it, and its text shrinks a lot."""
    return zlib.compress(model.to_json().encode())


@lru_cache(maxsize=8)
def _unpacked(model: bytes) -> Model:
    """Once per process and model, not once per task: reading it verifies its self test."""
    return Model.from_json(zlib.decompress(model).decode())


def score(
    batches: Iterator[pa.RecordBatch],
    model: bytes,
    places: Sequence[int],
    needed: pa.Schema,
    added: Sequence[str],
    most: int,
) -> Iterator[pa.RecordBatch]:
    """The batches as they came, with the columns of `ADDED` that are asked for.

    What came is handed back untouched, so it has the types that the engine expects: Spark names the
    zone of the session, Sail marks what is never missing. The model is given the columns at some
    places, with the names and types of `needed`.
    """
    scoring = _unpacked(model)
    for whole in batches:
        for start in range(0, whole.num_rows, _ROWS):
            batch = whole.slice(start, _ROWS)
            rows = batch.select(list(places))
            # Without columns, a cast forgets how many rows there are.
            columns = _scored(scoring, cast_to(needed, rows) if places else rows, added, most)
            yield pa.RecordBatch.from_arrays(
                [*batch.columns, *columns], names=[*batch.schema.names, *added]
            )


def _scored(
    model: Model, rows: pa.RecordBatch, added: Sequence[str], most: int
) -> Iterator[pa.Array]:
    scoring = model._scoring
    frame = scoring.frame(rows, model._seen)
    # One thread: the engine has a task for each processor.
    probabilities = scoring.native.probabilities(frame, None, 1)
    best = probabilities.argmax(axis=1).astype(np.int64)
    for name in added:
        if name == "prediction":
            yield pa.array(model.classes, ADDED[name]).take(pa.array(best))
        elif name == "probability":
            ends = np.arange(0, probabilities.size + 1, probabilities.shape[1], dtype=np.int32)
            yield pa.ListArray.from_arrays(ends, pa.array(probabilities.ravel()), ADDED[name])
        else:
            yield _reasons(scoring.native.explain(frame, best, most, 1), len(best))


def _reasons(explained: tuple[list[Any], ...], rows: int) -> pa.Array:
    """A list per row, of what the native module gives as one table sorted by row."""
    row, _, variable, _, part, contribution = explained
    ends = np.searchsorted(np.asarray(row, dtype=np.int64), np.arange(rows + 1)).astype(np.int32)
    columns = [
        pa.array(values, field.type)
        for values, field in zip((variable, part, contribution), _REASON, strict=True)
    ]
    values = pa.StructArray.from_arrays(columns, fields=list(_REASON))
    return pa.ListArray.from_arrays(ends, values, ADDED["reasons"])
