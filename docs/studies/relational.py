#!/usr/bin/env python3
"""Cross-validates variables constructed from several tables, for docs/relational.md.

    python3 docs/studies/relational.py FNB DATA REFERENCE WORK [--features 100,1000] [--preset P]

FNB is the program, DATA a folder of sets (manifest.json, NAME/*.parquet, NAME/folds.parquet), REFERENCE
the results of another tool on the same folds, WORK a folder for schemas and results; a set whose
result is there is not run again. Prints the tables of the document.
"""

import argparse
import json
import pathlib
import subprocess
import time

FIGURES = ["auc", "accuracy", "compression"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ["fnb", "data", "reference", "work"]:
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--features", default="100,1000")
    parser.add_argument("--preset", default="default")
    parser.add_argument("--only", help="names of sets, separated by commas")
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--threads", default="auto")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    reference = json.loads(arguments.reference.read_text())["datasets"]
    sets = json.loads((arguments.data / "manifest.json").read_text())["datasets"]
    for features in arguments.features.split(","):
        tool = f"khiops-mt{features}"
        lines = []
        for entry in sets:
            wanted = not arguments.only or entry["name"] in arguments.only.split(",")
            there = reference.get(entry["name"], {}).get("tools", {})
            if entry["layout"] == "relational" and tool in there and wanted:
                unused = reference[entry["name"]].get("unused_columns", [])
                result = run(arguments, entry, unused, features)
                if result:
                    lines.append((entry["name"], there[tool]["mean"], result))
        report(features, lines)


def schema(data, entry, unused):
    """The schema of a set: keys are categories, that of the root no input, and record numbers are left alone."""
    import pyarrow.parquet as parquet

    folder = (data / entry["name"]).resolve()
    entities, files, path_of = {}, {}, {}
    parents = {file["table"]: file.get("parent") for file in entry["files"]}
    for file in entry["files"]:
        table = file["table"]
        key = list(file["key"])
        if table in parents.values() and parents[table]:
            below = next(f for f in entry["files"] if f.get("parent") == table)
            key = list(below["key"])
        fields = []
        for column in parquet.read_schema(folder / file["file"]):
            is_category = column.name in key or str(column.type) in ("string", "large_string")
            field = {"name": column.name, "type": "Categorical" if is_category else "Numerical"}
            is_root_key = file.get("parent") is None and column.name in key
            if f"{table}.{column.name}" in unused or is_root_key:
                field["unused"] = True
            fields.append(field)
        entities[table] = {"key": key, "fields": fields}
        parent = parents[table]
        if parent is None:
            root, path_of[table] = table, ""
        else:
            path_of[table] = f"{path_of[parent]}/{table}".lstrip("/")
            entities[parent]["fields"].append({"name": table, "relation": "many", "entity": table})
        files[path_of[table]] = str(folder / file["file"])
    return {"root": root, "target": entry["target"], "entities": entities, "files": files}


def run(arguments, entry, unused, features):
    """Mean figures over the folds, and seconds for all of them; nothing if that takes too long."""
    name = entry["name"]
    out = arguments.work / f"{name}-{features}-{arguments.preset}.json"
    if not out.exists():
        described = arguments.work / f"{name}.schema.json"
        described.write_text(json.dumps(schema(arguments.data, entry, unused), indent=1))
        command = [arguments.fnb, "train", "--schema", described, "-t", entry["target"]]
        command += ["--features", features, "--folds", arguments.data / name / "folds.parquet"]
        command += ["--preset", arguments.preset, "--threads", arguments.threads, "--quiet", "--json"]
        start = time.perf_counter()
        try:
            done = subprocess.run(command, capture_output=True, timeout=arguments.seconds, check=False)
        except subprocess.TimeoutExpired:
            print(f"{name}: more than {arguments.seconds} s with {features} variables, left out")
            return None
        if done.returncode:
            raise SystemExit(f"{name}: {done.stderr.decode()}")
        result = json.loads(done.stdout)["cv"]
        result["wall"] = time.perf_counter() - start
        out.write_text(json.dumps(result))
    return json.loads(out.read_text())


def report(features, lines):
    print(f"\n{features} variables asked for\n")
    print("| set | AUC | Khiops | accuracy | Khiops | compression | Khiops | variables | Khiops |")
    print("|---|---|---|---|---|---|---|---|---|")
    columns = [*FIGURES, "selected"]
    totals = {column: [0.0, 0.0] for column in columns}
    for name, theirs, ours in lines:
        cells = []
        for column in columns:
            pair = (ours["mean"][column], theirs["n_selected" if column == "selected" else column])
            digits = 1 if column == "selected" else 3
            cells += [f"{value:.{digits}f}" for value in pair]
            for total, value in zip((0, 1), pair):
                totals[column][total] += value / len(lines)
        print(f"| {name} | " + " | ".join(cells) + " |")
    means = [f"{value:.{1 if c == 'selected' else 4}f}" for c in columns for value in totals[c]]
    print("| **mean** | " + " | ".join(means) + " |")


if __name__ == "__main__":
    main()
