"""Names of columns and rows, as the user's frame has them."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fnb import FNBClassifier, MODLEncoder

LABELS = {
    "integers": lambda names: [10 * i for i in range(len(names))],
    "a range": lambda names: list(range(len(names))),
    "pairs": lambda names: pd.MultiIndex.from_tuples(
        [(name[:4], i) for i, name in enumerate(names)]
    ),
}


@pytest.mark.parametrize("kind", LABELS)
def test_names_that_are_no_texts_are_kept(kind, cancer):
    X, y = cancer
    expected = FNBClassifier().fit(X, y)
    labels = LABELS[kind](X.columns)
    X = X.set_axis(labels, axis=1)
    clf = FNBClassifier().fit(X, y)
    assert clf.feature_names_in_.tolist() == list(X.columns)
    of = dict(zip(expected.feature_names_in_, X.columns, strict=True))
    assert clf.selected_features_ == [of[name] for name in expected.selected_features_]
    # They choose columns of the frame they come from.
    assert X[clf.selected_features_].shape == (569, clf.n_selected_)
    assert set(clf.partitions_) == set(clf.selected_features_)
    assert set(clf.dropped_features_) == set(X.columns) - set(clf.selected_features_)
    assert set(clf.explain(X[:9], top=2)["variable"]) <= set(X.columns)
    backwards = X[list(X.columns)[::-1]]
    np.testing.assert_array_equal(clf.predict_proba(backwards), expected.predict_proba(cancer[0]))
    with pytest.raises(ValueError, match="yet now missing"):
        clf.predict(X.drop(columns=[clf.selected_features_[0], X.columns[0]]))


def test_places_are_the_names_of_a_frame_without_names(cancer):
    X, y = cancer
    matrix = X.to_numpy()
    expected = FNBClassifier().fit(matrix, y)
    numbered = FNBClassifier().fit(pd.DataFrame(matrix), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for clf in (expected, numbered):
            for table in (matrix, pd.DataFrame(matrix)):
                np.testing.assert_array_equal(
                    clf.predict_proba(table), expected.predict_proba(matrix)
                )
        model = expected.model_
        np.testing.assert_array_equal(
            model.predict_proba(pd.DataFrame(matrix)), model.predict_proba(matrix)
        )


def test_a_selection_of_numbered_columns_finds_them_again(cancer):
    X, y = cancer
    frame = pd.DataFrame(X.to_numpy())
    clf = FNBClassifier().fit(frame[[20, 7, 27]], y)
    np.testing.assert_array_equal(clf.predict(frame), clf.predict(frame[[27, 20, 7]]))


def test_the_names_of_an_encoder(iris):
    X, y = iris
    X = X.set_axis([3, 5, 7, 9], axis=1)
    encoder = MODLEncoder(output="index").fit(X, y)
    assert encoder.get_feature_names_out().tolist() == ["3", "5", "7", "9"]
    assert encoder.set_output(transform="pandas").transform(X).shape == (150, 4)


@pytest.mark.parametrize(
    "index",
    [
        pd.Index(list("abc"), name="patient"),
        pd.MultiIndex.from_tuples([("x", 1), ("x", 2), ("y", 1)]),
    ],
)
def test_explanations_keep_the_index(index, cancer):
    X, y = cancer
    clf = FNBClassifier().fit(X, y)
    rows = X[:3].set_axis(index, axis=0)
    for explained in (clf.explain(rows, top=2), clf.model_.explain(rows, top=2)):
        assert explained.index.names == index.names
        assert explained.index.tolist() == [label for label in index for _ in range(2)]
        assert explained["row"].tolist() == [0, 0, 1, 1, 2, 2]
    assert clf.explain(rows, target_class=1).loc[[index[1]]]["row"].unique().tolist() == [1]
    assert clf.explain(X.to_numpy()[:2], top=1).index.tolist() == [0, 1]


def test_a_stream_is_explained_though_it_can_be_read_once(mixed):
    X, y = mixed
    clf = FNBClassifier().fit(X, y)
    table = pa.Table.from_pandas(X[:3])
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    explained = clf.explain(reader, top=1)
    assert explained["part"].tolist() == clf.explain(X[:3], top=1)["part"].tolist()
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    assert len(clf.model_.explain(reader, top=1)) == 3
