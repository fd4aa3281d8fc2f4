"""Time and memory of `fnb train` as rows grow, in memory and with --memory.

    python bench/beyond_memory.py DIR [--fnb target/release/fnb] [--rows 1,5,20] [--memory 1G]

Makes DIR/big-N.parquet and DIR/big-N.csv, N million rows of the table `big` of bench/tables.py, a
million rows at a time, each with a seed of its own; what is there is kept. Trains on each in memory
and with --memory, and prints wall time, processor time, peak of resident memory, and whether the
models are the same bytes.
"""

import argparse
import hashlib
import os
import pathlib
import subprocess
import time

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import tables

PIECE = 1_000_000


def make(folder, millions):
    paths = [folder / f"big-{millions}.{kind}" for kind in ("parquet", "csv")]
    if all(path.exists() for path in paths):
        return paths
    writers = None
    for piece in range(millions):
        table = pa.Table.from_pandas(tables.big(PIECE, seed=11 + piece), preserve_index=False)
        if writers is None:
            writers = [
                pa.parquet.ParquetWriter(paths[0], table.schema),
                pa.csv.CSVWriter(paths[1], table.schema),
            ]
        for writer in writers:
            writer.write_table(table)
    for writer in writers or []:
        writer.close()
    return paths


def run(command):
    """Seconds of wall and processor, peak in MB."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    stderr = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{command}\n{stderr}")
    cpu = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - start, cpu, usage.ru_maxrss / 1024


def main():
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("dir", type=pathlib.Path)
    a.add_argument("--fnb", default="target/release/fnb")
    a.add_argument("--rows", default="1,5,20", help="millions")
    a.add_argument("--memory", default="1G")
    a.add_argument("--kinds", default="parquet,csv")
    a = a.parse_args()
    a.dir.mkdir(parents=True, exist_ok=True)
    print("| rows | file | in memory | peak | --memory | peak | CPU ratio | same model |")
    print("|---|---|---|---|---|---|---|---|")
    for millions in map(int, a.rows.split(",")):
        for path in make(a.dir, millions):
            kind = path.suffix[1:]
            if kind not in a.kinds.split(","):
                continue
            figures, models = [], []
            for more in ([], ["--memory", a.memory]):
                model = a.dir / "model.json"
                command = [a.fnb, "train", str(path), "-t", "class", "-o", str(model), "-q"]
                figures.append(run(command + more))
                models.append(hashlib.sha256(model.read_bytes()).hexdigest())
            (wall, cpu, peak), (wall2, cpu2, peak2) = figures
            same = "yes" if models[0] == models[1] else "NO"
            print(
                f"| {millions} M | {kind} | {wall:.0f} s, CPU {cpu:.0f} s | {peak:.0f} MB "
                f"| {wall2:.0f} s, CPU {cpu2:.0f} s | {peak2:.0f} MB | {cpu2 / cpu:.2f} | {same} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
