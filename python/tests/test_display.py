"""What notebooks show, and plots: read back, and held to what the model says."""

from __future__ import annotations

import html.parser
import re
import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest

import fnb
from fnb._words import parts_in_words, share, shortened, signed, value_in_words

matplotlib.use("Agg")


class Reader(html.parser.HTMLParser):
    """The text of a page by line of table or block; fails on elements that do not nest."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: list[str] = []
        self.opened: list[bool] = []
        self.lines: list[list[str]] = [[]]
        self.feed(page)
        self.close()
        assert not self.stack, self.stack

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "details":
            self.opened.append("open" in dict(attrs))
        if tag in ("tr", "p", "h3", "summary", "div"):
            self.lines.append([])
        if tag in ("td", "th", "p", "h3", "span"):
            self.lines[-1].append("")
        self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if self.stack[-1:] != ["style"] and data.strip():
            self.lines[-1] = [*self.lines[-1][:-1], (self.lines[-1] or [""])[-1] + data]

    @property
    def text(self) -> str:
        return "\n".join(" | ".join(filter(None, line)) for line in self.lines)


def dated(rows: int = 1500) -> tuple[pd.DataFrame, pd.Series]:
    r = np.random.default_rng(0)
    day = pd.Timestamp("2019-01-01") + pd.to_timedelta(r.integers(0, 1800, rows), "D")
    X = pd.DataFrame(
        {
            "day": pd.Series(day).astype("date32[pyarrow]"),
            "at": day[::-1] + pd.to_timedelta(r.integers(0, 86_400, rows), "s"),
            "city": r.choice(["Lannion", "Rennes", "Paris", None], rows),
        }
    )
    score = 3 * (day.year > 2020) + 3 * (day.day_of_week > 4) + 2 * (X["city"] == "Paris") - 3
    late = r.random(rows) < 1 / (1 + np.exp(-score.to_numpy()))
    return X, pd.Series(np.where(late, "late", "on time"), name="delivery")


def test_figures_are_written_as_people_read_them():
    assert share(0.0) == "0\u202f%" and share(1.0) == "100\u202f%"
    assert share(0.99999) == ">99.99\u202f%" and share(1e-9) == "<0.01\u202f%"
    assert share(0.2375) == "23.8\u202f%" and share(0.0042) == "0.42\u202f%"
    assert share(float("nan")) == "not defined"
    assert signed(-0.001) == "0.00" and signed(-1.5) == "\u22121.50" and signed(2) == "+2.00"
    assert shortened("a name that ends with 17", 12) == "a name …h 17"
    assert len(shortened("x" * 1000, 40)) == 40


def intervals(cuts, rule=None, missing="none"):
    origin = "column" if rule is None else {"expression": {"rule": rule, "args": ["day"]}}
    parts = {"kind": "intervals", "missing": missing, "cuts": cuts}
    return {"from": origin, "parts": parts}


def test_parts_are_in_words_and_dates_are_dates():
    assert parts_in_words(intervals([-0.5, 12000.0], missing="own")) == [
        "missing",
        "up to \u22120.5",
        "\u22120.5 to 12,000",
        "over 12,000",
    ]
    assert parts_in_words(intervals([])) == ["all"]
    years = parts_in_words(intervals([2020.9986, 2021.5], "DecimalYear"))
    assert years == ["up to 2020-12-31", "2021-01-01 – 2021-07-02", "from 2021-07-03"]
    assert parts_in_words(intervals([2.5, 3.5, 5.5], "WeekDay")) == [
        "up to Tue",
        "Wed",
        "Thu – Fri",
        "from Sat",
    ]
    assert parts_in_words(intervals([8.25], "DecimalTime")) == ["up to 08:15", "after 08:15"]
    assert parts_in_words(intervals([5.5], "DecimalWeekDay"))[0] == "up to Fri 12:00"
    assert parts_in_words(intervals([1e5], "DecimalYear"))[0] == "up to 100,000"
    assert parts_in_words(intervals([1.5], "TableCount")) == ["up to 1", "from 2"]
    groups = {"kind": "groups", "groups": [list("abcdef"), [None, "", "z" * 99]], "default": 1}
    first, second = parts_in_words({"from": "column", "parts": groups})
    assert first == "a, b, c, d + 2"
    assert second.startswith("missing, (empty), zzz") and second.endswith(", any other")
    assert len(second) < 80


def test_every_day_of_decades_is_the_date_that_it_is():
    variable = intervals([], "DecimalYear")
    for day in pd.date_range("1995-01-01", "2030-12-31"):
        length = 366 if day.is_leap_year else 365
        # Ten digits, as computed numbers are kept.
        number = f"{day.year + (day.day_of_year - 1) / length:.6f}"
        assert value_in_words(variable, number) == day.date().isoformat()


def test_the_display_says_what_the_model_says(mixed):
    X, y = mixed
    clf = fnb.FNBClassifier().fit(X, y)
    page = Reader(clf._repr_html_())
    assert f"answer: {clf.n_selected_} variables of 5" in page.text
    assert "Not measured on unseen rows" in page.text
    assert f"{clf.evaluation_['auc']:.3f}" in page.text
    assert page.opened == [place < 3 for place in range(clf.n_selected_)]
    for variable in clf.model_.variables:
        line = next(line for line in page.lines if variable["name"] in line)
        assert share(variable["importance"]) in "".join(line)
        assert f"{variable['weight']:.2f}" in "".join(line)
        for counts in variable["counts"]:
            shown = [line for line in page.lines if f"{sum(counts):,}" in line]
            assert any(share(counts[1] / sum(counts)) in line for line in shown)
    assert clf._repr_html_() == clf._repr_mimebundle_()["text/html"] == clf.model_._repr_html_()
    # All is visible: nothing is known by hovering or by a script alone.
    assert "script" not in page.tags and "NaN" not in page.text
    assert "Share of yes" in page.text


def test_labels_that_texts_sort_otherwise_keep_their_place(cancer):
    X, y = cancer
    clf = fnb.FNBClassifier(max_selected=1).fit(X, np.where(y == 1, 2, 10))
    page = Reader(clf._repr_html_())
    assert "Share of 10" in page.text
    part = clf.partitions_[clf.selected_features_[0]][0]
    assert share(part["counts"][10] / part["rows"]) in page.text
    ax = clf.plot(clf.selected_features_[0])
    assert ax.get_xlabel() == "share of 10 in %"
    np.testing.assert_allclose(
        [bar.get_width() for bar in ax.containers[0]],
        [100 * p["counts"][10] / p["rows"] for p in clf.partitions_[clf.selected_features_[0]]],
    )


def test_test_figures_come_first(cancer, tmp_path):
    X, y = cancer
    model = fnb.FNBClassifier(max_selected=2).fit(X, y).model_
    content = model._content
    figures = {"rows": 77, "accuracy": 0.625, "auc": 0.99996, "log_loss": 0.0001}
    tested = {**content["evaluation"]["train"], **figures}
    content["evaluation"]["test"] = tested
    page = Reader(model._repr_html_())
    assert page.text.index("Test rows") < page.text.index("Training rows")
    # Nothing is certain that is not.
    assert "62.5\u202f% | >0.999 | <0.001" in page.text
    assert "Not measured on unseen rows" not in page.text


def test_what_was_found_in_the_data_is_shown(mixed):
    model = fnb.FNBClassifier().fit(*mixed).model_
    found = {"kind": "tells_all", "variable": "<i>copy", "share": 1.0}
    model._content["training"]["findings"] = [found]
    assert "'<i>copy' alone tells nearly all" in Reader(model._repr_html_()).text


def test_dates_are_shown_as_dates():
    X, y = dated()
    clf = fnb.FNBClassifier(interactions="none").fit(X, y)
    page = Reader(clf._repr_html_())
    assert re.search(r"up to 202(0-12|1-01)-\d\d \|", page.text), page.text
    assert "as a fraction" not in page.text and "Monday is 1" not in page.text
    why = clf.explain_row(X.iloc[[0]])
    assert any(re.match(r"20\d\d-\d\d-\d\d", term["value"]) for term in why.terms), why


def test_sizes_are_bounded():
    r = np.random.default_rng(0)
    labels = r.integers(0, 60, 4000)
    X = pd.DataFrame({f"v{i}": labels // (1 + i % 7) + r.integers(0, 9, 4000) for i in range(50)})
    X["words"] = [f"{'w' * 60}{label}" for label in labels]
    clf = fnb.FNBClassifier(method="nb").fit(X, [f"class number {label}" for label in labels])
    assert clf.n_selected_ > 30
    shown = clf._repr_html_()
    page = Reader(shown)
    assert len(shown) < 400_000, len(shown)
    assert f"And {clf.n_selected_ - 30} more" in page.text
    assert "50 others" in page.text
    shown = fnb.MODLEncoder().fit(X, labels)._repr_html_()
    assert len(shown) < 400_000, len(shown)
    assert "And 40 more parts" in Reader(shown).text


def test_hostile_names_values_and_classes_are_text(cancer):
    evil = "<img src=x onerror=alert(1)>'\"&"
    r = np.random.default_rng(0)
    value = r.choice([f"{evil} a", f"{evil} b", f"{evil} c"], 500)
    X = pd.DataFrame({f"</style><script>{evil}": value})
    y = pd.Series(np.where(value == f"{evil} a", evil, "</div>"), name=f"<b>{evil}")
    clf = fnb.FNBClassifier().fit(X, y)
    encoder = fnb.MODLEncoder().fit(X, y)
    for shown in (clf, encoder, clf.explain_row(X[:1])):
        page = Reader(shown._repr_html_())
        assert not {"img", "script"} & set(page.tags) and page.tags.count("style") == 1
        assert evil in page.text
    clf.plot(clf.selected_features_[0]).figure.canvas.draw()


def test_a_row_is_start_terms_and_sum(mixed, iris):
    for X, y in (mixed, iris):
        clf = fnb.FNBClassifier().fit(X, y)
        for label in (None, clf.classes_[0]):
            why = clf.explain_row(X.iloc[[3]], target_class=label)
            place = clf.classes_.tolist().index(why.label)
            assert why.probability == clf.predict_proba(X.iloc[[3]])[0, place]
            added = why.start + sum(term["contribution"] for term in why.terms)
            assert added == pytest.approx(why.log_odds)
            scores = np.atleast_2d(clf.decision_function(X.iloc[[3]]))[0]
            scores = [0.0, *scores] if len(scores) == 1 else scores
            other = clf.classes_.tolist().index(why.against)
            assert scores[place] - scores[other] == pytest.approx(why.log_odds)
            assert len(why.terms) == clf.n_selected_
            frame = clf.explain(X.iloc[[3]], clf.n_selected_, target_class=why.label)
            assert [t["contribution"] for t in why.terms] == frame["contribution"].tolist()
            page = Reader(why._repr_html_())
            figures = [f"{why.label}: {share(why.probability)}"]
            figures += map(signed, [why.log_odds, why.start])
            figures += [signed(term["contribution"]) for term in why.terms]
            assert all(figure in page.text for figure in figures)
            # Text is for any console.
            plain = [f.replace("\u202f", " ").replace("\u2212", "-") for f in figures]
            assert all(figure in repr(why) for figure in plain) and repr(why).encode("cp1252")


def test_a_row_starts_at_the_shares_of_the_classes(iris, mixed):
    X, y = mixed
    why = fnb.FNBClassifier().fit(X, y).explain_row(X[:1], target_class="yes")
    assert why.against == "no" and why.shares[0] == pytest.approx((y == "yes").mean())
    assert why.start == pytest.approx(np.log((y == "yes").sum() / (y == "no").sum()))
    moved = fnb.FNBClassifier(prior={"yes": 0.01}).fit(X, y).explain_row(X[:1], target_class="yes")
    assert moved.shares == pytest.approx((0.01, 0.99))
    assert moved.log_odds < why.log_odds and moved.probability < why.probability
    X, y = iris
    alone = fnb.FNBClassifier().fit(X, ["a"] * 150)
    assert alone.explain_row(X[:1]).against is None and "a: 100" in repr(alone.explain_row(X[:1]))
    assert "all of class a" in Reader(alone._repr_html_()).text


def test_a_row_is_one_row_of_a_known_class(iris):
    X, y = iris
    clf = fnb.FNBClassifier().fit(X, y)
    with pytest.raises(ValueError, match="150 rows, but explain_row explains one"):
        clf.explain_row(X)
    with pytest.raises(ValueError, match="no class is 'x'"):
        clf.explain_row(X[:1], target_class="x")
    # Containers of any kind, without names too.
    assert clf.explain_row(X[:1].to_numpy()).label == 0
    pl = pytest.importorskip("polars")
    assert repr(clf.explain_row(pl.from_pandas(X[:1]))) == repr(clf.explain_row(X[:1]))


def test_integer_names_are_found(iris):
    X, y = iris
    X = X.set_axis(range(4), axis=1)
    clf = fnb.FNBClassifier().fit(X, y)
    assert clf.explain_row(X[:1]).terms[0]["variable"] in range(4)
    clf.plot(clf.selected_features_[0])
    assert Reader(clf._repr_html_()).text


def test_an_encoder_shows_what_it_gives(mixed, iris):
    X, y = mixed
    encoder = fnb.MODLEncoder().fit(X, y)
    page = Reader(encoder._repr_html_())
    assert "of 5 columns tell something" in page.text
    assert "In one part, since they tell nothing" in page.text and "noise" in page.text
    given = np.unique(encoder.transform(X)[:, 0])
    assert all(signed(value) in page.text for value in given)
    levels = [
        float(line[-3]) for line in page.lines if re.fullmatch(r"0\.\d{3}", "".join(line[-3:-2]))
    ]
    assert levels == sorted(levels, reverse=True)
    assert (
        "virginica"
        in Reader(
            fnb.MODLEncoder()
            .fit(iris[0], iris[1].map({0: "setosa", 1: "other", 2: "virginica"}))
            ._repr_html_()
        ).text
    )


def test_what_is_not_fitted_or_knows_nothing_is_shown_too(mixed):
    X, y = mixed
    for estimator in (fnb.FNBClassifier(), fnb.MODLEncoder()):
        assert type(estimator).__name__ in estimator._repr_html_()
        assert set(estimator._repr_mimebundle_()) == {"text/plain", "text/html"}
    empty = fnb.FNBClassifier().fit(X[["noise"]], y)
    assert empty.n_selected_ == 0
    assert "answers with the class shares" in Reader(empty._repr_html_()).text
    assert empty.explain_row(X[["noise"]][:1]).terms == []
    assert "0 of 1 column tell" in Reader(fnb.MODLEncoder().fit(X[["noise"]], y)._repr_html_()).text
    with pytest.raises(ValueError, match="no smaller models"):
        empty.plot_size_path()
    empty.plot_importance().figure.canvas.draw()


def test_plots_draw_what_the_model_says(mixed, iris):
    from matplotlib import pyplot

    X, y = mixed
    clf = fnb.FNBClassifier().fit(X, y)
    ax = clf.plot_importance(2)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [*clf.selected_features_[:2], f"{clf.n_selected_ - 2} others"]
    assert sum(bar.get_width() for bar in ax.containers[0]) == pytest.approx(100)
    ax = clf.plot_size_path()
    sizes, kept = ax.lines[0].get_data()
    assert list(sizes) == [point["selected"] for point in clf.size_path_]
    assert kept[-1] == 100 and np.all(np.diff(kept) > -1e-9)
    _, given = pyplot.subplots()
    for draw in (clf.plot_importance, clf.plot_size_path, lambda ax: clf.plot("size", ax=ax)):
        assert draw(ax=given) is given
        given.figure.canvas.draw()
        given.clear()
    with pytest.raises(ValueError, match="no variable of the model is 'noise'"):
        clf.plot("noise")
    with pytest.raises(ValueError, match="top must be an int"):
        clf.plot_importance(0)
    X, y = iris
    clf = fnb.FNBClassifier().fit(X, y)
    ax = clf.plot("petal width (cm)")
    cells = [int(text.get_text() or 0) for text in ax.texts]
    part = clf.partitions_["petal width (cm)"][0]
    assert cells[:3] == [round(100 * part["counts"][c] / part["rows"]) for c in range(3)]
    pyplot.close("all")


def test_plots_without_matplotlib_say_what_is_needed():
    script = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import fnb; from sklearn.datasets import load_iris\n"
        "clf = fnb.FNBClassifier().fit(*load_iris(return_X_y=True))\n"
        "try: clf.plot_importance()\n"
        "except ImportError as error: print(error)\n"
        "assert clf._repr_html_()\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.stdout.strip() == "plots need matplotlib: pip install matplotlib", run.stderr
