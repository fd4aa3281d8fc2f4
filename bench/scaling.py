"""Processor time and memory of interactions as rows grow.

    python bench/scaling.py FNB WORK [--rows 250000,500000,1000000]

`big` of tables.py at so many rows, one thread: `fnb train` without and with interactions, and
`fnb predict` with both models on the same rows. CPU seconds are user + system of the whole program.
Memory is the peak of the program; `added` is what interactions add to it per row.
"""

import argparse
import pathlib

import tables
from side_by_side import timed


def run(fnb, work, rows):
    data = work / f"big-{rows}.tsv"
    tables.write(lambda: tables.big(rows), data)
    found = {}
    for interactions in ("none", "auto"):
        model = work / f"big-{rows}-{interactions}.json"
        options = ["--threads", "1", "--quiet"]
        how = ["--interactions", interactions]
        learnt = timed([fnb, "train", data, "-t", "class", "-o", model, *how, *options])
        out = work / "predicted.csv"
        scored = timed([fnb, "predict", model, data, "--proba", "-o", out, *options])
        found[interactions] = {"train": learnt, "predict": scored}
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("fnb", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rows", default="250000,500000,1000000")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    print(
        "| rows | train: plain | interactions | ratio | µs a row | predict: plain | interactions "
        "| ratio | peak: plain | interactions | added |"
    )
    print("|" + "---|" * 11)
    for rows in map(int, arguments.rows.split(",")):
        found = run(arguments.fnb.resolve(), arguments.work, rows)
        cells = [f"{rows:,}"]
        for step in ("train", "predict"):
            plain, whole = (found[which][step]["cpu"] for which in ("none", "auto"))
            cells += [f"{plain:.2f} s", f"{whole:.2f} s", f"{whole / plain:.1f}"]
            if step == "train":
                cells.append(f"{1e6 * whole / rows:.1f}")
        plain, whole = (found[which]["train"]["mb"] for which in ("none", "auto"))
        cells += [f"{plain:.0f} MB", f"{whole:.0f} MB"]
        cells.append(f"{(whole - plain) * 2**20 / rows:.0f} B a row")
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
