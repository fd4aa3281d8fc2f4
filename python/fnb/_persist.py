"""What is kept of a fitted estimator: plain values, and its model as the text of the model file."""

from __future__ import annotations

from typing import Any

from fnb.model import Model


class Persistent:
    """Pickles, copies and files of skops hold nothing but parameters, plain values and texts.

    So loading one checks the model as loading its file does, and a reader like skops has to trust
    the class of the estimator alone.
    """

    # Attributes that are made of the others.
    _derived: tuple[str, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {**super().__getstate__()}  # type: ignore[misc, dict-item]
        for name in self._derived:
            state.pop(name, None)
        if "model_" in state:
            state["model_"] = state["model_"].to_json()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        text = state.get("model_")
        super().__setstate__({**state})  # type: ignore[misc]
        if text is not None:
            self._set_model(Model.from_json(text))

    def _set_model(self, model: Model) -> None:
        """Take a model, and make the derived attributes."""
        raise NotImplementedError
