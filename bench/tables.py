"""Benchmark tables, generated from fixed seeds.

    python bench/tables.py DIR [--rows 1000000] [--outside ../shared/golden]

big     1 000 000 x 20, mixed types, 2 classes; six true inputs, one noisy copy, the rest noise
distinct 1 000 000 x 4 numbers, nearly all of them distinct, 2 classes: the dearest numbers
wide    5 000 x 2 000 numbers, 2 classes; ten true inputs and twenty noisy copies
logs    10 000 customers, about 200 000 log rows (customers.tsv, logs.tsv), 2 classes
biglogs 20 000 customers, about 1 000 000 log rows
letter, mushroom   not ours: copied from the folder given by --outside, if they are there

Target: `class`, last column. Tab separated, one header line, empty = missing. A table that is in
DIR is not made again.
"""

import argparse
import pathlib
import shutil

import numpy as np
import pandas as pd

# Beside the clone.
OUTSIDE = pathlib.Path(__file__).resolve().parents[2] / "shared" / "golden"


def big(rows, seed=11):
    r = np.random.default_rng(seed)
    z = r.normal(size=rows)
    c = {
        "gauss": np.round(z, 4),
        "uniform": np.round(100 * r.random(rows), 3),
        "exponential": np.round(r.exponential(50, rows), 2),
        "digit": r.integers(0, 10, rows),
        "thousand": r.integers(0, 1000, rows),
        "heavy": np.round(10 * r.standard_cauchy(rows), 2),
        "gauss_copy": np.round(z + 0.3 * r.normal(size=rows), 4),
        "holes": np.where(r.random(rows) < 0.2, np.nan, np.round(r.normal(size=rows), 3)),
    }
    for i in range(6):
        c[f"noise{i}"] = np.round(r.normal(size=rows), 4)
    c["few"] = r.choice(list("ABCDE"), rows, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    c["hundred"] = np.char.add("m", r.integers(0, 100, rows).astype(str))
    ident = np.minimum((20 * r.pareto(1.1, rows)).astype(int), 49_999)
    c["many"] = np.char.add("id", ident.astype(str))
    c["yes_no"] = r.choice(["yes", "no"], rows)
    c["fifty"] = np.char.add("x", r.integers(0, 50, rows).astype(str))
    c["month"] = np.char.add("month-", r.integers(1, 13, rows).astype(str))
    score = (
        1.2 * z
        + 0.8 * np.sin(c["uniform"] / 10)
        + 0.6 * (c["few"] == "A")
        - 0.9 * (ident % 7 == 3)
        + 0.5 * (np.nan_to_num(c["holes"], nan=1.5) > 1)
        + 0.4 * (c["digit"] % 3 == 0)
        - 0.7
    )
    c["class"] = np.where(r.random(rows) < 1 / (1 + np.exp(-score)), "pos", "neg")
    return pd.DataFrame(c)


def distinct(rows, seed=14):
    r = np.random.default_rng(seed)
    x = r.normal(size=(rows, 4))
    t = pd.DataFrame(np.round(x, 9), columns=[f"x{i}" for i in range(4)])
    score = x[:, 0] + 0.5 * np.abs(x[:, 1])
    t["class"] = np.where(r.random(rows) < 1 / (1 + np.exp(-score)), "pos", "neg")
    return t


def wide(rows=5_000, columns=2_000, seed=12):
    r = np.random.default_rng(seed)
    x = r.normal(size=(rows, columns))
    for i in range(20):
        x[:, 10 + i] = x[:, i % 10] + 0.5 * r.normal(size=rows)
    score = x[:, :10] @ np.linspace(1.0, 0.3, 10) + 0.7 * (x[:, 3] ** 2 - 1)
    t = pd.DataFrame(np.round(x, 5), columns=[f"v{i:04d}" for i in range(columns)])
    t["class"] = np.where(r.random(rows) < 1 / (1 + np.exp(-score)), "pos", "neg")
    return t


def logs(customers, mean_rows, seed=13):
    r = np.random.default_rng(seed)
    ident = np.char.add("C", np.char.zfill(np.arange(customers).astype(str), 7))
    risk = r.random(customers)
    segment = r.choice(["gold", "silver", "basic"], customers, p=[0.1, 0.3, 0.6])
    who = np.repeat(np.arange(customers), r.poisson(mean_rows, customers))
    m = len(who)
    kind = np.where(
        r.random(m) < 0.1 + 0.3 * risk[who],
        "refund",
        r.choice(["buy", "visit", "call"], m, p=[0.5, 0.4, 0.1]),
    )
    day = np.datetime64("2025-01-01") + r.integers(0, 365, m).astype("timedelta64[D]")
    p = 1 / (1 + np.exp(-(4 * risk - 2.3 + 0.8 * (segment == "gold"))))
    root = pd.DataFrame(
        {
            "customer": ident,
            "age": r.integers(18, 90, customers),
            "segment": segment,
            "class": np.where(r.random(customers) < p, "churn", "stay"),
        }
    )
    log = pd.DataFrame(
        {
            "customer": ident[who],
            "kind": kind,
            "amount": np.round(np.exp(r.normal(3, 1, m)) * (1 + 0.5 * risk[who]), 2),
            "day": day.astype(str),
            "channel": np.char.add("ch", r.integers(0, 30, m).astype(str)),
        }
    )
    return root, log


def write(table, path):
    if not path.exists():
        table().to_csv(path, sep="\t", index=False)


def make(folder, rows=1_000_000, outside=OUTSIDE):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("letter.tsv", "mushroom.tsv"):
        if (outside / name).exists() and not (folder / name).exists():
            shutil.copyfile(outside / name, folder / name)
    write(wide, folder / "wide.tsv")
    write(lambda: big(rows), folder / "big.tsv")
    write(lambda: distinct(rows), folder / "distinct.tsv")
    for name, customers, mean_rows in (("logs", 10_000, 20), ("biglogs", 20_000, 50)):
        sub = folder / name
        sub.mkdir(exist_ok=True)
        if not (sub / "logs.tsv").exists():
            root, log = logs(customers, mean_rows)
            root.to_csv(sub / "customers.tsv", sep="\t", index=False)
            log.to_csv(sub / "logs.tsv", sep="\t", index=False)
    return folder


if __name__ == "__main__":
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("dir")
    a.add_argument("--rows", type=int, default=1_000_000)
    a.add_argument("--outside", type=pathlib.Path, default=OUTSIDE)
    a = a.parse_args()
    for f in sorted(make(a.dir, a.rows, a.outside).rglob("*.tsv")):
        print(f.relative_to(a.dir), f.stat().st_size)
