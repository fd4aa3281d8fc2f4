"""Tables over several variables as pages show them: rows seen, rows expected, the factor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from fnb._words import shortened

# Classes whose maps are shown, those first that the table moves most.
_MOST_CLASSES = 3


def heat_maps(
    tables: Sequence[dict[str, Any]], classes: Sequence[str], places: Sequence[int]
) -> list[str]:
    """A folded map per table; `places` are those of the classes in the model."""
    if not tables:
        return []
    shown = [_table(table, classes, places) for table in tables]
    note = (
        "<p class=note>Tables correct what the variables one by one do not explain: rows seen / "
        "rows that the rest of the model expects, and the factor between them.</p>"
    )
    return ["<h4>Tables</h4>", *shown, note]


def _table(table: dict[str, Any], classes: Sequence[str], places: Sequence[int]) -> str:
    maps = "".join(
        f"<p>{escape(shortened(str(classes[i]), 60))}</p>{_map(table, places[i])}"
        for i in _most_moved(table["cells"], places)
    )
    name = escape(shortened(table["name"], 80))
    share = f"{100 * table['importance']:.1f} %"
    title = f"<summary style='display:block'>{name} <small>importance {share}</small></summary>"
    return f"<details>{title}{maps}</details>"


def _most_moved(cells: Sequence[dict[str, Any]], places: Sequence[int]) -> list[int]:
    """The classes that a table moves most; of two, the second says it all."""
    if len(places) == 2:
        return [1]

    def moved(i: int) -> float:
        j = places[i]
        return math.fsum(cell["expected"][j] * abs(math.log(cell["factors"][j])) for cell in cells)

    return sorted(range(len(places)), key=lambda i: -moved(i))[:_MOST_CLASSES]


def _map(table: dict[str, Any], place: int) -> str:
    """Rows and columns; a map per part of a third variable."""
    first = table["labels"][0]
    second = table["labels"][1] if len(table["labels"]) > 1 else [""]
    third = table["labels"][2] if len(table["labels"]) > 2 else [""]
    pages = []
    for k, layer in enumerate(third):
        head = "".join(f"<th>{escape(shortened(label, 40))}</th>" for label in second)
        lines = []
        for i, label in enumerate(first):
            row = (i * len(second) + j for j in range(len(second)))
            cells = (table["cells"][cell * len(third) + k] for cell in row)
            line = "".join(_cell(cell, place) for cell in cells)
            lines.append(f"<tr><th>{escape(shortened(label, 40))}</th>{line}</tr>")
        title = (
            f"<p>{escape(shortened(table['variables'][2], 40))} {escape(layer)}</p>"
            if layer
            else ""
        )
        pages.append(f"{title}<table><tr><th></th>{head}</tr>{''.join(lines)}</table>")
    return "".join(pages)


def _cell(cell: dict[str, Any], place: int) -> str:
    factor = cell["factors"][place]
    # Blue above 1, orange below, full at three times and a third: told apart by all eyes.
    strength = min(1.0, abs(math.log(factor)) / math.log(3.0))
    colour = "31,119,180" if factor >= 1.0 else "230,120,20"
    seen, expected = cell["observed"][place], cell["expected"][place]
    style = f"background:rgba({colour},{0.6 * strength:.2f});padding:2px 8px;white-space:nowrap"
    return (
        f"<td style='{style};text-align:right'>"
        f"<b>{factor:.2f}</b><br><small>{seen:,} / {expected:,.0f}</small></td>"
    )
