"""A classifier from a model file: labels of the types they had."""

from __future__ import annotations

import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from fnb import FNBClassifier, Table, load_model

from .test_cli_same_bytes import PROGRAM, run

LABELS = {
    "integers": np.array([-5, 0, 10, 200]),
    "small integers": np.array([1, 2, 3, 4], dtype=np.int8),
    "huge integers": np.array([1, 2**70, 3, 4], dtype=object),
    "booleans": np.array([False, True, False, True]),
    "floats": np.array([0.0, 1.0, 2.0, 10.0]),
    "texts": np.array(["a", "b", "é", "d"], dtype=object),
    "texts of numpy": np.array(["low", "high", "none", "all"]),
    "texts of digits": np.array(["0", "1", "2", "10"], dtype=object),
    "texts of truth": np.array(["true", "false", "true", "false"], dtype=object),
    "texts that are nearly numbers": np.array(["01", "1", "2", "3"], dtype=object),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_come_back_as_what_they_were(kind, iris, tmp_path):
    X, _ = iris
    y = LABELS[kind][np.arange(150) * 4 // 150]
    clf = FNBClassifier().fit(X, y)
    clf.save(tmp_path / "model.json")
    again = FNBClassifier.load(tmp_path / "model.json")
    assert again.classes_.tolist() == clf.classes_.tolist()
    assert [type(label) for label in again.classes_.tolist()] == [
        type(label) for label in clf.classes_.tolist()
    ]
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))
    assert again.to_json() == clf.to_json()


def test_a_loaded_classifier_is_a_whole_one(mixed, tmp_path):
    X, y = mixed
    clf = FNBClassifier(method="fnb", regularization=0.3, max_selected=2, random_state=4).fit(X, y)
    clf.save(tmp_path / "model.json")
    again = FNBClassifier.load(tmp_path / "model.json")
    assert (again.method, again.regularization, again.max_selected) == ("fnb", 0.3, 2)
    assert clone(again).fit(X, y).to_json() == clf.to_json()
    assert again.n_features_in_ == 5 and again.feature_names_in_.tolist() == list(X.columns)
    pd.testing.assert_frame_equal(again.explain(X[:3]), clf.explain(X[:3]))
    assert again.partitions_ == clf.partitions_ and again.weights_.tolist() == clf.weights_.tolist()
    np.testing.assert_array_equal(again.shap_values(X), clf.shap_values(X))
    with pytest.raises(ValueError, match="yet now missing"):
        again.predict(X[["noise"]])


def test_columns_without_names_stay_so(mixed, tmp_path, recwarn):
    X = mixed[0][["size", "count"]].to_numpy()
    clf = FNBClassifier().fit(X, mixed[1])
    clf.save(tmp_path / "model.json")
    again = FNBClassifier.load(tmp_path / "model.json")
    assert not hasattr(again, "feature_names_in_")
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))
    assert not recwarn.list


def test_a_loaded_classifier_takes_its_tables(tmp_path):
    X = pd.DataFrame({"customer": range(200)})
    orders = pd.DataFrame({"customer": np.repeat(np.arange(200), np.arange(200) % 5)})
    y = X["customer"] % 5 < 2
    clf = FNBClassifier(tables=[Table("orders", orders, on="customer")]).fit(X, y)
    clf.save(tmp_path / "model.json")
    again = FNBClassifier.load(tmp_path / "model.json")
    assert again.predict(X, tables={"orders": orders}).dtype == bool
    assert again.score(X, y, tables={"orders": orders}) == 1.0


def test_no_model_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        FNBClassifier.load(tmp_path / "none.json")
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="model"):
        FNBClassifier.load(tmp_path / "data.csv")


@pytest.mark.skipif(PROGRAM is None, reason="the program fnb is not built")
@pytest.mark.parametrize(("texts", "kind"), [("01", int), (["true", "false"], bool), ("ab", str)])
def test_models_of_the_program_have_the_labels_they_look_like(texts, kind, iris, tmp_path):
    X, y = iris
    X.assign(y=np.array(list(texts))[y.to_numpy() % 2]).to_csv(tmp_path / "d.csv", index=False)
    run("train", tmp_path / "d.csv", "-t", "y", "-o", tmp_path / "model.json")
    clf = FNBClassifier.load(tmp_path / "model.json")
    assert {type(label) for label in clf.classes_.tolist()} == {kind}
    assert load_model(tmp_path / "model.json").classes == sorted(texts)


@pytest.mark.skipif(PROGRAM is None, reason="the program fnb is not built")
def test_the_program_reads_what_python_says_of_labels(iris, tmp_path):
    X, y = iris
    FNBClassifier().fit(X, y.astype(float)).save(tmp_path / "model.json")
    assert '"labels":"float"' in (tmp_path / "model.json").read_text()
    X.to_csv(tmp_path / "x.csv", index=False)
    scored = run("predict", tmp_path / "model.json", tmp_path / "x.csv")
    assert scored.splitlines()[1] == "0"
    with pytest.raises(subprocess.CalledProcessError):
        run("predict", tmp_path / "x.csv", tmp_path / "model.json")
