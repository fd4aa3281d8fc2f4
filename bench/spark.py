"""Training on an engine beside training here: time by stage, rounds, and the same bytes.

    python bench/spark.py sail --rows 20000000 --columns 20 --program target/release/fnb

The table is made on the engine and written as Parquet. Rounds are timed beside empty ones.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from fnb.distributed import driver
from fnb.distributed._work import Source
from fnb.distributed.engine import Engine
from fnb.distributed.spark import SparkEngine


def session_of(engine: str) -> Any:
    """A session of Sail in this process, or of Apache Spark with two tasks at a time."""
    from pyspark.sql import SparkSession

    if engine == "sail":
        from pysail.spark import SparkConnectServer

        server = SparkConnectServer()
        server.start(background=True)
        ip, port = server.listening_address
        session = SparkSession.builder.remote(f"sc://{ip}:{port}").create()
        session._server = server
        return session
    os.environ["PYSPARK_PYTHON"] = sys.executable
    return SparkSession.builder.remote(engine).getOrCreate()


def table(columns: int) -> list[str]:
    """Numbers, and every fourth one a category; four in five see the class through noise."""

    def noise(seed: int) -> str:
        return f"(pmod(hash(id, {seed}), 100003) / 100003.0D)"

    label = f"({noise(0)} < 0.4D)"
    parts = [f"CASE WHEN {label} THEN 'yes' ELSE 'no' END AS y"]
    for k in range(columns):
        seen = f"(CASE WHEN {label} THEN {0.0 if k % 5 == 0 else 0.02 + 0.004 * k}D ELSE 0.0D END)"
        value = f"({noise(k + 1)} + {seen})"
        if k % 4 == 3:
            parts.append(f"concat('v', cast(floor(40 * {value}) AS string)) AS c{k}")
        else:
            parts.append(f"round({value}, 4) AS x{k}")
    return parts


class Timed(Engine):
    """An engine whose rounds are timed."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.rounds: list[float] = []

    def map_shards(self, work: Any, arguments: Any) -> list[bytes]:
        start = time.perf_counter()
        result = self._engine.map_shards(work, arguments)
        self.rounds.append(time.perf_counter() - start)
        return result

    def schema(self, source: Any) -> Any:
        return self._engine.schema(source)

    def relation(self, source: Any) -> str:
        return self._engine.relation(source)

    def sql(self, text: str) -> Any:
        return self._engine.sql(text)

    def map_partitions(self, *args: Any, **kwargs: Any) -> Any:
        return self._engine.map_partitions(*args, **kwargs)

    def parallelism(self) -> int:
        return self._engine.parallelism()

    def cancel(self) -> None:
        self._engine.cancel()

    def close(self) -> None:
        self._engine.close()


class Nothing:
    """A round in which nothing is asked."""

    def __call__(self, shard: int, argument: bytes) -> bytes:
        return b""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", help="sail, or a master of Spark: local[2]")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--interactions", default="auto")
    parser.add_argument("--program", help="the program fnb, to train here too")
    given = parser.parse_args()
    session = session_of(given.engine)
    folder = tempfile.mkdtemp()
    path = pathlib.Path(folder) / "table"
    rows = session.range(0, given.rows, 1, 8)
    rows.selectExpr(*table(given.columns)).write.parquet(str(path))
    frame = session.read.parquet(str(path))

    engine = SparkEngine(session)
    shards = engine.parallelism()
    empty = Timed(engine)
    for _ in range(30):
        empty.map_shards(Nothing(), [b"0" * 1000] * shards)
    timed = Timed(engine)
    run = driver.Run(timed, frame, Source("y", None, [], []))
    cpu = time.process_time()
    start = time.perf_counter()
    model = run.train(f'{{"interactions": "{given.interactions}"}}')
    wall = time.perf_counter() - start
    cpu = time.process_time() - cpu
    took = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in run.seconds.items())
    print(f"{given.engine}: {wall:.1f} s wall ({took}), {cpu:.1f} s CPU of this process")
    print(f"{run.rounds} rounds on {run.shards} shards, {len(model.variables)} variables")
    middle = 1000 * statistics.median(timed.rounds)
    slow = 1000 * sorted(timed.rounds)[len(timed.rounds) * 9 // 10]
    none = 1000 * statistics.median(empty.rounds)
    print(f"a round: median {middle:.0f} ms, nine in ten below {slow:.0f} ms; empty {none:.0f} ms")
    if given.program:
        here = pathlib.Path(folder) / "here.json"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        command = [given.program, "train", str(path), "-t", "y", "-o", str(here)]
        command += ["--interactions", given.interactions]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        local = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(
            f"here: {local:.1f} s wall, {cpu:.1f} s CPU; the engine takes {wall / local:.1f} times"
        )
        print("same bytes" if here.read_text() == model.to_json() else "OTHER BYTES")


if __name__ == "__main__":
    main()
