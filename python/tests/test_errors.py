"""Wrong inputs get the error that a scikit-learn user expects, naming the column."""

from __future__ import annotations

import hashlib
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fnb
from fnb import FNBClassifier, MODLEncoder

Y = np.arange(40) % 2
X = np.arange(80.0).reshape(40, 2)


def frame(**columns):
    return pd.DataFrame({"a": np.arange(40.0), **columns})


WRONG = {
    "one dimension": (X[:, 0], Y, ValueError, "Reshape your data"),
    "series": (pd.Series(Y), Y, ValueError, "Expected 2D array"),
    "three dimensions": (X[:, :, None], Y, ValueError, "dim 3"),
    "scalar": (3.0, Y, ValueError, "Expected 2D array"),
    "text": ("abc", Y, ValueError, "Expected 2D array"),
    "none": (None, Y, ValueError, "Expected 2D array"),
    "no rows": (X[:0], Y[:0], ValueError, r"0 sample\(s\) \(shape=\(0, 2\)\)"),
    "no columns": (X[:, :0], Y, ValueError, r"0 feature\(s\) \(shape=\(40, 0\)\)"),
    "no rows, frame": (frame()[:0], Y[:0], ValueError, r"0 sample\(s\)"),
    "complex": (X.astype(complex), Y, ValueError, "Complex data not supported"),
    "complex column": (frame(b=1j * Y), Y, ValueError, "Complex data not supported"),
    "complex object": (
        frame(b=pd.Series([1j] * 40, dtype=object)),
        Y,
        ValueError,
        'column "b": Complex data not supported',
    ),
    "matrix": (np.matrix(X), Y, TypeError, "np.matrix is not supported"),
    "records": (np.zeros((4, 1), dtype=[("a", "f8")]), Y[:4], TypeError, "not supported"),
    "dict cell": (
        frame(b=pd.Series([{}] * 40)),
        Y,
        TypeError,
        'column "b": argument must be a string or a number',
    ),
    "list cell": (frame(b=pd.Series([[1]] * 40)), Y, TypeError, 'column "b": argument must be'),
    "nested arrow": (
        pa.table({"a": range(40), "b": [[1]] * 40}),
        Y,
        TypeError,
        'column "b" holds nested values',
    ),
    "nested polars": (
        pl.DataFrame({"a": range(40), "s": [{"x": 1}] * 40}),
        Y,
        TypeError,
        'column "s" holds nested values',
    ),
    "duplicate names": (
        pd.DataFrame(X, columns=["a", "a"]),
        Y,
        ValueError,
        "columns 1 and 2 are both named 'a'",
    ),
    "mixed names": (pd.DataFrame(X, columns=["a", 1]), Y, TypeError, "string names"),
    "no target": (X, None, ValueError, "requires y to be passed, but the target y is None"),
    "short target": (X, Y[:-1], ValueError, "inconsistent numbers of samples"),
    "NaN target": (X, np.where(Y, np.nan, 1.0), ValueError, "Input y contains NaN"),
    "None target": (X, [None, "a"] * 20, ValueError, "Input y contains NaN"),
    "NaN among texts": (X, pd.Series([np.nan, "a"] * 20), ValueError, "Input y contains NaN"),
    "NA target": (X, pd.array([pd.NA, 1] * 20, "Int64"), ValueError, "Input y contains NaN"),
    "null target": (X, pa.array([None, "a"] * 20), ValueError, "Input y contains NaN"),
    "null polars": (X, pl.Series(["a", None] * 20), ValueError, "Input y contains NaN"),
    "missing category": (X, pd.Categorical([None, "a"] * 20), ValueError, "contains NaN"),
    "infinite target": (X, np.where(Y, np.inf, 1.0), ValueError, "contains infinity"),
    "quantity": (X, X[:, 0] + 0.5, ValueError, "Unknown label type: continuous"),
    "dates as target": (X, pd.date_range("2025", periods=40), ValueError, "Unknown label type"),
    "mixed labels": (X, np.array(["a", 1] * 20, dtype=object), TypeError, "all text or all num"),
    "two targets": (X, np.c_[Y, Y], ValueError, "y should be a 1d array"),
    "two target columns": (X, pd.DataFrame(np.c_[Y, Y]), ValueError, "y should be a 1d array"),
    "dict": ({"a": X[:, 0]}, Y, ValueError, r"a dict instead, .*give pandas.DataFrame\(X\)"),
    "list of dicts": ([{"a": 1}] * 40, Y, ValueError, "a list of dicts instead"),
    "set": ({1, 2}, Y, ValueError, "Expected 2D array, got set instead"),
    "rows one by one": ((row for row in X), Y, ValueError, "got generator instead"),
    "128 bits": (
        pl.DataFrame({"a": X[:, 0], "big": pl.Series(Y, dtype=pl.Int128)}),
        Y,
        TypeError,
        r"column 'big' is of type Int128.*pl.col\('big'\).cast\(pl.Int64\).*X.drop\('big'\)",
    ),
    "polars objects": (
        pl.DataFrame({"o": pl.Series([object()] * 40, dtype=pl.Object)}).lazy(),
        Y,
        TypeError,
        "column 'o' is of type Object",
    ),
    "surrogate": (
        frame(b=pd.Series(["a\ud800", "b"] * 20, dtype=object)),
        Y,
        ValueError,
        r"column \"b\": the text 'a\\ud800' has a lone surrogate",
    ),
    "surrogate in a matrix": (
        np.array([["\udfff", 1]] * 40, dtype=object),
        Y,
        ValueError,
        'column "x0": the text .* has a lone surrogate',
    ),
    "surrogate in a name": (
        pd.DataFrame(X, columns=pd.Index(["a", "\ud800"], dtype=object)),
        Y,
        ValueError,
        r"the column name '\\ud800' has a lone surrogate",
    ),
    "surrogate in y": (X, ["\ud800", "b"] * 20, ValueError, "y: the text .* lone surrogate"),
    "surrogate in the name of y": (
        X,
        pd.Series(Y, name="\ud800"),
        ValueError,
        "the name of y, .* lone surrogate",
    ),
    "endless target": (X, np.array([10**400, 1.0] * 20, dtype=object), ValueError, "too large"),
    "identifier": (X, [f"id{i}" for i in range(40)], ValueError, "40 classes in 40 rows"),
}


