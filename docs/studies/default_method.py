#!/usr/bin/env python3
"""Makes the tables of docs/default-method.md: methods, lambda and price, schedule, fewer variables.

    python3 docs/studies/default_method.py FNB DATA REFERENCE OUT [--seconds 600] [--jobs 2]

FNB is the program, DATA a folder of sets (NAME/data.parquet, or main.parquet and entries.parquet of
a sparse one, NAME/folds.parquet, manifest.json), REFERENCE the results of another tool on the same
folds, OUT a folder for the results of `fnb compare`, one file per set and question; what is there
is not run again. A run that takes longer than the given seconds is left out, and said so.
"""

import argparse
import concurrent.futures
import csv
import json
import pathlib
import statistics
import subprocess

# The questions: a name, and the options of `fnb compare` that answer it.
SHARES = ["0", "0.0005", "0.001", "0.002", "0.005"]
LAMBDAS = "0.05,0.1,0.15,0.2,0.3"
QUESTIONS = {
    "methods": [
        "--methods=fnb-khiops:khiops,fnb:paper,fnb-ordered,coordinate,coordinate+,snb,sg.cf",
        "--lambda=0.1,0.2,0.3",
        "--price=excess",
        "--sparser=0",
    ],
    "khiops": ["--methods=fnb-khiops:khiops"],
    "full": ["--methods=coordinate", f"--lambda={LAMBDAS}", "--price=full", "--sparser=0"],
    "excess": ["--methods=coordinate", f"--lambda={LAMBDAS}", "--sparser=0"],
    "schedule": ["--methods=coordinate,coordinate:khiops", "--lambda=0.2", "--price=excess"],
    **{f"share {s}": ["--methods=coordinate", f"--sparser={s}"] for s in SHARES},
}
ON_SPARSE_SETS = ["khiops", "full", "excess", *(f"share {s}" for s in SHARES)]
FIGURES = ["auc", "accuracy", "compression", "selected", "weights_seconds"]
THEIRS = ["auc", "accuracy", "compression", "n_selected"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ["fnb", "data", "reference", "out"]:
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    reference = json.loads(arguments.reference.read_text())["datasets"]
    sets = json.loads((arguments.data / "manifest.json").read_text())["datasets"]
    known = lambda entry: "khiops" in reference.get(entry["name"], {}).get("tools", {})
    size = lambda entry: entry["n_instances"] * (entry.get("n_variables") or 1)
    sets = sorted(filter(known, sets), key=size)
    tabular = [entry for entry in sets if entry["layout"] == "tabular"]
    sparse = [entry for entry in sets if entry["layout"] == "sparse"]
    work = [(entry, question) for entry in tabular for question in QUESTIONS]
    work += [(entry, question) for entry in sparse for question in ON_SPARSE_SETS]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = list(pool.map(lambda job: answer(arguments, *job), work))
    results = {(e["name"], q): table for (e, q), table in zip(work, found)}
    late = [f"{name}, {question}" for (name, question), table in results.items() if table is None]
    names = [e["name"] for e in tabular if all(results[e["name"], q] for q in QUESTIONS)]
    print(f"{len(names)} sets: {', '.join(sorted(names))}.")
    print(f"Left out, too slow: {'; '.join(late) or 'none'}.")
    report(Study(results, reference, names))
    report_sparse(Study(results, reference, [e["name"] for e in sparse]))


def answer(arguments, entry, question):
    """The means over folds by method and lambda, or nothing if that takes too long."""
    folder = arguments.data / entry["name"]
    out = arguments.out / f"{entry['name']} {question}.csv"
    if not out.exists():
        command = [arguments.fnb, "compare", "-t", entry["target"], "--folds", folder / "folds.parquet"]
        command += ["--threads", "1", "--quiet", "-o", out, *QUESTIONS[question]]
        if entry["layout"] == "tabular":
            command += [folder / "data.parquet"]
        else:
            value = ",value" if entry["name"] == "NewsgroupsLike" else ""
            entries = f"x={folder / 'entries.parquet'}:row_id,feature{value}"
            command += [folder / "main.parquet", "--sparse", entries]
            command += ["--sparse-size", f"x={entry['n_variables']}"]
        try:
            subprocess.run(command, check=True, timeout=arguments.seconds, stdout=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            out.unlink(missing_ok=True)
            return None
    rows = {}
    with open(out, newline="") as file:
        for line in csv.DictReader(file):
            key = (line["method"], float(line["lambda"]))
            rows.setdefault(key, []).append([float(line[figure]) for figure in FIGURES])
    return {key: [statistics.fmean(c) for c in zip(*folds)] for key, folds in rows.items()}


class Study:
    """What was found on some sets, and what the reference tool gives there."""

    def __init__(self, results, reference, names):
        self.results, self.names = results, names
        means = {name: reference[name]["tools"]["khiops"]["mean"] for name in names}
        self.theirs = {name: [means[name][figure] for figure in THEIRS] for name in names}

    def gaps(self, question, key, names):
        """Differences to the reference tool, set by set: AUC, accuracy, compression."""
        ours = [self.results[name, question][key] for name in names]
        theirs = [self.theirs[name] for name in names]
        return [[o[i] - t[i] for o, t in zip(ours, theirs)] for i in range(3)]

    def variables(self, question, key, names):
        """Mean number of variables, and its ratio to that of the reference tool."""
        ours = statistics.fmean(self.results[name, question][key][3] for name in names)
        return ours, ours / statistics.fmean(self.theirs[name][3] for name in names)

    def line(self, label, question, key, names=None):
        names = names or self.names
        cells = []
        for gaps in self.gaps(question, key, names):
            error = statistics.stdev(gaps) / len(gaps) ** 0.5
            cells.append(f"{statistics.fmean(gaps):+.5f} ± {error:.5f}")
        ours, ratio = self.variables(question, key, names)
        seconds = statistics.fmean(self.results[name, question][key][4] for name in names)
        print(f"| {label} | {' | '.join(cells)} | {ours:.2f} | {ratio:.3f} | {seconds:.3f} |")


def head(first):
    print(f"| {first} | AUC | accuracy | compression | variables | ratio | seconds of weights |")
    print("|---|---|---|---|---|---|---|")


def report(study):
    khiops = [statistics.fmean(t[i] for t in study.theirs.values()) for i in range(4)]
    print("\nKhiops 11: AUC {:.5f}, accuracy {:.5f}, compression {:.5f}, {:.2f} variables.".format(*khiops))
    print("All that follows are differences to it, mean over the sets ± standard error.")
    print("\n### Methods\n")
    head("method, lambda")
    keys = {key for name in study.names for key in study.results[name, "methods"]}
    for method, value in sorted(keys, key=lambda key: (key[1], key[0])):
        study.line(f"{method}, {value}", "methods", (method, value))
    study.line("fnb-khiops:khiops, 0.1, full price", "khiops", ("fnb-khiops:khiops", 0.1))
    print("\n### Lambda and price\n")
    head("price, lambda")
    for price in ["full", "excess"]:
        for value in map(float, LAMBDAS.split(",")):
            study.line(f"{price}, {value}", price, ("coordinate", value))
    print("\n### Schedule\n")
    head("schedule")
    study.line("exhaustive", "schedule", ("coordinate", 0.2))
    study.line("reference", "schedule", ("coordinate:khiops", 0.2))
    print("\n### Fewer variables\n")
    head("share given up")
    for share in SHARES:
        study.line(share, f"share {share}", ("coordinate", 0.2))
    print("\n### Chosen on one half of the sets, read on the other\n")
    head("chosen on, lambda, share")
    halves = sorted(study.names)[::2], sorted(study.names)[1::2]
    for label, chosen_on, read_on in [("even", *halves), ("odd", *reversed(halves))]:
        best = lambda options: max(options, key=lambda option: option[0])
        compression = lambda q, k: statistics.fmean(study.gaps(q, k, chosen_on)[2])
        lambdas = [(compression("excess", ("coordinate", v)), v) for v in map(float, LAMBDAS.split(","))]
        value = best(lambdas)[1]
        # The largest share that gives up at most 0.0005 of compression on the sets it is chosen on.
        bar = compression("share 0", ("coordinate", 0.2)) - 0.0005
        shares = [s for s in SHARES if compression(f"share {s}", ("coordinate", 0.2)) >= bar]
        study.line(f"{label} sets: lambda {value}", "excess", ("coordinate", value), read_on)
        study.line(f"{label} sets: share {shares[-1]}", f"share {shares[-1]}", ("coordinate", 0.2), read_on)


def report_sparse(study):
    print("\n### Sparse sets\n")
    print("| set | what | AUC | accuracy | compression | variables |")
    print("|---|---|---|---|---|---|")
    show = lambda name, what, f: print("| {} | {} | {:.4f} | {:.4f} | {:.4f} | {:.1f} |".format(name, what, *f[:4]))
    for name in study.names:
        show(name, "Khiops 11", study.theirs[name])
        if found := study.results[name, "khiops"]:
            show(name, "preset khiops", found["fnb-khiops:khiops", 0.1])
        for price in ["full", "excess"]:
            for (_, value), figures in sorted((study.results[name, price] or {}).items()):
                show(name, f"{price} price, lambda {value}", figures)
        for share in SHARES:
            if found := study.results[name, f"share {share}"]:
                show(name, f"default, share {share}", found["coordinate", 0.2])


if __name__ == "__main__":
    main()
