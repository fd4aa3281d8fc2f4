"""The engines do what `Engine` says, each the same."""

from __future__ import annotations

import _thread
import os
import pathlib
import signal
import sys
import threading
import time
import types

import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from fnb.distributed._errors import explained
from fnb.distributed._tasks import PIECE, RemoteTraceback
from fnb.distributed.spark import SparkEngine

# Workers do not have the tests: their functions are sent along.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

ON_SPARK = bool(os.environ.get("FNB_TEST_REMOTE"))
spark_only = pytest.mark.skipif(not ON_SPARK, reason="Sail runs tasks in the process of the tests")

TYPES = {
    "text": ("'a'", pa.string()),
    "short_text": ("cast('a' as varchar(3))", pa.string()),
    "day": ("date'2020-02-29'", pa.date32()),
    "moment": ("timestamp'2020-02-29 10:00:00'", pa.timestamp("us", "UTC")),
    "clock": ("timestamp_ntz'2020-02-29 10:00:00'", pa.timestamp("us")),
    "price": ("cast(1.5 as decimal(10, 2))", pa.decimal128(10, 2)),
    "flag": ("true", pa.bool_()),
    "tiny": ("1Y", pa.int8()),
    "small": ("1S", pa.int16()),
    "int": ("1", pa.int32()),
    "big": ("1L", pa.int64()),
    "single": ("cast(1 as float)", pa.float32()),
    "double": ("1d", pa.float64()),
    "bytes": ("X'01'", pa.binary()),
    "nothing": ("null", pa.null()),
    "length": ("interval 1 day", pa.duration("us")),
    "a.b`c": ("1", pa.int32()),
}
EVERY_TYPE = "SELECT " + ", ".join(
    f"{sql} AS `{name.replace('`', '``')}`" for name, (sql, _) in TYPES.items()
)
COUNT = pa.schema([("rows", pa.int64())])
# Not one that Spark has.
SEEN = pa.schema([("keys", pa.list_(pa.uint8()))])


def count(batches):
    rows = sum(batch.num_rows for batch in batches)
    yield pa.record_batch([pa.array([rows], pa.int64())], schema=COUNT)


def size(shard, argument):
    return f"{shard}:{len(argument)}".encode()


def test_types_of_columns(engine):
    schema = engine.schema(EVERY_TYPE)
    assert dict(zip(schema.names, schema.types, strict=True)) == {
        name: arrow for name, (_, arrow) in TYPES.items()
    }
    nested = engine.schema(
        "SELECT array(1) AS a, map('k', 1L) AS m, struct(1Y AS x, 's' AS y) AS s"
    )
    assert nested.field("a").type.value_type == pa.int32()
    assert nested.field("m").type.key_type == pa.string()
    assert nested.field("m").type.item_type == pa.int64()
    assert [child.type for child in nested.field("s").type] == [pa.int8(), pa.string()]


def test_tasks_get_the_types_of_the_schema(engine):
    returned = pa.schema([("schema", pa.binary())])

    def work(batches):
        for batch in batches:
            yield pa.record_batch([pa.array([batch.schema.serialize().to_pybytes()])], returned)

    found = engine.map_partitions(EVERY_TYPE, work, returned)
    given = pa.ipc.read_schema(pa.py_buffer(found.column(0)[0].as_py()))
    assert given.types == engine.schema(EVERY_TYPE).types


def test_texts_of_parquet_files_are_texts(engine, tmp_path):
    from pyarrow import parquet

    parquet.write_table(pa.table({"text": ["a", "b"]}), tmp_path / "t.parquet")
    frame = engine.session.read.parquet(str(tmp_path))

    def work(batches):
        yield from batches

    schema = pa.schema([("text", pa.string())])
    assert engine.map_partitions(frame, work, schema).column(0).to_pylist() == ["a", "b"]


def test_a_column_that_arrow_has_no_type_for_can_be_left_out(engine):
    query = "SELECT interval '1' year AS age, 2 AS x"
    assert isinstance(engine.schema(query).field("age").type, pa.OpaqueType)
    assert engine.map_partitions(query, count, COUNT, columns=["x"]).num_rows >= 1
    with pytest.raises(ValueError, match=r"^column 'age' is of type interval year"):
        engine.map_partitions(query, count, COUNT)


def test_sources_are_tables_queries_and_frames(engine):
    frame = engine.session.range(5)
    frame.createOrReplaceTempView("five")
    queries = ["SELECT * FROM five -- all", " with x as (select * from five) select * from x"]
    for source in ["five", "`five`", frame, "-- said\n/* so */ SELECT * FROM five", *queries]:
        assert engine.schema(source).names == ["id"]
        found = engine.sql(f"SELECT sum(id) AS s FROM {engine.relation(source)} AS t")
        assert found.to_pydict() == {"s": [10]}
    with pytest.raises(ValueError, match="neither the name of a table nor a query"):
        engine.relation("five; drop table five")
    with pytest.raises(TypeError, match="Got int instead"):
        engine.schema(5)


