"""What a notebook shows of a model: plain HTML, no script, no external resource."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fnb.model import Model

# Beyond these, the notebook shows how many more there are.
_MOST_VARIABLES = 30
_MOST_PARTS = 12
_MOST_CLASSES = 8

_STYLE = (
    "<style>.fnb{font:13px/1.4 system-ui,sans-serif;color:inherit}"
    ".fnb table{border-collapse:collapse;margin:2px 0 6px}"
    ".fnb td,.fnb th{padding:1px 8px;text-align:right;white-space:nowrap}"
    ".fnb td:first-child,.fnb th:first-child{text-align:left}"
    ".fnb .bar{display:inline-block;height:9px;background:#4c78a8;vertical-align:middle}"
    ".fnb .c0{background:#4c78a8}.fnb .c1{background:#f58518}.fnb .c2{background:#54a24b}"
    ".fnb .c3{background:#b279a2}.fnb .c4{background:#e45756}.fnb .c5{background:#72b7b2}"
    ".fnb .c6{background:#9d755d}.fnb .c7{background:#bab0ac}</style>"
)


def model_html(model: Model) -> str:
    """Variables with weight and importance; a table of parts behind each."""
    content = model._content
    training, target = content["training"], content["target"]
    head = (
        f"<b>{escape(str(target['name']))}</b>: {len(model.classes)} classes, "
        f"{training['rows']:,} rows, {training['columns']} variables, "
        f"{training['informative']} informative, <b>{training['selected']} selected</b>"
    )
    if "accuracy" in model.evaluation:
        # The AUC of a single class is not defined.
        auc = model.evaluation.get("auc")
        figures = "" if auc is None else f"AUC {auc:.4f} and "
        head += f"; {figures}accuracy {model.evaluation['accuracy']:.4f} in training"
    shown = model.variables[:_MOST_VARIABLES]
    labels = model._native.labels()
    classes = model.classes[:_MOST_CLASSES]
    legend = " ".join(
        f"<span class='bar c{i}' style='width:9px'></span> {escape(name)}"
        for i, name in enumerate(classes)
    )
    if len(model.classes) > _MOST_CLASSES:
        legend += f" and {len(model.classes) - _MOST_CLASSES} more"
    body = "".join(
        _variable(variable, words) for variable, words in zip(shown, labels, strict=False)
    )
    if len(model.variables) > len(shown):
        body += f"<div>and {len(model.variables) - len(shown)} more variables</div>"
    return f"{_STYLE}<div class='fnb'><div>{head}</div><div>{legend}</div>{body}</div>"


def _variable(variable: dict[str, Any], labels: list[str]) -> str:
    width = max(1, round(200 * float(variable["importance"])))
    rows = sum(sum(line) for line in variable["counts"])
    lines = [
        _part(label, line, rows)
        for label, line in zip(labels[:_MOST_PARTS], variable["counts"], strict=False)
    ]
    if len(labels) > _MOST_PARTS:
        lines.append(f"<tr><td>and {len(labels) - _MOST_PARTS} more parts</td></tr>")
    return (
        f"<details><summary>{escape(variable['name'])} "
        f"<span class='bar' style='width:{width}px'></span> "
        f"weight {variable['weight']:.3f}, level {variable['level']:.4f}, "
        f"importance {variable['importance']:.3f}</summary>"
        f"<table><tr><th>part</th><th>rows</th><th>classes</th></tr>{''.join(lines)}</table>"
        "</details>"
    )


def _part(label: str, counts: list[int], rows: int) -> str:
    size = sum(counts)
    words = label if len(label) <= 60 else label[:57] + "..."
    length = 160.0 * (size / rows) ** 0.5 if rows else 0.0
    bars = "".join(
        f"<span class='bar c{i}' style='width:{length * count / size:.1f}px' "
        f"title='{100 * count / size:.1f} %'></span>"
        for i, count in enumerate(counts[:_MOST_CLASSES])
        if size
    )
    return (
        f"<tr><td title='{escape(label[:500], quote=True)}'>{escape(words)}</td>"
        f"<td>{size:,}</td><td style='text-align:left'>{bars}</td></tr>"
    )
