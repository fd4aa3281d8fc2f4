"""Memory, interruptions, threads, processes."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pandas as pd
import pytest

from fnb import FNBClassifier, MODLEncoder, describe

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc or fork")


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@linux
def test_a_thousand_fits_leave_memory_flat(mixed):
    X, y = mixed
    X = X[:120]

    def fit():
        clf = FNBClassifier(n_jobs=1).fit(X, y[:120])
        clf.predict_proba(X)
        clf.explain(X[:2])
        MODLEncoder(n_jobs=1).fit(X, y[:120]).transform(X)

    for _ in range(100):
        fit()
    gc.collect()
    before = resident()
    for _ in range(1000):
        fit()
    gc.collect()
    # A kilobyte per fit would be a megabyte; the allocator is allowed some.
    assert resident() - before < 6_000_000


@linux
def test_big_tables_are_not_kept():
    X = np.asfortranarray(np.random.default_rng(0).integers(0, 9, (200_000, 20)).astype(float))
    y = X[:, 0] > 4
    sizes = []
    for _ in range(6):
        clf = FNBClassifier().fit(X, y)
        clf.predict_proba(X)
        sizes.append(resident())
    del clf
    assert max(sizes[3:]) - sizes[2] < 16_000_000
    assert sys.getrefcount(X) <= 3


SLOW = """
    import os, signal, sys, threading, time
    import numpy as np
    import fnb
    r = np.random.default_rng(0)
    X = r.normal(size=(60_000, 60))
    # Many variables tell a little, so that every stage takes a while.
    y = np.clip(X[:, :40].sum(axis=1) * 1.5 + 10, 0, 19).astype(int)
    fit = lambda callback: fnb.FNBClassifier(method={method!r}, callback=callback).fit(X, y)
"""

INTERRUPTED = (
    SLOW
    + """
    import traceback
    # scikit-learn is imported by now: the signal must arrive in our work, not in that.
    fnb.FNBClassifier().fit(X[:300, :3], y[:300] > 5)
    sent = []
    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    # Started by the first news of the stage, so that the native module is at work.
    timer = threading.Timer(0.05, send)
    def begin(stage, done, total):
        if stage == {stage!r} and not timer.is_alive() and not sent:
            timer.start()
    try:
        fit(begin)
    except KeyboardInterrupt as error:
        print("interrupted after", time.perf_counter() - sent[0])
        print("in", traceback.extract_tb(error.__traceback__)[-1])
    else:
        sys.exit("not interrupted")
    # The interpreter is sound, and the next fit works.
    fnb.FNBClassifier().fit(X[:300, :3], y[:300] > 5)
"""
)


@linux
@pytest.mark.parametrize(
    ("method", "stage"), [("coordinate", "prepare"), ("sg", "prepare"), ("sg", "weights")]
)
def test_ctrl_c_ends_a_long_fit(method, stage):
    code = textwrap.dedent(INTERRUPTED).format(method=method, stage=stage)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stderr
    delay, place = run.stdout.splitlines()
    assert delay.startswith("interrupted after")
    # In the call of the native module, whose frame is the last that Python sees.
    assert "_estimator.py" in place and "lambda" in place, place
    print(method, stage, delay)


def test_the_interpreter_goes_on_while_a_fit_runs():
    r = np.random.default_rng(0)
    X = r.normal(size=(100_000, 20))
    y = X[:, 0] > 0
    turns = 0
    thread = threading.Thread(target=lambda: FNBClassifier(n_jobs=1).fit(X, y))
    thread.start()
    while thread.is_alive():
        turns += 1
        thread.join(0.001)
    assert turns > 20


def test_fits_in_threads_at_once(cancer, mixed):
    results: list[str] = []
    jobs = [cancer, mixed] * 4

    def work(data):
        X, y = data
        results.append(FNBClassifier().fit(X, y).to_json())

    threads = [threading.Thread(target=work, args=(data,)) for data in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and len(set(results)) == 2


def test_one_model_scores_in_threads_at_once(cancer):
    X, y = cancer
    X = pd.concat([X] * 10)
    clf = FNBClassifier().fit(X, pd.concat([y] * 10))
    expected = clf.predict_proba(X)
    wrong = []

    def work():
        for _ in range(10):
            if not (clf.predict_proba(X) == expected).all():
                wrong.append(True)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@linux
def test_a_forked_process_fits_and_scores():
    code = textwrap.dedent(
        """
        import os, sys, warnings
        import numpy as np
        import fnb
        warnings.simplefilter("ignore")
        r = np.random.default_rng(0)
        X = r.normal(size=(20_000, 5)); y = X[:, 0] > 0
        clf = fnb.FNBClassifier(n_jobs=2).fit(X, y)
        expected = clf.to_json()
        child = os.fork()
        if child == 0:
            again = fnb.FNBClassifier(n_jobs=2).fit(X, y)
            same = again.to_json() == expected and (clf.predict(X) == again.predict(X)).all()
            os._exit(0 if same else 1)
        status = os.waitpid(child, 0)[1]
        assert fnb.FNBClassifier(n_jobs=2).fit(X, y).to_json() == expected
        sys.exit(os.waitstatus_to_exitcode(status))
        """
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@linux
def test_a_forked_process_scores_a_few_rows_of_many_columns():
    # Servers load a model, score once to warm up, and fork: the threads of the parent are gone.
    code = textwrap.dedent(
        """
        import os, signal, sys
        import numpy as np, pandas as pd, scipy.sparse as sp
        import fnb
        r = np.random.default_rng(0)
        y = np.arange(400) % 2
        X = pd.DataFrame({f"c{i}": np.round(r.normal(y), 2) for i in range(20)})
        X["text"] = np.where(y + r.normal(size=400) > 0.5, "a", "b")
        X["day"] = pd.Timestamp("2025-01-01") + pd.to_timedelta(y * 40, "D")
        wide = X.iloc[:, :20]
        calls = []
        for table in (X, X.drop(columns="day"), wide, sp.csr_array(wide.to_numpy())):
            clf = fnb.FNBClassifier(method="nb").fit(table, y)
            few = table[:3]
            calls += [lambda c=clf, t=few: c.predict(t), lambda c=clf, t=few: c.explain(t)]
        expected = [str(call()) for call in calls]
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            os._exit(0 if [str(call()) for call in calls] == expected else 1)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@linux
def test_processes_of_multiprocessing_by_fork(cancer):
    import multiprocessing

    X, y = cancer
    expected = FNBClassifier().fit(X, y).to_json()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        texts = [pool.apply_async(_fit_json, (X, y)) for _ in range(4)]
        assert {text.get(timeout=60) for text in texts} == {expected}


def _fit_json(X, y):
    return FNBClassifier().fit(X, y).to_json()


def test_interrupted_work_of_a_callback_leaves_no_trace(cancer):
    X, y = cancer
    expected = FNBClassifier().fit(X, y).to_json()
    clf = FNBClassifier(callback=lambda *event: False)
    for _ in range(20):
        with pytest.raises(RuntimeError):
            clf.fit(X, y)
        assert not hasattr(clf, "model_")
    assert FNBClassifier().fit(X, y).to_json() == expected
    assert len(describe(X, y)) == 30
