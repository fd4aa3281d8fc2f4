"""What workers do with the rows of a partition or of a shard: pure functions, sent pickled."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from fnb import _fnb

# Rows that are handed over together: to merge what is counted of a block takes as long as to sort
# it.
_BLOCK_ROWS = 1 << 19
_BLOCK_BYTES = 256 << 20

# What a worker returns of a partition.
COUNTED = pa.schema([pa.field("content", pa.binary())])
ENCODED = pa.schema(
    [
        pa.field("path", pa.string()),
        pa.field("rows", pa.int64()),
        pa.field("facts", pa.binary()),
    ]
)


@dataclass(frozen=True)
class Source:
    """How the rows of a table are read, everywhere alike."""

    target: str
    weight: str | None
    types: list[tuple[str, str]]
    drop: list[str]

    def of(self, columns: Sequence[str]) -> Source:
        """What is said of some of the columns, the only ones that there are."""
        types = [(name, word) for name, word in self.types if name in columns]
        return Source(self.target, self.weight, types, [])

    def with_types(self, types: list[tuple[str, str]]) -> Source:
        """The same with types of more columns."""
        return Source(self.target, self.weight, [*self.types, *types], self.drop)

    def native(self) -> dict[str, Any]:
        """For the native module."""
        reading = {"types": self.types, "drop": self.drop}
        return {"target": self.target, "weight": self.weight, "reading": reading}


def blocks(batches: Iterator[pa.RecordBatch], most_rows: int = _BLOCK_ROWS) -> Iterator[_fnb.Frame]:
    """The rows of a partition in blocks that are worth the work, each of at most so many."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        while batch.num_rows > 0:
            taken = batch.slice(0, most_rows - rows)
            batch = batch.slice(taken.num_rows)
            held.append(taken)
            rows += taken.num_rows
            size += taken.nbytes
            if rows >= most_rows or size >= _BLOCK_BYTES:
                yield _fnb.Frame.from_arrow(pa.Table.from_batches(held))
                held, rows, size = [], 0, 0
    if held:
        yield _fnb.Frame.from_arrow(pa.Table.from_batches(held))


@dataclass(frozen=True)
class Survey:
    """The classes of the target and the weights of the rows."""

    source: Source
    again: bytes | None = None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        survey = _fnb.ShardSurvey(self.source.native(), self.again)
        for frame in blocks(batches):
            survey.add(frame)
        yield pa.RecordBatch.from_pydict({"content": [survey.to_bytes()]}, schema=COUNTED)


@dataclass(frozen=True)
class Count:
    """The rows of every column by value and class."""

    source: Source
    plan: bytes

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counts = _fnb.ShardCounts(self.source.native(), self.plan)
        for frame in blocks(batches):
            counts.add(frame)
        yield pa.RecordBatch.from_pydict({"content": [counts.to_bytes()]}, schema=COUNTED)


@dataclass(frozen=True)
class Encode:
    """Shard files of a partition, in the folder of the run.

    A large partition becomes several, so that shards are of about equal size. A task that runs
    twice leaves its files twice, and names them once.
    """

    source: Source
    encoding: bytes
    folder: str
    most_rows: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # A partition without rows needs no shard.
        encoder = None
        for frame in blocks(batches, min(self.most_rows, _BLOCK_ROWS)):
            if encoder is not None and encoder.rows + frame.rows > self.most_rows:
                yield self._shard(encoder)
                encoder = None
            encoder = encoder or _fnb.ShardEncoder(self.source.native(), self.encoding)
            encoder.add(frame)
        if encoder is not None:
            yield self._shard(encoder)

    def _shard(self, encoder: _fnb.ShardEncoder) -> pa.RecordBatch:
        os.makedirs(self.folder, exist_ok=True)
        variables = _variables(self.folder)
        if not os.path.exists(variables):
            _write(variables, self.encoding)
        path = os.path.join(self.folder, f"{uuid.uuid4().hex}.shard")
        _write(path, encoder.to_bytes())
        shard = {"path": [path], "rows": [encoder.rows], "facts": [encoder.facts()]}
        return pa.RecordBatch.from_pydict(shard, schema=ENCODED)


def _variables(folder: str) -> str:
    return os.path.join(folder, "variables.json")


def _write(path: str, content: bytes) -> None:
    """Complete or absent."""
    part = f"{path}.{uuid.uuid4().hex}"
    with open(part, "wb") as file:
        file.write(content)
    os.replace(part, path)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise ValueError(
            f"a worker cannot read its shard {path!r}: {error.strerror}; train again, with "
            "scratch= a folder that all workers share and that nobody empties meanwhile"
        ) from None


class _Sessions:
    """The sessions of this process: a cache, as no shard is bound to a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: dict[str, tuple[threading.Lock, list[_fnb.ShardSession]]] = {}

    def answer(self, path: str, start: bytes, question: bytes) -> bytes:
        """What the shard of a file counts."""
        with self._lock:
            lock, kept = self._sessions.setdefault(path, (threading.Lock(), []))
        with lock:
            if not kept:
                rows = _read(path)
                variables = _read(_variables(os.path.dirname(path)))
                kept.append(_fnb.ShardSession(variables, start, rows))
            session = kept[0]
        return session.answer(question)

    def end(self, folder: str) -> None:
        """Forget the shards of a run."""
        with self._lock:
            for path in [path for path in self._sessions if os.path.dirname(path) == folder]:
                del self._sessions[path]


_SESSIONS = _Sessions()


@dataclass(frozen=True)
class Answer:
    """The part of a shard in a sum over all rows."""

    paths: list[str]
    start: bytes

    def __call__(self, shard: int, argument: bytes) -> bytes:
        return _SESSIONS.answer(self.paths[shard], self.start, argument)


@dataclass(frozen=True)
class End:
    """Nothing is left of a run, as far as this worker can see."""

    folder: str

    def __call__(self, shard: int, argument: bytes) -> bytes:
        _SESSIONS.end(self.folder)
        with contextlib.suppress(OSError):
            shutil.rmtree(self.folder)
        return b""
