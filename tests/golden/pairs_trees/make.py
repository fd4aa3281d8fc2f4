"""Makes the tables and the golden files of this folder with Khiops 11: python make.py FOLDER_FOR_REPORTS.

Needs `pip install khiops==11.0.1`, one process (KHIOPS_PROC_NUMBER=1). All rows are used for training.
"""

import json
import math
import os
import random
import sys

from khiops import core as kh

HERE = os.path.dirname(os.path.abspath(__file__))
# Table, trees, pairs: as many files.
RUNS = [
    ("mixed", 0, 100),
    ("ring", 0, 100),
    ("wine", 0, 100),
    ("iris", 10, 0),
    ("wine", 10, 0),
    ("waves", 10, 0),
    ("ring", 10, 0),
    ("synth_a", 10, 0),
    ("ring", 10, 100),
]


def write(name, header, rows):
    with open(os.path.join(HERE, name + ".tsv"), "w") as file:
        for row in [header, *rows]:
            file.write("\t".join(str(value) for value in row) + "\n")


def mixed(rows=1000):
    """Two classes; interactions of every kind of axes, one input that says something alone."""
    rnd = random.Random(20251)
    for _ in range(rows):
        x, y = round(rnd.uniform(-1, 1), 2), round(rnd.uniform(-1, 1), 3)
        z, noise = round(rnd.gauss(0, 1), 2), round(rnd.gauss(5, 2), 1)
        shape = rnd.choice("abcdef")
        color = rnd.choice(["red", "green", "blue", "gray"])
        score = 1.1 * (1 if x * y > 0 else -1)
        score += 1.2 * (1 if (z > 0.2) == (shape in "ace") else -1)
        score += 0.9 * (1 if (color in ("red", "gray")) == (shape in "abc") else -1)
        alone = round(rnd.gauss(0, 1) + 0.35 * score, 2)
        p = 1 / (1 + 2.718281828 ** (-score))
        z = "" if rnd.random() < 0.05 else z
        yield [x, y, z, noise, shape, color, alone, "yes" if rnd.random() < p else "no"]


def ring(rows=1200):
    """Five classes by angle, and a category that turns the wheel."""
    rnd = random.Random(77)
    for _ in range(rows):
        x, y = round(rnd.uniform(-3, 3), 2), round(rnd.uniform(-3, 3), 2)
        turn = rnd.choice([f"t{i}" for i in range(10)])
        angle = int((math.atan2(y, x) + math.pi) / (2 * math.pi) * 5) % 5
        size = rnd.choice(["s", "m", "l"])
        k = (angle + (1 if turn in ("t1", "t4", "t7") else 0)) % 5
        if rnd.random() < 0.25:
            k = rnd.randrange(5)
        level = rnd.randrange(8)
        if level >= 6 and size == "l":
            k = 0
        yield [x, y, level, turn, size, f"k{k}"]


def waves(rows=900):
    """Four classes, nine numbers: waves with noise, ties, missing values, two of pure noise."""
    rnd = random.Random(4)
    for _ in range(rows):
        k, shift = rnd.randrange(4), rnd.random()
        row = [round(math.sin(k + i * (0.5 + 0.3 * k) + shift) + rnd.gauss(0, 0.7), 3) for i in range(5)]
        row.append(round(row[0] * 2))
        row.append("" if rnd.random() < 0.2 else round(row[1] + k * rnd.random(), 1))
        yield [*row, rnd.randrange(50), round(rnd.gauss(0, 1), 4), f"w{k}"]


