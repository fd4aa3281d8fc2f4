"""The corpus of bad inputs of the program, as far as Python has the same inputs: the same codes.

The cases are in `crates/fnb-cli/tests/program/bad`, and `bad_corpus.rs` says how to read them.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import pathlib
import re
import shlex
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest

from fnb import FNBClassifier, load_model

from .test_cli_same_bytes import PROGRAM, ROOT

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the program fnb is not built")

FOLDER = ROOT / "crates/fnb-cli/tests/program/bad"
ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "\\": b"\\"}


def content(line):
    """The bytes that a line stands for."""
    repeated = re.compile(r"\{([^{}]*)\*(\d+)\}")
    while match := repeated.search(line):
        text = match[1] * int(match[2])
        line = line[: match.start()] + text + line[match.end() :]
    parts = re.split(r"\\(x[0-9a-f]{2}|[nrt\\])", line)
    return b"".join(
        part.encode()
        if i % 2 == 0
        else bytes([int(part[1:], 16)])
        if part[0] == "x"
        else ESCAPES[part]
        for i, part in enumerate(parts)
    )


def read_topic(name):
    """The common steps of a topic, and its cases: name, steps, what is expected."""
    common, cases = [], []
    for line in (FOLDER / f"{name}.txt").read_text().splitlines():
        steps = cases[-1][1] if cases else common
        word, _, rest = line.partition(" ")
        if word == "##":
            cases.append((rest, [], []))
        elif word == "file":
            steps.append(["file", rest, b""])
        elif word == "|":
            joined = rest.endswith("\\")
            steps[-1][2] += content(rest.removesuffix("\\")) + (b"" if joined else b"\n")
        elif word in ("do", "$"):
            lexer = shlex.shlex(rest, posix=True)
            lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
            lexer.quotes = "'"
            steps.append([word, *(content(part).decode() for part in lexer)])
        elif word == ">":
            cases[-1][2].append(rest)
    return common, cases


def carry_out(steps, folder):
    for kind, *words in steps:
        if kind == "file":
            name, text = words
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text)
        elif kind == "$":
            subprocess.run(
                [pathlib.Path(PROGRAM).resolve(), *words[1:]],
                cwd=folder,
                check=True,
                capture_output=True,
            )
        else:
            edit(folder, *words)


def edit(folder, what, name, *words):
    path = folder / name
    if what == "folder":
        path.mkdir()
    elif what == "copy":
        (folder / words[0]).write_bytes(path.read_bytes())
    elif what == "cut":
        path.write_bytes(path.read_bytes()[: int(words[0])])
    elif what == "append":
        path.write_bytes(path.read_bytes() + words[0].encode())
    elif what == "gzip":
        (folder / words[0]).write_bytes(gzip.compress(path.read_bytes()))
    elif what == "replace":
        path.write_text(path.read_text().replace(words[0], words[1], 1))
    else:
        model = json.loads(path.read_text())
        if what == "sign":
            text = json.dumps({**model, "checksum": ""}, separators=(",", ":"), ensure_ascii=False)
            model["checksum"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
        else:
            *parents, key = words[0].split("/")[1:]
            place = model
            for parent in parents:
                place = place[int(parent) if isinstance(place, list) else parent]
            if what == "unset":
                del place[key]
            else:
                place[int(key) if isinstance(place, list) else key] = json.loads(words[1])
        path.write_text(json.dumps(model, separators=(",", ":"), ensure_ascii=False))


@pytest.fixture(scope="session")
def prepared(tmp_path_factory):
    """The folders of the topics, made when they are first asked for."""
    folders: dict[str, pathlib.Path] = {}

    def of(topic, common):
        if topic not in folders:
            folders[topic] = tmp_path_factory.mktemp(topic)
            carry_out(common, folders[topic])
        return folders[topic]

    return of


def refused_cases(topic, command):
    """The cases of a topic that end with a code, by a command that Python has too."""
    common, cases = read_topic(topic)
    for name, steps, expected in cases:
        codes = [line[6:9] for line in expected if line.startswith("error[")]
        last = steps[-1]
        if codes and last[0] == "$" and last[2] == command:
            yield pytest.param(topic, common, steps, codes[0], id=f"{topic}: {name}")


def made(prepared, tmp_path, topic, common, steps):
    """A folder in which everything but the last command is done."""
    for path in prepared(topic, common).iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    carry_out(steps[:-1], tmp_path)
    return tmp_path


ERRORS = (ValueError, TypeError, OSError)


@pytest.mark.parametrize(
    ("topic", "common", "steps", "code"),
    [*refused_cases("models", "inspect"), *refused_cases("encodings", "inspect")],
)
def test_models(prepared, tmp_path, topic, common, steps, code):
    folder = made(prepared, tmp_path, topic, common, steps)
    with pytest.raises(ERRORS) as raised:
        load_model(folder / steps[-1][3])
    assert f"[{code}]; " in str(raised.value)
    assert str(raised.value).isprintable()


# What pandas has mended or refused itself when it reads the file, and what speaks of files.
OF_FILES = {
    "a row that is too long",
    "two columns of the same name",
    "another separator",
    "data without header",
    "a header that is declared to be a row",
    "a number that is too large",
    "a sparse table that the model does not have",
    "the model and the data exchanged",
    "a model scored by a model",
    "no data",
}


@pytest.mark.parametrize(
    ("topic", "common", "steps", "code"),
    [
        case
        for case in refused_cases("score", "predict")
        if case.id is not None and case.id.removeprefix("score: ") not in OF_FILES
    ],
)
def test_tables_that_a_model_was_not_made_for(prepared, tmp_path, topic, common, steps, code):
    folder = made(prepared, tmp_path, topic, common, steps)
    model = load_model(folder / "model.json")
    with pytest.raises(ERRORS) as raised:
        model.predict(pd.read_csv(folder / "new.csv"))
    # Of absent columns it says what scikit-learn says.
    said = "The feature names should match" if code == "D12" else f"[{code}]; "
    assert said in str(raised.value)


# The parameters that options are called in Python, and how their text is read.
PARAMETERS = {
    "--lambda": ("regularization", float),
    "--method": ("method", str),
    "--start": ("start", str),
    "--p": ("exponent", float),
    "--max-selected": ("max_selected", float),
    "--sparser": ("sparser", float),
    "--interactions": ("interactions", str),
    "--rules": ("rules", str),
    "--features": ("n_features", float),
    "--text": ("tokeniser", str),
    "--text-features": ("text_features", float),
    "--pairs": ("pairs", float),
    "--trees": ("trees", float),
}


def parameters(arguments):
    """The parameters of a command, or None if it has an option that Python does not."""
    found = {}
    for option, text in zip(arguments[::2], arguments[1::2], strict=True):
        if option not in PARAMETERS:
            return None
        name, read = PARAMETERS[option]
        try:
            value = read(text)
        except ValueError:
            value = text
        whole = isinstance(value, float) and value.is_integer()
        is_count = name in ("max_selected", "n_features", "text_features", "pairs", "trees")
        found[name] = int(value) if whole and is_count else value
    return found


@pytest.mark.parametrize(
    ("topic", "common", "steps", "code"),
    [
        case
        for case in refused_cases("learning", "train")
        if parameters(case.values[2][-1][8:]) is not None
    ],
)
def test_settings(prepared, tmp_path, topic, common, steps, code):
    folder = made(prepared, tmp_path, topic, common, steps)
    table = pd.read_csv(folder / "data.csv")
    settings = parameters(steps[-1][8:])
    with pytest.raises((ValueError, TypeError, OverflowError)):
        FNBClassifier(**settings).fit(table.drop(columns="class"), table["class"])


@pytest.mark.parametrize(
    ("topic", "common", "steps", "code"),
    [
        case
        for case in refused_cases("weights", "train")
        if ("--class-weight" in case.values[2][-1] or case.values[3] == "D19")
        # Classes that are not there may have a weight, as in scikit-learn.
        and "an unknown class" not in str(case.id)
    ],
)
def test_weights(prepared, tmp_path, topic, common, steps, code):
    folder = made(prepared, tmp_path, topic, common, steps)
    table = pd.read_csv(folder / "data.csv")
    option, value = steps[-1][8:10]
    weight = table[value] if option == "--weight" else None
    class_weight = None
    if option == "--class-weight":
        pairs = [pair.partition("=") for pair in value.split(",")]
        # A dict has each class once.
        if len({name for name, _, _ in pairs}) < len(pairs) or "balanced" in value:
            pytest.skip("a dict cannot say it")
        class_weight = {name: float(number) if number else name for name, _, number in pairs}
    with pytest.raises((ValueError, TypeError)):
        FNBClassifier(class_weight=class_weight).fit(
            table[["a"]], table["class"], sample_weight=weight
        )


def test_copies_of_the_target_are_warned_of():
    y = np.arange(200) % 2
    noise = np.random.default_rng(0).normal(size=200)
    table = pd.DataFrame({"copy": np.where(y, "Y", "N"), "x": noise + y, "flat": 1.0})
    with pytest.warns(UserWarning, match="'copy' alone tells nearly all"):
        clf = FNBClassifier().fit(table, y)
    kinds = [(found["kind"], found.get("variable", found.get("column"))) for found in clf.findings_]
    assert kinds == [("tells_all", "copy"), ("constant", "flat")]
    assert clf.findings_ == clf.model_.findings
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert FNBClassifier().fit(table[["x"]], y).findings_ == []


def test_messages_do_nothing_on_a_terminal():
    y = np.arange(60) % 2
    table = pd.DataFrame({"\x1b[2Jx": y + 0.5, "\u202ez": y})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = FNBClassifier().fit(table, y)
    with pytest.raises(ValueError, match="2J") as raised:
        clf.model_.predict(pd.DataFrame({"q": [1.0]}))
    assert str(raised.value).replace("\n", "").isprintable()
    with pytest.raises(FileNotFoundError) as missing:
        load_model("no\x1b[31m.json")
    assert str(missing.value).isprintable()
    assert repr(clf.model_).isprintable()
