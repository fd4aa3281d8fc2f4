"""The classifier in the manner of `pyspark.ml`, on Apache Spark and Sail.

`FNBClassifier` trains on a DataFrame, where its rows are; `FNBClassificationModel` scores one. No
column has to be assembled, indexed or encoded before.
"""

from __future__ import annotations

from fnb.spark.classifier import FNBClassificationModel, FNBClassifier

__all__ = ["FNBClassificationModel", "FNBClassifier"]
