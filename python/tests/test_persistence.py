"""What is kept of estimators: pickles, skops, mlflow, processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fnb.tables
from fnb import FNBClassifier, MODLEncoder, RelationalFeatures, Table

SECRET = "Madame Bovary, 12 rue Neuve"


@pytest.fixture(scope="module")
def shop():
    """Customers, whether they left, and their orders, which hold something secret."""
    r = np.random.default_rng(3)
    X = pd.DataFrame({"customer": range(300), "age": r.integers(18, 80, 300)})
    orders = pd.DataFrame({"customer": np.repeat(np.arange(300), np.arange(300) % 5)})
    orders["amount"] = r.integers(0, 90, len(orders))
    orders["to"] = [f"{SECRET} {i % 3}" for i in range(len(orders))]
    return X, np.where(X["customer"] % 5 < 2, "yes", "no"), orders


def around(orders):
    # Values of a category may be in the model. These are not, so that they can only be among data.
    return [Table("orders", orders, on="customer", drop_features=["to"])]


def fitted(kind, shop, mixed):
    if kind == "classifier":
        return FNBClassifier(max_selected=3).fit(*mixed), mixed[0], "predict_proba"
    if kind == "no names":
        X = mixed[0][["size", "count"]].to_numpy()
        return FNBClassifier().fit(X, mixed[1] == "yes"), X, "predict"
    if kind == "encoder":
        return MODLEncoder(output="label").fit(*mixed), mixed[0], "transform"
    if kind == "pairs":
        X = mixed[0].set_axis(pd.MultiIndex.from_product([["a"], range(5)]), axis=1)
        return FNBClassifier().fit(X, mixed[1]), X, "predict_proba"
    if kind == "pipeline":
        pipe = make_pipeline(MODLEncoder(), StandardScaler(), FNBClassifier())
        return pipe.fit(*mixed), mixed[0], "predict_proba"
    X, _, orders = shop
    return RelationalFeatures(around(orders), n_features=5).fit(X), X, "transform"


KINDS = ["classifier", "no names", "encoder", "pairs", "pipeline", "relational"]


@pytest.mark.parametrize("kind", KINDS)
def test_skops_saves_and_loads(kind, shop, mixed, tmp_path):
    estimator, X, method = fitted(kind, shop, mixed)
    skops.io.dump(estimator, tmp_path / "estimator.skops")
    assert set(skops.io.get_untrusted_types(file=tmp_path / "estimator.skops")) <= set(
        fnb.TRUSTED_TYPES
    )
    again = skops.io.load(tmp_path / "estimator.skops", trusted=fnb.TRUSTED_TYPES)
    how = {"tables": {"orders": shop[2]}} if kind == "relational" else {}
    np.testing.assert_array_equal(getattr(again, method)(X, **how), getattr(estimator, method)(X))
    assert str(again.get_params()) == str(estimator.get_params())
    unfitted = skops.io.loads(skops.io.dumps(clone(estimator)), trusted=fnb.TRUSTED_TYPES)
    assert type(unfitted) is type(estimator)


def test_skops_saves_and_loads_a_model(mixed):
    model = FNBClassifier().fit(*mixed).model_
    again = skops.io.loads(skops.io.dumps(model), trusted=fnb.TRUSTED_TYPES)
    assert again.to_json() == model.to_json()


def test_a_file_of_skops_that_was_changed_is_refused(mixed):
    clf = FNBClassifier().fit(*mixed)
    state = clf.__getstate__()
    state["model_"] = state["model_"].replace('"Paris"', '"Rome"')
    with pytest.raises(ValueError, match="checksum"):
        FNBClassifier().__setstate__(state)


@pytest.mark.parametrize("how", ["skops", "cloudpickle"])
def test_mlflow_saves_and_loads(how, mixed, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", tmp_path.as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    import mlflow.pyfunc
    import mlflow.sklearn

    X, y = mixed
    clf = FNBClassifier().fit(X, y)
    # Its default is the format of skops, which wants to be told whom to trust.
    given = {"skops_trusted_types": fnb.TRUSTED_TYPES}
    if how == "cloudpickle":
        given = {"serialization_format": "cloudpickle"}
    mlflow.sklearn.save_model(clf, tmp_path / "model", **given)
    again = mlflow.sklearn.load_model(str(tmp_path / "model"))
    assert again.to_json() == clf.to_json()
    served = mlflow.pyfunc.load_model(str(tmp_path / "model"))
    np.testing.assert_array_equal(served.predict(X), clf.predict(X))


def test_nothing_that_is_kept_holds_the_data_of_tables(shop, tmp_path):
    X, y, orders = shop
    clf = FNBClassifier(tables=around(orders)).fit(X, y)
    search = GridSearchCV(FNBClassifier(tables=around(orders)), {"exponent": [0.9]}, cv=2)
    search.fit(X, y)
    pipe = make_pipeline(RelationalFeatures(around(orders), n_features=5), FNBClassifier())
    pipe.fit(X, y)
    for estimator in (clf, clone(clf), search, pipe):
        assert SECRET.encode() not in pickle.dumps(estimator)
        joblib.dump(estimator, tmp_path / "estimator")
        assert SECRET.encode() not in (tmp_path / "estimator").read_bytes()
        assert SECRET.encode() not in skops.io.dumps(estimator)


def elsewhere(estimator, monkeypatch):
    """The estimator as another process loads it: there, none of its tables are known."""
    with monkeypatch.context() as patch:
        patch.setattr(fnb.tables, "_ALIVE", {})
        return pickle.loads(pickle.dumps(estimator))


def test_what_was_pickled_scores_with_data_and_says_so_without(shop, monkeypatch):
    X, y, orders = shop
    clf = FNBClassifier(tables=around(orders)).fit(X, y)
    again = elsewhere(clf, monkeypatch)
    assert again.tables[0].data is None and again.tables[0].on == ["customer"]
    given = {"orders": orders}
    np.testing.assert_array_equal(again.predict_proba(X, tables=given), clf.predict_proba(X))
    with pytest.raises(ValueError, match="the model needs table orders, which is not given"):
        again.predict(X)
    assert clone(again).fit(X, y, tables=given).to_json() == clf.to_json()
    with pytest.raises(ValueError, match=r"data of orders are not there: .*tables=.*'orders'"):
        again.fit(X, y)
    features = elsewhere(RelationalFeatures(around(orders)).fit(X), monkeypatch)
    with pytest.raises(ValueError, match="data of orders are not there"):
        features.transform(X)
    # What stays in the process keeps them.
    assert pickle.loads(pickle.dumps(clf)).tables[0].data is orders
    assert copy.deepcopy(clf).tables[0].data is clone(clf).tables[0].data is orders
    np.testing.assert_array_equal(copy.copy(clf).predict(X), clf.predict(X))


def test_processes_get_the_data_they_learn_from(shop):
    X, y, orders = shop
    clf = FNBClassifier(tables=around(orders))
    expected = cross_val_score(clf, X, y, cv=3)
    np.testing.assert_array_equal(cross_val_score(clf, X, y, cv=3, n_jobs=2), expected)
    results = cross_validate(clf, X, y, cv=3, n_jobs=2, return_estimator=True)
    assert results["estimator"][0].predict(X).shape == (300,)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        fitted = pool.apply_async(clf.fit, (X, y)).get(timeout=60)
    assert fitted.to_json() == clone(clf).fit(X, y).to_json()


def test_a_cache_tells_tables_of_other_data_apart(shop, tmp_path):
    X, y, orders = shop
    shifted = orders.assign(customer=(orders["customer"] + 1) % 300)
    memory = joblib.Memory(tmp_path, verbose=0)
    values = []
    for data in (orders, shifted):
        features = RelationalFeatures(around(data), rules="TableCount")
        pipe = make_pipeline(features, FNBClassifier(), memory=memory).fit(X, y)
        values.append(pipe[0].transform(X, tables={"orders": data}))
    assert not np.array_equal(*values)
