"""What training found in the data, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fnb.model import Model

# Names that are listed, at most.
LISTED = 5


def warnings_of(model: Model) -> list[str]:
    """Suspected copies of the target, and row numbers that the model uses."""
    findings = model.findings
    notes = []
    copies = [found for found in findings if found["kind"] == "tells_all"]
    if copies:
        notes.append(_copies(copies, model._content["target"]["name"]))
    used = {variable["name"] for variable in model.variables}
    for found in findings:
        if found["kind"] == "row_number" and found["column"] in used:
            notes.append(
                f"{found['column']!r} numbers the rows, and the model uses it: new rows will have "
                "other numbers; leave it out with drop_features"
            )
    return notes


def _copies(copies: list[dict[str, Any]], target: str) -> str:
    names = [repr(found["variable"]) for found in copies]
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    listed = ", ".join(names[:LISTED]) + more
    of_target = f"what there is to know about {target!r}" if target else "the target"
    if len(names) == 1:
        return (
            f"{listed} alone tells nearly all of {of_target}: is it a copy of it, or known only "
            "after it? If so, leave it out with drop_features"
        )
    return (
        f"each of {listed} alone tells nearly all of {of_target}: are they copies of it, or known "
        "only after it? If so, leave them out with drop_features"
    )
