#!/usr/bin/env python3
"""How many variables to construct, and what share calendar parts have, for docs/relational.md.

    python3 docs/studies/variables_asked_for.py planted WORK NAME=FNB ... [--features 100,1000]
    python3 docs/studies/variables_asked_for.py sets WORK NAME=FNB ... --data DATA \\
        --reference REFERENCE

Each FNB is a program to compare under a NAME. `planted` makes main tables of 4,000 rows with about
12 records each, whose target follows one property of the records, learns on half of the rows and
compares the test AUC with that of the property itself; `wide` records have ten more columns, which
tell nothing. `sets` cross-validates the sets of docs/studies/relational.py. WORK holds data and
results; what is there is not run again.
"""

import argparse
import json
import math
import pathlib
import resource
import statistics
import subprocess

ROWS = 4000
DAYS = 730
START = "2023-01-01"
KINDS = ["ok", "slow", "retried", "failed", "refused", "unknown"]
SHARES = [0.45, 0.2, 0.1, 0.1, 0.1, 0.05]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("study", choices=["planted", "sets"])
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("program", nargs="+", help="NAME=FNB")
    parser.add_argument("--features", default="100,300,1000,3000")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--reference", type=pathlib.Path)
    parser.add_argument("--only", help="names of sets or signals, separated by commas")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--seconds", type=float, default=1800)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    programs = [text.split("=", 1) for text in arguments.program]
    features = arguments.features.split(",")
    variants = [(name, fnb, k) for name, fnb in programs for k in features]
    if arguments.study == "planted":
        report_planted(arguments, variants)
    else:
        report_sets(arguments, variants)


# The properties that a target may follow: of each main row, from its records as arrays.


def per_row(owner, weights):
    import numpy

    return numpy.bincount(owner, weights=weights, minlength=ROWS)


def mean_where(owner, values, chosen):
    import numpy

    count = per_row(owner, chosen * 1.0)
    total = per_row(owner, values * chosen)
    return numpy.where(count > 0, total / numpy.maximum(count, 1), numpy.mean(values))


def last(owner, values):
    import numpy

    latest = numpy.full(ROWS, values.min())
    numpy.maximum.at(latest, owner, values)
    return latest


SIGNALS = {
    "records": {
        "count where kind = failed": lambda e: per_row(e["owner"], (e["kind"] == "failed") * 1.0),
        "mean amount where channel = web": lambda e: mean_where(
            e["owner"], e["amount"], e["channel"] == "web"
        ),
        "sum of amount": lambda e: per_row(e["owner"], e["amount"]),
        "count where failed and above the median": lambda e: per_row(
            e["owner"], ((e["kind"] == "failed") & (e["amount"] > e["median"])) * 1.0
        ),
    },
    "calendar": {
        "count at weekends": lambda e: per_row(e["owner"], (e["weekday"] >= 5) * 1.0),
        "count by night": lambda e: per_row(e["owner"], (e["hour"] < 6) * 1.0),
        "last record": lambda e: last(e["owner"], e["day"]),
        "sum of amount in the last month": lambda e: per_row(
            e["owner"], e["amount"] * (e["yearday"] >= 335)
        ),
    },
    "none": {"nothing": None},
}


def planted(folder, signal, of_row, wide, seed):
    """Writes the tables of a signal; returns the AUC of the property that was planted."""
    import numpy
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    known = folder / "truth.json"
    if known.exists():
        return json.loads(known.read_text())["auc"]
    folder.mkdir(parents=True, exist_ok=True)
    draw = numpy.random.default_rng([seed, int(wide), *signal.encode()])
    count = draw.poisson(12, ROWS)
    owner = numpy.repeat(numpy.arange(ROWS), count)
    n = len(owner)
    seconds = draw.integers(0, DAYS * 86400, n)
    at = numpy.datetime64(START) + seconds.astype("timedelta64[s]")
    day = at.astype("datetime64[D]")
    events = {
        "owner": owner,
        "kind": draw.choice(KINDS, n, p=SHARES),
        "channel": draw.choice(["web", "shop", "phone", "mail"], n),
        "amount": numpy.round(draw.lognormal(3, 0.8, n), 2),
        "day": seconds / 86400,
        "hour": (seconds % 86400) / 3600,
        # 1970-01-01 was a Thursday.
        "weekday": (day.astype(int) + 3) % 7,
        "yearday": (day - at.astype("datetime64[Y]").astype("datetime64[D]")).astype(int),
    }
    events["median"] = numpy.median(events["amount"])
    score = numpy.zeros(ROWS)
    if of_row:
        score = of_row(events)
        score = (score - score.mean()) / score.std()
    target = draw.random(ROWS) < 1 / (1 + numpy.exp(-1.5 * score))
    table = {
        "id": owner,
        "kind": events["kind"],
        "channel": events["channel"],
        "amount": events["amount"],
        "at": at.astype("datetime64[ms]"),
    }
    if wide:
        for i in range(5):
            table[f"x{i}"] = draw.normal(size=n)
            table[f"c{i}"] = draw.choice(list("abcde"), n)
    main_table = {
        "id": numpy.arange(ROWS),
        "age": draw.integers(18, 90, ROWS),
        "region": draw.choice(list("nesw"), ROWS),
        "left": numpy.where(target, "yes", "no"),
    }
    parquet.write_table(arrow.table(table), folder / "events.parquet")
    parquet.write_table(arrow.table(main_table), folder / "main.parquet")
    order = numpy.argsort(score, kind="stable")
    ranks = numpy.empty(ROWS)
    ranks[order] = numpy.arange(ROWS)
    # Equal scores share their mean rank.
    _, same = numpy.unique(score, return_inverse=True)
    ranks = (numpy.bincount(same, ranks) / numpy.bincount(same))[same]
    positive = target.sum()
    auc = (ranks[target].sum() - positive * (positive - 1) / 2) / (positive * (ROWS - positive))
    known.write_text(json.dumps({"auc": auc}))
    return auc


