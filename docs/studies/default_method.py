#!/usr/bin/env python3
"""Compares methods and values of lambda over many tables, for docs/default-method.md.

    python3 docs/studies/default_method.py FNB DATA REFERENCE OUT [--seconds 600]

FNB is the program, DATA a folder of sets (NAME/data.parquet, NAME/folds.parquet, manifest.json),
REFERENCE the results of another tool on the same folds, OUT a folder for the results of `fnb
compare`, one file per set; a set whose results are there is not run again. Prints the tables of the
document. A set that takes longer than the given seconds is left out.
"""

import argparse
import csv
import json
import pathlib
import subprocess

METHODS = "fnb:khiops,fnb:paper,fnb-ordered,coordinate,coordinate+,snb,sg.cf"
LAMBDAS = "0.1,0.15,0.25,0.5"
FIGURES = ["auc", "accuracy", "compression", "selected", "weights_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ["fnb", "data", "reference", "out"]:
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--threads", default="auto")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    reference = json.loads(arguments.reference.read_text())["datasets"]
    results, left_out = {}, []
    for entry in tabular_sets(arguments.data, reference):
        name = entry["name"]
        table = run(arguments, entry)
        if table is None:
            left_out.append(name)
        else:
            results[name] = table
    report(results, left_out, reference)


def tabular_sets(data, reference):
    """The sets with one table and a result of the reference tool, the smallest first."""
    sets = json.loads((data / "manifest.json").read_text())["datasets"]
    size = lambda entry: entry["n_instances"] * (entry.get("n_variables") or 1)
    kept = [
        entry
        for entry in sets
        if entry["layout"] == "tabular" and "khiops" in reference.get(entry["name"], {}).get("tools", {})
    ]
    return sorted(kept, key=size)


def run(arguments, entry):
    """The means over folds by method and lambda, or nothing if that takes too long."""
    folder, out = arguments.data / entry["name"], arguments.out / f"{entry['name']}.csv"
    command = [arguments.fnb, "compare", folder / "data.parquet", "-t", entry["target"]]
    command += ["--folds", folder / "folds.parquet", "--methods", METHODS, "--lambda", LAMBDAS]
    command += ["--threads", arguments.threads, "--quiet", "-o", out]
    if out.exists():
        command += ["--resume"]
    try:
        subprocess.run(command, check=True, timeout=arguments.seconds, stdout=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None
    sums = {}
    with open(out, newline="") as file:
        for line in csv.DictReader(file):
            key = (line["method"], float(line["lambda"]))
            sums.setdefault(key, []).append([float(line[figure]) for figure in FIGURES])
    mean = lambda rows: [sum(column) / len(rows) for column in zip(*rows)]
    return {key: mean(rows) for key, rows in sums.items()}


def report(results, left_out, reference):
    sets = sorted(results)
    mean = lambda values: sum(values) / len(values)
    print(f"{len(sets)} sets: {', '.join(sets)}.")
    print(f"Left out: {', '.join(left_out) or 'none'}.\n")
    print("| method | lambda | AUC | accuracy | compression | variables | seconds of weights |")
    print("|---|---|---|---|---|---|---|")
    theirs = [reference[name]["tools"]["khiops"]["mean"] for name in sets]
    khiops = [mean([m[f] for m in theirs]) for f in ["auc", "accuracy", "compression", "n_selected"]]
    print("| Khiops 11 | 0.1 | {:.5f} | {:.5f} | {:.5f} | {:.2f} | |".format(*khiops))
    keys = sorted({key for table in results.values() for key in table}, key=lambda k: (k[1], k[0]))
    for method, lambda_ in keys:
        rows = [results[name][method, lambda_] for name in sets]
        figures = [mean([row[i] for row in rows]) for i in range(len(FIGURES))]
        line = "| {} | {} | {:.5f} | {:.5f} | {:.5f} | {:.2f} | {:.3f} |"
        print(line.format(method, lambda_, *figures))
    print("\nSets where the method is better than Khiops 11 / worse, by more than 0.001:\n")
    print("| method | lambda | AUC | accuracy | compression | fewer / more variables |")
    print("|---|---|---|---|---|---|")
    for method, lambda_ in keys:
        cells = []
        for i, figure in enumerate(["auc", "accuracy", "compression", "n_selected"]):
            margin = 0.001 if i < 3 else 0
            gaps = [results[name][method, lambda_][i] - m[figure] for name, m in zip(sets, theirs)]
            up, down = sum(g > margin for g in gaps), sum(g < -margin for g in gaps)
            cells.append(f"{up} / {down}" if i < 3 else f"{down} / {up}")
        print(f"| {method} | {lambda_} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
