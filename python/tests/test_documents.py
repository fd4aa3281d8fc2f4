"""The documents of the Python package name everything that is public, and link to what is there."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import fnb

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "python.md").read_text(encoding="utf-8")
BLOCKS = re.compile(r"```.*?```", re.S)
CODE = [*BLOCKS.findall(TEXT), *re.findall(r"`([^`]+)`", BLOCKS.sub("", TEXT))]
WORDS = set(re.findall(r"\w+", " ".join(CODE)))


@pytest.mark.parametrize("name", [name for name in fnb.__all__ if callable(getattr(fnb, name))])
def test_parameters_are_documented(name):
    public = getattr(fnb, name)
    assert name in WORDS
    if not (inspect.isclass(public) and issubclass(public, Exception)):
        absent = set(inspect.signature(public).parameters) - {"X", "y", "text"} - WORDS
        assert not absent


@pytest.mark.parametrize(
    "name", ["MODLEncoder", "RelationalFeatures", "describe", "compare", "cross_validate"]
)
def test_parameters_of_one_name_have_one_default(name):
    expected = inspect.signature(fnb.FNBClassifier).parameters
    for parameter in inspect.signature(getattr(fnb, name)).parameters.values():
        if parameter.name in expected:
            assert parameter.default == expected[parameter.name].default, parameter.name


@pytest.mark.parametrize("name", ["FNBClassifier", "MODLEncoder", "RelationalFeatures", "Model"])
def test_methods_and_attributes_are_documented(name):
    public = getattr(fnb, name)
    ours = [c for c in public.__mro__ if c.__module__.startswith("fnb")]
    names = {n for c in ours for n in vars(c) if not n.startswith("_")}
    # Scikit-learn adds one for each argument of the methods that routes metadata.
    absent = {n for n in names if not re.fullmatch(r"set_\w+_request", n)} - WORDS
    assert not absent


@pytest.mark.parametrize("page", ["python.md", "migration.md", "tutorial.ipynb"])
def test_links_lead_somewhere(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert (DOCS / target).exists(), target