@pytest.mark.parametrize("estimator", [FNBClassifier, MODLEncoder])
@pytest.mark.parametrize("case", WRONG)
def test_fit_refuses(case, estimator):
    table, target, error, text = WRONG[case]
    with pytest.raises(error, match=text):
        estimator().fit(table, target)


WEIGHTS = {
    "short": (np.ones(39), "expected"),
    "two dimensions": (np.ones((40, 2)), "1D"),
    "negative": (np.r_[-1.0, np.ones(39)], "Negative values in sample_weight: row 0"),
    "NaN": (np.r_[np.nan, np.ones(39)], "contains NaN"),
    "infinite": (np.r_[np.inf, np.ones(39)], "contains infinity"),
    "zero": (np.zeros(40), "at least one non-zero"),
    "texts": (["a"] * 40, "could not convert"),
}


@pytest.mark.parametrize("case", WEIGHTS)
def test_weights_are_checked(case):
    weights, text = WEIGHTS[case]
    with pytest.raises(ValueError, match=text):
        FNBClassifier().fit(X, Y, sample_weight=weights)


def test_weights_of_classes_that_are_not_there():
    with pytest.raises(ValueError, match="class_weight names 'maybe', which y does not have"):
        FNBClassifier(class_weight={"maybe": 3.0}).fit(X, Y)
    whole = dict.fromkeys([*set(Y), "maybe"], 2.0)
    with pytest.warns(UserWarning, match="class_weight names 'maybe'") as told:
        FNBClassifier(class_weight=whole).fit(X, Y)
    assert told[0].filename == __file__


def test_class_weights_are_checked():
    for wrong in ({0: -1}, {0: np.nan}, {0: "a"}, 3, ["balanced"]):
        with pytest.raises(ValueError, match="class_weight"):
            FNBClassifier(class_weight=wrong).fit(X, Y)


def test_prediction_refuses_what_does_not_match(mixed):
    table, y = mixed
    clf = FNBClassifier().fit(table, y)
    encoder = MODLEncoder().fit(table, y)
    for predict in (
        clf.predict,
        clf.predict_proba,
        clf.explain,
        clf.shap_values,
        encoder.transform,
    ):
        with pytest.raises(ValueError, match="yet now missing:\n- size"):
            predict(table.rename(columns={"size": "Size"}))
    with pytest.raises(ValueError, match="unseen at fit time:\n- Size"):
        clf.predict(table.rename(columns={"size": "Size"}))
    with pytest.raises(ValueError, match="X has 4 features, but FNBClassifier is expecting 5"):
        with pytest.warns(UserWarning):
            clf.predict(table.to_numpy()[:, :4])
    with pytest.raises(ValueError, match='"size" is text in row 1'):
        clf.predict(table.assign(size="tall"))
    unnamed = FNBClassifier().fit(X, Y)
    for width in (1, 3):
        with pytest.raises(ValueError, match=f"X has {width} features, but FNBClassifier is expec"):
            unnamed.predict(np.zeros((2, width)))
    with pytest.raises(ValueError, match="Reshape your data"):
        unnamed.predict(X[0])


def test_model_files_are_checked(tmp_path, cancer):
    table, y = cancer
    with pytest.raises(FileNotFoundError):
        fnb.load_model(tmp_path / "absent.json")
    text = FNBClassifier().fit(table, y).to_json()
    for wrong in ("", "{}", "[1]", "not json", text[:-100], text.replace("0.", "1.", 1)):
        with pytest.raises(ValueError, match=r"\[M0"):
            fnb.Model.from_json(wrong)
    with pytest.raises(OSError):
        FNBClassifier().fit(table, y).save(tmp_path / "absent" / "model.json")


