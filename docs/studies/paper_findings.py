#!/usr/bin/env python3
"""Runs the methods of the article on redundant data of many classes, for docs/methods-compared.md.

    python3 docs/studies/paper_findings.py FNB FOLDER

FNB is the program; FOLDER receives the generated table: a few hidden factors whose means depend on
the class, seen by many noisy sensors. Prints the table of the document.
"""

import json
import pathlib
import random
import subprocess
import sys

ROWS, SENSORS, CLASSES, FACTORS = 1500, 1000, 20, 12
RUNS = [
    ("sg", "half"), ("sg", "norm"), ("am", "half"), ("am", "norm"),
    ("sg.cf", "half"), ("sg.cf", "norm"), ("sg.cf", "fnb"), ("sg.ue", "half"), ("sg.ue", "norm"),
    ("ug.cf", "norm"), ("ug.ue", "norm"), ("cg.cf", "norm"), ("cg.ue", "norm"),
    ("snb", None), ("fnb", None), ("fnb-ordered", None), ("coordinate", None), ("coordinate", "continuation"),
]  # fmt: skip


def main():
    fnb, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "redundant.tsv"
    write_table(data)
    print("| method | start | criterion | variables | iterations | row passes / variable | seconds |")
    print("|---|---|---|---|---|---|---|")
    for method, start in RUNS:
        command = [fnb, "train", data, "-t", "class", "--method", method, "--json", "--quiet"]
        command += ["--threads", "1", "--lambda", "0.25"]
        if start == "continuation":
            command += ["--continuation"]
        elif start:
            command += ["--start", start]
        summary = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        stages = [s for s in summary["stages"] if s["stage"] != "size-path"]
        iterations = " + ".join(str(s["iterations"]) for s in stages)
        passes = sum(s["row_passes"] for s in stages) / max(1, summary["informative"])
        criterion = summary["continuous_criterion"]["total"]
        seconds = summary["seconds"]["weights"]
        line = "| {} | {} | {:.1f} | {} | {} | {:.0f} | {:.2f} |"
        print(line.format(method, start or "", criterion, summary["selected"], iterations, passes, seconds))


def write_table(path):
    draw = random.Random(1)
    means = [[draw.gauss(0, 1) for _ in range(FACTORS)] for _ in range(CLASSES)]
    loadings = [
        [draw.gauss(0, 1) if draw.random() < 0.3 else 0.0 for _ in range(FACTORS)]
        for _ in range(SENSORS)
    ]
    noise = [0.3 + 2 * draw.random() for _ in range(SENSORS)]
    with open(path, "w") as file:
        file.write("\t".join([f"s{k}" for k in range(SENSORS)] + ["class"]) + "\n")
        for _ in range(ROWS):
            label = draw.randrange(CLASSES)
            hidden = [mean + 0.7 * draw.gauss(0, 1) for mean in means[label]]
            values = [
                sum(a * b for a, b in zip(hidden, loading) if b) + scale * draw.gauss(0, 1)
                for loading, scale in zip(loadings, noise)
            ]
            file.write("\t".join(f"{value:.4g}" for value in values) + f"\tc{label:02}\n")


if __name__ == "__main__":
    main()
