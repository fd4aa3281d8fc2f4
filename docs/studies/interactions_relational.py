#!/usr/bin/env python3
"""What interactions bring on sets of several tables, for docs/interactions.md.

    python3 docs/studies/interactions_relational.py FNB DATA REFERENCE WORK [--features 100]

FNB, DATA, REFERENCE and WORK as in relational.py, which makes the schemas. One training per fold: what
the weights obtain alone is known on the same fold. Prints a table; `all` is AUC / accuracy /
compression. A set whose result is in WORK is not run again.
"""

import argparse
import json
import pathlib
import statistics

import relational

SETS = (
    "Musk1 Mutagenesis MutagenesisAtoms ImagesElephant Diterpenes CharacterTrajectory MimlDesert "
    "MimlSea MimlSunset MimlTrees SpliceJunction OptDigits"
).split()
FIGURES = ("auc", "accuracy", "compression")


def shown(figures):
    return " / ".join(f"{figures[key]:.{4 if key == 'auc' else 3}f}" for key in FIGURES)


def mean(lines, which):
    return {key: statistics.mean(line[which][key] for line in lines) for key in FIGURES}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ["fnb", "data", "reference", "work"]:
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--features", default="100")
    parser.add_argument("--only", default=",".join(SETS))
    arguments = parser.parse_args()
    arguments.preset, arguments.threads, arguments.seconds = "default", "1", 1800
    arguments.work.mkdir(parents=True, exist_ok=True)
    reference = json.loads(arguments.reference.read_text())["datasets"]
    sets = json.loads((arguments.data / "manifest.json").read_text())["datasets"]
    print("| set (rows, classes) | plain | with interactions | variables | tables |")
    print("|---|---|---|---|---|")
    lines = []
    for name in arguments.only.split(","):
        entry = next(entry for entry in sets if entry["name"] == name)
        unused = reference[name].get("unused_columns", [])
        result = relational.run(arguments, entry, unused, arguments.features)
        if not result:
            continue
        whole = result["mean"]
        lines.append({"plain": whole["plain"], "whole": whole})
        size = f"{entry['n_instances']:,}, {entry['n_classes']}"
        both = f"{shown(whole['plain'])} | **{shown(whole)}**"
        numbers = f"{whole['selected']:.1f} | {whole['tables']:.1f}"
        print(f"| {name} ({size}) | {both} | {numbers} |", flush=True)
    plain, whole = mean(lines, "plain"), mean(lines, "whole")
    print(f"| **mean of {len(lines)}** | {shown(plain)} | **{shown(whole)}** | | |")


if __name__ == "__main__":
    main()
