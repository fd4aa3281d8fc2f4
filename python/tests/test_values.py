"""The same values in any container: the same model, and the same predictions."""

from __future__ import annotations

import datetime as dt
import pathlib
import subprocess
import warnings
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import fnb
from fnb import DataWarning, FNBClassifier

from .test_cli_same_bytes import PROGRAM

ROWS = 1500
PARIS = ZoneInfo("Europe/Paris")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the program fnb is not built")


def columns(rows: int = ROWS, seed: int = 3) -> dict[str, list]:
    """One column of every kind as plain Python objects, some missing; `answer` follows them all."""
    r = np.random.default_rng(seed)
    start = dt.datetime(2024, 1, 1, 0, 0, 7)
    moments = [start + dt.timedelta(minutes=int(m)) for m in r.integers(1, 500_000, rows)]
    clocks = [start + dt.timedelta(seconds=int(s)) for s in r.integers(1, 86_000, rows)]
    cities = r.choice(["Lannion", "Rennes", "Brest", "Vannes"], rows)
    flags = r.random(rows) < 0.4
    sizes = np.round(r.normal(size=rows), 3)
    late = [clock.hour >= 15 for clock in clocks]
    summer = [moment.month in (6, 7, 8) for moment in moments]
    votes = (
        2 * flags
        + 2 * np.array(late)
        + 2 * np.array(summer)
        + (cities == "Brest")
        + 2 * (sizes > 0.5)
        - 3.5
    )
    answer = np.where(r.random(rows) < 1 / (1 + np.exp(-2 * votes)), "yes", "no")
    word = np.where((answer == "yes") ^ (r.random(rows) < 0.3), "late", "fine")
    table = {
        "size": [float(v) for v in sizes],
        "count": [int(v) for v in r.integers(2, 40, rows)],
        "city": cities.tolist(),
        "flag": [bool(v) for v in flags],
        "day": [moment.date() for moment in moments],
        "at": [clock.time() for clock in clocks],
        "seen": moments,
        "zoned": [moment.replace(tzinfo=PARIS) for moment in moments],
        "story": [f"{w} {'word ' * 25}{i}" for i, w in enumerate(word)],
    }
    for place, name in enumerate(table):
        table[name] = [
            None if (i + place) % 17 == 0 else value for i, value in enumerate(table[name])
        ]
    return {**table, "answer": answer.tolist()}


def text_of(value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def csv_of(table: dict[str, list]) -> str:
    lines = [",".join(table)]
    lines += [",".join(map(text_of, row)) for row in zip(*table.values(), strict=True)]
    return "\n".join(lines) + "\n"


ARROW = {
    "size": pa.float64(),
    "count": pa.int64(),
    "city": pa.string(),
    "flag": pa.bool_(),
    "day": pa.date32(),
    "at": pa.time64("us"),
    "seen": pa.timestamp("us"),
    "zoned": pa.timestamp("us", "Europe/Paris"),
    "story": pa.string(),
    "answer": pa.string(),
}


def arrow_of(table: dict[str, list]) -> pa.Table:
    return pa.table({name: pa.array(values, ARROW[name]) for name, values in table.items()})


def as_texts(table: dict[str, list]) -> dict[str, list]:
    """Dates, times and timestamps as texts, as a file has them."""
    moments = ("day", "at", "seen", "zoned")
    return {
        name: [None if v is None else str(v) for v in values] if name in moments else values
        for name, values in table.items()
    }


def numpy_dtypes(table):
    frame = pd.DataFrame(table)
    seen = pd.Series(pd.to_datetime(table["seen"])).astype("datetime64[us]")
    zoned = pd.Series(pd.to_datetime(table["zoned"], utc=True)).dt.tz_convert("Europe/Paris")
    frame["count"] = frame["count"].astype("float64")
    return frame.assign(seen=seen, zoned=zoned, flag=frame["flag"].astype("boolean"))


def objects(table):
    return pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in table.items()})


def in_paris():
    """DuckDB keeps moments and no zone: it lends them in that of the session."""
    session = duckdb.connect()
    session.execute("SET TimeZone = 'Europe/Paris'")
    return session


