"""Apache Spark and Sail, through the DataFrame interface that Spark Connect has too."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame, functions
from pyspark.sql.types import BinaryType, IntegerType, StringType, StructType

from fnb.distributed._errors import explained
from fnb.distributed._tasks import as_table, collected, run_partition, run_shards
from fnb.distributed._types import arrow_schema, readable
from fnb.distributed.engine import Engine, PartitionWork, ShardWork

_Result = TypeVar("_Result")

# `_tasks.RESULTS` in terms of Spark: as a text, it would be sent to the server to be parsed.
_RESULTS = (
    StructType()
    .add("stream", StringType())
    .add("piece", IntegerType())
    .add("error", StringType())
    .add("content", BinaryType())
)
# Arguments of a job. Every task gets all of them: the more there are, the more memory the driver of
# Spark needs, which has 1 GB by default. Jobs with 60 MB for two tasks have ended it.
_ARGUMENTS = 16 << 20
# Seconds that an engine has to answer that it ends a job.
_PATIENCE = 5.0
_QUERY = re.compile(r"(?:\s|\(|--.*\n|/\*(?s:.*?)\*/)*(?:select|with)\b", re.IGNORECASE)
_NAME = re.compile(r"(?:[^\s.`;()'\"]+|`(?:[^`]|``)+`)(?:\.(?:[^\s.`;()'\"]+|`(?:[^`]|``)+`))*")


class SparkEngine(Engine):
    """The engine of a session of Spark Connect, or of Spark in this process.

    Parameters
    ----------
    session
        A ``pyspark.sql.SparkSession``, of PySpark 4.0 or later. It is not stopped.
    """

    def __init__(self, session: Any) -> None:
        self.session = session
        # The jobs of this engine among those of the session.
        self._tag = f"fnb-{uuid.uuid4().hex}"
        self._views: list[str] = []
        self._ranges: dict[tuple[int, int], DataFrame] = {}

    def schema(self, source: Any) -> pa.Schema:
        return self._asked(lambda: arrow_schema(self._frame(source).schema))

    def relation(self, source: Any) -> str:
        if isinstance(source, DataFrame):
            view = f"fnb_{uuid.uuid4().hex}"
            self._asked(lambda: source.createOrReplaceTempView(view))
            self._views.append(view)
            return view
        # The line ends a comment at the end of a query.
        return f"({source}\n)" if _is_query(source) else str(source)

    def sql(self, text: str) -> pa.Table:
        return self._run(self._asked(lambda: self.session.sql(text)))

    def map_partitions(
        self,
        source: Any,
        work: PartitionWork,
        schema: pa.Schema,
        *,
        columns: Sequence[str] | None = None,
        partitions: int | None = None,
        by: str | None = None,
    ) -> pa.Table:
        if columns is not None and not columns:
            # Batches without columns tell no number of rows.
            raise ValueError("columns has no name; give at least one, or None for all")
        if partitions is not None and partitions < 1:
            raise ValueError(f"partitions must be at least 1. Got {partitions} instead.")
        frame = self._asked(lambda: self._arranged(source, columns, partitions, by))
        given = readable(self._asked(lambda: arrow_schema(frame.schema)))
        width = len(given) - (by is not None)

        def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return run_partition(work, given, width, schema, batches)

        # Spark reads the names again at this place, and stumbles over quotes in them.
        frame = frame.toDF(*(f"c{index}" for index in range(len(given))))
        found = self._run(frame.mapInArrow(task, _RESULTS))
        return as_table(collected(found).values(), schema)

    def map_shards(self, work: ShardWork, arguments: Sequence[bytes]) -> list[bytes]:
        results: list[bytes] = []
        for first, last in _jobs(arguments):
            given = dict(zip(range(first, last), arguments[first:last], strict=True))
            found = collected(self._run(self._round(work, given, first, last)))
            missing = [shard for shard in given if str(shard) not in found]
            if missing:
                raise RuntimeError(f"no result of shards {missing}; run it again")
            results += [b"".join(found[str(shard)]) for shard in given]
        return results

    def parallelism(self) -> int:
        # The number of parts that the engine makes by itself: Spark of rows that come from nowhere,
        # as many as its workers have processors now; Sail when it groups them. Settings do not
        # tell: neither lets spark.default.parallelism be asked.
        rows = self.session.range(1 << 16)
        found = self._parts(rows)
        return found if found > 1 else self._parts(rows.groupBy("id").count().select("id"))

    def _parts(self, frame: DataFrame) -> int:
        def one(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            rows = sum(batch.num_rows for batch in batches)
            yield pa.record_batch([pa.array([rows], pa.int64())], names=["id"])

        return max(1, self._run(frame.mapInArrow(one, "id bigint")).num_rows)

    def cancel(self) -> None:
        # Sail takes the message and goes on; a session that is gone has no jobs.
        with suppress(Exception):
            self.session.interruptTag(self._tag)

    def close(self) -> None:
        self.cancel()
        self._ranges.clear()
        while self._views:
            view = self._views.pop()
            with suppress(Exception):
                self.session.catalog.dropTempView(view)

    def _frame(self, source: Any) -> DataFrame:
        if isinstance(source, DataFrame):
            return source
        return self.session.sql(source) if _is_query(source) else self.session.table(source)

    def _arranged(
        self, source: Any, columns: Sequence[str] | None, partitions: int | None, by: str | None
    ) -> DataFrame:
        frame = self._frame(source)
        if by is not None:
            frame = frame.repartition(*([partitions] if partitions else []), quoted(by))
        elif partitions is not None:
            # Partitions are joined where they are, in order, and no row is moved. repartition would
            # send every row over the network for parts of equal sizes; a large one only takes
            # longer here, since tasks read batch by batch.
            frame = frame.coalesce(partitions)
        names = ["*"] if columns is None else [quoted(column) for column in columns]
        # The key is read once more, last: it need not be among the columns.
        key = [] if by is None else [functions.col(quoted(by)).alias("key")]
        return frame.select(*names, *key)

    def _round(
        self, work: ShardWork, arguments: dict[int, bytes], first: int, last: int
    ) -> DataFrame:
        """One row and one partition per shard; the arguments come with the work.

        As rows of a frame, arguments of one byte take as long, of 1 MB half as long again: they are
        turned into rows of the engine, sent between tasks, and turned into Arrow again.
        """

        def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return run_shards(work, arguments, batches)

        if (first, last) not in self._ranges:
            self._ranges[first, last] = self.session.range(first, last, 1, last - first)
        return self._ranges[first, last].mapInArrow(task, _RESULTS)

    def _run(self, frame: DataFrame) -> pa.Table:
        """The rows of a frame, computed while this thread waits for them or for an interrupt.

        Interrupted itself, PySpark first asks the server to end the job, for ten minutes if it does
        not answer. A Sail in this process ends at an interrupt, and so never does.
        """
        future: Future[pa.Table] = Future()

        def run() -> None:
            try:
                # Tags belong to threads.
                self.session.addTag(self._tag)
                future.set_result(frame.toArrow())
            except BaseException as error:
                future.set_exception(error)

        _start(run)
        try:
            return self._asked(lambda: _result(future))
        except KeyboardInterrupt:
            _start(self.cancel).join(_PATIENCE)
            raise

    def _asked(self, request: Callable[[], _Result]) -> _Result:
        """What the engine answers; its errors in words of ours."""
        try:
            return request()
        except Exception as error:
            known = explained(self.session, error)
            if known is None:
                raise
            # The stack of Java is of no use to those who read this, and hides what is.
            raise known from None


def _start(run: Callable[[], None]) -> Thread:
    # The end of the program does not wait for it.
    thread = Thread(target=run, daemon=True)
    thread.start()
    return thread


def _result(future: Future[_Result]) -> _Result:
    # Without a limit, some systems would not let an interrupt through.
    while not wait([future], 0.5).done:
        pass
    return future.result()


def _is_query(source: Any) -> bool:
    if not isinstance(source, str):
        raise TypeError(
            f"a source is the name of a table, a query or a DataFrame. Got {type(source).__name__} "
            "instead."
        )
    if _QUERY.match(source):
        return True
    if not _NAME.fullmatch(source):
        raise ValueError(
            f"{source!r} is neither the name of a table nor a query; put backticks around parts of "
            "a name that have other characters than letters, digits and _"
        )
    return False


def quoted(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"


def _jobs(arguments: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Ranges of shards: one, if the arguments are not very large."""
    first, size = 0, 0
    for shard, argument in enumerate(arguments):
        if shard > first and size + len(argument) > _ARGUMENTS:
            yield first, shard
            first, size = shard, 0
        size += len(argument)
    if arguments:
        yield first, len(arguments)