def run(arguments, command, out):
    """The JSON of a command, kept in a file, with its CPU time; nothing if it takes too long."""
    if not out.exists():
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = [*command, "--threads", arguments.threads, "--quiet", "--json"]
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=arguments.seconds, check=False
            )
        except subprocess.TimeoutExpired:
            print(f"{out.stem}: more than {arguments.seconds} s, left out")
            return None
        if done.returncode:
            raise SystemExit(f"{out.stem}: {done.stderr.decode()}")
        result = json.loads(done.stdout)
        result["cpu"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start
        out.write_text(json.dumps(result))
    return json.loads(out.read_text())


def report_planted(arguments, variants):
    # Per variant and group of signals: the AUC that is lost, and how many variables are kept.
    lost = {variant: {} for variant in variants}
    for seed in range(arguments.seeds):
        for wide in [False, True]:
            for group, signals in SIGNALS.items():
                for signal, of_row in signals.items():
                    if arguments.only and signal not in arguments.only.split(","):
                        continue
                    name = f"{signal.replace(' ', '_')}-{'wide' if wide else 'narrow'}-{seed}"
                    folder = arguments.work / "planted" / name
                    truth = planted(folder, signal, of_row, wide, seed)
                    for variant in variants:
                        program, fnb, k = variant
                        command = [fnb, "train", folder / "main.parquet", "-t", "left"]
                        command += ["--table", f"events={folder / 'events.parquet'}:id"]
                        command += ["--drop", "id", "--holdout", "0.5", "--features", k]
                        result = run(arguments, command, folder / f"{program}-{k}.json")
                        if result:
                            test = result["evaluation"]["test"]["auc"]
                            found = (truth - test, result["selected"], result["cpu"])
                            cell = (group, "wide" if wide else "narrow")
                            lost[variant].setdefault(cell, []).append(found)
    cells = [(group, width) for group in SIGNALS for width in ["narrow", "wide"]]
    cells = [cell for cell in cells if any(cell in found for found in lost.values())]
    print("AUC lost to the planted property (standard error); of no property, variables kept\n")
    print("| program | variables | " + " | ".join(f"{g}, {w}" for g, w in cells) + " | CPU s |")
    print("|---|---|" + "---|" * (len(cells) + 1))
    for (program, _, k), found in lost.items():
        line = []
        for group, width in cells:
            values = [f[1 if group == "none" else 0] for f in found[group, width]]
            line.append(mean_and_error(values, 1 if group == "none" else 4))
        seconds = statistics.mean(f[2] for cell in found.values() for f in cell)
        print(f"| {program} | {k} | " + " | ".join(line) + f" | {seconds:.2f} |")


def mean_and_error(values, digits):
    mean = statistics.mean(values)
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{mean:.{digits}f} ({error:.{digits}f})"


def report_sets(arguments, variants):
    import relational

    reference = json.loads(arguments.reference.read_text())["datasets"]
    sets = json.loads((arguments.data / "manifest.json").read_text())["datasets"]
    found = {variant: {} for variant in variants}
    for entry in sets:
        name = entry["name"]
        wanted = not arguments.only or name in arguments.only.split(",")
        if entry["layout"] != "relational" or not wanted:
            continue
        unused = reference.get(name, {}).get("unused_columns", [])
        described = arguments.work / f"{name}.schema.json"
        schema = relational.schema(arguments.data, entry, unused)
        described.write_text(json.dumps(schema, indent=1))
        for variant in variants:
            program, fnb, k = variant
            command = [fnb, "train", "--schema", described, "-t", entry["target"], "--features", k]
            command += ["--folds", arguments.data / name / "folds.parquet"]
            result = run(arguments, command, arguments.work / f"{name}-{program}-{k}.json")
            if result:
                found[variant][name] = {**result["cv"]["mean"], "cpu": result["cpu"]}
    everywhere = set.intersection(*(set(results) for results in found.values()))
    print(f"{len(everywhere)} sets; differences from the line above (standard error)\n")
    print("| program | variables | AUC | difference | compression | difference | kept | CPU s |")
    print("|---|---|---|---|---|---|---|---|")
    above = None
    for (program, _, k), results in found.items():
        line = []
        for figure in ["auc", "compression"]:
            line.append(f"{statistics.mean(results[s][figure] for s in everywhere):.4f}")
            pairs = [(results[s][figure], above[s][figure]) for s in everywhere] if above else []
            differences = [ours - theirs for ours, theirs in pairs]
            line.append(mean_and_error(differences, 4) if differences else "")
        line.append(f"{statistics.mean(results[s]['selected'] for s in everywhere):.1f}")
        line.append(f"{sum(results[s]['cpu'] for s in everywhere):.0f}")
        print(f"| {program} | {k} | " + " | ".join(line) + " |")
        above = results


if __name__ == "__main__":
    main()
