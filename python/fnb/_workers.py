"""Tables on their way to the processes of joblib and multiprocessing.

What is kept for later holds no records: see `Table.__getstate__`. A process that is to fit a fold
needs them, so the picklers of processes, and they alone, send them along.
"""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from typing import Any

from fnb.tables import Table


def _with_data(table: Table) -> tuple[Any, ...]:
    return _arrived, (dict(table.__dict__),)


def _arrived(content: dict[str, Any]) -> Table:
    table = Table.__new__(Table)
    table.__dict__.update(content)
    return table


ForkingPickler.register(Table, _with_data)
try:
    from joblib.externals.loky.backend.reduction import register
except ImportError:  # packaged without its copy of loky
    from loky.backend.reduction import register
register(Table, _with_data)
