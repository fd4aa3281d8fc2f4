"""Why one row is predicted as it is: start, terms, sum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Any

from fnb._html import head, page, two_sided
from fnb._words import share, shortened, signed

# Beyond these, smaller terms are shown as one.
_MOST_TERMS = 20
# Contributions beyond it are cut to this length.
_LARGEST = 3.0


@dataclass(frozen=True)
class Explanation:
    """The log odds of a class for one row: where they start, and what each variable adds.

    Made by `FNBClassifier.explain_row`; notebooks show it as a table with bars.

    Attributes
    ----------
    label
        The class that is explained.
    probability : float
        Its probability.
    start : float
        The log odds before any variable is looked at.
    terms : list of dict
        What each variable adds, largest effect first: variable, value, part, contribution.
    why_rest : str
        What `rest` comes from.
    """

    label: Any
    probability: float
    start: float
    terms: list[dict[str, Any]]
    why_rest: str = ""

    @property
    def log_odds(self) -> float:
        """The log odds of the class for this row, those of its probability."""
        p = self.probability
        if p in (0.0, 1.0):
            return math.copysign(math.inf, p - 0.5)
        return math.log(p) - math.log1p(-p)

    @property
    def rest(self) -> float:
        """What is neither start nor a term, so that all add up to `log_odds`."""
        return self.log_odds - self.start - sum(term["contribution"] for term in self.terms)

    def _lines(self) -> list[tuple[str, str, str, float]]:
        """Variable, value, part, contribution, from the start to the last term."""
        start = share(0.5 + 0.5 * math.tanh(0.5 * self.start))
        lines = [("Start", "", f"before any variable: {start}", self.start)]
        lines += [
            (str(t["variable"]), t["value"], t["part"], t["contribution"])
            for t in self.terms[:_MOST_TERMS]
        ]
        smaller = self.terms[_MOST_TERMS:]
        if smaller:
            total = sum(term["contribution"] for term in smaller)
            lines.append((f"{len(smaller):,} smaller terms", "", "", total))
        if signed(self.rest) != "0.00":
            lines.append(("Rest", "", self.why_rest, self.rest))
        return lines

    def __repr__(self) -> str:
        lines = [("", "value", "part", "adds")]
        lines += [
            (name, shortened(value, 30), shortened(part, 40), signed(adds))
            for name, value, part, adds in self._lines()
        ]
        lines.append(("Sum", "", "log odds", signed(self.log_odds)))
        widths = [max(len(line[column]) for line in lines) for column in range(4)]
        texts = [
            f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:<{widths[2]}}  {d:>{widths[3]}}"
            for a, b, c, d in lines
        ]
        return "\n".join([f"{self.label}: {share(self.probability)}", *texts])

    def _repr_html_(self) -> str:
        body = "".join(
            f"<tr><th scope=row class=text>{escape(shortened(name, 120))}"
            f"<td class=text>{escape(shortened(value, 120))}"
            f"<td class=text>{escape(shortened(part, 200))}"
            f"<td>{signed(adds)}<td class=bars>{two_sided(adds, _LARGEST)}"
            for name, value, part, adds in self._lines()
        )
        total = (
            "<tr class=total><th scope=row class=text>Sum<td class=text><td class=text>"
            f"log odds of {share(self.probability)}<td>{signed(self.log_odds)}"
            f"<td class=bars>{two_sided(self.log_odds, _LARGEST)}"
        )
        titles = head(
            ("Variable", "text"),
            ("Value", "text"),
            ("Part", "text"),
            ("Adds to the log odds", "bar"),
        )
        label = escape(shortened(str(self.label), 120))
        return page(
            f"<h3>{label}: {share(self.probability)}</h3>"
            f"<p>What speaks for {label} (blue, to the right) and against it (orange, "
            "to the left). Bars end at ±3.</p>"
            f"<table>{titles}<tbody>{body}{total}</tbody></table>"
        )
