"""What runs on the workers around the work, and how its results travel.

Results are bytes in numbered pieces, whatever they hold: one schema for all tasks. So every Arrow
type can be returned, the same on all engines (Spark fails on a column of int64 declared as int),
no row comes near the 128 MB of a message, and an error is told like a result.
"""

from __future__ import annotations

import io
import traceback
import uuid
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from fnb.distributed.engine import PartitionWork, ShardWork

# Few enough bytes for messages of 128 MB that hold several rows, enough for few rows.
PIECE = 8 << 20
# Rows of a batch that was sorted.
_SORTED = 1 << 16

# stream: the task, or the shard; piece: 0, 1, ...
RESULTS = pa.schema(
    [
        pa.field("stream", pa.string()),
        pa.field("piece", pa.int32()),
        pa.field("error", pa.string()),
        pa.field("content", pa.binary()),
    ]
)


class RemoteTraceback(Exception):
    """Where the work of a task has failed: the cause of what the driver raises."""

    def __str__(self) -> str:
        return f"in a task:\n{self.args[0]}"


def run_partition(
    work: PartitionWork,
    given: pa.Schema,
    width: int,
    returned: pa.Schema,
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """One partition: the results as a stream of Arrow IPC, in pieces.

    The work gets the first columns of what is given, as many as the width; the rows are sorted by
    the column after these, if there is one.
    """
    # Not the number of the partition: Sail does not tell it.
    stream, piece, sink = uuid.uuid4().hex, 0, io.BytesIO()
    try:
        with pa.ipc.new_stream(sink, returned) as writer:
            for batch in work(_arranged(given, width, batches)):
                if not batch.schema.equals(returned):
                    raise TypeError(f"the work has returned {batch.schema}, not {returned}")
                writer.write_batch(batch)
                if sink.tell() >= PIECE:
                    for content in _pieces(sink.getvalue()):
                        yield _row(stream, piece, content)
                        piece += 1
                    sink.seek(0)
                    sink.truncate()
        for content in _pieces(sink.getvalue()):
            yield _row(stream, piece, content)
            piece += 1
    except (ValueError, TypeError) as error:
        yield _failure(stream, error)


def run_shards(
    work: ShardWork, arguments: dict[int, bytes], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The shards whose numbers are in the first column."""
    for batch in batches:
        for shard in batch.column(0).to_pylist():
            try:
                result = work(shard, arguments[shard])
                if not isinstance(result, bytes):
                    raise TypeError(f"the work has returned {type(result).__name__}, not bytes")
            except (ValueError, TypeError) as error:
                yield _failure(str(shard), error)
            else:
                for piece, content in enumerate(_pieces(result)):
                    yield _row(str(shard), piece, content)


def _arranged(
    given: pa.Schema, width: int, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The batches that the work gets.

    Sorted here, with all rows in memory: Sail 0.7 leaves out sortWithinPartitions, since it sees
    nobody who needs the order, and deals sorted rows out again after a window function.
    """
    read = (cast_to(given, batch) for batch in batches)
    if width == len(given):
        yield from read
        return
    table = pa.Table.from_batches(read, given)
    order = pc.sort_indices(table.column(width), null_placement="at_start")
    columns = table.select(list(range(width)))
    for start in range(0, len(order), _SORTED):
        yield from columns.take(order[start : start + _SORTED]).combine_chunks().to_batches()


def cast_to(schema: pa.Schema, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The rows with the names and types of the schema.

    Spark names the zone of the session instead of UTC, Sail may send views of texts.
    """
    return batch.rename_columns(schema.names).cast(schema)


def _pieces(content: bytes) -> Iterator[bytes]:
    for start in range(0, max(len(content), 1), PIECE):
        yield content[start : start + PIECE]


def _row(stream: str, piece: int, content: bytes) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(
        [{"stream": stream, "piece": piece, "content": content}], schema=RESULTS
    )


def _failure(stream: str, error: Exception) -> pa.RecordBatch:
    kind = "TypeError" if isinstance(error, TypeError) else "ValueError"
    content = f"{error}\0{''.join(traceback.format_exception(error))}".encode()
    row = {"stream": stream, "piece": -1, "error": kind, "content": content}
    return pa.RecordBatch.from_pylist([row], schema=RESULTS)


def collected(table: pa.Table) -> dict[str, list[pa.Buffer]]:
    """The pieces of each stream, in order; an error, if there is one, is raised."""
    found: dict[str, list[tuple[int, pa.Buffer]]] = {}
    failures: list[tuple[str, str, bytes]] = []
    for batch in table.to_batches():
        rows = zip(*(batch.column(index).to_pylist() for index in range(3)), strict=True)
        for (stream, piece, error), content in zip(rows, batch.column(3), strict=True):
            if error is not None:
                failures.append((stream, error, content.as_py()))
            else:
                found.setdefault(stream, []).append((piece, content.as_buffer()))
    if failures:
        # The same one however tasks were scheduled.
        _, kind, content = min(failures, key=lambda failure: (len(failure[0]), *failure[1:]))
        message, _, trace = content.decode().partition("\0")
        raise (TypeError if kind == "TypeError" else ValueError)(message) from RemoteTraceback(
            trace
        )
    return {
        stream: [content for _, content in sorted(pieces, key=lambda piece: piece[0])]
        for stream, pieces in found.items()
    }


def as_table(streams: Iterable[Sequence[pa.Buffer]], schema: pa.Schema) -> pa.Table:
    """The tables of the partitions, one after the other."""
    tables = [
        pa.ipc.open_stream(pieces[0] if len(pieces) == 1 else b"".join(pieces)).read_all()
        for pieces in streams
    ]
    return pa.concat_tables(tables) if tables else schema.empty_table()