def train(name, trees, pairs, folder):
    table = os.path.join(HERE, name + ".tsv")
    if not os.path.exists(table):
        table = os.path.join(HERE, "..", name + ".tsv")
    dictionary, report = os.path.join(folder, name + ".kdic"), os.path.join(folder, name + ".khj")
    kh.build_dictionary_from_data_table(table, "T", dictionary, field_separator="\t")
    domain = kh.read_dictionary_file(dictionary)
    for variable in domain.get_dictionary("T").variables:
        variable.used = True
    domain.export_khiops_dictionary_file(dictionary)
    kh.train_predictor(
        dictionary,
        "T",
        table,
        "class",
        report,
        field_separator="\t",
        detect_format=False,
        sample_percentage=100,
        max_trees=trees,
        max_pairs=pairs,
        max_constructed_variables=0,
        max_text_features=0,
    )
    with open(report) as file:
        return json.load(file)


def costs(statistics):
    kinds = ["construction", "preparation", "data"]
    return {"level": statistics["level"], **{kind: statistics[kind + "Cost"] for kind in kinds}}


def axis(dimension):
    kept = {"name": dimension["variable"], "type": dimension["type"], "parts": dimension["partition"]}
    if "defaultGroupIndex" in dimension:
        kept["default"] = dimension["defaultGroupIndex"]
    return kept


def golden(report):
    preparation = report["preparationReport"]
    summary = preparation["summary"]
    selected = report["modelingReport"]["trainedPredictorsDetails"]["R1"]["selectedVariables"]
    kept = {
        "khiops_version": report["version"],
        "settings": summary["featureEngineering"],
        "instances": summary["instances"],
        "classes": summary["targetValues"]["values"],
        "columns": [
            {"name": s["name"], "type": s["type"], **costs(s)} for s in preparation["variablesStatistics"]
        ],
        "selected": [{key: s[key] for key in ("name", "level", "weight")} for s in selected],
    }
    if "bivariatePreparationReport" in report:
        grids = report["bivariatePreparationReport"]
        kept["evaluated_pairs"] = grids["summary"]["evaluatedVariablePairs"]
        kept["usable_pairs"] = grids["summary"]["informativeVariablePairs"]
        kept["pairs"] = []
        for statistics in grids.get("variablesPairsStatistics", []):
            grid = grids["variablesPairsDetailedStatistics"][statistics["rank"]]["dataGrid"]
            cells = zip(grid["cellPartIndexes"], grid["cellTargetFrequencies"])
            kept["pairs"].append(
                {
                    "name": statistics["name1"] + "`" + statistics["name2"],
                    **costs(statistics),
                    "axes": [axis(dimension) for dimension in grid["dimensions"][:2]],
                    "cells": [[*place, *counts] for place, counts in cells],
                }
            )
    if "treePreparationReport" in report:
        trees = report["treePreparationReport"]
        kept["evaluated_trees"] = trees["summary"]["evaluatedVariables"]
        kept["trees"] = []
        for statistics in trees.get("variablesStatistics", []):
            grid = trees["variablesDetailedStatistics"][statistics["rank"]]["dataGrid"]
            kept["trees"].append(
                {
                    "name": statistics["name"],
                    **costs(statistics),
                    "rule": statistics["derivationRule"],
                    "leaves": statistics["values"],
                    "groups": grid["dimensions"][0]["partition"],
                    "counts": grid["partTargetFrequencies"],
                }
            )
    return kept


def main(folder):
    write("mixed", ["x", "y", "z", "noise", "shape", "color", "alone", "class"], mixed())
    write("ring", ["x", "y", "level", "turn", "size", "class"], ring())
    write("waves", [*[f"w{i}" for i in range(5)], "ties", "gaps", "id50", "noise", "class"], waves())
    for name, trees, pairs in RUNS:
        kept = golden(train(name, trees, pairs, folder))
        kind = "_and_".join((["trees"] if trees else []) + (["pairs"] if pairs else []))
        with open(os.path.join(HERE, f"{name}_{kind}.json"), "w") as file:
            # One line per variable.
            lines = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
            file.write(lines.replace(',{"name"', ',\n{"name"').replace(':[{"name"', ':[\n{"name"') + "\n")


main(sys.argv[1])
