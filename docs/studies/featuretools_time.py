#!/usr/bin/env python3
"""Time to compute as many variables as featuretools does, for docs/relational.md.

    python3 docs/studies/featuretools_time.py FNB FOLDER [--depth 2]

FOLDER holds customers.tsv and logs.tsv (key `customer`), FNB is the program; needs featuretools. Both
write nothing but the values of their variables; CPU seconds of the whole process, one run each.
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile

FEATURETOOLS = """
import sys, pandas as pd, featuretools as ft
folder, depth, out = sys.argv[1:]
customers = pd.read_csv(f"{folder}/customers.tsv", sep="\\t").drop(columns="class")
logs = pd.read_csv(f"{folder}/logs.tsv", sep="\\t", parse_dates=["day"])
logs["log"] = range(len(logs))
tables = ft.EntitySet()
tables.add_dataframe(dataframe_name="customers", dataframe=customers, index="customer")
tables.add_dataframe(dataframe_name="logs", dataframe=logs, index="log")
tables.add_relationship("customers", "customer", "logs", "customer")
tables.add_interesting_values(dataframe_name="logs", max_values=8)
matrix, features = ft.dfs(entityset=tables, target_dataframe_name="customers", max_depth=int(depth),
    agg_primitives=["count", "num_unique", "mode", "mean", "std", "median", "min", "max", "sum"],
    where_primitives=["count", "num_unique", "mode", "mean", "std", "median", "min", "max", "sum"])
matrix.to_parquet(out)
print(len(features))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("fnb", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--depth", default="2")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        out = f"{work}/values.parquet"
        command = [sys.executable, "-W", "ignore", "-c", FEATURETOOLS, arguments.folder, arguments.depth, out]
        seconds, printed = timed(command)
        features = printed.split()[-1]
        print(f"featuretools  {features} variables  {seconds:.2f} s of CPU")
        table = f"logs={arguments.folder / 'logs.tsv'}:customer"
        command = [arguments.fnb, "construct", arguments.folder / "customers.tsv", "--table", table]
        command += ["--drop", "class", "--features", features, "--threads", "1", "-o", out]
        seconds, _ = timed(command)
        print(f"fnb           {features} variables  {seconds:.2f} s of CPU")


def timed(command):
    """CPU seconds of a command and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, check=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


if __name__ == "__main__":
    main()
