"""The native module."""

from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Frame",
    "Interrupted",
    "Model",
    "ShardCounts",
    "ShardEncoder",
    "ShardEncoding",
    "ShardPlan",
    "ShardSession",
    "ShardSurvey",
    "Target",
    "__version__",
    "compare",
    "construct",
    "describe",
    "factorize",
    "prepare",
    "report",
    "train",
    "values",
]

__version__: str

class Interrupted(RuntimeError): ...

@final
class Frame:
    @staticmethod
    def from_arrow(table: Any) -> Frame: ...
    @staticmethod
    def from_columns(names: list[str], columns: list[Any], length: int) -> Frame: ...
    @staticmethod
    def from_sparse(
        names: list[str],
        starts: NDArray[np.int64],
        places: NDArray[np.int32],
        values: Any,
        length: int,
    ) -> Frame: ...
    def select(self, places: list[int], names: list[str]) -> Frame: ...
    def with_tables(self, others: dict[str, Frame]) -> Frame: ...
    def lent(self) -> list[str]: ...
    @property
    def rows(self) -> int: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def numbers_from_objects(self) -> list[str]: ...

@final
class Target:
    def __new__(
        cls,
        name: str,
        classes: list[str],
        codes: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
        class_weights: list[tuple[str, float]] | str | None = None,
        labels: str | None = None,
    ) -> Target: ...
    @property
    def classes(self) -> list[str]: ...

@final
class Model:
    @staticmethod
    def from_json(json: str) -> Model: ...
    def to_json(self) -> str: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def tables(self) -> list[str]: ...
    def sentences(self) -> list[str | None]: ...
    @property
    def of_numbers(self) -> bool: ...
    def probabilities(
        self, frame: Frame, prior: list[float] | None, threads: int | None
    ) -> NDArray[np.float64]: ...
    def scores(
        self, frame: Frame, prior: list[float] | None, threads: int | None
    ) -> NDArray[np.float64]: ...
    def probabilities_of_matrix(
        self, matrix: NDArray[np.float64], places: list[int], prior: list[float] | None
    ) -> NDArray[np.float64]: ...
    def parts(self, frame: Frame, threads: int | None) -> NDArray[np.int32]: ...
    def labels(self) -> list[list[str]]: ...
    def blocks(self, term: int, most: int) -> str: ...
    def evidence(self) -> tuple[list[list[list[float]]], list[float]]: ...
    def explain(
        self, frame: Frame, classes: NDArray[np.int64], top: int, threads: int | None
    ) -> tuple[list[int], list[str | None], list[str], list[str], list[str], list[float]]: ...
    def prune(self, size: int) -> Model: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

def factorize(column: Any) -> tuple[NDArray[np.int64], list[str]]: ...
def train(
    frame: Frame,
    target: Target,
    settings_json: str,
    reading: dict[str, Any],
    threads: int | None,
    callback: Callable[[str, int, int], Any] | None,
    *,
    tables: dict[str, Any] | None = None,
) -> tuple[Model, list[str]]: ...
def construct(
    frame: Frame,
    tables: dict[str, Any],
    settings_json: str,
    reading: dict[str, Any],
    threads: int | None,
) -> tuple[str, list[str]]: ...
def values(features_json: str, frame: Frame, threads: int | None) -> list[Any]: ...
def prepare(
    frame: Frame,
    target: Target,
    settings_json: str,
    reading: dict[str, Any],
    threads: int | None,
    callback: Callable[[str, int, int], Any] | None,
) -> Model: ...
def describe(
    frame: Frame,
    target: Target,
    settings_json: str,
    reading: dict[str, Any],
    threads: int | None,
    *,
    tables: dict[str, Any] | None = None,
) -> dict[str, Any]: ...
def report(
    model: Model,
    name: str,
    measured: tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64] | None] | None,
    title: str | None,
    main_class: str | None,
) -> str: ...
def compare(
    frame: Frame,
    target: Target,
    settings_json: list[str],
    reading: dict[str, Any],
    folds: int | list[int],
    threads: int | None,
    *,
    tables: dict[str, Any] | None = None,
) -> tuple[list[tuple[int, int, dict[str, float]]], list[str]]: ...

@final
class ShardSurvey:
    def __new__(cls, source: dict[str, Any], again: bytes | None = None) -> ShardSurvey: ...
    def add(self, frame: Frame) -> None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def again(surveys: list[bytes], target: str) -> bytes | None: ...

@final
class ShardCounts:
    def __new__(cls, source: dict[str, Any], plan: bytes) -> ShardCounts: ...
    def add(self, frame: Frame) -> None: ...
    def to_bytes(self) -> bytes: ...

@final
class ShardEncoder:
    def __new__(cls, source: dict[str, Any], encoding: bytes) -> ShardEncoder: ...
    def add(self, frame: Frame) -> None: ...
    @property
    def rows(self) -> int: ...
    def facts(self) -> bytes: ...
    def to_bytes(self) -> bytes: ...

@final
class ShardSession:
    def __new__(cls, encoding: bytes, start: bytes, rows: bytes) -> ShardSession: ...
    def answer(self, round: bytes) -> bytes: ...

@final
class ShardPlan:
    def __new__(
        cls,
        source: dict[str, Any],
        surveys: list[bytes],
        empty: Frame,
        settings_json: str,
        class_weights: Any = None,
    ) -> ShardPlan: ...
    @property
    def rows(self) -> int: ...
    def to_bytes(self) -> bytes: ...
    def prepare(
        self,
        counts: list[bytes],
        texts: list[str],
        threads: int | None,
        callback: Callable[[str, int, int], Any] | None,
    ) -> ShardEncoding: ...

@final
class ShardEncoding:
    def to_bytes(self) -> bytes: ...
    def start(self, facts: list[bytes]) -> bytes: ...
    @property
    def informative(self) -> int: ...
    def learn(
        self,
        facts: list[bytes],
        ask: Callable[[bytes], list[bytes]],
        threads: int | None,
        callback: Callable[[str, int, int], Any] | None,
    ) -> tuple[Model, int]: ...
