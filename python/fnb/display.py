"""What a notebook shows of a model or an encoder: variables, and the parts of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from fnb._findings import warnings_of
from fnb._html import bar, cell, head, line, page, shade, two_sided
from fnb._words import meaning_in_words, parts_in_words, share, shortened, signed
from fnb.heat_map import heat_maps

if TYPE_CHECKING:
    from fnb.encoder import MODLEncoder
    from fnb.model import Model

# Beyond these, the notebook says how many more there are.
_MOST_VARIABLES = 30
_MOST_OPEN = 3
_MOST_TABLES = 20
_MOST_PARTS = 20
_MOST_CLASSES = 10
_LONGEST_NAME = 120
# Additions to log odds beyond it are cut to this length: one scale for all variables.
_LARGEST = 3.0
_TICKS = " The tick in a share is that of all rows; bars of log odds end at ±3."


@dataclass
class Shown:
    """A variable to show. Classes are in the order of the labels."""

    name: str
    meaning: str | None
    weight: float
    level: float
    importance: float
    parts: list[str]
    exact: list[str]
    # Rows (parts, classes), and what each part adds to the score of each class: against the other
    # of two, against the mean of more.
    counts: np.ndarray[Any, Any]
    adds: np.ndarray[Any, Any]


def shown_variables(model: Model, order: Sequence[int] | None = None) -> list[Shown]:
    """The variables of a model, most important first; `order` is the place of each label in it."""
    tables, _ = model._native.evidence()
    order = range(len(model.classes)) if order is None else order
    # A class without weight is not in the model.
    places = [place for place in order if place >= 0]
    told = zip(
        model.variables,
        model._of_variables(model._native.labels()),
        model._of_variables(model._native.sentences()),
        model._of_variables(tables),
        strict=True,
    )
    return [
        Shown(
            name=str(variable["name"]),
            meaning=meaning_in_words(variable, sentence),
            weight=float(variable["weight"]),
            level=float(variable["level"]),
            importance=float(variable["importance"]),
            parts=parts_in_words(variable),
            exact=labels,
            counts=np.asarray(variable["counts"], dtype=float)[:, places],
            adds=_contrasts(np.asarray(table)[:, places]),
        )
        for variable, labels, sentence, table in told
    ]


def _contrasts(evidence: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if evidence.shape[1] == 2:
        return evidence - evidence[:, ::-1]
    return evidence - evidence.mean(axis=1, keepdims=True)


def model_html(
    model: Model, labels: Sequence[Any] | None = None, order: Sequence[int] | None = None
) -> str:
    """A fitted model: how good it is, its variables, the parts of the first ones."""
    content = model._content
    training, target = content["training"], content["target"]
    order = range(len(model.classes)) if order is None else order
    labels = model.classes if labels is None else labels
    known = [(str(label), place) for label, place in zip(labels, order, strict=True) if place >= 0]
    names = [label for label, _ in known]
    counts = np.array([target["counts"][place] for _, place in known], dtype=float)
    variables = shown_variables(model, order)
    selected = f"{_variables(len(variables))} of {training['columns']:,}"
    body = [
        f"<h3>{_name(target['name'])}: {selected}</h3>",
        f"<p>{_classes(names, counts)}</p>",
        _figures(content["evaluation"]),
        *(f"<p class=warn>{escape(shortened(note, 600))}.</p>" for note in warnings_of(model)),
    ]
    if not variables:
        body.append("<p>No variable tells anything: the model answers with the class shares.</p>")
    else:
        body.append(
            "<div class='line of4'><span></span><span>Variable</span>"
            f"{_title('Importance', 'pos')}{_title('Weight')}{_title('Level')}"
            "<span class=end>Parts</span></div>"
        )
    for place, variable in enumerate(variables[:_MOST_VARIABLES]):
        largest = max(variables[0].importance, 1e-300)
        figures = (
            _number(share(variable.importance), variable.importance / largest, "pos")
            + _number(f"{variable.weight:.2f}", variable.weight)
            + _number(f"{variable.level:.3f}", variable.level)
        )
        body.append(_variable(variable, figures, "of4", names, counts, place < _MOST_OPEN))
    body.append(_more(len(variables), "selected_features_"))
    body.extend(heat_maps(model.interactions[:_MOST_TABLES], names, [place for _, place in known]))
    if variables:
        body.append(
            "<p class=note>Importance: share in what the variables add to predictions. Weight: how "
            "much of its table the model takes. Level: what a variable tells on its own, from 0 to "
            f"1.{_TICKS if len(names) == 2 else ''}</p>"
        )
    return page("".join(body))


def encoder_html(encoder: MODLEncoder) -> str:
    """A fitted encoder: its columns by level, those that tell nothing in a line."""
    from fnb._target import class_texts

    model = encoder.model_
    target = model._content["target"]
    known = {text: place for place, text in enumerate(model.classes)}
    order = [known.get(text, -1) for text in class_texts(encoder.classes_)]
    names = [str(x) for x, place in zip(encoder.classes_, order, strict=True) if place >= 0]
    counts = np.array([target["counts"][place] for place in order if place >= 0], dtype=float)
    variables = sorted(shown_variables(model, order), key=lambda v: -v.level)
    # What `transform` gives, which no weight has scaled.
    log_odds = dict(zip(encoder._kept(), (column[2] for column in encoder._columns), strict=True))
    for variable in variables:
        adds = log_odds[variable.name]
        variable.adds = np.hstack([-adds, adds]) if len(names) == 2 else adds
    kept = len(encoder._kept())
    body = [
        f"<h3>{_name(target['name'])}: {len(variables):,} of {_columns(kept)} "
        f"{'tells' if len(variables) == 1 else 'tell'} something</h3>",
        f"<p>{_classes(names, counts)} Output: {escape(encoder.output)}.</p>",
    ]
    if variables:
        body.append(
            f"<div class='line of2'><span></span><span>Column</span>{_title('Level', 'pos')}"
            "<span class=end>Parts</span></div>"
        )
    largest = max([v.level for v in variables], default=1.0)
    for place, variable in enumerate(variables[:_MOST_VARIABLES]):
        figures = _number(f"{variable.level:.3f}", variable.level / largest, "pos")
        body.append(_variable(variable, figures, "of2", names, counts, place < _MOST_OPEN))
    body.append(_more(len(variables), "partitions_"))
    told = {variable.name for variable in variables}
    if variables and len(names) == 2:
        body.append(f"<p class=note>{_TICKS.strip()}</p>")
    silent = [name for name in encoder._kept() if name not in told]
    if silent:
        listed = ", ".join(_name(name) for name in silent[:_MOST_PARTS])
        more = f" and {len(silent) - _MOST_PARTS:,} more" if len(silent) > _MOST_PARTS else ""
        body.append(f"<p class=note>In one part, since they tell nothing: {listed}{more}.</p>")
    return page("".join(body))


def _name(name: Any) -> str:
    return escape(shortened(str(name), _LONGEST_NAME))


def _variables(count: int) -> str:
    return f"{count:,} variable{'' if count == 1 else 's'}"


def _columns(count: int) -> str:
    return f"{count:,} column{'' if count == 1 else 's'}"


def _more(count: int, attribute: str) -> str:
    if count <= _MOST_VARIABLES:
        return ""
    return f"<p class=note>And {count - _MOST_VARIABLES:,} more: see <code>{attribute}</code>.</p>"


def _classes(names: list[str], counts: np.ndarray[Any, Any]) -> str:
    """How many rows, and of which classes."""
    rows = counts.sum()
    by_size = np.argsort(-counts, kind="stable")
    most = 6 if len(names) > 6 else len(names)
    shares = ", ".join(f"{_name(names[i])} {share(counts[i] / rows)}" for i in by_size[:most])
    words = f"Learnt from {rows:,.0f} rows"
    if len(names) == 1:
        return f"{words}, all of class {_name(names[0])}."
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{words} of {len(names):,} classes: {shares}{more}."


def _figures(evaluation: dict[str, Any]) -> str:
    """The figures of quality: those of the test first, since these are what to expect."""
    titles = {"test": "Test rows", "train": "Training rows"}
    lines = [
        line(
            f"{title} <i>({found['rows']:,})</i>",
            cell(share(found["accuracy"])),
            cell(_figure(found.get("auc"))),
            cell(_figure(found.get("log_loss"))),
        )
        for key, title in titles.items()
        if (found := evaluation.get(key)) is not None and "accuracy" in found
    ]
    if not lines:
        return ""
    note = (
        ""
        if evaluation.get("test")
        else "<p class=note>Not measured on unseen rows: expect less of those.</p>"
    )
    titles_of_columns = head(
        ("Measured on", "text"), ("Accuracy", "number"), ("AUC", "number"), ("Log loss", "number")
    )
    return f"<table>{titles_of_columns}<tbody>{''.join(lines)}</tbody></table>{note}"


def _figure(number: float | None) -> str:
    """Three decimals; 0 and 1 only if that is exact."""
    if number is None or np.isnan(number):
        return "<i>not defined</i>"
    if 0.0 < number < 0.0005:
        return "&lt;0.001"
    return "&gt;0.999" if 0.9995 <= number < 1.0 else f"{number:.3f}"


def _title(text: str, kind: str = "") -> str:
    return f"<span class='num{_spare(kind)}'><span>{text}</span></span>"


def _number(text: str, part: float, kind: str = "") -> str:
    return f"<span class='num{_spare(kind)}'><span>{text}</span>{bar(part, 64, kind)}</span>"


def _spare(kind: str) -> str:
    """Grey bars are those that a narrow page can do without."""
    return "" if kind else " spare"


def _variable(
    variable: Shown,
    figures: str,
    layout: str,
    names: list[str],
    counts: np.ndarray[Any, Any],
    is_open: bool,
) -> str:
    meaning = f"<p>{escape(shortened(variable.meaning, 300))}</p>" if variable.meaning else ""
    table = _two_classes if len(names) == 2 else _many_classes
    hidden = len(variable.parts) - _MOST_PARTS
    more = f"<p class=note>And {hidden:,} more parts.</p>" if hidden > 0 else ""
    return (
        f"<details{' open' if is_open else ''}><summary class={layout}>"
        f"<span class=name>{_name(variable.name)}</span>"
        f"{figures}<span class=end>{len(variable.parts):,}</span></summary>"
        f"<div class=inside>{meaning}{table(variable, names, counts)}{more}</div></details>"
    )


def _line(variable: Shown, place: int, *cells: str) -> str:
    """The line of a part: words, exact label, rows, and what else there is."""
    size = variable.counts[place].sum()
    largest = max(variable.counts.sum(axis=1).max(), 1.0)
    rows = (cell(f"{size:,.0f}"), cell(bar(size / largest, 56), "bars"))
    exact = shortened(variable.exact[place], 500)
    return line(escape(variable.parts[place]), *rows, *cells, exact=exact)


def _two_classes(variable: Shown, names: list[str], counts: np.ndarray[Any, Any]) -> str:
    """Rows, share of the second class, and what that adds to its log odds."""
    everywhere = counts[1] / counts.sum()
    lines = []
    for place in range(min(len(variable.parts), _MOST_PARTS)):
        size = variable.counts[place].sum()
        part = variable.counts[place, 1] / size if size else float("nan")
        adds = variable.adds[place, 1]
        drawn = bar(0.0 if np.isnan(part) else part, 100, "pos", everywhere)
        lines.append(
            _line(
                variable,
                place,
                cell(share(part)),
                cell(drawn, "bars"),
                cell(signed(adds)),
                cell(two_sided(adds, _LARGEST), "bars"),
            )
        )
    main = shortened(names[1], 30)
    titles = head(
        ("Part", "text"),
        ("Rows", "bar"),
        (f"Share of {main}", "bar"),
        ("Adds to the log odds", "bar"),
    )
    return f"<table>{titles}<tbody>{''.join(lines)}</tbody></table>"


def _many_classes(variable: Shown, names: list[str], counts: np.ndarray[Any, Any]) -> str:
    """Rows, shares of the classes as shades with whole per cents, the class that gains most."""
    chosen = telling_classes(variable.counts, counts)
    others = len(names) - len(chosen)
    lines = []
    for place in range(min(len(variable.parts), _MOST_PARTS)):
        shares = variable.counts[place] / max(variable.counts[place].sum(), 1.0)
        cells = [cell(whole_percent(shares[i]), f"share {shade(shares[i])}") for i in chosen]
        if others:
            rest = whole_percent(1.0 - shares[chosen].sum())
            cells.append(cell(f"<i>{rest}</i>", "share"))
        most = int(variable.adds[place].argmax())
        adds = signed(variable.adds[place, most])
        gain = f"{_name(shortened(names[most], 30))} {adds}" if adds.startswith("+") else ""
        lines.append(_line(variable, place, *cells, cell(gain)))
    titles = [(shortened(names[i], 16), "share") for i in chosen]
    titles += [(f"{others:,} others", "share")] if others else []
    top = head(("Part", "text"), ("Rows", "bar"), *titles, ("Adds most to", "number"))
    caption = (
        "<p class=note>Shares of the classes in each part, in per cent, and the class that "
        "gains most, in log odds against the mean of all.</p>"
    )
    return f"<table class=heat>{top}<tbody>{''.join(lines)}</tbody></table>{caption}"


def whole_percent(part: float) -> str:
    """A share in a cell: nothing under half a per cent, 100 only if it is all."""
    if part < 0.005:
        return ""
    return "99" if 0.995 <= part < 1.0 else f"{100 * part:.0f}"


def telling_classes(
    counts: np.ndarray[Any, Any], of_all: np.ndarray[Any, Any], most: int = _MOST_CLASSES
) -> np.ndarray[Any, Any]:
    """The places of the classes that a variable tells most about, in their order."""
    if counts.shape[1] <= most:
        return np.arange(counts.shape[1])
    sizes = counts.sum(axis=1, keepdims=True)
    expected = sizes * of_all / of_all.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(counts > 0, counts * np.log(counts / expected), 0.0).sum(axis=0)
    return np.sort(np.argsort(-gains, kind="stable")[:most])