FRAMES = {
    "pandas objects": objects,
    "pandas objects of texts": lambda t: objects(as_texts(t)),
    "pandas numpy": numpy_dtypes,
    "pandas texts": lambda t: pd.DataFrame(as_texts(t)),
    "pandas arrow": lambda t: arrow_of(t).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas nan": lambda t: objects(t).where(objects(t).notna(), np.nan),
    "polars": lambda t: pl.from_arrow(arrow_of(t)),
    "polars texts": lambda t: pl.DataFrame(as_texts(t)),
    "polars categorical texts": lambda t: pl.DataFrame(as_texts(t)).with_columns(
        pl.col("day", "at", "seen", "zoned").cast(pl.Categorical)
    ),
    "arrow": arrow_of,
    "arrow texts": lambda t: pa.table(as_texts(t)),
    "arrow dictionary texts": lambda t: pa.table(
        {
            name: pa.array(v).dictionary_encode() if name in ("day", "zoned") else pa.array(v)
            for name, v in as_texts(t).items()
        }
    ),
    "duckdb": lambda t: in_paris().from_arrow(arrow_of(t)),
    "duckdb texts": lambda t: duckdb.from_arrow(pa.table(as_texts(t))),
}


def without_answer(frame):
    if hasattr(frame, "project"):
        return frame.project(", ".join(f'"{c}"' for c in frame.columns if c != "answer"))
    if isinstance(frame, pd.DataFrame):
        return frame.drop(columns="answer")
    return frame.drop("answer") if isinstance(frame, pl.DataFrame) else frame.drop(["answer"])


def run(*arguments) -> subprocess.CompletedProcess:
    command = [PROGRAM, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True)


@pytest.fixture(scope="module")
def table():
    return columns()


@pytest.fixture(scope="module")
def model_of_program(table, tmp_path_factory):
    """What the program learns from text."""
    folder = tmp_path_factory.mktemp("values")
    (folder / "d.csv").write_text(csv_of(table))
    run("train", folder / "d.csv", "-t", "answer", "-o", folder / "m.json")
    return folder / "m.json"


def test_every_kind_is_used(model_of_program):
    model = fnb.load_model(model_of_program)
    assert list(model.columns.values()) == [
        "numerical",
        "numerical",
        "categorical",
        "categorical",
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "text",
    ]
    used = {variable["name"].split(".")[0].split("(")[0] for variable in model.variables}
    assert used >= {"size", "flag", "at", "story"}, used


@pytest.mark.parametrize("texts", [False, True])
def test_parquet_gives_the_model_of_text(texts, table, model_of_program, tmp_path):
    given = pa.table(as_texts(table)) if texts else arrow_of(table)
    pyarrow.parquet.write_table(given, tmp_path / "d.parquet")
    run("train", tmp_path / "d.parquet", "-t", "answer", "-o", tmp_path / "m.json")
    assert (tmp_path / "m.json").read_text() == model_of_program.read_text()


@pytest.mark.parametrize("kind", FRAMES)
def test_any_frame_gives_the_model_of_text(kind, table, model_of_program):
    X = without_answer(FRAMES[kind](table))
    y = pd.Series(table["answer"], name="answer")
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        warnings.filterwarnings("ignore", "columns of dtype object that hold numbers")
        clf = FNBClassifier().fit(X, y)
        assert clf.to_json() == model_of_program.read_text()
        # Scored in any other container, by models of the program and of Python.
        expected = fnb.load_model(model_of_program).predict_proba(arrow_of(table))
        np.testing.assert_array_equal(clf.predict_proba(X), expected)
    if isinstance(X, pd.DataFrame):
        np.testing.assert_array_equal(clf.predict_proba(X[:20]), expected[:20])


def test_zones_that_differ_from_row_to_row(tmp_path):
    """Moments by the clocks of several zones, as a file writes them."""
    table = columns()
    zones = [PARIS, ZoneInfo("Asia/Tokyo"), dt.timezone(dt.timedelta(hours=-4))]
    local = [m and m.replace(tzinfo=zones[i % 3]) for i, m in enumerate(table["seen"])]
    answer = [v is not None and v.hour < 12 for v in local]
    given = {"local": local, "answer": [str(v) for v in answer]}
    (tmp_path / "d.csv").write_text(csv_of(given))
    run("train", tmp_path / "d.csv", "-t", "answer", "-o", tmp_path / "m.json")
    X = pd.DataFrame({"local": pd.Series(local, dtype=object)})
    clf = FNBClassifier().fit(X, pd.Series(given["answer"], name="answer"))
    assert clf.model_.columns == {"local": "timestamptz"}
    assert clf.to_json() == (tmp_path / "m.json").read_text()
    assert clf.score(X, given["answer"]) > 0.95


