"""What a fitted classifier shows: its display, plots by matplotlib, the reasons of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fnb._inputs import open_table
from fnb._words import share, shortened, value_in_words
from fnb.explanation import Explanation

if TYPE_CHECKING:
    from fnb.display import Shown
    from fnb.model import Model

# Half-way between the blues, the oranges and the greys of the light and the dark display.
_POS = "#3b7dd8"
_BAR = "#8d97a5"
_MOST_PARTS = 30
_MOST_CLASSES = 15
_LONGEST = 40


class Showing:
    """The methods of `FNBClassifier` that show it."""

    classes_: np.ndarray[Any, Any]
    model_: Model
    _order: np.ndarray[Any, Any]
    _seen: Any

    def explain_row(self, X: Any, *, target_class: Any = None, tables: Any = None) -> Explanation:
        """Why one row is predicted as it is; notebooks show it as a table with bars.

        Parameters
        ----------
        X : table of one row
            For instance ``X.iloc[[0]]`` or ``X[:1]``.
        target_class : label, default=None
            The class whose log odds are explained; the predicted one by default.
        tables : dict or list of Table, default=None
            Data by name, instead of those of the construction.

        Returns
        -------
        Explanation
            With `label`, `against`, `probability`, `start`, `terms`. Start and terms add up to
            `log_odds`, those of the class against the most probable other one.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from fnb import FNBClassifier
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> why = FNBClassifier(max_selected=3).fit(X, y).explain_row(X[:1])
        >>> why.label, round(why.probability, 3), len(why.terms)
        (0, 0.999, 3)
        """
        check_is_fitted(self)
        table = open_table(X)
        if table.rows != 1:
            raise ValueError(
                f"X has {table.rows:,} rows, but explain_row explains one: give X.iloc[[0]]; "
                "explain takes any number"
            )
        probabilities = self.predict_proba(table, tables)[0]  # type: ignore[attr-defined]
        labels = self.classes_.tolist()
        by_probability = [labels[place] for place in np.argsort(-probabilities, kind="stable")]
        label = by_probability[0] if target_class is None else target_class
        shown = self._shown()
        lines = self.explain(  # type: ignore[attr-defined]
            table, max(len(shown), 1), target_class=label, tables=tables
        )
        # Without variables there are no lines to tell it.
        others = [*lines["against"], *(other for other in by_probability if other != label), None]
        variables = {self._seen.label(v["name"]): v for v in self.model_.variables}
        terms = []
        columns = (lines[name] for name in ("variable", "value", "part", "contribution"))
        for name, value, part, contribution in zip(*columns, strict=True):
            words = dict(zip(shown[name].exact, shown[name].parts, strict=True))
            terms.append(
                {
                    "variable": name,
                    "value": value_in_words(variables[name], value),
                    "part": words[part],
                    "contribution": float(contribution),
                }
            )
        place = labels.index(label)
        against = others[0]
        shares = (self._share(label), self._share(against))
        return Explanation(label, against, float(probabilities[place]), shares, terms)

    def _share(self, label: Any) -> float:
        """The share of a class before any variable is looked at, that of `prior` if given."""
        if label is None:
            return 0.0
        place = self._order[self.classes_.tolist().index(label)]
        prior = self._prior()  # type: ignore[attr-defined]
        if place < 0:
            return 0.0
        log_prior = self.model_._scoring.log_prior()
        return float(np.exp(log_prior[place]) if prior is None else prior[place])

    def plot(self, variable: Any, *, ax: Any = None) -> Any:
        """The parts of a variable: the share of each class in them, and their rows.

        Parameters
        ----------
        variable : name
            One of `selected_features_`.
        ax : matplotlib Axes, default=None
            Where to draw; None is a new figure.

        Returns
        -------
        ax : matplotlib Axes
            For two classes bars of the share of ``classes_[1]``; for more a heat map.
        """
        shown = self._shown()
        if variable not in shown:
            known = ", ".join(repr(name) for name in list(shown)[:10])
            raise ValueError(f"no variable of the model is {variable!r}; it has {known}")
        counts = np.asarray(self.model_._content["target"]["counts"], dtype=float)
        present = [place for place in self._order if place >= 0]
        names = [str(c) for c, place in zip(self.classes_, self._order, strict=True) if place >= 0]
        draw = _draw_share if len(names) == 2 else _draw_shares
        return draw(shown[variable], names, counts[present], ax)

    def plot_importance(self, top: int = 20, *, ax: Any = None) -> Any:
        """Which variables decide, and how much: their shares in what is added to predictions.

        Parameters
        ----------
        top : int, default=20
            Variables, the most important first; the others are one bar.
        ax : matplotlib Axes, default=None
            Where to draw; None is a new figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        if isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1:
            raise ValueError(f"top must be an int of at least 1. Got {top!r} instead.")
        shown = list(self._shown().items())
        names = [shortened(str(name), _LONGEST) for name, _ in shown[:top]]
        values = [variable.importance for _, variable in shown[:top]]
        if len(shown) > top:
            names.append(f"{len(shown) - top:,} others")
            values.append(sum(variable.importance for _, variable in shown[top:]))
        ax = _axes(ax, len(names))
        bars = ax.barh(range(len(names)), np.multiply(values, 100), color=_POS, height=0.7)
        ax.bar_label(bars, [share(value) for value in values], padding=3)
        _lines_of(ax, names)
        ax.set_xlim(0, 118 * max(values, default=1.0))
        ax.set_title("Which variables decide, and how much?", loc="left")
        ax.set_xlabel("importance in %")
        return ax

    def plot_size_path(self, *, ax: Any = None) -> Any:
        """Would fewer variables do? What smaller models keep of what this one saves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None is a new figure.

        Returns
        -------
        ax : matplotlib Axes
            Over the number of variables, the share of the saving (the criterion without variables
            less that of the model) that the models of `size_path_` keep.
        """
        check_is_fitted(self)
        path = self.model_.size_path
        if not path:
            raise ValueError("the model has no variables, hence no smaller models")
        none = self.model_._content["training"]["null_criterion"]
        saved = [none - point["criterion"]["total"] for point in path]
        sizes = [point["selected"] for point in path]
        kept = [100.0 * (value / saved[-1]) for value in saved]
        ax = _axes(ax, 8)
        ax.plot(sizes, kept, "-o", color=_POS, markersize=5)
        enough = next(i for i, value in enumerate(kept) if value >= 97.0)
        if len(sizes) > 1 and enough < len(sizes) - 1:
            ax.plot(sizes[enough], kept[enough], "o", color=_POS, markersize=10, fillstyle="none")
            ax.annotate(
                f"{sizes[enough]:,} keep {kept[enough]:.1f}\u202f%",
                (sizes[enough], kept[enough]),
                (8, -18),
                textcoords="offset points",
            )
        ax.set_ylim(min(0.0, *kept), 105)
        ax.set_xlim(0, sizes[-1] * 1.05)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.grid(axis="y", linewidth=0.5, alpha=0.4)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_title("Would fewer variables do?", loc="left")
        ax.set_xlabel("number of variables")
        ax.set_ylabel("% kept of what the model saves")
        return ax

    def _shown(self) -> dict[Any, Shown]:
        """The variables by name, as the container calls them."""
        from fnb.display import shown_variables

        check_is_fitted(self)
        shown = shown_variables(self.model_, self._order.tolist())
        return {self._seen.label(variable.name): variable for variable in shown}

    def _repr_html_(self) -> str:
        if hasattr(self, "model_"):
            from fnb.display import model_html

            return model_html(self.model_, self.classes_.tolist(), self._order.tolist())
        from sklearn.utils import estimator_html_repr

        return str(estimator_html_repr(self))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _draw_share(shown: Shown, names: list[str], of_all: np.ndarray[Any, Any], ax: Any) -> Any:
    """A bar per part: the share of the second class; a line at that of all rows."""
    counts = shown.counts[:_MOST_PARTS]
    sizes = counts.sum(axis=1)
    shares = counts[:, 1] / np.maximum(sizes, 1.0)
    ax = _axes(ax, len(counts))
    bars = ax.barh(range(len(counts)), 100 * shares, color=_POS, height=0.7)
    words = [share(part) if size else "no rows" for part, size in zip(shares, sizes, strict=True)]
    ax.bar_label(bars, words, padding=3)
    everywhere = 100 * of_all[1] / of_all.sum()
    ax.axvline(everywhere, color=_BAR, linewidth=1, linestyle="--", zorder=0)
    ax.annotate(
        f"all rows {share(everywhere / 100)}",
        (everywhere, 1.0),
        (3, 2),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        fontsize="small",
    )
    _lines_of(ax, _part_names(shown, sizes))
    ax.set_xlim(0, 112)
    ax.set_xticks(range(0, 101, 20))
    ax.set_xlabel(f"share of {shortened(names[1], _LONGEST)} in %")
    ax.set_title(shortened(shown.name, 60), loc="left", pad=18)
    return ax


