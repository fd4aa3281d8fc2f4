"""The same data in any container give the same model."""

from __future__ import annotations

import datetime
import warnings
from decimal import Decimal

import duckdb
import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings

from fnb import FNBClassifier, _fnb
from fnb._inputs import open_table

from .conftest import mixed_table


def json_of(X, y, **how):
    return FNBClassifier(**how).fit(X, y).to_json()


class OnlyArrow:
    """Speaks the Arrow protocol and nothing else."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


CONTAINERS = {
    "pandas object": lambda X: X.astype({"city": object}),
    "pandas python strings": lambda X: X.astype({"city": pd.StringDtype("python")}),
    "pandas category": lambda X: X.astype({"city": "category"}),
    "pandas nullable": lambda X: X.astype(
        {"size": "Float64", "count": "Int16", "member": "boolean", "city": "string"}
    ),
    "pandas arrow": lambda X: X.convert_dtypes(dtype_backend="pyarrow").astype(
        {"size": "float64[pyarrow]"}
    ),
    "pandas sparse": lambda X: X.assign(noise=pd.arrays.SparseArray(X["noise"])),
    "pandas reordered rows of columns": lambda X: X[list(X.columns)].copy(),
    "polars": pl.from_pandas,
    "polars chunks": lambda X: pl.concat(
        [pl.from_pandas(X[:100]), pl.from_pandas(X[100:101]), pl.from_pandas(X[101:])],
        rechunk=False,
    ),
    "polars lazy": lambda X: pl.from_pandas(X).lazy(),
    "polars categorical": lambda X: pl.from_pandas(X).with_columns(
        pl.col("city").cast(pl.Categorical)
    ),
    "pyarrow table": lambda X: pa.Table.from_pandas(X),
    "pyarrow batch": lambda X: pa.RecordBatch.from_pandas(X),
    "pyarrow reader": lambda X: pa.Table.from_pandas(X).to_reader(max_chunksize=37),
    "pyarrow dictionary": lambda X: pa.Table.from_pandas(X.astype({"city": "category"})),
    "duckdb": lambda X: duckdb.from_df(X),
    "any arrow": lambda X: OnlyArrow(pa.Table.from_pandas(X)),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_any_container_gives_the_same_model(kind, mixed):
    X, y = mixed
    expected = json_of(X, y)
    container = CONTAINERS[kind](X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert json_of(container, y) == expected


@pytest.mark.parametrize("kind", [k for k in CONTAINERS if k != "pyarrow reader"])
def test_any_container_gives_the_same_predictions(kind, mixed):
    X, y = mixed
    clf = FNBClassifier().fit(X, y)
    np.testing.assert_array_equal(clf.predict_proba(CONTAINERS[kind](X)), clf.predict_proba(X))


MATRICES = {
    "rows": lambda X: np.ascontiguousarray(X),
    "columns": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "reversed": lambda X: X[:, ::-1].copy()[:, ::-1],
    "list": lambda X: X.tolist(),
    "read only": lambda X: _frozen(X),
    "big endian": lambda X: X.astype(">f8"),
    "long double": lambda X: X.astype(np.longdouble),
    "csr": sp.csr_matrix,
    "csc": sp.csc_matrix,
    "coo": sp.coo_array,
    "csr array": sp.csr_array,
}


def _frozen(X):
    X = X.copy()
    X.setflags(write=False)
    return X


@pytest.mark.parametrize("kind", MATRICES)
def test_any_matrix_gives_the_same_model(kind, cancer):
    X, y = cancer
    X = X.to_numpy()
    assert json_of(MATRICES[kind](X), y) == json_of(X, y)


def test_objects_that_are_numbers_are_numbers_with_one_warning(cancer):
    X, y = cancer
    with pytest.warns(UserWarning, match="'x0', 'x1', 'x2' and 27 more") as caught:
        model = json_of(X.to_numpy().astype(object), y)
    assert len(caught) == 1
    assert model == json_of(X.to_numpy(), y)


def test_integers_of_any_width_are_the_same_numbers():
    r = np.random.default_rng(1)
    X = r.integers(0, 100, (300, 2))
    y = X[:, 0] > 40
    expected = json_of(X, y)
    for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        assert json_of(X.astype(kind), y) == expected, kind
    decimals = pa.table({"x0": [Decimal(int(v)) for v in X[:, 0]], "x1": X[:, 1]})
    assert json_of(decimals, y) == expected


def test_single_precision_is_the_short_decimal():
    values = np.round(np.random.default_rng(2).normal(size=(500, 1)), 3)
    y = values[:, 0] > 0.1
    assert json_of(values.astype("f4"), y) == json_of(values, y)


@pytest.mark.parametrize("kind", [float, int])
def test_masked_values_are_missing(kind):
    r = np.random.default_rng(8)
    values = r.integers(0, 50, (300, 2))
    mask = r.random(values.shape) < 0.3
    y = np.where(mask[:, 0], 1, values[:, 0] > 20)
    X = np.ma.masked_array(values.astype(kind), mask)
    missing = np.where(mask, np.nan, values)
    clf, expected = FNBClassifier(), FNBClassifier().fit(missing, y)
    assert clf.fit(X, y).to_json() == expected.to_json()
    np.testing.assert_array_equal(clf.predict_proba(X[:9]), clf.predict_proba(missing[:9]))
    texts = np.ma.masked_array(values.astype(str), mask)
    nones = np.where(mask, None, values.astype(str).astype(object))
    assert json_of(texts, y) == json_of(nones, y)


def test_columns_without_any_value_are_the_same_everywhere():
    rows = np.arange(100.0)
    y = rows > 30
    expected = json_of(pd.DataFrame({"none": [None] * 100, "x": rows}), y)
    table = pl.DataFrame({"none": [None] * 100, "x": rows})
    assert table["none"].dtype == pl.Null
    assert json_of(table, y) == expected
    assert json_of(table.lazy(), y) == expected
    assert json_of(pa.table({"none": pa.nulls(100), "x": rows}), y) == expected


def test_mixed_objects_are_categories():
    X = pd.DataFrame({"code": pd.Series([1, "a", 2.0, None, True] * 40, dtype=object)})
    y = (X["code"] == "a").to_numpy()
    clf = FNBClassifier().fit(X, y)
    assert clf.model_.columns == {"code": "categorical"}
    assert clf.score(X, y) == 1.0


def test_categories_of_numbers_are_categories(mixed):
    X, y = mixed
    as_text = X.assign(count=X["count"].astype(str).astype("category"))
    as_numbers = X.assign(count=X["count"].astype("category"))
    arrow = pa.Table.from_pandas(as_numbers)
    expected = json_of(as_text, y)
    assert json_of(as_numbers, y) == expected
    assert json_of(arrow, y) == expected
    assert json_of(X, y, categorical_features=["count"]) == expected
    assert json_of(X, y, categorical_features=[1]) == expected
    assert json_of(X, y, categorical_features=[False, True, False, False, False]) == expected


def test_dates_of_any_kind_are_recognised(mixed):
    X, y = mixed
    days = pd.date_range("2025-01-01", periods=len(X))
    for column in (days, days.tz_localize("Europe/Paris"), days.to_pydatetime(), days.date):
        clf = FNBClassifier().fit(X.assign(day=column), y)
        assert clf.n_features_in_ == 6
        assert clf.model_.columns["day"] in ("timestamp", "timestamptz", "date")
    matrix = np.array([[datetime.datetime(2025, 1, 1 + i % 20), i % 7] for i in range(100)])
    clf = FNBClassifier().fit(matrix, np.arange(100) % 7 > 3)
    assert clf.selected_features_ == ["x1"]


def test_times_with_a_zone_are_read_by_local_clocks():
    """The same from any container, and as the program reads them."""
    zoned = pd.date_range("2024-01-01", periods=800, freq="37min", tz="Asia/Tokyo")
    y = (zoned.hour < 12).astype(int)
    X = pd.DataFrame({"t": zoned})
    expected = json_of(X, y)
    assert "LocalTimestamp" in expected
    paris = pd.DataFrame({"t": zoned.tz_convert("Europe/Paris")})
    assert json_of(paris, y) != expected
    for table in (
        pl.from_pandas(X),
        pa.Table.from_pandas(X),
        X.astype({"t": pd.ArrowDtype(pa.timestamp("us", "Asia/Tokyo"))}),
        pd.DataFrame({"t": pd.Series(zoned.to_pydatetime(), dtype=object)}),
    ):
        assert json_of(table, y) == expected
    objects = pd.DataFrame({"t": pd.Series(list(paris["t"]), dtype=object)})
    assert json_of(objects, y) == json_of(paris, y)
    # An offset that has no name, too.
    fixed = zoned.tz_convert(datetime.timezone(datetime.timedelta(hours=9)))
    found = FNBClassifier().fit(pd.DataFrame({"t": fixed}), y)
    clf = FNBClassifier().fit(X, y)
    assert (clf.predict(X[:20]) == y[:20]).all()
    assert (found.predict_proba(X[:20]) == clf.predict_proba(X[:20])).all()
    missing = pd.Series([None, *zoned[1:]], dtype=object)
    assert json_of(pd.DataFrame({"t": missing}), y) == json_of(
        pd.DataFrame({"t": X["t"].where(X.index > 0)}), y
    )


def test_doubles_are_lent_not_copied(cancer):
    X = cancer[0].round(3)
    for table in (X, pl.from_pandas(X), pa.Table.from_pandas(X), np.asfortranarray(X.to_numpy())):
        opened = open_table(table)
        names = [f"c{i}" for i in range(opened.width)]
        frame = opened.frame(range(opened.width), names)
        assert frame.lent() == names
    # Values of more than ten digits must be rounded, hence copied.
    frame = _fnb.Frame.from_columns(["x"], [np.array([0.1 + 0.2, 1.0])], 2)
    assert frame.lent() == []


@pytest.mark.parametrize("rows", [1, 65, 400])
def test_no_series_is_made_to_score_a_frame(rows, mixed, monkeypatch):
    # A series of every column took longer than everything else.
    X, y = mixed
    X = X.assign(kind=X["city"].astype("category"), day=pd.Timestamp("2025-01-01"))
    clf = FNBClassifier(method="nb").fit(X, y)
    expected = clf.predict_proba(pa.Table.from_pandas(X[:rows]))
    part = X[:rows].copy()

    def refused(*_):
        raise AssertionError("a series is made")

    with monkeypatch.context() as patch:
        patch.setattr(pd.DataFrame, "iloc", property(refused))
        patch.setattr(pd.DataFrame, "__getitem__", refused)
        np.testing.assert_array_equal(clf.predict_proba(part), expected)
    # Versions of pandas that have no such way.
    monkeypatch.delattr(pd.DataFrame, "_get_column_array")
    np.testing.assert_array_equal(clf.predict_proba(part), expected)
    assert FNBClassifier(method="nb").fit(X, y).to_json() == clf.to_json()


def test_lent_memory_outlives_its_owner(cancer):
    X, _ = cancer
    expected = open_table(X).frame([0], ["a"])
    frame = open_table(X.copy()).frame([0], ["a"])
    filler = [np.full(569, float(i)) for i in range(200)]
    target = _fnb.Target("y", ["a", "b"], (np.arange(569) % 2).astype(np.int64))
    reading = {"types": [], "drop": []}
    models = [_fnb.train(f, target, "{}", reading, 1, None)[0] for f in (frame, expected)]
    assert models[0].to_json() == models[1].to_json() and len(filler) == 200


FEW = {
    "doubles": lambda X: X,
    "integers": lambda X: (X * 10).round().astype("int64"),
    "integers and doubles": lambda X: X.assign(a=X["a"].round().astype("int16")),
    "single and double": lambda X: X.assign(a=X["a"].astype("f4")),
    "half": lambda X: X.astype("f2"),
    "texts": lambda X: X.assign(a=X["a"].round(0).astype("str"), c="c"),
    "objects": lambda X: X.assign(a=X["a"].round(0).astype(object).mask(X["b"] > 1, "x")),
    "categories": lambda X: X.assign(a=X["a"].round(0).astype("category")),
    "nullable": lambda X: X.convert_dtypes(),
    "booleans": lambda X: X > 0,
    "days": lambda X: X.assign(a=pd.Timestamp("2025-01-01") + pd.to_timedelta(X["a"] * 9, "D")),
}


@pytest.mark.parametrize("kind", FEW)
def test_a_few_rows_of_a_frame_are_scored_like_many(kind):
    # Short frames take another path, since pandas takes longer than scoring.
    r = np.random.default_rng(4)
    X = pd.DataFrame(np.round(r.normal(size=(300, 3)), 2), columns=list("abc"))
    X.loc[::11, "b"] = np.nan
    y = X["a"] + X["b"].fillna(0) > 0.2
    if kind in ("integers",):
        X = X.fillna(0)
    X = FEW[kind](X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = FNBClassifier().fit(X, y)
    assert clf.n_selected_ > 0
    many = clf.predict_proba(X)
    for rows in (slice(0, 1), slice(7, 40)):
        few = X[rows]
        np.testing.assert_array_equal(clf.predict_proba(few), many[rows])
        np.testing.assert_array_equal(clf.predict_proba(few[["c", "b", "a"]]), many[rows])
        np.testing.assert_array_equal(clf.predict_proba(few.assign(more="z")), many[rows])


def test_names_that_change_are_noticed_in_one_row(cancer):
    X, y = cancer
    clf = FNBClassifier().fit(X, y)
    row = X[:1]
    expected = clf.predict_proba(row)
    turned = row[row.columns[::-1]]
    np.testing.assert_array_equal(clf.predict_proba(turned), expected)
    np.testing.assert_array_equal(clf.predict_proba(row), expected)
    with pytest.raises(ValueError, match="now missing"):
        clf.predict_proba(row.rename(columns={"worst texture": "texture"}))


TARGETS = {
    "list": lambda y: y.tolist(),
    "tuple": lambda y: tuple(y),
    "array": lambda y: y.to_numpy(),
    "series": lambda y: y,
    "frame": lambda y: y.to_frame(),
    "polars": lambda y: pl.Series("answer", y.to_numpy()),
    "polars frame": lambda y: pl.DataFrame({"answer": y.to_numpy()}),
    "arrow": lambda y: pa.array(y.to_numpy()),
    "arrow chunks": lambda y: pa.chunked_array([pa.array(y.to_numpy())]),
    "arrow table": lambda y: pa.table({"answer": y.to_numpy()}),
    "arrow dictionary": lambda y: pa.array(y.to_numpy()).dictionary_encode(),
    "arrow dictionary chunks": lambda y: pa.chunked_array(
        [pa.array(part).dictionary_encode() for part in (y.to_numpy()[:150], y.to_numpy()[150:])]
    ),
    "arrow dictionary table": lambda y: pa.table(
        {"answer": pa.array(y.to_numpy()).dictionary_encode()}
    ),
}


def labels_of(kind: str, y: pd.Series) -> pd.Series:
    yes = y == "yes"
    if kind == "int":
        return yes.astype(int) * 9 + 1
    if kind == "float":
        return yes.astype(float) + 1.0
    if kind == "bool":
        return yes
    if kind == "category":
        return y.astype("category")
    return y.astype(object if kind == "object" else "str")


@pytest.mark.parametrize("labels", ["str", "object", "int", "float", "bool", "category"])
@pytest.mark.parametrize("kind", TARGETS)
def test_any_target_gives_the_same_classes(kind, labels, mixed):
    X, y = mixed
    y = labels_of(labels, y)
    if kind.startswith(("polars", "arrow")) and labels == "category":
        y = y.astype("str")
    expected = FNBClassifier().fit(X, y)
    clf = FNBClassifier().fit(X, TARGETS[kind](y))
    assert clf.classes_.tolist() == expected.classes_.tolist() == sorted(set(y))
    np.testing.assert_array_equal(clf.predict_proba(X), expected.predict_proba(X))
    assert clf.predict(X).tolist() == expected.predict(X).tolist()
    assert clf.model_._content["target"]["name"] in ("answer", "y")


def test_classes_keep_their_type_and_order():
    X = np.arange(120.0)[:, None]
    y = np.array([2, 10, 9])[(np.arange(120) // 40)]
    clf = FNBClassifier().fit(X, y)
    assert clf.classes_.tolist() == [2, 9, 10] and clf.classes_.dtype == y.dtype
    assert clf.model_.classes == ["10", "2", "9"]
    assert (clf.predict(X) == y).all()
    assert clf.predict_proba(X[:1])[0, 0] > 0.9


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [([1, 2**63], "uint64"), ([2**64, 2**64 + 1], "O"), ([-(10**30), 2**63 - 1], "O")],
)
def test_integers_of_any_size_are_classes(labels, dtype):
    X = np.arange(40.0)[:, None]
    y = [labels[place // 20] for place in range(40)]
    targets = [y, np.array(y, dtype=object), pd.Series(y, dtype=object)]
    if max(map(abs, labels)) < 2**126:
        targets.append(pl.Series(y, dtype=pl.Int128))
    for target in targets:
        clf = FNBClassifier().fit(X, target)
        assert clf.classes_.tolist() == labels and clf.classes_.dtype == dtype
        assert clf.model_.classes == sorted(map(str, labels))
        assert clf.predict(X).tolist() == y


def test_nullable_labels_keep_their_type():
    X = np.arange(40.0)[:, None]
    for labels, dtype in (([3, 5], "Int64"), ([False, True], "boolean"), ([3, 5], "int8[pyarrow]")):
        y = pd.Series(labels * 20, dtype=dtype)
        classes = FNBClassifier().fit(X, y).classes_
        assert classes.tolist() == labels and classes.dtype.kind in "ib"
        with pytest.raises(ValueError, match="Input y contains NaN"):
            FNBClassifier().fit(X, y.mask(y.index == 7))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1), st.integers(2, 120), st.data())
def test_containers_agree_on_random_tables(seed, rows, data):
    X, y = mixed_table(rows, seed)
    if data.draw(st.booleans()):
        X.loc[data.draw(st.integers(0, rows - 1)), "size"] = data.draw(
            st.sampled_from([np.inf, -np.inf, 1e300, -0.0])
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = json_of(X, y)
        kind = data.draw(st.sampled_from(sorted(CONTAINERS)))
        assert json_of(CONTAINERS[kind](X), y) == expected, kind
