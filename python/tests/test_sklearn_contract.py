"""The contract of scikit-learn estimators."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from fnb import FNBClassifier, MODLEncoder, RelationalFeatures, Table

# Rows of the checks are random numbers: they would be keys of no record, which is an error.
RECORDS = pd.DataFrame({"id": np.arange(0.0), "size": np.arange(0.0)})


@parametrize_with_checks(
    [
        FNBClassifier(),
        FNBClassifier(preset="khiops", n_jobs=1),
        FNBClassifier(method="snb", class_weight="balanced"),
        MODLEncoder(),
        MODLEncoder(output="index"),
        MODLEncoder(output="onehot"),
        RelationalFeatures(),
        RelationalFeatures([Table("record", RECORDS, on={"x0": "id"}, kind="lookup")]),
        RelationalFeatures([Table("record", RECORDS, on={"x0": "id"})]),
    ]
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [FNBClassifier(), MODLEncoder()])
def test_pickle_goes_through_the_json_model(estimator, mixed):
    X, y = mixed
    estimator = clone(estimator).fit(X, y)
    data = pickle.dumps(estimator)
    assert b"fnb-model" in data
    again = pickle.loads(data)
    method = "predict_proba" if isinstance(estimator, FNBClassifier) else "transform"
    np.testing.assert_array_equal(getattr(again, method)(X), getattr(estimator, method)(X))
    assert again.model_.to_json() == estimator.model_.to_json()


def test_unfitted_attributes_are_absent(mixed):
    clf = FNBClassifier()
    for name in ("classes_", "model_", "n_features_in_"):
        assert not hasattr(clf, name)
    for name in ("weights_", "levels_", "selected_features_", "partitions_", "evaluation_"):
        with pytest.raises(NotFittedError):
            getattr(clf, name)
    for method in ("explain", "shap_values", "predict", "predict_proba", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(clf, method)(mixed[0])


def test_cross_validation_in_processes_and_threads(cancer):
    X, y = cancer
    expected = cross_val_score(FNBClassifier(), X, y, cv=3)
    assert expected.mean() > 0.93
    np.testing.assert_array_equal(cross_val_score(FNBClassifier(), X, y, cv=3, n_jobs=2), expected)
    from joblib import parallel_backend

    with parallel_backend("threading"):
        threaded = cross_val_score(FNBClassifier(), X, y, cv=3, n_jobs=2)
    np.testing.assert_array_equal(threaded, expected)


def test_grid_search_in_two_processes(cancer):
    X, y = cancer
    search = GridSearchCV(
        FNBClassifier(), {"regularization": [0.05, 0.5], "method": ["coordinate", "fnb"]}, n_jobs=2
    )
    search.fit(X, y)
    assert search.best_score_ > 0.93 and search.best_estimator_.n_selected_ > 0


def test_calibration_and_predictions_of_folds(cancer):
    X, y = cancer
    proba = CalibratedClassifierCV(FNBClassifier(), cv=3).fit(X, y).predict_proba(X)
    assert proba.shape == (569, 2) and np.isfinite(proba).all()
    proba = cross_val_predict(FNBClassifier(), X, y, cv=3, method="predict_proba")
    assert (proba.argmax(axis=1) == y).mean() > 0.93


def test_selection_from_the_model(cancer):
    X, y = cancer
    kept = SelectFromModel(FNBClassifier(max_selected=4), threshold=1e-9).fit(X, y)
    assert kept.transform(X).shape[1] == 4


def test_pipeline_with_the_encoder(mixed):
    X, y = mixed
    pipe = make_pipeline(MODLEncoder(), LogisticRegression())
    assert cross_val_score(pipe, X, y, cv=4).mean() > 0.7
    # Columns of all types side by side, by name.
    columns = make_column_transformer(
        (MODLEncoder(output="onehot"), ["city", "member"]), remainder="drop"
    )
    assert columns.fit(X, y).transform(X).shape[0] == len(X)


def test_metadata_routing_of_weights(cancer):
    X, y = cancer
    weights = np.where(y == 1, 3.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            FNBClassifier()
            .set_fit_request(sample_weight=True)
            .set_score_request(sample_weight=False),
            {"exponent": [0.95]},
            cv=2,
        )
        search.fit(X, y, sample_weight=weights)
    expected = FNBClassifier(exponent=0.95).fit(X, y, sample_weight=weights)
    assert search.best_estimator_.to_json() == expected.to_json()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output(library, mixed):
    X, y = mixed
    encoder = MODLEncoder().set_output(transform=library).fit(X, y)
    frame = encoder.transform(X)
    assert isinstance(frame, pd.DataFrame if library == "pandas" else pl.DataFrame)
    assert list(frame.columns) == list(encoder.get_feature_names_out()) == list(X.columns)


def test_names_are_warned_about_as_by_scikit_learn(cancer):
    X, y = cancer
    clf = FNBClassifier().fit(X, y)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        unnamed = clf.predict_proba(X.to_numpy())
    np.testing.assert_array_equal(unnamed, clf.predict_proba(X))
    clf = FNBClassifier().fit(X.to_numpy(), y)
    assert not hasattr(clf, "feature_names_in_")
    with pytest.warns(UserWarning, match="X has feature names, but FNBClassifier was fitted"):
        named = clf.predict_proba(X)
    np.testing.assert_array_equal(named, unnamed)


def test_refit_forgets_names(cancer):
    X, y = cancer
    clf = FNBClassifier().fit(X, y).fit(X.to_numpy(), y)
    assert not hasattr(clf, "feature_names_in_")
    clf.predict(X.to_numpy())


def test_parameters_are_checked_by_fit_not_by_init(cancer):
    X, y = cancer
    wrong = {
        "preset": "best",
        "method": "nn",
        "start": "zero",
        "regularization": -1,
        "exponent": 0,
        "max_selected": 0,
        "n_jobs": 0,
        "class_weight": "auto",
        "prior": {3: 0.5},
        "categorical_features": ["absent"],
        "drop_features": [99],
    }
    for name, value in wrong.items():
        clf = FNBClassifier(**{name: value})
        with pytest.raises(ValueError, match=name if name != "prior" else "unknown classes"):
            clf.fit(X, y)