def test_days_of_numpy_are_dates():
    days = np.arange("2024-01-01", "2025-06-01", dtype="datetime64[D]")
    y = (days.astype("datetime64[M]").astype(int) % 12 >= 6).astype(int)
    objects = pd.DataFrame({"x0": pd.Series(days.tolist(), dtype=object)})
    expected = FNBClassifier().fit(objects.to_numpy(), y)
    assert expected.model_.columns == {"x0": "date"}
    for X in (days[:, None], days.astype(object)[:, None], days.astype(str)[:, None]):
        assert FNBClassifier().fit(X, y).to_json() == expected.to_json()
    assert expected.score(days[:, None], y) > 0.95


# --- truth values and numbers as categories ---


def flags(rows: int = 400) -> tuple[np.ndarray, np.ndarray]:
    r = np.random.default_rng(2)
    y = r.random(rows) < 0.5
    return y ^ (r.random(rows) < 0.1), y


WAYS = {
    "bool": lambda v: v,
    "int": lambda v: v.astype("int64"),
    "float": lambda v: v.astype("float64"),
    "object bool": lambda v: v.astype(object),
    "object int": lambda v: v.astype(int).astype(object),
    "True": lambda v: np.where(v, "True", "False").astype(object),
    "true": lambda v: np.where(v, "true", "false"),
    "TRUE": lambda v: np.where(v, "TRUE", "FALSE").astype(object),
    "text 0/1": lambda v: np.where(v, "1", "0").astype(object),
    "text 1.0": lambda v: np.where(v, "1.0", "0.0").astype(object),
    "category bool": lambda v: pd.Categorical(v),
    "category int": lambda v: pd.Categorical(v.astype(int)),
    "category float": lambda v: pd.Categorical(v.astype(float)),
    "boolean": lambda v: pd.array(v, dtype="boolean"),
    "arrow bool": lambda v: pd.array(v, dtype="bool[pyarrow]"),
    "arrow int": lambda v: pd.array(v.astype(int), dtype="int8[pyarrow]"),
    "arrow text": lambda v: pd.array(np.where(v, "True", "False"), dtype="string[pyarrow]"),
}


@pytest.mark.parametrize("learnt", WAYS)
def test_booleans_learnt_in_one_way_are_understood_in_every_other(learnt):
    values, y = flags()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        warnings.filterwarnings("ignore", "columns of dtype object that hold numbers")
        X = pd.DataFrame({"flag": WAYS[learnt](values)})
        clf = FNBClassifier().fit(X, y)
        expected = clf.predict_proba(X)
        assert clf.score(X, y) > 0.85
        for kind, way in WAYS.items():
            other = pd.DataFrame({"flag": way(values)})
            for rows in (slice(None), slice(0, 30)):
                proba = clf.predict_proba(other[rows])
                np.testing.assert_array_equal(proba, expected[rows], err_msg=kind)
        polars = pl.DataFrame({"flag": values})
        np.testing.assert_array_equal(clf.predict_proba(polars), expected)


def test_the_program_evaluates_models_of_booleans_on_any_text(tmp_path):
    values, y = flags()
    FNBClassifier().fit(pd.DataFrame({"flag": values}), pd.Series(y, name="y")).save(
        tmp_path / "m.json"
    )
    figures = set()
    for kind in ("bool", "int", "float", "TRUE", "text 1.0"):
        table = pd.DataFrame({"flag": WAYS[kind](values), "y": WAYS[kind](y)})
        table.to_csv(tmp_path / "d.csv", index=False)
        table.to_parquet(tmp_path / "d.parquet")
        for name in ("d.csv", "d.parquet"):
            done = run("evaluate", tmp_path / "m.json", tmp_path / name, "--json")
            assert "warning" not in done.stderr
            figures.add(done.stdout)
    assert len(figures) == 1


