r"""Khiops 11 and fnb on the same tables, in alternation, in one run.

    python -m venv VENV && VENV/bin/pip install khiops numpy pandas polars
    cargo build --profile fast
    PATH=VENV/bin:$PATH python bench/side_by_side.py --fnb target/fast/fnb --work DIR \
        [--only letter,wide] [--repeat 3]

Each line: the best of the repeats of CPU seconds (user + system, children included), wall seconds and peak memory,
for the reference and for fnb, and their ratio (above 1: fnb is better). `floor` is what polars needs, on as
many threads, to read the same file and sort each of its numerical columns once: a practical lower limit.
The reference is timed on training alone; the reading of types, which it does in a separate call, is not counted
(its fixed start-up time of about a second counts in wall, not in CPU). Both train on all rows; no trees, no pairs.
Jobs: single tables `train`, `predict`; two tables `logs`, `biglogs` with 100 and 1000 constructed
variables. letter and mushroom are not made here: see README.md.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

import tables

ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", KHIOPS_API_MODE="true")
os.environ.update(ENV)


# Started by a bare interpreter: a child's peak memory counts that of the process it was forked from.
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
        launched = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, out.name, *command],
                                  env={**ENV, **(env or {})}, stdout=subprocess.PIPE, check=True)
        run = json.loads(launched.stdout)
        if run.pop("code") != 0:
            raise SystemExit(f"failed: {' '.join(command)}\n{pathlib.Path(out.name).read_text(errors='replace')[-2000:]}")
    return run


def best(runs):
    return {k: min(r[k] for r in runs) for k in runs[0]}


def khiops_scenarios(table, out):
    """Dictionary and scenario files of the reference for one table; (train, deploy) scenario paths and the report."""
    from khiops import core as kh
    dictionary, edited = out / "t.kdic", out / "t2.kdic"
    kh.build_dictionary_from_data_table(str(table), "T", str(dictionary))
    domain = kh.read_dictionary_file(str(dictionary))
    domain.get_dictionary("T").get_variable("class").type = "Categorical"
    domain.export_khiops_dictionary_file(str(edited))
    train, deploy = out / "train._kh", out / "deploy._kh"
    report, model = kh.train_predictor(str(edited), "T", str(table), "class", str(out / "report.khj"), sample_percentage=100,
                                       max_trees=0, max_pairs=0, max_constructed_variables=0, max_text_features=0,
                                       output_scenario_path=str(train))
    kh.deploy_model(model, "SNB_T", str(table), str(out / "scores.txt"), output_scenario_path=str(deploy))
    return train, deploy, report


def khiops_tables(folder, features, out):
    """The same for customers + logs with constructed variables. The files are already sorted by key."""
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
    report, _ = kh.train_predictor(str(out / "t.kdic"), "Customer", str(folder / "customers.tsv"), "class", str(out / "report.khj"),
                                   additional_data_tables={"Logs": str(folder / "logs.tsv")}, sample_percentage=100, max_trees=0,
                                   max_pairs=0, max_constructed_variables=features, max_text_features=0, output_scenario_path=str(train))
    return train, report


def khiops_figures(report):
    from khiops import core as kh
    r = kh.read_analysis_results_file(report)
    p = r.train_evaluation_report.get_snb_performance()
    return {"selected": len(r.modeling_report.get_snb_predictor().selected_variables or []), "auc": p.auc, "acc": p.accuracy}


def fnb_figures(model):
    m = json.loads(pathlib.Path(model).read_text())
    e = (m.get("evaluation") or {}).get("train") or {}
    return {"selected": sum(v.get("weight", 0) > 0 for v in m["variables"]), "auc": e.get("auc"), "acc": e.get("accuracy")}


FLOOR = """
import polars as pl, sys
t = pl.read_csv(sys.argv[1], separator="\\t", infer_schema_length=10_000)
for c in t.columns:
    if t[c].dtype.is_numeric(): t[c].sort()
