"""Python and the program `fnb` give the same model, byte for byte, on the same data."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import numpy as np
import pandas as pd
import pytest

from fnb import FNBClassifier, cross_validate, describe, load_model

ROOT = pathlib.Path(__file__).resolve().parents[2]
CANDIDATES = [
    os.environ.get("FNB_PROGRAM", ""),
    *(str(ROOT / "target" / profile / "fnb") for profile in ("debug", "fast", "release")),
]
PROGRAM = next((path for path in CANDIDATES if path and os.access(path, os.X_OK)), None)
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the program fnb is not built")


def run(*arguments):
    command = [PROGRAM, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def trained(tmp_path, table, *options):
    data, model = tmp_path / "data.parquet", tmp_path / "model.json"
    table.to_parquet(data)
    run("train", data, "-t", "answer", "-o", model, *options)
    return model.read_text()


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ([], {}),
        (["--preset", "khiops"], {"preset": "khiops"}),
        (["--preset", "paper", "--seed", "3"], {"preset": "paper", "random_state": 3}),
        (["--method", "sg.cf", "--start", "half"], {"method": "sg.cf", "start": "half"}),
        (["--lambda", "0.7", "--p", "0.5"], {"regularization": 0.7, "exponent": 0.5}),
        (["--max-selected", "1"], {"max_selected": 1}),
        (["--drop", "city"], {"drop_features": ["city"]}),
        (["--type", "count=cat"], {"categorical_features": ["count"]}),
        (
            ["--type", "count=cat", "--type", "noise=ignore", "--type", "city=text"],
            {"feature_types": {"count": "categorical", "noise": "ignore", "city": "text"}},
        ),
        (["--class-weight", "balanced"], {"class_weight": "balanced"}),
        (["--class-weight", "yes=3"], {"class_weight": {"yes": 3}}),
    ],
)
def test_same_bytes(options, parameters, mixed, tmp_path):
    X, y = mixed
    expected = trained(tmp_path, X.assign(answer=y), *options)
    assert FNBClassifier(**parameters).fit(X, y).to_json() == expected


@pytest.mark.parametrize("kind", ["int", "bool", "category"])
def test_same_bytes_for_labels_of_any_type(kind, mixed, tmp_path):
    X, y = mixed
    y = {"int": (y == "yes") * 9 + 1, "bool": y == "yes", "category": y.astype("category")}[kind]
    expected = trained(tmp_path, X.assign(answer=y))
    assert FNBClassifier().fit(X, y.rename("answer")).to_json() == expected


def test_same_bytes_with_durations(mixed, tmp_path):
    X, y = mixed
    X = X.assign(wait=pd.to_timedelta(X["count"] + 60 * (y == "yes"), "min"))
    expected = trained(tmp_path, X.assign(answer=y))
    clf = FNBClassifier().fit(X, y)
    assert clf.to_json() == expected and "wait" in clf.selected_features_


def test_same_bytes_with_weights(mixed, tmp_path):
    X, y = mixed
    weights = np.random.default_rng(1).integers(0, 30, len(X)) / 10
    expected = trained(tmp_path, X.assign(answer=y, w=weights), "--weight", "w")
    assert FNBClassifier().fit(X, y, sample_weight=weights).to_json() == expected


def test_same_bytes_from_text(tmp_path):
    demo = ROOT / "crates" / "fnb-cli" / "demo" / "breast_cancer.csv"
    run("train", demo, "-t", "diagnosis", "-o", tmp_path / "model.json")
    table = pd.read_csv(demo)
    clf = FNBClassifier().fit(table.drop(columns="diagnosis"), table["diagnosis"])
    assert clf.to_json() == (tmp_path / "model.json").read_text()


def test_the_same_description(mixed, tmp_path):
    X, y = mixed
    r = np.random.default_rng(3)
    days = np.datetime64("2024-01-01") + r.integers(0, 600, len(X)) + 40 * (y == "yes").to_numpy()
    stories = [
        f"{'good' if label == 'yes' else 'bad'} {'word ' * 30}{i}" for i, label in enumerate(y)
    ]
    X = X.assign(day=days.astype("datetime64[us]"), story=stories)
    X.assign(answer=y).to_parquet(tmp_path / "data.parquet")
    printed = run("describe", tmp_path / "data.parquet", "-t", "answer", "--json")
    lines = [
        (v["name"], v["type"], v["level"], len(v["counts"]), v["distinct"], v["missing"])
        for v in json.loads(printed)["variables"]
    ]
    names = [line[0] for line in lines]
    assert any(name.startswith("day.") for name in names) and "story(good)" in names
    assert list(describe(X, y).itertuples(index=False, name=None)) == lines


@pytest.mark.parametrize("given", [False, True])
def test_the_same_cross_validation(given, mixed, tmp_path):
    X, y = mixed
    X.assign(answer=y).to_parquet(tmp_path / "data.parquet")
    fold_of_row = np.arange(len(X)) % 3 + 5
    pd.DataFrame({"fold": fold_of_row}).to_csv(tmp_path / "folds.csv", index=False)
    folds = ["--folds", tmp_path / "folds.csv"] if given else ["--cv", "4"]
    options = ["-t", "answer", "--method", "fnb", "--json", *folds]
    printed = json.loads(run("train", tmp_path / "data.parquet", *options))["cv"]["folds"]
    ours = cross_validate(X, y, method="fnb", cv=fold_of_row if given else 4)
    assert ours["fold"].tolist() == ([5, 6, 7] if given else [0, 1, 2, 3])
    for figure in ("fold", "accuracy", "auc", "compression", "log_loss", "brier", "selected"):
        assert ours[figure].tolist() == [fold[figure] for fold in printed]


@pytest.mark.parametrize("cv", [0, 1, True, 2.5, [1.5, 2.5], [0, 1]])
def test_folds_that_are_none(cv, mixed):
    X, y = mixed
    with pytest.raises(ValueError, match=r"cv|folds"):
        cross_validate(X, y, cv=cv)


def test_the_program_scores_a_model_of_python(mixed, tmp_path):
    X, y = mixed
    clf = FNBClassifier().fit(X, y)
    clf.save(tmp_path / "model.json")
    X.to_parquet(tmp_path / "x.parquet")
    out = tmp_path / "out.parquet"
    run("predict", tmp_path / "model.json", tmp_path / "x.parquet", "--proba", "-o", out)
    scored = pd.read_parquet(out)
    proba = scored[[c for c in scored.columns if "yes" in c]].to_numpy()[:, 0]
    np.testing.assert_array_equal(proba, load_model(tmp_path / "model.json").predict_proba(X)[:, 1])
