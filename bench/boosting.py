"""fnb and LightGBM on the same rows, in alternation, in one run: processor time and quality.

    pip install lightgbm==4.7.0 pyarrow pandas scipy
    python bench/boosting.py FNB DATA WORK bench/boosting.json [--only Adult,big] [--repeat 3]

One thread each, defaults. Adult, Letter, ForestType and Jannis of DATA are learnt without fold 0
and tested on it; `big` of tables.py is learnt from a million rows and tested on 200,000 others.
Both read the same Parquet files. Seconds are user + system, the best of the repeats. Those of fnb
are of the whole program: start, reading, learning with interactions, its evaluation, writing. Those
of LightGBM are of fit and predict_proba alone; reading by pyarrow and pandas (text as categories)
is given apart, and the start of Python is not counted. Prints a table.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tables
from quality import quality
from side_by_side import best, timed

SETS = ("Adult", "Letter", "ForestType", "Jannis", "big")
BIG_ROWS = (1_000_000, 200_000)
MARK = "lightgbm: "


def make(data, work, name):
    """Writes the rows to learn from and those to test on; returns the target."""
    if name == "big":
        for rows, seed, part in zip(BIG_ROWS, (11, 12), ("train", "test"), strict=True):
            if not (work / f"big-{part}.parquet").exists():
                table = pa.Table.from_pandas(tables.big(rows, seed), preserve_index=False)
                pq.write_table(table, work / f"big-{part}.parquet")
        return "class"
    entries = json.loads((data / "manifest.json").read_text())["datasets"]
    table = pq.read_table(data / name / "data.parquet")
    is_test = pq.read_table(data / name / "folds.parquet")["fold"].to_numpy() == 0
    pq.write_table(table.filter(~is_test), work / f"{name}-train.parquet")
    pq.write_table(table.filter(is_test), work / f"{name}-test.parquet")
    return next(entry["target"] for entry in entries if entry["name"] == name)


def of_fnb(fnb, work, name, target):
    model, out = work / f"{name}.json", work / f"{name}-predicted.parquet"
    train, test = (work / f"{name}-{part}.parquet" for part in ("train", "test"))
    options = ["--threads", "1", "--quiet"]
    learnt = timed([fnb, "train", train, "-t", target, "-o", model, *options])
    scored = timed([fnb, "predict", model, test, "--proba", "-o", out, *options])
    predicted = pq.read_table(out)
    classes = [c.removeprefix("proba_") for c in predicted.column_names if c != "prediction"]
    probabilities = np.column_stack([predicted[f"proba_{c}"].to_numpy() for c in classes])
    labels = pq.read_table(test, columns=[target])[target].to_numpy(zero_copy_only=False)
    times = {"train": learnt["cpu"], "predict": scored["cpu"]}
    return times, quality(labels, classes, probabilities)


def of_lightgbm(work, name, target):
    """In a process of its own."""
    command = [sys.executable, __file__, "--lightgbm", str(work), name, target]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = next(line for line in done.stdout.splitlines() if line.startswith(MARK))
    found = json.loads(found.removeprefix(MARK))
    return found["times"], found["quality"]


def lightgbm(work, name, target):
    import lightgbm
    import pandas as pd

    def seconds():
        import resource

        use = resource.getrusage(resource.RUSAGE_SELF)
        return use.ru_utime + use.ru_stime

    def read(part, kinds):
        rows = pq.read_table(work / f"{name}-{part}.parquet", use_threads=False).to_pandas()
        labels = rows.pop(target).to_numpy()
        for column in rows.columns:
            if not pd.api.types.is_numeric_dtype(rows[column]):
                rows[column] = rows[column].astype(kinds.get(column, "category"))
                kinds[column] = rows[column].dtype
        return rows, labels

    kinds, marks = {}, [seconds()]
    rows, classes = read("train", kinds)
    marks.append(seconds())
    model = lightgbm.LGBMClassifier(n_jobs=1, verbosity=-1).fit(rows, classes)
    marks.append(seconds())
    rows, labels = read("test", kinds)
    marks.append(seconds())
    probabilities = model.predict_proba(rows)
    marks.append(seconds())
    names = ("read_train", "train", "read_test", "predict")
    times = {key: marks[i + 1] - marks[i] for i, key in enumerate(names)}
    found = {"times": times, "quality": quality(labels, model.classes_, probabilities)}
    print(MARK + json.dumps(found))


def run(fnb, data, work, name, repeat):
    target = make(data, work, name)
    ours, theirs = [], []
    for _ in range(repeat):
        times, our_quality = of_fnb(fnb, work, name, target)
        ours.append(times)
        times, their_quality = of_lightgbm(work, name, target)
        theirs.append(times)
    rounded = [{k: round(v, 3) for k, v in best(runs).items()} for runs in (ours, theirs)]
    return {
        "fnb": {**rounded[0], **our_quality},
        "lightgbm": {**rounded[1], **their_quality},
    }


def report(found):
    lines = [
        "| set | fnb: train | LightGBM: fit (+ reading) | ratio "
        "| fnb: predict | LightGBM: predict (+ reading) | ratio "
        "| fnb: AUC / accuracy / compression | LightGBM |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, line in found.items():
        ours, theirs = line["fnb"], line["lightgbm"]
        cells = [name]
        for key, reading in (("train", "read_train"), ("predict", "read_test")):
            cells.append(f"{ours[key]:.2f} s")
            cells.append(f"{theirs[key]:.2f} s (+ {theirs[reading]:.2f} s)")
            cells.append(f"{theirs[key] / max(ours[key], 1e-3):.1f}")
        for tool in (ours, theirs):
            cells.append(f"{tool['auc']:.4f} / {tool['accuracy']:.3f} / {tool['compression']:.3f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    if sys.argv[1] == "--lightgbm":
        return lightgbm(pathlib.Path(sys.argv[2]), *sys.argv[3:])
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("fnb", "data", "work", "results"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--only", default=",".join(SETS))
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    work = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    found = {}
    for name in arguments.only.split(","):
        found[name] = run(arguments.fnb.resolve(), arguments.data, work, name, arguments.repeat)
        arguments.results.write_text(json.dumps(found, indent=1) + "\n")
    print(report(found))


if __name__ == "__main__":
    main()
