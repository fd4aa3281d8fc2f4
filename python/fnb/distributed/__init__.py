"""Training where the rows are: on Apache Spark, or on Sail.

`train` gives the ordinary `fnb.Model`, byte for byte that of the same rows in one place.
"""

from __future__ import annotations

from fnb.distributed.driver import train

__all__ = ["train"]
