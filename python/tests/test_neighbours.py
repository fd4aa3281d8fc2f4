"""Real programs beside us: DuckDB, polars, shap."""

from __future__ import annotations

import duckdb
import matplotlib
import numpy as np
import polars as pl
import pytest

from fnb import FNBClassifier, load_model

matplotlib.use("Agg")


def test_a_query_of_duckdb_goes_in_and_its_result_comes_out(mixed, tmp_path):
    X, y = mixed
    table = X.assign(answer=y)
    connection = duckdb.connect()
    connection.register("customers", table)
    query = "select * exclude (answer) from customers"
    clf = FNBClassifier().fit(connection.sql(query), y)
    clf.save(tmp_path / "model.json")
    scores = load_model(tmp_path / "model.json").predict_proba(connection.sql(query))
    connection.register("scores", pl.DataFrame({"yes": scores[:, 1]}))
    mean = connection.sql("select avg(yes) from scores").fetchall()[0][0]
    assert mean == pytest.approx(clf.predict_proba(X)[:, 1].mean())


def test_a_lazy_scan_of_polars(mixed, tmp_path):
    X, y = mixed
    pl.from_pandas(X).write_parquet(tmp_path / "x.parquet")
    lazy = pl.scan_parquet(tmp_path / "x.parquet")
    clf = FNBClassifier().fit(lazy, y)
    assert clf.to_json() == FNBClassifier().fit(X, y).to_json()
    np.testing.assert_array_equal(clf.predict(lazy), clf.predict(X))


def test_plots_of_shap_take_our_values(cancer, iris):
    import matplotlib.pyplot as plt
    import shap

    X, y = cancer
    clf = FNBClassifier().fit(X, y)
    explanation = clf.shap_explanation(X)
    assert explanation.feature_names == list(X.columns)
    sums = explanation.values.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(sums, clf.decision_function(X), atol=1e-9)
    shap.plots.beeswarm(explanation, show=False)
    plt.close("all")
    shap.plots.bar(explanation, show=False)
    plt.close("all")
    shap.plots.waterfall(explanation[0], show=False)
    plt.close("all")
    shap.plots.scatter(explanation[:, "worst texture"], show=False)
    plt.close("all")
    X, y = iris
    clf = FNBClassifier().fit(X, y)
    explanation = clf.shap_explanation(X)
    assert explanation.base_values.shape == (150, 3)
    shap.plots.beeswarm(explanation[:, :, 1], show=False)
    plt.close("all")
    shap.plots.waterfall(explanation[0, :, 2], show=False)
    plt.close("all")


def test_shap_itself_computes_the_same_values_less_their_means(cancer):
    import shap

    X, y = cancer
    clf = FNBClassifier(max_selected=3).fit(X, y)
    values = clf.shap_values(X)
    columns = [list(X.columns).index(name) for name in clf.selected_features_]

    def log_odds(rows):
        table = np.tile(X.to_numpy()[:1], (len(rows), 1))
        table[:, columns] = rows
        table = X.iloc[:0].__class__(table, columns=X.columns)
        return clf.decision_function(table)

    background = X[clf.selected_features_].to_numpy()
    explainer = shap.explainers.Exact(log_odds, shap.maskers.Independent(background, 569))
    theirs = explainer(background[:2]).values
    ours = (values - values.mean(axis=0))[:2, columns]
    np.testing.assert_allclose(theirs, ours, atol=1e-6)
