"""What the data are like, told where the user called."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class DataWarning(UserWarning):
    """Data are not what they seem, or not what the model was trained on.

    Among them: dates that cannot be read and are taken for missing; dates whose day and month might
    be exchanged; a column of categories none of which the model has seen.
    """


def tell(messages: Iterable[str]) -> None:
    """Warn of data, as if the code that called the package did; the native module calls it."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    for message in messages:
        warnings.warn(message, DataWarning, stacklevel=level)
