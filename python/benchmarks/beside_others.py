"""fnb beside Khiops and LightGBM, on the same frame, in one run: read ratios, not seconds.

    python beside_others.py TABLES_DIR [--rows 1000000] [--only khiops,lightgbm] [--repeat 1]

TABLES_DIR is the folder `bench`, whose `tables.py` makes the table `big`. Needs fnb, khiops (its
programs on PATH), lightgbm, pandas and scikit-learn in one environment. Also times one-row
predictions, the import, and how long Ctrl-C takes to end a fit.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time

import numpy as np


def timed(work, *given):
    start = time.perf_counter()
    result = work(*given)
    return time.perf_counter() - start, result


def contenders(only):
    from fnb import FNBClassifier

    found = {
        "fnb": (FNBClassifier, lambda clf: clf.n_selected_),
        "fnb, preset khiops": (
            lambda: FNBClassifier(preset="khiops"),
            lambda clf: clf.n_selected_,
        ),
    }
    if "khiops" in only:
        from khiops.sklearn import KhiopsClassifier

        def used(clf):
            predictor = clf.model_report_.modeling_report.get_snb_predictor()
            return len(predictor.selected_variables)

        found["Khiops, n_trees=0"] = (lambda: KhiopsClassifier(n_trees=0), used)
    if "lightgbm" in only:
        from lightgbm import LGBMClassifier

        def split_on(clf):
            return int((clf.booster_.feature_importance() > 0).sum())

        found["LightGBM"] = (lambda: LGBMClassifier(verbose=-1), split_on)
    return found


def beside(frame, target, only, repeat):
    """Fit and predict_proba of each, in alternation; medians."""
    from sklearn.metrics import roc_auc_score

    rows = len(frame)
    test = np.random.default_rng(0).random(rows) < 0.3
    # LightGBM refuses texts: they are made categories beforehand, and that is not timed.
    texts = [c for c in frame.columns if frame[c].dtype.kind not in "iuf"]
    coded = frame.astype(dict.fromkeys(texts, "category"))
    lines = {}
    for _ in range(repeat):
        for name, (make, count) in contenders(only).items():
            data = coded if name == "LightGBM" else frame
            fit, clf = timed(make().fit, data, target)
            predict, _ = timed(clf.predict_proba, data)
            line = lines.setdefault(name, {"fit": [], "predict_proba": []})
            line["fit"].append(fit)
            line["predict_proba"].append(predict)
            line["variables"] = count(clf)
            if "auc" not in line:
                part = make().fit(data[~test], target[~test])
                scores = part.predict_proba(data[test])[:, 1]
                line["auc"] = roc_auc_score(target[test] == clf.classes_[1], scores)
            print(name, line, file=sys.stderr)
    for line in lines.values():
        for key in ("fit", "predict_proba"):
            line[key] = statistics.median(line[key])
    return lines


def one_row():
    """Microseconds of one prediction, by container."""
    import pandas as pd
    from sklearn.datasets import load_breast_cancer

    from fnb import FNBClassifier

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    named = FNBClassifier().fit(X, y)
    unnamed = FNBClassifier().fit(X.to_numpy(), y)
    coded = X.copy()
    for name in X.columns[::2]:
        coded[name] = pd.qcut(X[name], 8).astype(str)
    mixed = FNBClassifier().fit(coded, y)
    cases = {
        "numpy": (unnamed, X.to_numpy()[:1]),
        "pandas": (named, pd.DataFrame(X[:1])),
        "pandas, half of it texts": (mixed, pd.DataFrame(coded[:1])),
    }
    times = {}
    for name, (clf, row) in cases.items():
        clf.predict_proba(row)
        runs = []
        for _ in range(9):
            seconds, _ = timed(lambda clf=clf, row=row: [clf.predict(row) for _ in range(500)])
            runs.append(seconds / 500 * 1e6)
        times[name] = statistics.median(runs)
    return times


def import_time():
    """Milliseconds that `import fnb` takes beyond `import numpy`."""
    code = (
        "import time, numpy; start = time.perf_counter(); import fnb; fnb.load_model; "
        "print(time.perf_counter() - start)"
    )
    runs = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(9)
    ]
    return statistics.median(runs) * 1e3


def ctrl_c(frame, target):
    """Milliseconds from a signal to the KeyboardInterrupt, at several moments of a fit."""
    from fnb import FNBClassifier

    delays = []
    for moment in (0.05, 0.2, 0.5, 1.0):
        sent = []

        def send(sent=sent):
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(moment, send)
        timer.start()
        try:
            FNBClassifier().fit(frame, target)
            timer.join()
            time.sleep(0.1)
        except KeyboardInterrupt:
            delays.append((time.perf_counter() - sent[0]) * 1e3)
    return delays


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("tables")
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--only", default="khiops,lightgbm")
    arguments.add_argument("--repeat", type=int, default=1)
    given = arguments.parse_args()
    sys.path.insert(0, given.tables)
    import tables

    frame = tables.big(given.rows)
    target = frame.pop("class")
    result = {
        "rows": given.rows,
        "one row, microseconds": one_row(),
        "import beyond numpy, milliseconds": import_time(),
        "Ctrl-C, milliseconds": ctrl_c(frame, target),
        "beside": beside(frame, target, given.only.split(","), given.repeat),
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
