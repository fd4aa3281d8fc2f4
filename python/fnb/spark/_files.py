"""Estimators and models in files of the engine, laid out as `pyspark.ml` lays out its own.

A folder with ``metadata``, a line of JSON, and for a model ``model``, the text of its model file.
The engine writes and reads them, so that a path is a path of the engine: of HDFS, of an object
store. Writers of `pyspark.ml` itself do the same, but for `overwrite`, which they leave to Java.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReader, MLWriter

from fnb.model import Model


class Writer(MLWriter):  # type: ignore[misc]
    """Writes parameters, and the model if there is one."""

    def __init__(self, instance: Any, model: Model | None = None) -> None:
        super().__init__()
        self._instance = instance
        self._model = model

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to a folder that is not there yet, or after `overwrite` to any."""
        metadata = DefaultParamsWriter._get_metadata_to_save(self._instance, self.sparkSession)
        # The metadata last: where they are, the rest is.
        if self._model is not None:
            self._write(self._model.to_json(), path, "model")
        self._write(metadata, path, "metadata")

    def _write(self, text: str, path: str | os.PathLike[str], name: str) -> None:
        rows = self.sparkSession.createDataFrame([(text,)], "value string").coalesce(1)
        mode = "overwrite" if self.shouldOverwrite else "error"
        rows.write.mode(mode).text(_inside(path, name))


class Reader(MLReader):  # type: ignore[misc]
    """Reads what a `Writer` has written; `made` makes the instance of its model."""

    def __init__(self, kind: type, made: Callable[[Model], Any] | None = None) -> None:
        super().__init__()
        self._kind = kind
        self._made = made

    def load(self, path: str | os.PathLike[str]) -> Any:
        """What is in the folder."""
        metadata = DefaultParamsReader.loadMetadata(os.fspath(path), self.sparkSession)
        expected = f"{self._kind.__module__}.{self._kind.__name__}"
        if metadata["class"] != expected:
            raise ValueError(f"{path} holds a {metadata['class']}, not a {expected}")
        if self._made is None:
            instance = self._kind()
        else:
            file = self.sparkSession.read.text(_inside(path, "model"), wholetext=True)
            instance = self._made(Model.from_json(file.first()[0]))
        instance._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(instance, metadata)
        return instance


def _inside(path: str | os.PathLike[str], name: str) -> str:
    return f"{os.fspath(path).rstrip('/')}/{name}"
