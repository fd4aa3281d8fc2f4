r"""Khiops 11 and fnb on the same tables, in alternation, in one run.

    python -m venv VENV && VENV/bin/pip install khiops numpy pandas polars
    cargo build --profile fast
    PATH=VENV/bin:$PATH python bench/side_by_side.py --fnb target/fast/fnb --work DIR \
        [--only letter,wide] [--repeat 3]

Each line: the best of the repeats of CPU seconds (user + system, children included), wall seconds
and peak memory, for the reference and for fnb, and their ratio (above 1: fnb is better). `floor` is
what polars needs, on as many threads, to read the same file and sort each of its numerical columns
once: a practical lower limit. The reference is timed on training alone; the reading of types, which
it does in a separate call, is not counted (its start-up time of about a second counts in wall, not
in CPU). Both train on all rows; no trees, no pairs. Jobs: single tables `train`, `predict`; two
tables `logs`, `biglogs` with 100 and 1000 constructed variables. letter and mushroom are not made
here: see README.md.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings

import tables

ENV = dict(
    os.environ,
    OMPI_ALLOW_RUN_AS_ROOT="1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    KHIOPS_API_MODE="true",
)
os.environ.update(ENV)


# Started by a bare interpreter: a child's peak memory counts that of the process it is forked from.
LAUNCHER = """
import json, os, subprocess, sys, time
start = time.perf_counter()
child = subprocess.Popen(sys.argv[2:], stdout=open(sys.argv[1], "wb"), stderr=subprocess.STDOUT)
_, status, use = os.wait4(child.pid, 0)
child.returncode = os.waitstatus_to_exitcode(status)
print(json.dumps({"code": child.returncode, "cpu": use.ru_utime + use.ru_stime,
                  "wall": time.perf_counter() - start, "mb": use.ru_maxrss / 1024}))
"""


def timed(command, env=None):
    """Run to the end; CPU seconds, wall seconds, peak memory in MB of the largest process."""
    with tempfile.NamedTemporaryFile() as out:
        command = [str(c) for c in command]
        launched = subprocess.run(
            [sys.executable, "-I", "-S", "-c", LAUNCHER, out.name, *command],
            env={**ENV, **(env or {})},
            stdout=subprocess.PIPE,
            check=True,
        )
        run = json.loads(launched.stdout)
        if run.pop("code") != 0:
            said = pathlib.Path(out.name).read_text(errors="replace")
            raise SystemExit(f"failed: {' '.join(command)}\n{said[-2000:]}")
    return run


def best(runs):
    return {k: min(r[k] for r in runs) for k in runs[0]}


def khiops_scenarios(table, out):
    """Dictionary and scenario files of the reference for one table: train, deploy, report."""
    from khiops import core as kh

    dictionary, edited = out / "t.kdic", out / "t2.kdic"
    kh.build_dictionary_from_data_table(str(table), "T", str(dictionary))
    domain = kh.read_dictionary_file(str(dictionary))
    domain.get_dictionary("T").get_variable("class").type = "Categorical"
    domain.export_khiops_dictionary_file(str(edited))
    train, deploy = out / "train._kh", out / "deploy._kh"
    report, model = kh.train_predictor(
        str(edited),
        "T",
        str(table),
        "class",
        str(out / "report.khj"),
        sample_percentage=100,
        max_trees=0,
        max_pairs=0,
        max_constructed_variables=0,
        max_text_features=0,
        output_scenario_path=str(train),
    )
    kh.deploy_model(
        model, "SNB_T", str(table), str(out / "scores.txt"), output_scenario_path=str(deploy)
    )
    return train, deploy, report


def khiops_tables(folder, features, out):
    """The same for customers and logs with constructed variables. The files are sorted by key."""
    from khiops import core as kh

    domain = kh.DictionaryDomain()
    for name, file in (("Customer", "customers.tsv"), ("Log", "logs.tsv")):
        kh.build_dictionary_from_data_table(str(folder / file), name, str(out / f"{name}.kdic"))
        d = kh.read_dictionary_file(str(out / f"{name}.kdic")).get_dictionary(name)
        d.key = ["customer"]
        d.get_variable("customer").type = "Categorical"
        d.root = name == "Customer"
        domain.add_dictionary(d)
    relation = kh.Variable()
    relation.name, relation.type, relation.object_type = "Logs", "Table", "Log"
    domain.get_dictionary("Customer").add_variable(relation)
    domain.get_dictionary("Customer").get_variable("class").type = "Categorical"
    domain.export_khiops_dictionary_file(str(out / "t.kdic"))
    train = out / "train._kh"
    report, _ = kh.train_predictor(
        str(out / "t.kdic"),
        "Customer",
        str(folder / "customers.tsv"),
        "class",
        str(out / "report.khj"),
        additional_data_tables={"Logs": str(folder / "logs.tsv")},
        sample_percentage=100,
        max_trees=0,
        max_pairs=0,
        max_constructed_variables=features,
        max_text_features=0,
        output_scenario_path=str(train),
    )
    return train, report


def khiops_figures(report):
    from khiops import core as kh

    r = kh.read_analysis_results_file(report)
    p = r.train_evaluation_report.get_snb_performance()
    return {
        "selected": len(r.modeling_report.get_snb_predictor().selected_variables or []),
        "auc": p.auc,
        "acc": p.accuracy,
    }


def fnb_figures(model):
    m = json.loads(pathlib.Path(model).read_text())
    e = (m.get("evaluation") or {}).get("train") or {}
    return {
        "selected": sum(v.get("weight", 0) > 0 for v in m["terms"]),
        "auc": e.get("auc"),
        "acc": e.get("accuracy"),
    }


FLOOR = """
import polars as pl, sys
t = pl.read_csv(sys.argv[1], separator="\\t", infer_schema_length=10_000)
for c in t.columns:
    if t[c].dtype.is_numeric(): t[c].sort()
