"""Tables over several variables: found, shown, shared among their columns."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from fnb import FNBClassifier


@pytest.fixture(scope="module")
def crossed():
    """Two columns that matter only together, one that matters alone."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "left": rng.normal(size=1500),
            "right": rng.choice(["a", "b", "c"], size=1500),
            "alone": rng.normal(size=1500),
        }
    )
    agree = (X["left"] > 0) == (X["right"] == "a")
    odds = np.where(agree, 1.5, -1.5) + X["alone"]
    return X, np.where(rng.random(1500) < 1 / (1 + np.exp(-odds)), "yes", "no")


def test_columns_that_matter_together_are_found(crossed):
    X, y = crossed
    clf = FNBClassifier().fit(X, y)
    (table,) = [t for t in clf.interactions_ if len(t["variables"]) == 2]
    assert set(table["variables"]) == {"left", "right"}
    assert {"left", "right", "alone"} == set(clf.selected_features_)
    observed = np.sum([cell["observed"] for cell in table["cells"]], axis=0)
    assert observed.tolist() == [np.sum(y == "no"), np.sum(y == "yes")]
    plain = FNBClassifier(interactions="none").fit(X, y)
    assert plain.interactions_ == []
    assert clf.score(X, y) > plain.score(X, y) + 0.1


def test_contributions_add_up_with_tables(crossed):
    X, y = crossed
    clf = FNBClassifier().fit(X, y)
    values = clf.shap_values(X)
    np.testing.assert_allclose(values.sum(axis=1) + clf.base_values_, clf.decision_function(X))
    # The two of a table share what it says.
    assert np.abs(values[:, 0]).mean() > 0.1 and np.abs(values[:, 1]).mean() > 0.1
    assert clf.feature_importances_.sum() == pytest.approx(1.0)


def test_numbers_of_tables(crossed):
    X, y = crossed
    assert FNBClassifier(interactions=0).fit(X, y).interactions_ == []
    assert len(FNBClassifier(interactions=np.int64(1)).fit(X, y).interactions_) == 1
    auto = FNBClassifier(interactions="auto").fit(X, y)
    assert auto.to_json() == FNBClassifier().fit(X, y).to_json()
    for wrong in (-1, 1.5, True, "many"):
        with pytest.raises(ValueError, match="interactions must be"):
            FNBClassifier(interactions=wrong).fit(X, y)
    with pytest.raises(ValueError, match="preset default alone"):
        FNBClassifier(preset="khiops", interactions=3).fit(X, y)
    assert FNBClassifier(preset="khiops").fit(X, y).interactions_ == []


def test_rows_and_columns_in_any_order(crossed):
    X, y = crossed
    expected = json.loads(FNBClassifier().fit(X, y).to_json())
    order = np.random.default_rng(0).permutation(len(X))
    other = X.iloc[order][["alone", "right", "left"]].reset_index(drop=True)
    found = json.loads(FNBClassifier(n_jobs=3).fit(other, y[order]).to_json())
    assert found["terms"] == expected["terms"]


def test_tables_are_on_the_page(crossed):
    X, y = crossed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page = FNBClassifier().fit(X, y)._repr_html_()
    assert "<h4>Tables</h4>" in page and "left" in page
