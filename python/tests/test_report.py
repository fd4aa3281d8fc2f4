"""Pages of models: written whole, with every way to be refused."""

from __future__ import annotations

import os

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import fnb


@pytest.fixture(scope="module")
def fitted():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return fnb.FNBClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2]


def test_a_page_of_a_classifier_and_of_its_model(fitted, tmp_path):
    clf, X, y = fitted
    clf.report(tmp_path / "page.html")
    clf.model_.report(tmp_path / "again.html", title="page")
    clf.report(tmp_path / "page.html", title="page")
    for name in ("page.html", "again.html"):
        assert (tmp_path / name).read_text(encoding="utf-8").startswith("<!doctype html>")
    clf.report(tmp_path / "measured.html", X, y, np.ones(len(y)), main_class=1, title="T & T")
    assert sorted(os.listdir(tmp_path)) == ["again.html", "measured.html", "page.html"]


def test_labels_and_texts_measure_alike(fitted, tmp_path):
    clf, X, y = fitted
    clf.report(tmp_path / "page.html", X, y)
    first = (tmp_path / "page.html").read_bytes()
    clf.model_.report(tmp_path / "page.html", X, y.astype(str))
    assert (tmp_path / "page.html").read_bytes() == first


def test_what_cannot_be_reported(fitted, tmp_path):
    clf, X, y = fitted
    path = tmp_path / "page.html"
    with pytest.raises(ValueError, match="without y"):
        clf.report(path, X)
    with pytest.raises(ValueError, match="without X"):
        clf.model_.report(path, y=y)
    with pytest.raises(ValueError, match="rows"):
        clf.report(path, X, y[:-1])
    with pytest.raises(ValueError, match="one weight per row"):
        clf.report(path, X, y, [1.0])
    with pytest.raises(ValueError, match="no class"):
        clf.report(path, main_class="maybe")
    with pytest.raises(ValueError):
        clf.report(path, X.drop(columns=X.columns[:3]), y)
    with pytest.raises(OSError):
        clf.report(tmp_path / "absent" / "page.html")
    with pytest.raises(ValueError, match="never evaluated"):
        clf.prune(2).report(path)
    assert os.listdir(tmp_path) == []
    clf.prune(2).report(path, X, y)
    assert path.exists()


def test_what_a_page_is_made_of(fitted):
    clf, _, _ = fitted
    model = clf.model_
    evaluation = clf.evaluation_
    low, high = evaluation["intervals"]["auc"]
    assert low < evaluation["auc"] <= high
    positives = {s["class"]: sum(block[1] for block in s["blocks"]) for s in evaluation["scores"]}
    assert positives == dict(zip(model.classes, model._content["target"]["counts"], strict=True))
    assert list(model.values) == list(clf.feature_names_in_)
    radius = model.values["mean radius"]["distribution"]
    assert radius["kind"] == "numbers" and len(radius["bins"]) == 24 and not radius["whole"]
    # The radius of a tumour tells its area, and the other way round.
    assert "mean area" in model.overlaps or "mean radius" in model.overlaps
    assert all(share >= 0.3 for known in model.overlaps.values() for _, share in known)
    assert model.joins == []


def test_a_page_of_an_encoder(fitted, tmp_path):
    _, X, y = fitted
    path = tmp_path / "parts.html"
    encoder = fnb.MODLEncoder().fit(X, y)
    encoder.report(path, X, y, title="parts", main_class=0)
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "Is target 0?" in page
    encoder.model_.report(tmp_path / "model.html", X, y.astype(str), title="parts", main_class="0")
    assert (tmp_path / "model.html").read_text(encoding="utf-8") == page
    matrix = fnb.MODLEncoder().fit(X.to_numpy(), y)
    matrix.report(path, X.to_numpy(), y)
    with pytest.raises(ValueError, match="no class"):
        encoder.report(path, X, y, main_class="maybe")
    with pytest.raises(ValueError):
        encoder.report(path, X.drop(columns=X.columns[:3]), y)
