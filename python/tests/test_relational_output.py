"""RelationalFeatures and set_output: every column has its own type; other estimators take it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from fnb import FNBClassifier, RelationalFeatures, Table

from .test_tables import around, inputs, shop


@pytest.fixture(scope="module")
def data():
    return shop()


def features(data, **how):
    return RelationalFeatures(around(data), **{"n_features": 300, **how})


def test_columns_of_a_frame_have_their_own_types(data):
    X, _ = inputs(data)
    X = X.set_index(pd.Index(np.arange(len(X)) * 10 + 7, name="row"))
    made = features(data).fit(X)
    values = made.transform(X)
    kinds = [feature["type"] for feature in made.constructed_features_]
    assert {"numerical", "categorical"} == set(kinds)
    pandas = clone(made).set_output(transform="pandas").fit_transform(X)
    polars = clone(made).set_output(transform="polars").fit_transform(X)
    assert pandas.index.equals(X.index)
    names = made.get_feature_names_out().tolist()
    assert list(pandas.columns) == names == polars.columns
    assert len(set(names)) == len(names) and not set("".join(names)) & set('[]{},:"')
    for place, kind in enumerate(kinds):
        column, series = pandas.iloc[:, place], polars[:, place]
        if kind == "numerical":
            assert column.dtype == np.float64 and series.dtype == pl.Float64
            np.testing.assert_array_equal(column, values[:, place].astype(float))
            np.testing.assert_array_equal(series.to_numpy(), values[:, place].astype(float))
        else:
            assert isinstance(column.dtype, pd.CategoricalDtype) and series.dtype == pl.Categorical
            texts = [None if pd.isna(value) else value for value in column]
            assert texts == values[:, place].tolist() == series.cast(pl.String).to_list()


def test_names_that_are_equal_without_their_brackets(data):
    X, _ = inputs(data)
    orders = data["orders"].assign(
        shop=np.array(["a:b", "a=b", "c", "d"])[data["orders"].index % 4]
    )
    table = Table("orders", orders[["customer", "shop"]], on="customer")
    made = RelationalFeatures([table], n_features=400).set_output(transform="pandas")
    frame = made.fit_transform(X)
    assert frame.columns.is_unique
    assert {"Count(orders) where shop = a=b", "Count(orders) where shop = a=b_1"} <= set(frame)


def learners():
    lightgbm = LGBMClassifier(n_estimators=20, min_child_samples=5, verbose=-1)
    return [lightgbm, FNBClassifier()]


@pytest.mark.parametrize("learner", learners(), ids=lambda learner: type(learner).__name__)
def test_pandas_into_learners(data, learner):
    X, y = inputs(data)
    half = len(X) // 2
    made = features(data).set_output(transform="pandas")
    frame = made.fit_transform(X[:half])
    learner = clone(learner).fit(frame, y[:half])
    # Rows with other categories, in another order.
    assert learner.score(made.transform(X[half:]), y[half:]) > 0.7
    pipe = make_pipeline(features(data), clone(learner)).set_output(transform="pandas")
    pipe.fit(X[:half], y[:half])
    expected = learner.predict_proba(made.transform(X[half:]))
    np.testing.assert_array_equal(pipe.predict_proba(X[half:]), expected)


@pytest.mark.parametrize("learner", learners(), ids=lambda learner: type(learner).__name__)
def test_polars_into_learners(data, learner):
    X, y = inputs(data)
    X = pl.from_pandas(X)
    # LightGBM takes no texts and no categories from polars: numbers for it.
    numbers = ["TableSelection", "TableCount", "TableMean", "TableMax", "TableSum", "GetValue"]
    rules = None if isinstance(learner, FNBClassifier) else numbers
    pipe = make_pipeline(features(data, rules=rules), clone(learner)).set_output(transform="polars")
    assert pipe.fit(X, y).score(X, y) > 0.75


def test_the_same_model_from_both_frames(data):
    X, y = inputs(data)
    models = []
    for container in ["pandas", "polars"]:
        frame = features(data).set_output(transform=container).fit_transform(X)
        models.append(FNBClassifier().fit(frame, y).model_.to_json())
    assert models[0] == models[1]
