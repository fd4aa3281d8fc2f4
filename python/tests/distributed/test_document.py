"""docs/spark.md does what it says: its blocks, with fewer rows."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess

import pytest

import fnb

DOCUMENT = pathlib.Path(__file__).parents[3] / "docs" / "spark.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(bool(os.environ.get("FNB_TEST_REMOTE")), reason="the document starts Sail")
def test_the_document_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = os.environ.get("FNB_PROGRAM")
    if program is None or shutil.which(program) is None:
        pytest.skip("FNB_PROGRAM does not name the program fnb")
    program = os.path.abspath(program)
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(DOCUMENT.read_text(encoding="utf-8"))
    assert len(blocks) == 4
    names: dict[str, object] = {}
    for block in blocks:
        code = block.replace("range(20_000_000)", "range(20_000)")
        exec(compile(code, str(DOCUMENT), "exec"), names)
    spark = names["spark"]
    model = names["model"]
    assert isinstance(model, fnb.Model)
    assert len(model.variables) > 2

    command = [program, "train", "visits.parquet", "-t", "bought", "-o", "local.json"]
    subprocess.run(command, check=True, capture_output=True)
    assert pathlib.Path("local.json").read_text() == pathlib.Path("bought.json").read_text()

    scored = spark.read.parquet("scored.parquet").limit(50).toArrow()  # type: ignore[attr-defined]
    assert scored.column("prediction").to_pylist() == list(model.predict(scored))
    spark.stop()  # type: ignore[attr-defined]
    names["server"].stop()  # type: ignore[attr-defined]
