"""What a fitted classifier tells and does."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import get_args

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import cross_val_score

import fnb
import fnb._choices
from fnb import FNBClassifier


def test_attributes_fit_together(mixed):
    X, y = mixed
    clf = FNBClassifier().fit(X, y)
    assert clf.classes_.tolist() == ["no", "yes"]
    assert clf.n_features_in_ == 5 and clf.feature_names_in_.tolist() == list(X.columns)
    selected = set(clf.selected_features_)
    assert {"size", "city"} <= selected and clf.n_selected_ == len(selected)
    assert set(X.columns) == selected | set(clf.dropped_features_)
    assert clf.dropped_features_["noise"] == "uninformative"
    for values in (clf.weights_, clf.feature_importances_, clf.levels_):
        assert values.shape == (5,)
        assert [values[i] > 0 for i, c in enumerate(X.columns) if c in selected]
    weights = dict(zip(X.columns, clf.weights_, strict=True))
    assert all((weights[c] > 0) == (c in selected) for c in X.columns)
    assert clf.feature_importances_.sum() == pytest.approx(1)
    parts = clf.partitions_
    assert set(parts) == selected
    assert sum(part["rows"] for part in parts["city"]) == len(X)
    assert parts["size"][0]["label"].startswith(("missing", "<="))
    assert sum(part["counts"]["yes"] for part in parts["size"]) == (y == "yes").sum()
    assert 0 < clf.compression_ < 1 and clf.criterion_ > 0
    assert clf.evaluation_["accuracy"] == pytest.approx(clf.score(X, y))
    assert clf.size_path_[-1]["selected"] == clf.n_selected_


def test_probabilities_logs_and_decisions(iris):
    X, y = iris
    clf = FNBClassifier().fit(X, y)
    proba = clf.predict_proba(X)
    assert proba.sum(axis=1) == pytest.approx(np.ones(len(X)))
    np.testing.assert_allclose(clf.predict_log_proba(X), np.log(proba))
    assert clf.decision_function(X).shape == (150, 3)
    assert (clf.predict(X) == proba.argmax(axis=1)).all()
    two = FNBClassifier().fit(X, y == 1)
    odds = two.decision_function(X)
    assert odds.shape == (150,)
    assert ((odds > 0) == two.predict(X)).all()


def test_shapley_values_add_up_to_the_log_odds(cancer):
    X, y = cancer
    clf = FNBClassifier().fit(X, y)
    values = clf.shap_values(X)
    assert values.shape == X.shape
    assert (values[:, clf.weights_ == 0] == 0).all()
    assert clf.base_values_ == pytest.approx(np.log((y == 1).sum() / (y == 0).sum()))
    odds = clf.base_values_ + values.sum(axis=1)
    np.testing.assert_allclose(odds, clf.decision_function(X), atol=1e-9)
    # Probabilities are smoothed at the end (docs/method.md §8), log odds are not.
    rows = len(X)
    q = clf.predict_proba(X) * (1 + 0.5 / (rows + 1)) - 0.5 / (2 * (rows + 1))
    sure = np.abs(odds) < 15
    np.testing.assert_allclose(odds[sure], np.log(q[sure, 1] / q[sure, 0]), atol=1e-6)
    assert sure.mean() > 0.9


def test_shapley_values_of_many_classes(iris):
    X, y = iris
    clf = FNBClassifier().fit(X, y)
    values = clf.shap_values(X)
    assert values.shape == (150, 4, 3) and clf.base_values_.shape == (3,)
    scores = clf.base_values_ + values.sum(axis=1)
    np.testing.assert_allclose(scores, clf.decision_function(X), atol=1e-9)
    odds = np.exp(scores)
    proba = odds / odds.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(proba, clf.predict_proba(X), atol=0.01)
    shifted = FNBClassifier(prior={0: 0.8, 1: 0.1, 2: 0.1}).fit(X, y)
    scores = shifted.base_values_ + shifted.shap_values(X).sum(axis=1)
    np.testing.assert_allclose(scores, shifted.decision_function(X), atol=1e-9)


def test_a_prediction_is_explained_against_its_runner_up(iris):
    X, y = iris
    clf = FNBClassifier().fit(X, y)
    why = clf.explain(X, top=9)
    order = np.argsort(-clf.predict_proba(X), axis=1)
    share = np.log(np.bincount(y) / len(y))
    scores = clf.decision_function(X)
    for row, lines in why.groupby("row"):
        best, second = order[row, 0], order[row, 1]
        assert set(lines["class"]) == {best} and set(lines["against"]) == {second}
        odds = share[best] - share[second] + lines["contribution"].sum()
        assert odds == pytest.approx(scores[row, best] - scores[row, second])


def test_explanations_are_the_largest_shapley_values(mixed):
    X, y = mixed
    clf = FNBClassifier().fit(X, y)
    why = clf.explain(X[:20], top=2, target_class="yes")
    assert list(why.columns) == [
        "row",
        "class",
        "against",
        "variable",
        "value",
        "part",
        "contribution",
    ]
    values = clf.shap_values(X[:20])
    for row, lines in why.groupby("row"):
        expected = np.sort(np.abs(values[row]))[::-1][: len(lines)]
        np.testing.assert_allclose(lines["contribution"].abs(), expected)
    assert (clf.explain(X[:5])["class"].to_numpy()[::1] != "").all()
    assert isinstance(clf.explain(pl.from_pandas(X)[:3]), pl.DataFrame)
    with pytest.raises(ValueError, match="no class is 'maybe'"):
        clf.explain(X, target_class="maybe")
    with pytest.raises(ValueError, match="top must be an int"):
        clf.explain(X, top=0)


def test_save_and_load(tmp_path, mixed):
    X, y = mixed
    clf = FNBClassifier().fit(X, y)
    clf.save(tmp_path / "model.json")
    model = fnb.load_model(tmp_path / "model.json")
    assert model.to_json() == clf.to_json() == (tmp_path / "model.json").read_text()
    np.testing.assert_array_equal(model.predict_proba(X), clf.predict_proba(X))
    assert model.predict(X).tolist() == clf.predict(X).tolist()
    assert model.classes == ["no", "yes"] and list(model.columns) == list(X.columns)
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]
    assert json.loads(clf.to_json())["format"] == "fnb-model"
    pd.testing.assert_frame_equal(model.explain(X[:9]), clf.explain(X[:9]))


def test_prune_follows_the_size_path(cancer):
    X, y = cancer
    clf = FNBClassifier().fit(X, y)
    for point in clf.size_path_:
        small = clf.prune(point["selected"])
        assert small.n_selected_ == point["selected"]
        weights = {n: w for n, w in zip(X.columns, small.weights_, strict=True) if w > 0}
        assert weights == point["weights"]
        assert small.score(X, y) > 0.85
        assert fnb.Model.from_json(small.to_json()).predict_proba(X).shape == (569, 2)
    assert clf.prune(1000).n_selected_ == clf.n_selected_ == clf.size_path_[-1]["selected"]
    with pytest.raises(ValueError, match="at least 1"):
        clf.prune(0)


def test_sparser_leaves_out_variables(cancer):
    X, y = cancer
    sizes = [FNBClassifier(sparser=share).fit(X, y).n_selected_ for share in (0, 0.001, 0.02, 0.2)]
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] < sizes[0]
    assert FNBClassifier().fit(X, y).n_selected_ == sizes[1]
    for share in (-0.1, 1.5, "few"):
        with pytest.raises(ValueError, match="sparser"):
            FNBClassifier(sparser=share).fit(X, y)


def test_max_selected_is_obeyed(cancer):
    X, y = cancer
    for limit in (1, 2, 5):
        assert FNBClassifier(max_selected=limit).fit(X, y).n_selected_ <= limit


def test_weights_have_no_scale(cancer):
    X, y = cancer
    weights = np.random.default_rng(2).random(len(X))
    expected = FNBClassifier().fit(X, y, sample_weight=weights)
    for others in (weights / weights.sum(), 1000.5 * weights):
        found = FNBClassifier().fit(X, y, sample_weight=others)
        np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), rtol=1e-6)
    plain = FNBClassifier().fit(X, y)
    shares = FNBClassifier().fit(X, y, sample_weight=np.full(len(X), 1 / len(X)))
    np.testing.assert_array_equal(shares.predict_proba(X), plain.predict_proba(X))


def test_boosting_passes_weights_that_sum_to_one(cancer):
    X, y = cancer
    boosted = AdaBoostClassifier(FNBClassifier(), n_estimators=5, random_state=0)
    accuracy = cross_val_score(boosted, X, y, cv=3).mean()
    assert accuracy > 0.93, accuracy


def test_integer_weights_are_repeated_rows(mixed):
    X, y = mixed
    weights = np.random.default_rng(3).integers(0, 4, len(X))
    rows = np.repeat(np.arange(len(X)), weights)
    weighted = FNBClassifier().fit(X, y, sample_weight=weights)
    repeated = FNBClassifier().fit(X.iloc[rows], y.iloc[rows])
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    assert weighted.weights_.tolist() == repeated.weights_.tolist()
    assert weighted.partitions_ == repeated.partitions_


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["coordinate", "fnb", "snb", "nb", "sg.cf"]))
def test_integer_weights_are_repeated_rows_for_any_method(seed, method):
    r = np.random.default_rng(seed)
    X = np.round(r.normal(size=(40, 3)), 1)
    y = (X[:, 0] + r.normal(size=40) > 0).astype(int)
    weights = r.integers(1, 4, 40)
    rows = np.repeat(np.arange(40), weights)
    clf = FNBClassifier(method=method)
    weighted = clf.fit(X, y, sample_weight=weights).predict_proba(X)
    np.testing.assert_array_equal(weighted, clf.fit(X[rows], y[rows]).predict_proba(X))


def test_balanced_classes(mixed):
    X, y = mixed
    counts = y.value_counts()
    factors = {label: len(y) / (2 * counts[label]) for label in ("no", "yes")}
    balanced = FNBClassifier(class_weight="balanced").fit(X, y)
    by_class = FNBClassifier(class_weight=factors).fit(X, y)
    np.testing.assert_array_equal(balanced.predict_proba(X), by_class.predict_proba(X))
    counts = balanced.model_._content["target"]["counts"]
    assert abs(counts[0] - counts[1]) <= 1
    # Class weights change class shares, not parts.
    plain = FNBClassifier().fit(X, y)
    assert {n: [p["label"] for p in parts] for n, parts in balanced.partitions_.items()} == {
        n: [p["label"] for p in parts] for n, parts in plain.partitions_.items()
    }


def test_a_class_without_weight_has_probability_zero(iris):
    X, y = iris
    with pytest.warns(UserWarning, match="1 of 3 classes have no weight"):
        clf = FNBClassifier(class_weight={0: 0}).fit(X, y)
    proba = clf.predict_proba(X)
    assert clf.classes_.tolist() == [0, 1, 2] and proba.shape == (150, 3)
    assert (proba[:, 0] == 0).all() and set(clf.predict(X)) == {1, 2}


def test_prior_shifts_probabilities(cancer):
    X, y = cancer
    clf = FNBClassifier().fit(X, y)
    plain = clf.predict_proba(X)
    rare = clf.set_params(prior={1: 0.01}).predict_proba(X)
    assert (rare[:, 1] <= plain[:, 1] + 1e-12).all() and rare[:, 1].mean() < plain[:, 1].mean()
    same = clf.set_params(prior=[0.99, 0.01]).predict_proba(X)
    np.testing.assert_allclose(same, rare)


def test_one_class_is_a_prior_only_model():
    with pytest.warns(UserWarning, match="single class"):
        clf = FNBClassifier().fit(np.arange(9.0)[:, None], ["a"] * 9)
    assert clf.predict([[1.0], [np.nan]]).tolist() == ["a", "a"]
    assert clf.predict_proba([[1.0]]).tolist() == [[1.0]]
    assert clf.n_selected_ == 0


def test_nothing_informative_is_a_prior_only_model():
    r = np.random.default_rng(5)
    clf = FNBClassifier().fit(r.normal(size=(60, 2)), r.integers(0, 2, 60))
    assert clf.n_selected_ == 0 and clf.predict_proba(np.zeros((2, 2))).shape == (2, 2)
    assert clf.shap_values(np.zeros((2, 2))).tolist() == [[0, 0], [0, 0]]


def test_unseen_and_missing_values_need_no_treatment(mixed):
    X, y = mixed
    clf = FNBClassifier().fit(X, y)
    new = pd.DataFrame(
        {
            "size": [np.nan, np.inf],
            "count": [1, 2],
            "city": ["Quimper", None],
            "member": [True, False],
            "noise": [0.0, 0.0],
        }
    )
    assert np.isfinite(clf.predict_proba(new)).all()


def test_columns_are_found_by_name(mixed):
    X, y = mixed
    clf = FNBClassifier().fit(X, y)
    expected = clf.predict_proba(X)
    shuffled = X[list(X.columns[::-1])].assign(extra=1)
    np.testing.assert_array_equal(clf.predict_proba(shuffled), expected)
    np.testing.assert_array_equal(clf.predict_proba(X.drop(columns="noise")), expected)
    assert clf.predict_proba(X[:0]).shape == (0, 2)


def test_few_rows_and_many_rows_get_the_same_bits(cancer):
    X, y = cancer
    clf = FNBClassifier().fit(X, y)
    many = clf.predict_proba(pd.concat([X] * 10))
    assert len(many) > 4096
    for rows in (1, 3, 64, 65, 569):
        np.testing.assert_array_equal(clf.predict_proba(X[:rows]), many[:rows])
    unnamed = FNBClassifier().fit(X.to_numpy(), y)
    np.testing.assert_array_equal(unnamed.predict_proba(X.to_numpy()[:5]), many[:5])
    np.testing.assert_array_equal(unnamed.predict_proba(X.to_numpy()[:5].tolist()), many[:5])


def test_threads_do_not_matter(mixed):
    X, y = mixed
    texts = {FNBClassifier(n_jobs=jobs).fit(X, y).to_json() for jobs in (1, 2, 3, -1, None)}
    assert len(texts) == 1


def test_presets_and_methods(cancer):
    X, y = cancer
    for preset, method in (("default", "coordinate"), ("khiops", "fnb-khiops"), ("paper", "fnb")):
        params = FNBClassifier(preset=preset).fit(X, y).model_._content["training"]["params"]
        assert (params["preset"], params["method"]) == (preset, method)
    for method in get_args(fnb._choices.Method):
        assert FNBClassifier(method=method).fit(X, y).score(X, y) > 0.9


def test_seed_matters_only_where_orders_are_random(cancer):
    X, y = cancer

    def text(seed, **how):
        return json.loads(FNBClassifier(random_state=seed, **how).fit(X, y).to_json())["terms"]

    assert text(0) == text(1) == text(None)
    assert text(0, method="snb") == text(0, method="snb") != text(5, method="snb")


def test_callback_hears_every_stage_and_can_stop(cancer):
    X, y = cancer
    heard = []
    FNBClassifier(callback=lambda *event: heard.append(event)).fit(X, y)
    assert ("prepare", 30, 30) in heard and heard[-1][0] == "weights"
    assert heard[-1][1] == heard[-1][2]
    with pytest.raises(fnb.Interrupted):
        FNBClassifier(callback=lambda *event: False).fit(X, y)
    with pytest.raises(ZeroDivisionError):
        FNBClassifier(callback=lambda *event: 1 / 0).fit(X, y)


def test_verbose_shows_progress_with_and_without_tqdm(cancer, capsys, monkeypatch):
    X, y = cancer
    FNBClassifier(verbose=1).fit(X, y)
    assert "prepare" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    FNBClassifier(verbose=1).fit(X, y)
    assert "fnb: prepare 30/30" in capsys.readouterr().err
    FNBClassifier().fit(X, y)
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_standard_error_costs_no_model(cancer, monkeypatch):
    X, y = cancer
    for bars in (True, False):
        if not bars:
            monkeypatch.setitem(sys.modules, "tqdm.auto", None)
        # Unbuffered, so that every message fails.
        with open("/dev/full", "wb", buffering=0) as device:
            monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(device, write_through=True))
            assert FNBClassifier(verbose=1).fit(X, y).n_features_in_ == 30
            monkeypatch.undo()


@pytest.mark.skipif(os.name != "posix", reason="rights and devices of Unix")
def test_saving_keeps_rights_links_and_devices(cancer, tmp_path):
    model = FNBClassifier().fit(*cancer)
    path, link = tmp_path / "m.json", tmp_path / "link.json"
    model.save(path)
    path.chmod(0o600)
    link.symlink_to(path)
    model.save(link)
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o600
    model.save("/dev/null")
    assert not os.path.isfile("/dev/null")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.json", "m.json"]


def test_describe_and_compare(mixed):
    X, y = mixed
    table = fnb.describe(X, y)
    levels = dict(zip(X.columns, FNBClassifier().fit(X, y).levels_, strict=True))
    assert dict(zip(table["variable"], table["level"], strict=True)) == levels
    assert table["level"].is_monotonic_decreasing
    assert (
        dict(zip(table["variable"], table["missing"], strict=True))["city"]
        == X["city"].isna().sum()
    )
    figures = fnb.compare(X, y, ["coordinate", "nb", "fnb"], folds=3)
    assert figures["method"].tolist() == ["coordinate", "nb", "fnb"]
    assert figures["auc"].between(0.7, 1).all() and (figures["seconds"] > 0).all()
    assert isinstance(fnb.describe(pl.from_pandas(X), y), pl.DataFrame)
    dated = X.assign(
        day=pd.date_range("2025-01-01", periods=len(X)), lasts=pd.Timedelta(hours=1), none=None
    )
    described = fnb.describe(dated, y)
    variables = described["variable"].tolist()
    assert "day" not in variables and "day.Date.YearDay" in variables
    assert described["level"].is_monotonic_decreasing and "lasts" in variables
    ignored = fnb.describe(X, y, feature_types={"size": "ignore"})
    assert ignored[["variable", "level"]].iloc[-1].tolist() == ["size", 0.0]
    with pytest.raises(ValueError, match="methods must be one of"):
        fnb.compare(X, y, ["boosting"])


def test_public_names_and_lazy_import():
    import subprocess

    code = (
        "import sys, fnb; assert set(fnb.__all__) <= set(dir(fnb)); fnb.load_model; "
        "assert 'sklearn' not in sys.modules and 'pandas' not in sys.modules; "
        "fnb.FNBClassifier; assert 'sklearn' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError):
        fnb.nothing  # noqa: B018


def test_dates_are_used_through_their_calendar_parts():
    rows = 800
    noise = np.round(np.random.default_rng(0).normal(size=rows), 2)
    days = pd.date_range("2024-01-01", periods=rows, freq="11h")
    X = pd.DataFrame({"day": days, "noise": noise})
    y = (days.month > 6).astype(int)
    clf = FNBClassifier().fit(X, y)
    assert clf.selected_features_ == ["day.Date.YearDay"] and clf.score(X, y) == 1.0
    assert clf.weights_[0] > 0 and clf.feature_importances_.tolist() == [1, 0]
    assert (clf.shap_values(X)[:, 1] == 0).all()
    np.testing.assert_array_equal(clf.predict_proba(pl.from_pandas(X)), clf.predict_proba(X))
    assert clf.explain(X[:1])["variable"].tolist() == ["day.Date.YearDay"]


def test_words_of_long_texts_are_variables():
    texts = [("good " if i % 2 else "bad ") + "word " * 30 + str(i) for i in range(200)]
    X = pd.DataFrame({"story": texts})
    y = ["a" if i % 2 else "b" for i in range(200)]
    clf = FNBClassifier().fit(X, y)
    assert clf.selected_features_ in (["story(bad)"], ["story(good)"])
    assert clf.score(X, y) == 1.0
    assert (clf.predict(X.assign(story=texts[::-1])) == y[::-1]).all()


def test_text_features_and_tokeniser():
    texts = [("good " if i % 2 else "bad ") + "word " * 30 + str(i) for i in range(200)]
    X, y = pd.DataFrame({"story": texts}), np.arange(200) % 2
    assert FNBClassifier(text_features=0).fit(X, y).n_selected_ == 0
    one = FNBClassifier(text_features=1).fit(X, y)
    assert one.model_._content["training"]["params"]["text_features"] == 1
    cut = FNBClassifier(tokeniser="ngrams").fit(X, y)
    assert cut.model_._content["training"]["params"]["tokeniser"] == "ngrams"
    assert "gram" in cut.selected_features_[0]
    for wrong in (-1, 1.5, True):
        with pytest.raises(ValueError, match="text_features must be an int of at least 0"):
            FNBClassifier(text_features=wrong).fit(X, y)
    with pytest.raises(ValueError, match="tokeniser must be one of 'words', 'tokens', 'ngrams'"):
        FNBClassifier(tokeniser="letters").fit(X, y)


def test_the_auc_of_a_single_class_is_nan():
    X, y = np.arange(40.0).reshape(-1, 1), np.array(["a", "b"] * 20)
    folds = np.array([0 if label == "a" else 1 for label in y])
    folds[:4] = 2
    figures = fnb.cross_validate(X, y, cv=folds)
    assert figures["auc"].isna().tolist() == [True, True, False]
    with pytest.warns(UserWarning, match="single class"):
        figures = fnb.compare(X, np.repeat("a", 40), ["fnb"], folds=2)
    assert figures["auc"].isna().all() and (figures["accuracy"] == 1).all()


def test_pairs():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"x": rng.uniform(-1, 1, 500).round(2), "y": rng.uniform(-1, 1, 500).round(2)})
    y = np.where((X.x > 0) == (X.y > 0), "same", "other")
    clf = FNBClassifier(preset="khiops", pairs=1).fit(X, y)
    assert clf.score(X, y) > 0.9
    assert clf.model_._content["terms"][0]["name"] == "x`y"
    assert clf.predict_proba(X[:5]).shape == (5, 2)
    assert clf.selected_features_ == ["x`y"]
    np.testing.assert_allclose(clf.feature_importances_, [0.5, 0.5])
    assert clf.partitions_["x`y"][0]["label"].count(", ") == 1
    assert "x`y" in clf._repr_html_()
    assert "x`y" in clf.explain_row(X[:1])._repr_html_()
    scores = clf.shap_values(X).sum(axis=1) + clf.base_values_
    np.testing.assert_allclose(scores, clf.decision_function(X))
    table = fnb.describe(X, y, preset="khiops", pairs=1)
    assert table["variable"][0] == "x`y"
    assert table["type"][0] == "numerical × numerical"
    assert pd.isna(table["distinct"][0])
    with pytest.raises(ValueError, match=r"preset \[U01\]; take preset=\"khiops\""):
        FNBClassifier(pairs=1).fit(X, y)
    for wrong in (-1, 0.5, True):
        with pytest.raises(ValueError, match="pairs must be an int of at least 0"):
            FNBClassifier(preset="khiops", pairs=wrong).fit(X, y)


def test_trees(tmp_path):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"x": rng.uniform(-1, 1, 600).round(2), "y": rng.uniform(-1, 1, 600).round(2)})
    X["kind"] = rng.choice(["a", "b", "c"], 600)
    y = np.where((X.x > 0.3) & ((X.y > 0) | (X.kind == "a")), "in", "out")
    clf = FNBClassifier(preset="khiops", trees=5).fit(X, y)
    assert clf.score(X, y) > 0.97
    trees = [v for v in clf.model_.variables if "tree" in v["from"]]
    assert trees and trees[0]["name"].startswith("Tree_")
    constructed = clf.constructed_features_[0]
    assert constructed["sentence"].startswith("the leaf of a tree of ")
    assert clf.feature_importances_.sum() == pytest.approx(1)
    scores = clf.shap_values(X).sum(axis=1) + clf.base_values_
    np.testing.assert_allclose(scores, clf.decision_function(X))
    assert "Tree_" in clf._repr_html_()
    assert "Tree_" in clf.explain_row(X[:1])._repr_html_()
    path = tmp_path / "model.json"
    clf.save(path)
    again = FNBClassifier.load(path)
    assert (again.trees, again.pairs) == (5, 0)
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))
    assert "Tree_1" in set(fnb.describe(X, y, preset="khiops", trees=5)["variable"])
    for wrong in (-1, 0.5, True):
        with pytest.raises(ValueError, match="trees must be an int of at least 0"):
            FNBClassifier(preset="khiops", trees=wrong).fit(X, y)
