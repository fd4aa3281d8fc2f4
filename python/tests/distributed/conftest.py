"""Engines that the tests start themselves.

Sail runs inside the test process, without and with its cluster of workers (threads of the process
that talk as machines do). With FNB_TEST_REMOTE=local[2,3] Apache Spark runs instead, in processes
of its own: two tasks at a time, each of which may fail twice.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

REMOTE = os.environ.get("FNB_TEST_REMOTE")


@pytest.fixture(scope="session", params=[REMOTE] if REMOTE else ["local", "local-cluster"])
def kind(request: pytest.FixtureRequest) -> str:
    """Which engine: local and local-cluster are Sail, local[...] is Spark."""
    return str(request.param)


@pytest.fixture(scope="session")
def session(kind: str) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    if REMOTE:
        # The Python of the tests, not that of the system.
        os.environ["PYSPARK_PYTHON"] = sys.executable
        builder = SparkSession.builder.remote(REMOTE).config("spark.ui.enabled", "false")
        spark = builder.getOrCreate()
        yield spark
        spark.stop()
        return
    from pysail.spark import SparkConnectServer

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SAIL_MODE", kind)
        server = SparkConnectServer()
        server.start(background=True)
    ip, port = server.listening_address
    spark = SparkSession.builder.remote(f"sc://{ip}:{port}").create()
    yield spark
    spark.stop()
    server.stop()


@pytest.fixture
def engine(session: Any) -> Iterator[Any]:
    from fnb.distributed.spark import SparkEngine

    engine = SparkEngine(session)
    yield engine
    engine.close()
