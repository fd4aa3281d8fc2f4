"""Sparse matrices: the same models and values as the dense arrays, without making them."""

from __future__ import annotations

import sys

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings

from fnb import FNBClassifier, MODLEncoder, _fnb, describe, load_model

FORMATS = {
    "csr": sp.csr_matrix,
    "csc": sp.csc_matrix,
    "coo": sp.coo_matrix,
    "lil": sp.lil_matrix,
    "csr array": sp.csr_array,
    "csc array": sp.csc_array,
    "coo array": sp.coo_array,
}


def counts(rows: int = 300, columns: int = 12, seed: int = 5):
    """Small numbers, nine of ten 0, some missing; two classes."""
    r = np.random.default_rng(seed)
    X = r.poisson(0.1, (rows, columns)).astype(float)
    X[r.random(X.shape) < 0.02] = np.nan
    X[r.random(X.shape) < 0.02] = 0.125
    y = np.where(np.nan_to_num(X[:, 0]) + X[:, 1] + r.normal(0, 0.3, rows) > 0.4, "a", "b")
    return X, y


@pytest.mark.parametrize("kind", FORMATS)
def test_the_same_as_the_dense_array(kind, tmp_path):
    X, y = counts()
    sparse = FORMATS[kind](X)
    dense, clf = FNBClassifier().fit(X, y), FNBClassifier().fit(sparse, y)
    assert clf.n_selected_ > 0
    assert clf.to_json() == dense.to_json()
    np.testing.assert_array_equal(clf.predict_proba(sparse), dense.predict_proba(X))
    one = FORMATS[kind](X[:1])
    np.testing.assert_array_equal(dense.predict_proba(one), dense.predict_proba(X[:1]))
    np.testing.assert_array_equal(clf.shap_values(sparse), dense.shap_values(X))
    assert clf.explain(sparse, top=3).equals(dense.explain(X, top=3))
    assert describe(sparse, y).equals(describe(X, y))
    for output in ("logodds", "onehot"):
        ours = MODLEncoder(output=output).fit(sparse, y)
        theirs = MODLEncoder(output=output).fit(X, y)
        np.testing.assert_array_equal(ours.transform(sparse), theirs.transform(X))
    clf.save(tmp_path / "model.json")
    model = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(model.predict_proba(sparse), clf.predict_proba(X))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), rows=st.integers(2, 60), columns=st.integers(1, 6))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_random_entries_in_any_order(data, rows, columns):
    entry = st.tuples(
        st.integers(0, rows - 1),
        st.integers(0, columns - 1),
        st.sampled_from([0.0, -0.0, 1.0, 2.0, -3.5, 0.1 + 0.2, np.nan, np.inf, 1e300]),
    )
    entries = data.draw(st.lists(entry, max_size=120))
    place = [entry[:2] for entry in entries]
    if data.draw(st.booleans()):  # otherwise entries given twice are added up
        entries = list({key: e for key, e in zip(place, entries, strict=True)}.values())
    i, j, v = (np.array([e[k] for e in entries]) for k in range(3))
    shape = (rows, columns)
    triples = (v.astype(float), (i.astype(int), j.astype(int)))
    sparse = sp.coo_array(triples, shape=shape)
    kind = data.draw(st.sampled_from(["coo", "csr", "csc", "bsr"]))
    with np.errstate(invalid="ignore"):
        dense = sparse.toarray()
        sparse = sparse.asformat(kind)
        y = np.array(data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows)))
        assert FNBClassifier().fit(sparse, y).to_json() == FNBClassifier().fit(dense, y).to_json()


def twice(format: str):
    """Entries that are stored twice, not in order, and a 0 that is stored."""
    values, places = np.array([2.0, 1.0, 3.0, 0.0, 5.0]), np.array([4, 1, 4, 2, 0])
    starts = np.array([0, 4, 5])
    kind = {"csc": sp.csc_matrix, "csr": sp.csr_matrix}[format]
    return kind((values, places, starts), shape=(6, 2) if format == "csc" else (2, 6))


def test_entries_given_twice_leave_the_matrix_as_it_is():
    X = twice("csc")
    y = np.array([0, 1, 0, 0, 1, 0])
    before = X.data.copy(), X.indices.copy()
    clf = FNBClassifier().fit(X, y)
    np.testing.assert_array_equal(X.data, before[0])
    np.testing.assert_array_equal(X.indices, before[1])
    assert clf.to_json() == FNBClassifier().fit(X.toarray(), y).to_json()
    rows = twice("csr")
    assert FNBClassifier().fit(rows, [0, 1]).n_features_in_ == 6


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "i4", "u4", "i8", "u8", "f4", "f8", "g"])
def test_any_type_of_number(kind):
    X, y = counts()
    X = np.nan_to_num(np.round(X, 1)).astype(kind)
    expected = FNBClassifier().fit(X, y).to_json()
    assert FNBClassifier().fit(sp.csc_matrix(X), y).to_json() == expected


def test_booleans_are_numbers():
    X, y = counts()
    X = np.nan_to_num(X) > 0
    expected = FNBClassifier().fit(X.astype(float), y).to_json()
    assert FNBClassifier().fit(sp.csr_matrix(X), y).to_json() == expected


def test_categories_and_columns_left_out():
    X, y = counts()
    how = {"categorical_features": [0], "drop_features": [1]}
    clf = FNBClassifier(**how).fit(sp.csr_matrix(X), y)
    dense = FNBClassifier(**how).fit(X, y)
    assert clf.to_json() == dense.to_json()
    assert clf.model_.columns["x0"] == "categorical" and "x1" not in clf.model_.columns
    np.testing.assert_array_equal(clf.predict_proba(sp.csr_matrix(X)), dense.predict_proba(X))


def test_wrong_matrices_are_refused():
    X, y = counts()
    with pytest.raises(ValueError, match="Complex data not supported"):
        FNBClassifier().fit(sp.csr_matrix(X.astype(complex)), y)
    clf = FNBClassifier().fit(sp.csr_matrix(X), y)
    with pytest.raises(ValueError, match="X has 11 features, but FNBClassifier is expecting 12"):
        clf.predict(sp.csr_matrix(X[:, 1:]))
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        FNBClassifier().fit(sp.csr_matrix((0, 3)), [])
    assert clf.predict_proba(sp.csr_matrix((0, 12))).shape == (0, 2)
    starts, places = np.array([0, 9]), np.array([0], dtype=np.int32)
    with pytest.raises(ValueError, match="do not fit together"):
        _fnb.Frame.from_sparse(["x"], starts, places, np.array([1.0]), 3)


def test_a_wide_matrix_is_never_made_dense():
    import resource

    rows, columns = 2_000, 100_000
    r = np.random.default_rng(1)
    X = sp.random_array((rows, columns), density=1e-3, rng=r, format="csr")
    X.data[:] = r.integers(1, 4, X.nnz)
    y = np.arange(rows) % 3 == 0
    X = sp.hstack([X, sp.csr_array((y * 2.0)[:, None])], format="csr")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    clf = FNBClassifier().fit(X, y)
    assert clf.selected_features_ == [f"x{columns}"]
    assert (clf.predict(X) == y).all()
    scale = 1 if sys.platform == "darwin" else 1024
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * scale
    assert grown < rows * columns * 8 / 4, f"{grown / 1e6:.0f} MB"