def test_whole_numbers_as_categories_are_the_same_in_any_writing():
    r = np.random.default_rng(1)
    codes = r.integers(1, 13, 600)
    y = np.isin(codes, [1, 4, 5, 11]) ^ (r.random(600) < 0.05)
    ways = {
        "category": pd.Categorical(codes),
        "texts": codes.astype(str).astype(object),
        "padded": np.char.zfill(codes.astype(str), 2).astype(object),
        "points": codes.astype(float).astype(str).astype(object),
        "floats": codes.astype(float),
        "integers": codes,
        "objects": codes.astype(object),
    }
    for learnt in ("category", "texts", "padded", "points"):
        X = pd.DataFrame({"code": ways[learnt]})
        clf = FNBClassifier().fit(X, y)
        expected = clf.predict_proba(X)
        assert clf.model_.columns == {"code": "categorical"} and clf.score(X, y) > 0.9
        for kind, values in ways.items():
            proba = clf.predict_proba(pd.DataFrame({"code": values}))
            np.testing.assert_array_equal(proba, expected, err_msg=f"{learnt}, {kind}")


def test_large_integers_stay_apart_as_categories():
    base = 2**53
    codes = np.array([base, base + 1, base + 2, base + 3])[np.arange(200) % 4]
    y = codes % 2 == 0
    mixed = pd.Series([*codes.tolist(), "x"], dtype=object)[:-1]
    for values in (pd.Categorical(codes), codes.astype(str), mixed.astype("category")):
        clf = FNBClassifier().fit(pd.DataFrame({"code": values}), y)
        assert clf.score(pd.DataFrame({"code": values}), y) == 1.0
    with_text = pd.DataFrame({"code": pd.Series([*codes.tolist(), "x", "x"], dtype=object)})
    clf = FNBClassifier().fit(with_text, [*y, True, True])
    assert clf.score(with_text[:200], y) == 1.0


# --- what is told ---


def test_values_that_were_never_seen_are_told():
    values, y = flags()
    X = pd.DataFrame({"flag": np.where(values, "on", "off")})
    clf = FNBClassifier().fit(X, y)
    other = pd.DataFrame({"flag": np.where(values, "Y", "N")})
    message = 'column "flag": none of its 400 values is in the model, for instance "'
    for call in (clf.predict_proba, clf.explain, clf.shap_values, clf.decision_function):
        with pytest.warns(DataWarning, match=message) as caught:
            call(other)
        assert {pathlib.Path(w.filename).name for w in caught} == {"test_values.py"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.predict_proba(pd.concat([other, X]))
        clf.predict_proba(other[:1])


def test_dates_that_cannot_be_read_are_told():
    days = pd.date_range("2024-01-01", periods=300)
    y = days.month > 6
    texts = pd.DataFrame({"day": days.strftime("%d/%m/%Y")})
    clf = FNBClassifier().fit(texts, y)
    assert clf.model_.columns == {"day": "date"}
    turned = pd.DataFrame({"day": days.strftime("%m/%d/%Y")})
    with pytest.warns(DataWarning, match="no dates with the day before the month"):
        clf.predict(turned)
    with pytest.warns(DataWarning, match="nothing tells the day from the month"):
        FNBClassifier().fit(texts[days.day <= 12], y[days.day <= 12])
    typed = FNBClassifier().fit(pd.DataFrame({"day": days.date}), y)
    np.testing.assert_array_equal(
        typed.predict_proba(pd.DataFrame({"day": days.strftime("%Y-%m-%d")})),
        typed.predict_proba(pd.DataFrame({"day": days.date})),
    )
    with pytest.raises(ValueError, match=r"tells the day from the month of .* \[D19\]"):
        typed.predict(turned)


def test_constructed_variables_read_other_rows_as_they_were_read():
    r = np.random.default_rng(4)
    owners = np.repeat(np.arange(60), 5)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(r.integers(0, 366, 300), "D")
    paid = r.random(300) < 0.5
    X = pd.DataFrame({"id": np.arange(60).astype(str)})

    def orders(day, paid):
        return pd.DataFrame({"id": owners.astype(str), "day": day, "paid": paid})

    learnt = orders(days.strftime("%m/%d/%Y"), paid)
    features = fnb.RelationalFeatures([fnb.Table("orders", learnt, on="id")], n_features=200).fit(X)

    def values(orders):
        return pd.DataFrame(features.transform(X, tables={"orders": orders}))

    typed = orders(days.date, np.where(paid, "TRUE", "FALSE"))
    pd.testing.assert_frame_equal(values(typed), values(learnt))
    # Nothing in these rows tells the day from the month.
    early = days.day <= 12
    some, same = (
        orders(day, paid)[early] for day in (days.strftime("%m/%d/%Y"), days.strftime("%Y-%m-%d"))
    )
    pd.testing.assert_frame_equal(values(some), values(same))
