"""Numbers of threads, as scikit-learn counts jobs."""

from __future__ import annotations

import contextlib
import pathlib
import sys
import time

import joblib
import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from fnb import FNBClassifier
from fnb._threads import threads


def test_numbers_of_jobs_mean_what_they_do_in_scikit_learn():
    processors = joblib.cpu_count()
    assert threads(3) == threads(np.int64(3)) == 3
    assert threads(-1) is None
    assert threads(-2) == max(1, processors - 1) and threads(-1000) == 1
    assert threads(None) == 1
    with joblib.parallel_config("loky", n_jobs=3):
        assert threads(None) == 3 and threads(2) == 2 and threads(-1) is None
    with joblib.parallel_config("threading", n_jobs=-1):
        assert threads(None) is None
    assert threads(None) == 1


@pytest.mark.parametrize("wrong", [0, 1.5, "all", True])
def test_numbers_that_are_none(wrong, iris):
    with pytest.raises(ValueError, match="n_jobs must be None or an int other than 0"):
        FNBClassifier(n_jobs=wrong).fit(*iris)


def test_the_processes_of_joblib_share_the_processors():
    # Called as in a fit that cross_val_score has sent to a process.
    given = joblib.Parallel(2, backend="loky")(joblib.delayed(threads)(n) for n in (-1, None))
    assert given == [max(1, joblib.cpu_count() // 2), 1]


def test_threads_change_no_result(cancer):
    X, y = cancer
    expected = FNBClassifier(n_jobs=1).fit(X, y).to_json()
    for n_jobs in (None, -1, -2, 2):
        assert FNBClassifier(n_jobs=n_jobs).fit(X, y).to_json() == expected
    scores = cross_val_score(FNBClassifier(n_jobs=None), X, y, cv=2)
    with joblib.parallel_config(n_jobs=2):
        np.testing.assert_array_equal(
            cross_val_score(FNBClassifier(n_jobs=None), X, y, cv=2), scores
        )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_as_many_threads_run_as_were_asked_for(cancer):
    X, y = cancer

    def ours():
        tasks = set()
        for task in pathlib.Path("/proc/self/task").iterdir():
            # One that has just ended is there no more.
            with contextlib.suppress(OSError):
                if (task / "comm").read_text().startswith("fnb-"):
                    tasks.add(task.name)
        return tasks

    # Told apart by their numbers: those of earlier fits may end at any time.
    before, seen = ours(), set()

    def count(stage, done, total):
        # A thread takes its name when it first runs, which a busy machine may delay.
        for _ in range(1000):
            seen.update(ours() - before)
            if len(seen) >= 7:
                break
            time.sleep(0.01)

    FNBClassifier(n_jobs=7, callback=count).fit(X, y)
    assert len(seen) == 7
