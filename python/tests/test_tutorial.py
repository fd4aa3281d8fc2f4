"""The example notebook runs, and is kept without its output."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

PATH = Path(__file__).parents[2] / "docs" / "tutorial.ipynb"


def run(source: str, names: dict[str, object]) -> object:
    """Runs a cell; the value of its last expression, which a notebook shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(PATH), "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), str(PATH), "eval"), names)


def test_the_notebook_runs():
    from matplotlib import pyplot

    cells = json.loads(PATH.read_text(encoding="utf-8"))["cells"]
    names: dict[str, object] = {"__name__": "__main__"}
    shown = [run("".join(c["source"]), names) for c in cells if c["cell_type"] == "code"]
    displays = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_")]
    assert sum("class=fnb" in display for display in displays) == 4
    assert sum(isinstance(value, matplotlib.axes.Axes) for value in shown) == 3
    assert names["clf"].score(names["X_test"], names["y_test"]) > 0.93
    assert names["shop"].selected_features_ == ["Count(orders)"]
    pyplot.close("all")


def test_the_notebook_is_kept_without_output():
    notebook = json.loads(PATH.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
