"""What columns are used as, durations, and labels of groups."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fnb
from fnb import FNBClassifier, MODLEncoder, RelationalFeatures, Table


def table(rows=400):
    """Codes, days as texts, stories; the answer depends on all of them."""
    r = np.random.default_rng(5)
    code = r.integers(0, 6, rows)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(r.integers(0, 366, rows), "D")
    y = np.isin(code, [1, 4]) ^ (r.random(rows) < 0.1)
    X = pd.DataFrame(
        {
            "code": code,
            "day": day.strftime("%Y%m%d").astype(int),
            "words": [f"{'good' if yes else 'bad'} word{i % 7}" for i, yes in enumerate(y)],
            "noise": r.normal(size=rows),
            "digits": [f"{value}" for value in code],
        }
    )
    return X, y


def kinds(clf):
    return {column["name"]: column for column in clf.model_._content["tables"][0]["columns"]}


def test_every_type_that_the_program_knows():
    X, y = table()
    X["clock"] = "10:30:00"
    X["moment"] = "2025-01-01 10:30:00"
    X["zoned"] = "2025-01-01 10:30:00+01:00"
    types = {
        "code": "categorical",
        "words": "text",
        "digits": "numerical",
        "noise": "ignore",
        "clock": "time",
        "moment": "timestamp",
        "zoned": "timestamptz",
    }
    clf = FNBClassifier(feature_types=types).fit(X, y)
    columns = kinds(clf)
    for name, word in types.items():
        if word == "ignore":
            assert columns[name]["role"] == "ignored"
        else:
            assert columns[name]["type"] == word
    assert any(feature["name"].startswith("words(") for feature in clf.constructed_features_)
    assert clf.get_params()["feature_types"] is types


def test_categorical_features_are_a_way_to_say_it(tmp_path):
    X, y = table()
    one = FNBClassifier(categorical_features=["code"]).fit(X, y)
    assert FNBClassifier(feature_types={"code": "categorical"}).fit(X, y).to_json() == one.to_json()
    both = FNBClassifier(categorical_features=[0], feature_types={"code": "categorical"})
    assert both.fit(X, y).to_json() == one.to_json()
    with pytest.raises(ValueError, match="'code', which is numerical by feature_types"):
        FNBClassifier(categorical_features=["code"], feature_types={"code": "numerical"}).fit(X, y)


@pytest.mark.parametrize("container", [pl.from_pandas, pa.Table.from_pandas, lambda X: X])
def test_the_same_whatever_the_container(container):
    X, y = table()
    types = {"code": "categorical", "digits": "numerical", "words": "text"}
    expected = FNBClassifier(feature_types=types).fit(X, y)
    assert FNBClassifier(feature_types=types).fit(container(X), y).to_json() == expected.to_json()
    np.testing.assert_array_equal(expected.predict(container(X)), expected.predict(X))


def test_columns_without_names_are_typed_by_place():
    X, y = table()
    matrix = X[["code", "noise"]].to_numpy()
    clf = FNBClassifier(feature_types={0: "categorical", -1: "ignore"}).fit(matrix, y)
    assert kinds(clf)["x0"]["type"] == "categorical" and kinds(clf)["x1"]["role"] == "ignored"
    labelled = X[["code", "noise"]].set_axis([7, 0], axis=1)
    clf = FNBClassifier(feature_types={0: "ignore", 7: "categorical"}).fit(labelled, y)
    assert kinds(clf)["7"]["type"] == "categorical" and kinds(clf)["0"]["role"] == "ignored"
    assert clf.selected_features_ == [7]


@pytest.mark.parametrize(
    ("types", "error", "message"),
    [
        ({"cod": "categorical"}, ValueError, "no column of X; did you mean 'code'"),
        ({"code": "cat"}, ValueError, "feature_types of 'code' must be one of 'numerical'"),
        ({9: "text"}, ValueError, "names 9, which is no column"),
        (["code"], TypeError, "must be a dict of column to type"),
        (dict.fromkeys(["code", "day", "words", "noise", "digits"], "ignore"), ValueError, "leave"),
    ],
)
def test_types_that_cannot_be(types, error, message):
    X, y = table()
    for estimator in (FNBClassifier(feature_types=types), MODLEncoder(feature_types=types)):
        with pytest.raises(error, match=message):
            estimator.fit(X, y)
    with pytest.raises(error, match=message):
        fnb.describe(X, y, feature_types=types)


def test_what_is_ignored_may_be_anything():
    X, y = table()
    nested = pa.Table.from_pandas(X[["code"]]).append_column("list", pa.array([[1]] * len(X)))
    clf = FNBClassifier(feature_types={"list": "ignore"}).fit(nested, y)
    assert clf.dropped_features_["list"]
    encoder = MODLEncoder(feature_types={"noise": "ignore", "day": "ignore"}, output="index")
    encoder.fit(X, y)
    assert encoder.get_feature_names_out().tolist() == ["code", "words", "digits"]
    assert encoder.transform(X).shape == (400, 3)


def test_types_of_the_columns_of_tables():
    X, _ = table()
    X["id"] = np.arange(len(X))
    records = pd.DataFrame({"id": X["id"], "code": X["code"]})
    around = [Table("record", records, on="id", feature_types={"code": "categorical"})]
    assert "feature_types={'code': 'categorical'}" in repr(around[0])
    features = RelationalFeatures(around, feature_types={"code": "ignore"}).fit(X)
    names = features.get_feature_names_out().tolist()
    assert "Mode(record.code)" in names and "Mean(record.code)" not in names
    # A key that is left out still joins.
    apart = [Table("record", records, on="id", feature_types={"id": "ignore"})]
    names = RelationalFeatures(apart).fit(X).get_feature_names_out().tolist()
    assert "Mean(record.code)" in names and not any("record.id" in name for name in names)
    with pytest.raises(ValueError, match="no column of table record; did you mean 'code'"):
        RelationalFeatures([Table("record", records, on="id", feature_types={"cod": "text"})]).fit(
            X
        )


DURATIONS = {
    "pandas": lambda seconds: pd.DataFrame({"wait": pd.to_timedelta(seconds, "s")}),
    "pandas objects": lambda seconds: pd.DataFrame(
        {"wait": pd.Series([datetime.timedelta(seconds=s) for s in seconds.tolist()], dtype=object)}
    ),
    "numpy": lambda seconds: (seconds * 1000).astype("timedelta64[ms]")[:, None],
    "polars": lambda seconds: pl.DataFrame({"wait": (seconds * 1e6).astype("timedelta64[us]")}),
    "arrow": lambda seconds: pa.table(
        {"wait": pa.array((seconds * 1e9).astype(np.int64), pa.duration("ns"))}
    ),
}


@pytest.mark.parametrize("kind", DURATIONS)
def test_durations_are_their_seconds(kind):
    seconds = np.arange(300) / 4
    y = seconds > 40
    X = DURATIONS[kind](seconds)
    clf = FNBClassifier().fit(X, y)
    (parts,) = clf.partitions_.values()
    assert [part["label"] for part in parts] == ["<= 40.12", "> 40.12"]
    assert clf.score(X, y) == 1.0
    assert set(kinds(clf)) == {"wait" if kind != "numpy" else "x0"}


def test_a_missing_duration_is_missing():
    wait = pd.Series(pd.to_timedelta(np.arange(300), "s")).mask(np.arange(300) % 3 == 0)
    X = pd.DataFrame({"wait": wait})
    clf = FNBClassifier().fit(X, wait.isna())
    assert clf.partitions_["wait"][0]["label"] == "missing"


def test_labels_of_large_groups_are_short_and_their_values_complete():
    r = np.random.default_rng(0)
    towns = np.array([f"a town with quite a long name, number {i}" for i in range(1500)])
    place = r.integers(0, 1500, 30_000)
    y = (place % 2 == 0) ^ (r.random(30_000) < 0.1)
    X = pd.DataFrame({"town": towns[place]})
    clf = FNBClassifier().fit(X, y)
    parts = clf.partitions_["town"]
    assert all(len(part["label"]) < 150 for part in parts)
    assert "…" in parts[0]["label"] and "values)" in parts[0]["label"]
    values = [value for part in parts for value in part["values"]]
    assert len(values) == len(set(values)) == 1500
    assert max(map(len, clf.explain(X[:50])["part"])) < 150
    intervals = FNBClassifier().fit(pd.DataFrame({"x": place % 2 + 0.5}), y).partitions_["x"]
    assert "values" not in intervals[0]


def test_parts_of_values_that_begin_alike_have_names_of_their_own():
    stem = "https://example.org/" + "path/" * 30
    X = pd.DataFrame({"page": [f"{stem}{i % 2}" for i in range(200)]})
    encoder = MODLEncoder(output="onehot", categorical_features=["page"])
    encoder.fit(X, np.arange(200) % 2)
    names = encoder.get_feature_names_out()
    assert len(names) == len(set(names)) == 2