def test_close_removes_its_views(engine):
    view = engine.relation(engine.session.range(5))
    assert engine.schema(view).names == ["id"]
    engine.close()
    with pytest.raises(ValueError, match="there is no table or view"):
        engine.schema(view)


@pytest.mark.parametrize("partitions", [None, 1, 3, 50])
def test_empty_partitions_are_run(engine, partitions):
    frame = engine.session.range(0, 3, 1, 8)
    found = engine.map_partitions(frame, count, COUNT, partitions=partitions)["rows"].to_pylist()
    assert sum(found) == 3 and len(found) == min(partitions or 8, 8)
    empty = engine.map_partitions(frame.where("id < 0"), count, COUNT, partitions=partitions)
    assert sum(empty["rows"].to_pylist()) == 0


def test_work_that_returns_nothing(engine):
    def nothing(batches):
        for _ in batches:
            pass
        return iter(())

    found = engine.map_partitions(engine.session.range(5), nothing, SEEN)
    assert found.num_rows == 0 and found.schema == SEEN


def test_one_row_per_partition(engine):
    frame = engine.session.range(0, 500, 1, 500)
    found = engine.map_partitions(frame, count, COUNT, partitions=4)["rows"].to_pylist()
    assert sum(found) == 500 and len(found) == 4


def test_one_partition_has_nearly_all_rows(engine):
    frame = engine.session.range(0, 200_000, 1, 8).where("id < 25000 or id % 25000 = 0")
    for partitions in (None, 2):
        found = engine.map_partitions(frame, count, COUNT, partitions=partitions)
        assert sum(found["rows"].to_pylist()) == 25_000 + 7


def keys(batches):
    seen = [key for batch in batches for key in batch.column("k").to_pylist()]
    yield pa.record_batch([pa.array([seen], SEEN.field(0).type)], schema=SEEN)


@pytest.mark.parametrize("partitions", [None, 1, 3])
def test_equal_values_are_in_one_partition_sorted(engine, partitions):
    query = "SELECT nullif(cast(id % 7 AS int), 6) AS k, id FROM range(0, 70000, 1, 5)"
    found = engine.map_partitions(query, keys, SEEN, columns=["k"], partitions=partitions, by="k")
    seen = [part for part in found["keys"].to_pylist() if part]
    for part in seen:
        assert part == sorted(part, key=lambda key: -1 if key is None else key)
    homes = [key for part in seen for key in set(part)]
    assert len(homes) == len(set(homes)) == 7
    assert partitions is None or len(seen) <= partitions
    assert sum(map(len, seen)) == 70_000


def test_rows_can_be_gathered_by_a_column_that_is_not_read(engine):
    query = "SELECT cast(id % 5 AS int) AS g, cast(id % 5 AS int) AS k FROM range(0, 50, 1, 5)"
    found = engine.map_partitions(query, keys, SEEN, columns=["k"], partitions=2, by="g")
    for part in found["keys"].to_pylist():
        assert part == sorted(part)


def test_results_larger_than_a_message(engine):
    schema = pa.schema([("content", pa.large_binary())])

    def large(batches):
        for _ in batches:
            pass
        for letter in (b"a", b"b"):
            yield pa.record_batch([pa.array([letter * (PIECE + 1)], pa.large_binary())], schema)

    found = engine.map_partitions(engine.session.range(0, 1, 1, 1), large, schema)
    assert found["content"].to_pylist() == [b"a" * (PIECE + 1), b"b" * (PIECE + 1)]


@pytest.mark.parametrize("shards", [0, 1, 3, 7, 12])
def test_results_come_by_shard(engine, shards):
    arguments = [b"x" * shard for shard in range(shards)]
    for _ in range(2):
        found = engine.map_shards(size, arguments)
        assert found == [f"{shard}:{shard}".encode() for shard in range(shards)]


def test_large_arguments_and_results(engine):
    # In two jobs: more than 16 MB.
    arguments = [bytes([shard]) * (PIECE + 5) for shard in range(3)]
    assert engine.map_shards(lambda shard, argument: argument, arguments) == arguments
    assert engine.map_shards(lambda shard, argument: b"", arguments) == [b""] * 3


def test_shards_run_at_the_same_time(engine, tmp_path):
    if engine.parallelism() < 2:
        pytest.skip("the engine runs one task at a time")
    place = str(tmp_path)

    def meet(shard, argument):
        pathlib.Path(place, str(shard)).touch()
        for _ in range(600):
            if pathlib.Path(place, str(1 - shard)).exists():
                return b"met"
            time.sleep(0.05)
        return b"alone"

    assert engine.map_shards(meet, [b"", b""]) == [b"met", b"met"]


def fail_once(place, failure):
    def work(shard, argument):
        first = pathlib.Path(place, f"{shard}-has-run")
        if shard == 1 and not first.exists():
            first.touch()
            failure()
        return b"done"

    return work


