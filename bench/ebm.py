"""Explainable boosting machines (EBM, InterpretML) on the same folds.

    pip install interpret-core==0.7.8 pyarrow==26.0.1
    python bench/ebm.py DATA bench/ebm.json [--folds 10] [--only Heart,Pima]

Defaults, one thread, one process. Columns are what their Parquet type says: text is nominal,
numbers are continuous. `pairs` is the number of interactions of the model, `cpu` the seconds (user
and system) of fit and predict_proba. Folds that are in the results are not run again.
"""

import argparse
import json
import os
import pathlib

import interpret
import numpy as np
from interpret.glassbox import ExplainableBoostingClassifier
from quality import quality, read

SETS = (
    "Heart Pima Australian Tictactoe Bupa Svmguide3 SickEuthyroid Sylvine Glass MfeatMor Yeast "
    "Segmentation Satimage"
).split()


def seconds():
    times = os.times()
    return times.user + times.system


def fit(rows, classes, test_rows):
    kinds = ["continuous" if rows[name].dtype.kind in "if" else "nominal" for name in rows]
    model = ExplainableBoostingClassifier(feature_types=kinds, n_jobs=1)
    model.fit(rows, classes)
    return model, model.predict_proba(test_rows)


def run(data, name, fold):
    rows, classes, folds = read(data, name)
    train, test = folds != fold, folds == fold
    before = seconds()
    model, probabilities = fit(rows[train], classes[train], rows[test])
    spent = seconds() - before
    figures = quality(classes[test], model.classes_, np.asarray(probabilities))
    pairs = sum(len(features) == 2 for features in model.term_features_)
    return {"fold": int(fold), **figures, "pairs": pairs, "cpu": round(spent, 2)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--folds", type=int, default=10, help="the first so many of each set")
    parser.add_argument("--only", default=",".join(SETS))
    arguments = parser.parse_args()
    data, results = arguments.data, arguments.results
    found = json.loads(results.read_text()) if results.exists() else {"sets": {}}
    found["package"] = f"interpret-core {interpret.__version__}"
    # Fold by fold, so that there are some of every set soon.
    for fold in range(arguments.folds):
        for name in arguments.only.split(","):
            done = found["sets"].setdefault(name, [])
            if any(line["fold"] == fold for line in done):
                continue
            done.append(run(data, name, fold))
            print(name, done[-1], flush=True)
            results.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