"""


def show(job, threads, kh, fnb, floor=None):
    f = lambda d: f"{d['cpu']:8.2f} {d['wall']:8.2f} {d['mb']:7.0f}" if d else " " * 25
    r = f"{kh['cpu'] / fnb['cpu']:7.1f} {kh['wall'] / fnb['wall']:7.1f} {kh['mb'] / fnb['mb']:6.2f}" if kh and fnb else ""
    fl = f"{fnb['cpu'] / floor['cpu']:6.1f}" if floor and fnb else ""
    print(f"{job:18} {threads:7} |{f(kh)} |{f(fnb)} |{r:23} |{fl}", flush=True)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--fnb", help="the fnb binary; without it only the reference is timed")
    a.add_argument("--work", required=True)
    a.add_argument("--only", default="letter,mushroom,wide,big,logs")
    a.add_argument("--features", default="100,1000")
    a.add_argument("--threads", default="1", help="fnb threads, e.g. 1,2 (the reference runs on one process)")
    a.add_argument("--repeat", type=int, default=3)
    a.add_argument("--preset", default="default")
    a.add_argument("--rows", type=int, default=1_000_000)
    a.add_argument("--outside", type=pathlib.Path, default=tables.OUTSIDE, help="where letter and mushroom are")
    a = a.parse_args()
    warnings.filterwarnings("ignore")
    if not shutil.which("khiops"):
        sys.exit("khiops is not on PATH: activate the virtual environment it was installed in")
    work = tables.make(a.work, a.rows, a.outside).resolve()
    kh_env = {"KHIOPS_PROC_NUMBER": "1"}
    print(f"{'job':18} {'threads':7} |{'khiops: cpu s':>8} {'wall s':>6} {'MB':>8} |{'fnb: cpu s':>8} {'wall s':>7} {'MB':>7} |{'ratio: cpu':>7} {'wall':>6} {'mem':>6} | cpu/floor")
    for name in a.only.split(","):
        many = name.endswith("logs")
        for features in a.features.split(",") if many else [None]:
            out = work / "out" / (name + (features or ""))
            out.mkdir(parents=True, exist_ok=True)
            table = work / name / "customers.tsv" if many else work / f"{name}.tsv"
            if not table.exists():
                print(f"{name:18} not run: there is no {table.name} (bench/README.md says where to get it)")
                continue
            if many:
                train, report = khiops_tables(work / name, int(features), out)
                deploy = None
            else:
                train, deploy, report = khiops_scenarios(table, out)
            extra = ["--table", f"logs={work / name / 'logs.tsv'}:customer", "--features", features] if many else []
            for threads in a.threads.split(","):
                model, scores = out / f"model{threads}.json", out / "scores.tsv"
                fnb_train = a.fnb and [a.fnb, "train", table, "-t", "class", "-o", model, "--preset", a.preset, "--threads", threads, *extra]
                fnb_predict = a.fnb and [a.fnb, "predict", model, table, "-o", scores, "--proba", "--threads", threads]
                kh_runs, fnb_runs, floor_runs = [], [], []
                for _ in range(a.repeat):
                    kh_runs.append(timed(["khiops", "-b", "-i", train, "-e", out / "log.txt"], kh_env))
                    if a.fnb:
                        fnb_runs.append(timed(fnb_train))
                    if not many:
                        floor_runs.append(timed([sys.executable, "-c", FLOOR, table], {"POLARS_MAX_THREADS": threads}))
                show(f"train {name}" + (f" {features}" if features else ""), threads, best(kh_runs), fnb_runs and best(fnb_runs), floor_runs and best(floor_runs))
                print(f"{'':26} | {khiops_figures(report)} | {fnb_figures(model) if a.fnb else ''}")
                if deploy:
                    kh_runs = [timed(["khiops", "-b", "-i", deploy, "-e", out / "log.txt"], kh_env) for _ in range(a.repeat)]
                    fnb_runs = [timed(fnb_predict) for _ in range(a.repeat)] if a.fnb else []
                    show(f"predict {name}", threads, best(kh_runs), fnb_runs and best(fnb_runs))


if __name__ == "__main__":
    main()