def test_a_task_that_fails_is_run_again(engine, kind, tmp_path):
    def failure():
        raise OSError("the disk is full")

    work = fail_once(str(tmp_path), failure)
    if kind == "local-cluster":
        pytest.skip("the cluster of Sail 0.7 runs it again, but at times waits for ever")
    if "," in kind:
        assert engine.map_shards(work, [b""] * 3) == [b"done"] * 3
        return
    with pytest.raises(RuntimeError, match=r"^a task has failed: OSError: the disk is full; look"):
        engine.map_shards(work, [b""] * 3)
    assert engine.map_shards(work, [b""] * 3) == [b"done"] * 3


@spark_only
def test_a_worker_that_is_killed_is_replaced(engine, kind, tmp_path):
    if "," not in kind:
        pytest.skip("no task is run again: FNB_TEST_REMOTE=local[2,3] allows it")
    work = fail_once(str(tmp_path), lambda: os.kill(os.getpid(), signal.SIGKILL))
    assert engine.map_shards(work, [b""] * 3) == [b"done"] * 3


def test_an_error_of_a_task_is_the_error_of_the_driver(engine, tmp_path):
    tries = str(tmp_path / "tries")

    def wrong(shard, argument):
        if shard == 1:
            with open(tries, "a") as file:
                file.write("x")
            raise ValueError("column 'a' has no values [D13]; leave it out")
        return b""

    with pytest.raises(
        ValueError, match=r"^column 'a' has no values \[D13\]; leave it out$"
    ) as told:
        engine.map_shards(wrong, [b""] * 3)
    assert isinstance(told.value.__cause__, RemoteTraceback) and "in wrong" in str(
        told.value.__cause__
    )
    # What is wrong with data stays wrong.
    assert pathlib.Path(tries).read_text() == "x"

    def wrong_rows(batches):
        yield from count(batches)
        raise TypeError("numbers wanted")

    with pytest.raises(TypeError, match=r"^numbers wanted$"):
        engine.map_partitions(engine.session.range(5), wrong_rows, COUNT)


def test_work_that_returns_something_else(engine):
    with pytest.raises(TypeError, match="the work has returned str, not bytes"):
        engine.map_shards(lambda shard, argument: "text", [b""])
    with pytest.raises(TypeError, match="the work has returned rows: int64"):
        engine.map_partitions(engine.session.range(5), count, SEEN)


def test_tables_and_columns_that_are_absent(engine):
    for ask in (engine.schema, lambda name: engine.map_partitions(name, count, COUNT)):
        with pytest.raises(ValueError, match=r"^there is no table or view 'absent'; check"):
            ask("absent")
        with pytest.raises(ValueError, match=r"^there is no table or view 'absent'; check"):
            ask("SELECT * FROM absent")
    with pytest.raises(ValueError, match=r"^there is no column 'nope'; "):
        engine.sql("SELECT nope FROM range(3)")
    frame = engine.session.range(3)
    for wrong in ({"columns": ["nope"]}, {"by": "nope"}):
        with pytest.raises(ValueError, match=r"^there is no column 'nope'; "):
            engine.map_partitions(frame, count, COUNT, **wrong)
    with pytest.raises(ValueError, match="columns has no name"):
        engine.map_partitions(frame, count, COUNT, columns=[])
    with pytest.raises(ValueError, match="partitions must be at least 1"):
        engine.map_partitions(frame, count, COUNT, partitions=0)


@spark_only
def test_workers_without_a_package(engine):
    module = types.ModuleType("driver_only")
    exec("def size(shard, argument):\n    return b''", module.__dict__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "driver_only", module)
        with pytest.raises(
            ModuleNotFoundError, match="workers have no Python package 'driver_only'"
        ):
            engine.map_shards(module.size, [b""])


def test_a_session_that_has_ended(session):
    url = f"sc://{session.client._builder.endpoint}"
    other = SparkSession.builder.remote(url).create()
    engine = SparkEngine(other)
    assert engine.map_shards(size, [b""]) == [b"0:0"]
    # As stop does, which would end the server of the other tests too.
    other.client.release_session()
    other.client.close()
    for ask in (
        lambda: engine.schema("absent"),
        lambda: engine.map_shards(size, [b""]),
        lambda: engine.sql("SELECT 1"),
    ):
        with pytest.raises(ConnectionError, match=r"^the session of the engine has ended; make"):
            ask()
    engine.cancel()
    engine.close()


def test_an_interrupt_of_the_driver_ends_the_job(engine, tmp_path):
    place = str(tmp_path)

    def slow(shard, argument):
        pathlib.Path(place, f"{shard}-begun").touch()
        time.sleep(8)
        pathlib.Path(place, f"{shard}-ended").touch()
        return b""

    def interrupt():
        while not pathlib.Path(place, "0-begun").exists():
            time.sleep(0.05)
        # Not the signal: a Sail in this process takes it as the order to shut down.
        _thread.interrupt_main()

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        engine.map_shards(slow, [b"", b""])
    assert engine.map_shards(size, [b"", b"x"]) == [b"0:0", b"1:1"]
    if ON_SPARK:
        time.sleep(9)
        assert not list(tmp_path.glob("*-ended"))


def test_errors_of_others_stay_as_they_are():
    assert explained(None, OSError("No module named 'x'")) is None
