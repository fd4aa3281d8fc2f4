"""What `MODLEncoder` puts in the place of values."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from fnb import FNBClassifier, MODLEncoder

OUTPUTS = ["logodds", "index", "label", "onehot", "probability"]


def test_labels_are_the_parts_of_the_classifier(mixed):
    X, y = mixed
    encoder = MODLEncoder(output="label").fit(X, y)
    labels = encoder.transform(X)
    assert labels.shape == X.shape and labels.dtype == object
    # With interactions numbers are cut finer, for their curves.
    plain = FNBClassifier(interactions="none").fit(X, y)
    for name, parts in plain.partitions_.items():
        column = pd.Series(labels[:, list(X.columns).index(name)])
        assert column.value_counts().to_dict() == {p["label"]: p["rows"] for p in parts}
        assert encoder.partitions_[name] == [p["label"] for p in parts]
    assert set(labels[:, list(X.columns).index("noise")]) == {"all"}


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("data", ["mixed", "iris"])
def test_inverse_gives_the_labels(output, data, request):
    X, y = request.getfixturevalue(data)
    labels = MODLEncoder(output="label").fit(X, y).transform(X)
    encoder = MODLEncoder(output=output).fit(X, y)
    encoded = encoder.transform(X)
    assert encoded.shape == (len(X), len(encoder.get_feature_names_out()))
    np.testing.assert_array_equal(encoder.inverse_transform(encoded), labels)


def test_numbers_come_from_counts(cancer):
    X, y = cancer
    labels = MODLEncoder(output="label").fit(X, y).transform(X)[:, 22]
    odds = MODLEncoder().fit(X, y).transform(X)[:, 22]
    share = MODLEncoder(output="probability").fit(X, y).transform(X)[:, 22]
    table = pd.DataFrame({"label": labels, "odds": odds, "share": share, "y": y})
    for _, part in table.groupby("label"):
        assert part["share"].iloc[0] == pytest.approx(part["y"].mean())
        assert part["odds"].nunique() == 1
        inside, outside = (part["y"] == 1).sum(), (part["y"] == 0).sum()
        epsilon, parts = 1 / 570, table["label"].nunique()
        expected = np.log((inside + epsilon) / ((y == 1).sum() + parts * epsilon)) - np.log(
            (outside + epsilon) / ((y == 0).sum() + parts * epsilon)
        )
        assert part["odds"].iloc[0] == pytest.approx(expected)


def test_many_classes_have_a_column_each(iris):
    X, y = iris
    encoder = MODLEncoder(output="probability").fit(X, y)
    encoded = encoder.transform(X)
    assert encoded.shape == (150, 12)
    assert encoder.get_feature_names_out()[:3].tolist() == [
        "sepal length (cm)_0",
        "sepal length (cm)_1",
        "sepal length (cm)_2",
    ]
    np.testing.assert_allclose(encoded.reshape(150, 4, 3).sum(axis=2), 1)


def test_onehot_has_a_one_per_column(mixed):
    X, y = mixed
    encoder = MODLEncoder(output="onehot").fit(X, y)
    encoded = encoder.transform(X)
    assert set(np.unique(encoded)) <= {0.0, 1.0}
    assert (encoded.sum(axis=1) == X.shape[1]).all()
    assert [n for n in encoder.get_feature_names_out() if n.startswith("city=")]


def test_left_out_columns_are_gone(mixed):
    X, y = mixed
    encoder = MODLEncoder(output="index", drop_features=["noise"]).fit(X, y)
    assert encoder.get_feature_names_out().tolist() == ["size", "count", "city", "member"]
    assert encoder.transform(X).shape == (len(X), 4)


def test_new_values_and_classes_of_weight_zero(mixed, iris):
    X, y = mixed
    encoder = MODLEncoder().fit(X, y)
    new = X[:2].assign(city=["Quimper", None], size=[np.inf, np.nan])
    assert np.isfinite(encoder.transform(new)).all()
    X, y = iris
    with pytest.warns(UserWarning, match="no weight"):
        encoder = MODLEncoder().fit(X, y, sample_weight=(y > 0).astype(float))
    assert encoder.transform(X).shape == (150, 12)


def test_wrong_calls(iris):
    X, y = iris
    with pytest.raises(ValueError, match="output must be one of"):
        MODLEncoder(output="woe").fit(X, y)
    encoder = MODLEncoder(output="index").fit(X, y)
    with pytest.raises(ValueError, match="expecting 4"):
        encoder.inverse_transform(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="has 3 parts"):
        encoder.inverse_transform(np.full((2, 4), 9))
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        encoder.get_feature_names_out(["a", "b", "c", "d"])
    unnamed = MODLEncoder(output="index").fit(X.to_numpy(), y)
    assert unnamed.get_feature_names_out().tolist() == ["x0", "x1", "x2", "x3"]
    assert unnamed.get_feature_names_out(list("abcd")).tolist() == list("abcd")


def test_dates_and_long_texts_stay_in_one_part_with_a_warning(mixed):
    X, y = mixed
    days = pd.date_range("2025-01-01", periods=len(X))
    stories = [f"{'word ' * 30}{place}" for place in range(len(X))]
    dated = X.assign(day=days, seen=days, story=stories, until=days.date)
    with pytest.warns(UserWarning, match="'day', 'seen', 'story' and 1 more; Rel") as caught:
        encoder = MODLEncoder(output="index").fit(dated, y)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert encoder.partitions_["day"] == encoder.partitions_["story"] == ["all"]
    plain = MODLEncoder(output="index").fit(X, y).transform(X)
    np.testing.assert_array_equal(encoder.transform(dated)[:, : X.shape[1]], plain)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dropped = MODLEncoder(drop_features=["day", "seen", "story", "until"]).fit(dated, y)
    assert dropped.transform(dated).shape == X.shape