def test_messages_speak_python_not_options(mixed):
    table, y = mixed
    for case in (table.assign(size="tall"), table.assign(city=[[1]] * len(table))):
        with pytest.raises((ValueError, TypeError)) as caught:
            FNBClassifier().fit(table, y).predict(case)
        assert "--" not in str(caught.value)


# Whatever is given, an ordinary exception or a model comes out, never a panic.
cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.complex_numbers(),
    st.binary(max_size=3),
    st.dates(),
    st.datetimes(),
    st.timedeltas(),
    st.decimals(),
    st.fractions(),
    st.uuids(),
    st.lists(st.integers(), max_size=2),
)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(cells, cells), min_size=1, max_size=12),
    st.lists(st.one_of(cells, st.sampled_from(["a", "b"])), min_size=1, max_size=12),
)
def test_anything_gives_a_model_or_an_exception(rows, labels):
    import warnings

    table = pd.DataFrame(
        {
            "a": pd.Series([r[0] for r in rows], dtype=object),
            "b": pd.Series([r[1] for r in rows], dtype=object),
        }
    )
    labels = (labels * 12)[: len(rows)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            clf = FNBClassifier().fit(table, labels)
            assert len(clf.predict(table)) == len(rows)
        except (ValueError, TypeError, OverflowError) as error:
            assert "bug in fnb" not in str(error)


def test_warnings_point_to_the_caller():
    codes = frame(b=pd.Series(range(40), dtype=object))
    for call in (FNBClassifier().fit, MODLEncoder().fit, fnb.describe):
        with pytest.warns(UserWarning, match="dtype object that hold numbers.*'b'") as caught:
            call(codes, Y)
        assert {warning.filename for warning in caught} == {__file__}
    for estimator in (FNBClassifier(), MODLEncoder()):
        with pytest.warns(UserWarning, match="y has a single class") as caught:
            estimator.fit(X, np.ones(40, dtype=int))
        assert {warning.filename for warning in caught} == {__file__}


def next_step(error):
    """What follows the code of an error."""
    message = str(error.value)
    assert "[" in message and "--" not in message, message
    _, _, step = message.partition("]; ")
    assert step.strip(), message
    return step


def a_model(text, **changes):
    """A model file with changes, sealed again."""
    content = json.loads(text)
    content.update(changes)
    content["checksum"] = ""
    compact = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    content["checksum"] = "sha256:" + hashlib.sha256(compact.encode()).hexdigest()
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False)


def test_every_error_has_a_next_step(mixed, tmp_path):
    table, y = mixed
    clf = FNBClassifier().fit(table, y)
    text = clf.to_json()
    orders = pd.DataFrame({"id": [1, 2], "day": pd.to_datetime(["2025-01-01"] * 2)})
    times = orders.assign(sent=orders["day"])
    main = frame(id=np.arange(40), at=pd.to_datetime(["2025-02-01"] * 40))

    def with_orders(data, **more):
        return FNBClassifier(tables=[fnb.Table("orders", data, on="id")], **more)

    cases = {
        "D07": lambda: clf.predict(table.assign(size="tall")),
        "D14": lambda: clf.predict(table.assign(size=pd.date_range("2025", periods=len(table)))),
        "D11": lambda: FNBClassifier().fit(X, [f"id{i}" for i in range(40)]),
        "M01": lambda: fnb.Model.from_json("{}"),
        "M02": lambda: fnb.Model.from_json(re.sub('"1[.][01]"', '"9.0"', text, count=1)),
        "M03": lambda: fnb.Model.from_json(text.replace("0.", "1.", 1)),
        "M04": lambda: fnb.Model.from_json(a_model(text, tables=[])),
        "M06": lambda: fnb.Model.from_json("[" * 10_000),
        "U01": lambda: with_orders(times, cutoff="at").fit(main, Y),
        "U01]; did you mean": lambda: with_orders(orders, rules="tabel").fit(main, Y),
        "I02": lambda: FNBClassifier(callback=lambda *_: False).fit(table, y),
    }
    for code, call in cases.items():
        with pytest.raises(Exception, match=re.escape(f"[{code}")) as caught:
            call()
        assert next_step(caught), code


def test_advice_names_parameters(mixed):
    table, y = mixed
    clf = FNBClassifier().fit(table, y)
    with pytest.raises(ValueError) as caught:
        clf.predict(table.assign(size="tall"))
    assert "make it null" in next_step(caught)
    with pytest.raises(TypeError) as caught:
        clf.predict(table.assign(size=pd.date_range("2025", periods=len(table))))
    assert "drop_features" in next_step(caught)
    times = pd.DataFrame({"id": [1], "day": pd.to_datetime(["2025-01-01"])})
    times = times.assign(sent=times["day"])
    main = frame(id=np.arange(40), at=pd.to_datetime(["2025-02-01"] * 40))
    with pytest.raises(ValueError) as caught:
        FNBClassifier(tables=[fnb.Table("orders", times, on="id")], cutoff="at").fit(main, Y)
    assert 'time="day"' in next_step(caught)
