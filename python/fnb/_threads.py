"""Numbers of threads, as scikit-learn counts jobs."""

from __future__ import annotations

import os
import sys

import numpy as np


def threads(n_jobs: int | None) -> int | None:
    """Number of threads; None is what ``RAYON_NUM_THREADS`` says, or all processors.

    As in scikit-learn: None is 1, unless a context of joblib says otherwise; -1 all processors, -2
    all but one.
    """
    if n_jobs is None:
        n_jobs = _of_context()
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or an int other than 0. Got {n_jobs!r} instead.")
    if n_jobs > 0:
        return int(n_jobs)
    share = _share_of_worker()
    if n_jobs == -1:
        return share
    return max(1, (share or _processors()) + 1 + int(n_jobs))


def _of_context() -> int:
    """What ``joblib.parallel_config`` says around the call, otherwise 1."""
    if "joblib" not in sys.modules:
        return 1
    from joblib.parallel import get_active_backend

    _, n_jobs = get_active_backend()
    return 1 if n_jobs is None else int(n_jobs)


def _share_of_worker() -> int | None:
    """What joblib grants each of its processes, which share the processors; None elsewhere."""
    if "joblib" not in sys.modules:
        return None
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    granted = os.environ.get("OMP_NUM_THREADS", "")
    if not getattr(backend, "nesting_level", 0) or not granted.isdecimal() or granted == "0":
        return None
    return int(granted)


def _processors() -> int:
    if "joblib" in sys.modules:
        from joblib import cpu_count

        return int(cpu_count())
    return os.cpu_count() or 1
