"""Errors of Spark and Sail, told in one sentence with a next step."""

from __future__ import annotations

import re
from typing import Any

# Spark names its errors; Sail sends texts, which are told by their words.
_GONE = re.compile(
    r"NO_ACTIVE_SESSION|INVALID_HANDLE\.SESSION|SESSION_CLOSED|SESSION_NOT_FOUND|SESSION_CHANGED"
    r"|stopped SparkContext|StatusCode\.UNAVAILABLE|session not found"
)
_TABLE = re.compile(
    r"TABLE_OR_VIEW_NOT_FOUND\].*?(?:`|not found: )([^\s]+?)(?:` cannot|\s|$)", re.S
)
_COLUMN = re.compile(
    r"UNRESOLVED_COLUMN[^`]*(`[^\n]*?`) cannot|\[Identifier\((.+?)\)\]\) is missing"
)
_SUGGESTED = re.compile(r"Did you mean one of the following\? \[(.*?)\]")
_MODULE = re.compile(r"No module named '([^']+)'")
# The last line of a traceback of Python.
_LAST = re.compile(r"^((?:\w+\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt)\b.*)$", re.M)
_MEMORY = re.compile(r"OutOfMemoryError|message larger than max|message length too large")


def explained(session: Any, error: Exception) -> Exception | None:
    """What to raise instead; None to raise the error as it is."""
    text = str(error)
    if _GONE.search(text) or _stopped(session):
        return ConnectionError(
            "the session of the engine has ended; make another one, and check that its server runs"
        )
    if not type(error).__module__.startswith("pyspark."):
        return None
    if found := _TABLE.search(text):
        return ValueError(
            f"there is no table or view {_plain(found[1])!r}; check its name and its schema, or "
            "give a query"
        )
    if found := _COLUMN.search(text):
        near = _SUGGESTED.search(text)
        step = f"take one of {near[1].replace('`', '')}" if near else "check its name"
        return ValueError(f"there is no column {_plain(found[1] or found[2])!r}; {step}")
    if found := _MODULE.search(text):
        package = found[1].partition(".")[0]
        return ModuleNotFoundError(
            f"the workers have no Python package {package!r}; install what the driver has on "
            "each of them, or ship an environment with spark.archives",
            name=package,
        )
    if _MEMORY.search(text):
        return MemoryError(
            "the engine has run out of memory; give it more (spark.driver.memory, "
            "spark.executor.memory), or take more shards"
        )
    if "Traceback (most recent call last)" in text and (lines := _LAST.findall(text)):
        return RuntimeError(
            f"a task has failed: {lines[-1].strip()}; look at the log of the workers, and run it "
            "again"
        )
    first = text.partition("\n\nJVM stacktrace:")[0].strip()
    return None if first == text.strip() else RuntimeError(f"the engine has failed: {first}")


def _stopped(session: Any) -> bool:
    """Is it a session in this process that was stopped? What it raises then says nothing."""
    context = getattr(session, "_sc", None)
    return context is not None and getattr(context, "_jsc", None) is None


def _plain(name: str) -> str:
    return name.strip('"`').replace("`", "")
