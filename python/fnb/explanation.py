"""Why one row is predicted as it is: start, terms, sum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Any

from fnb._html import cell, head, line, page, two_sided
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
    against
        The class that it is compared with, the most probable of the others; None if there is none.
    probability : float
        The probability of `label`.
    shares : tuple of float
        The shares of `label` and `against` before any variable is looked at.
    terms : list of dict
        What each variable adds, largest effect first: variable, value, part, contribution.
    """

    label: Any
    against: Any
    probability: float
    shares: tuple[float, float]
    terms: list[dict[str, Any]]

    @property
    def start(self) -> float:
        """The log odds of the two classes before any variable is looked at."""
        one, other = self.shares
        if self.against is None or one == other:
            return 0.0
        if not one or not other:
            return math.copysign(math.inf, one - other)
        return math.log(one / other)

    @property
    def log_odds(self) -> float:
        """The log odds of `label` against `against`: start and terms added up."""
        return self.start + math.fsum(term["contribution"] for term in self.terms)

    def _lines(self) -> list[tuple[str, str, str, float]]:
        """Variable, value, part, contribution, from the start to the last term."""
        shares = f"class shares: {share(self.shares[0])}"
        if self.against is not None:
            shares += f" against {share(self.shares[1])}"
        lines = [("Start", "", shares, self.start)]
        lines += [
            (str(t["variable"]), t["value"], t["part"], t["contribution"])
            for t in self.terms[:_MOST_TERMS]
        ]
        smaller = self.terms[_MOST_TERMS:]
        if smaller:
            total = sum(term["contribution"] for term in smaller)
            lines.append((f"{len(smaller):,} smaller terms", "", "", total))
        return lines

    @property
    def _of(self) -> str:
        """Of what the log odds are."""
        label, against = (shortened(str(name), 60) for name in (self.label, self.against))
        return f"log odds of {label}" + ("" if self.against is None else f" against {against}")

    def __repr__(self) -> str:
        lines = [("", "value", "part", "adds")]
        lines += [
            (name, shortened(value, 30), shortened(part, 40), signed(adds))
            for name, value, part, adds in self._lines()
        ]
        lines.append(("Sum", "", shortened(self._of, 40), signed(self.log_odds)))
        widths = [max(len(line[column]) for line in lines) for column in range(4)]
        texts = [
            f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:<{widths[2]}}  {d:>{widths[3]}}"
            for a, b, c, d in lines
        ]
        text = "\n".join([f"{self.label}: {share(self.probability)}", *texts])
        # Consoles of old lack these.
        return text.replace("\u202f", " ").replace("\u2212", "-")

    def _repr_html_(self) -> str:
        body = "".join(
            line(
                escape(shortened(name, 120)),
                cell(escape(shortened(value, 120)), "text"),
                cell(escape(shortened(part, 200)), "text"),
                *_adds(adds),
            )
            for name, value, part, adds in self._lines()
        )
        of = cell(escape(self._of), "text")
        total = line("Sum", cell("", "text"), of, *_adds(self.log_odds), kind="total")
        titles = head(
            ("Variable", "text"),
            ("Value", "text"),
            ("Part", "text"),
            ("Adds to the log odds", "bar"),
        )
        label = escape(shortened(str(self.label), 120))
        other = escape(shortened(str(self.against), 120))
        versus = " and against it" if self.against is None else f" and for {other}"
        return page(
            f"<h3>{label}: {share(self.probability)}</h3>"
            f"<p>What speaks for {label} (blue, to the right)"
            f"{versus} (orange, to the left). Bars end at ±3.</p>"
            f"<table>{titles}<tbody>{body}{total}</tbody></table>"
        )


def _adds(number: float) -> tuple[str, str]:
    return cell(signed(number)), cell(two_sided(number, _LARGEST), "bars")