"""


def show(job, threads, kh, fnb, floor=None):
    def figures(run):
        return f"{run['cpu']:8.2f} {run['wall']:8.2f} {run['mb']:7.0f}" if run else " " * 25

    ratios = [kh[key] / fnb[key] for key in ("cpu", "wall", "mb")] if kh and fnb else []
    shown = "{:7.1f} {:7.1f} {:6.2f}".format(*ratios) if ratios else ""
    lowest = f"{fnb['cpu'] / floor['cpu']:6.1f}" if floor and fnb else ""
    print(f"{job:18} {threads:7} |{figures(kh)} |{figures(fnb)} |{shown:23} |{lowest}", flush=True)


def arguments():
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("--fnb", help="the fnb binary; without it only the reference is timed")
    a.add_argument("--work", required=True)
    a.add_argument("--only", default="letter,mushroom,wide,big,distinct,logs")
    a.add_argument("--features", default="100,1000")
    a.add_argument("--threads", default="1", help="fnb threads, e.g. 1,2 (the reference uses one)")
    a.add_argument("--repeat", type=int, default=3)
    a.add_argument("--preset", default="default")
    a.add_argument("--rows", type=int, default=1_000_000)
    a.add_argument(
        "--outside", type=pathlib.Path, default=tables.OUTSIDE, help="where letter and mushroom are"
    )
    return a.parse_args()


def job(a, work, name, features):
    """Trains, and scores if there is one table; `features`: how many to construct, or None."""
    out = work / "out" / (name + (features or ""))
    out.mkdir(parents=True, exist_ok=True)
    table = work / name / "customers.tsv" if features else work / f"{name}.tsv"
    if not table.exists():
        print(f"{name:18} not run: there is no {table.name}, see bench/README.md")
        return
    extra = []
    if features:
        (train, report), deploy = khiops_tables(work / name, int(features), out), None
        extra = ["--table", f"logs={work / name / 'logs.tsv'}:customer", "--features", features]
    else:
        train, deploy, report = khiops_scenarios(table, out)

    def khiops(scenario):
        command = ["khiops", "-b", "-i", scenario, "-e", out / "log.txt"]
        return timed(command, {"KHIOPS_PROC_NUMBER": "1"})

    for threads in a.threads.split(","):
        model = out / f"model{threads}.json"
        options = ["--threads", threads]
        learn = ["train", table, "-t", "class", "-o", model, "--preset", a.preset, *options]
        score = ["predict", model, table, "-o", out / "scores.tsv", "--proba", *options]
        kh, fnb, floor = [], [], []
        for _ in range(a.repeat):
            kh.append(khiops(train))
            if a.fnb:
                fnb.append(timed([a.fnb, *learn, *extra]))
            if not features:
                command = [sys.executable, "-c", FLOOR, table]
                floor.append(timed(command, {"POLARS_MAX_THREADS": threads}))
        title = f"train {name} {features}" if features else f"train {name}"
        show(title, threads, best(kh), fnb and best(fnb), floor and best(floor))
        print(f"{'':26} | {khiops_figures(report)} | {fnb_figures(model) if a.fnb else ''}")
        if deploy:
            kh = [khiops(deploy) for _ in range(a.repeat)]
            fnb = [timed([a.fnb, *score]) for _ in range(a.repeat)] if a.fnb else []
            show(f"predict {name}", threads, best(kh), fnb and best(fnb))


def main():
    a = arguments()
    warnings.filterwarnings("ignore")
    if not shutil.which("khiops"):
        sys.exit("khiops is not on PATH: activate the virtual environment it was installed in")
    work = tables.make(a.work, a.rows, a.outside).resolve()
    print(
        f"{'job':18} {'threads':7} |{'khiops: cpu s':>8} {'wall s':>6} {'MB':>8} "
        f"|{'fnb: cpu s':>8} {'wall s':>7} {'MB':>7} "
        f"|{'ratio: cpu':>7} {'wall':>6} {'mem':>6} | cpu/floor"
    )
    for name in a.only.split(","):
        for features in a.features.split(",") if name.endswith("logs") else [None]:
            job(a, work, name, features)


if __name__ == "__main__":
    main()