def _draw_shares(shown: Shown, names: list[str], of_all: np.ndarray[Any, Any], ax: Any) -> Any:
    """A heat map of parts and classes, whole per cents in the cells."""
    from fnb.display import telling_classes, whole_percent

    chosen = telling_classes(shown.counts, of_all, _MOST_CLASSES)
    counts = shown.counts[:_MOST_PARTS]
    sizes = counts.sum(axis=1)
    shares = counts / np.maximum(sizes, 1.0)[:, None]
    columns = [shortened(names[i], 12) for i in chosen]
    cells = shares[:, chosen]
    if len(chosen) < len(names):
        columns.append("others")
        cells = np.hstack([cells, 1.0 - cells.sum(axis=1, keepdims=True)])
    ax = _axes(ax, len(counts), wide=4.5 + 0.5 * len(columns))
    for line, values in enumerate(cells):
        for column, value in enumerate(values):
            # The page shines through, so that text is readable in any style.
            ax.add_patch(
                _patches().Rectangle(
                    (column - 0.5, line - 0.5), 1, 1, color=_POS, alpha=0.65 * value, linewidth=0
                )
            )
            words = whole_percent(value)
            ax.text(column, line, words, ha="center", va="center", fontsize="small")
    _lines_of(ax, _part_names(shown, sizes))
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_xticks(range(len(columns)), columns)
    if max(map(len, columns)) > 6:
        ax.tick_params(axis="x", rotation=45)
    ax.set_xlabel("share of each class in %")
    ax.set_title(shortened(shown.name, 60), loc="left")
    return ax


def _part_names(shown: Shown, sizes: np.ndarray[Any, Any]) -> list[str]:
    words = [shortened(part, _LONGEST) for part in shown.parts[: len(sizes)]]
    names = [f"{part}  ({size:,.0f} rows)" for part, size in zip(words, sizes, strict=True)]
    if len(shown.parts) > len(sizes):
        names[-1] += f"\nand {len(shown.parts) - len(sizes):,} more parts"
    return names


def _axes(ax: Any, lines: int, wide: float = 7.0) -> Any:
    """Those given, or new ones that are high enough for that many lines."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    return pyplot.subplots(figsize=(wide, 1.3 + 0.33 * lines), layout="constrained")[1]


def _patches() -> Any:
    from matplotlib import patches

    return patches


def _lines_of(ax: Any, names: list[str]) -> None:
    """A line of the plot per name, the first on top."""
    # Names are no formulas.
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
