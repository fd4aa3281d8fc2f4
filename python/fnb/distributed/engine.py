"""What a distributed engine must give: four methods, so that another can be added in one file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

# One partition: its rows come as batches, and so do results. Read them one after the other: the
# largest partition need not fit into memory.
PartitionWork = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
# One shard of a round: its number and its argument to its result.
ShardWork = Callable[[int, bytes], bytes]


class Engine(ABC):
    """A distributed engine, seen from the driver.

    A *source* is the name of a table, a query ``SELECT ...`` or a frame of the engine.

    Work is sent to the workers pickled, and must be a pure function of what it is given:

    * it may run twice, when a worker is lost or slow, and one of the results is taken;
    * no shard is bound to a worker. What a worker keeps in a module from one round to the next is
      a cache, which may be missing or belong to an older round;
    * tasks may share a process, as threads (Sail) or one after the other (Spark). Such a cache
      needs a key that names the run and the shard, and a lock.

    `ValueError` and `TypeError` say that something is wrong with the data: a second attempt would
    find the same, so the task ends and the driver raises the same error. Any other error is left to
    the engine, which may try again (Spark: ``spark.task.maxFailures`` times).
    """

    @abstractmethod
    def schema(self, source: Any) -> pa.Schema:
        """Names and Arrow types of the columns, as `map_partitions` gives them.

        A type that Arrow lacks is `pyarrow.opaque`: the column can be left out, not read.
        """

    @abstractmethod
    def relation(self, source: Any) -> str:
        """The source as it is written after ``FROM`` in the text for `sql`."""

    @abstractmethod
    def sql(self, text: str) -> pa.Table:
        """The rows of a query, on the driver: for small results only."""

    @abstractmethod
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
        """Run work once per partition, also on empty ones, and collect the results on the driver.

        Parameters
        ----------
        schema
            Of the results, any Arrow types.
        columns
            To read, at least one; None for all.
        partitions
            At most that many; None for as many as the engine makes.
        by
            A column: rows with equal values are given to the same partition, and each partition is
            sorted by it, missing values first. It need not be among the columns. Each worker holds
            the rows of its partition in memory: take more partitions for larger tables.

        Returns
        -------
        The rows of all partitions. Those of one partition keep their order; partitions come in any.
        """

    @abstractmethod
    def map_shards(self, work: ShardWork, arguments: Sequence[bytes]) -> list[bytes]:
        """One synchronous round: the results of ``work(shard, arguments[shard])``, by shard.

        Every shard is a task of its own.
        """

    @abstractmethod
    def parallelism(self) -> int:
        """How many tasks run at the same time, as far as the engine tells; at least 1."""

    @abstractmethod
    def cancel(self) -> None:
        """End the jobs of this engine, also from another thread. Others of the session go on.

        An interrupt of the driver (Ctrl+C) while it waits does the same. Engines that cannot end a
        job finish it in vain.
        """

    @abstractmethod
    def close(self) -> None:
        """Cancel, and remove what the engine has left in the session. The session stays open."""
