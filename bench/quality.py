"""AUC, accuracy and compression of predicted probabilities, the same for every tool.

AUC: one class against the others, weighted by the rows of the class; ties are halves. Compression:
1 − log loss / entropy of the classes of the test rows, probabilities of at least 1e-6. A class that
was not in the training rows has probability 0.
"""

import json
import math

import numpy as np
import pyarrow.parquet as pq
from scipy.stats import rankdata

LEAST = 1e-6


def read(data, name):
    """The columns of a table of one file, its classes, and the fold of every row."""
    entries = json.loads((data / "manifest.json").read_text())["datasets"]
    target = next(entry["target"] for entry in entries if entry["name"] == name)
    table = pq.read_table(data / name / "data.parquet")
    classes = table[target].to_numpy(zero_copy_only=False)
    folds = pq.read_table(data / name / "folds.parquet")["fold"].to_numpy()
    return table.drop_columns([target]).to_pandas(), classes, folds


def quality(labels, classes, probabilities):
    """`probabilities`: a row each, a column per class of `classes`."""
    rows = len(labels)
    place = {c: i for i, c in enumerate(classes)}
    present, counts = np.unique(labels, return_counts=True)
    entropy = -sum(n / rows * math.log(n / rows) for n in counts)
    own = [probabilities[row, place[c]] if c in place else 0.0 for row, c in enumerate(labels)]
    log_loss = -np.log(np.clip(own, LEAST, 1.0)).mean()
    compression = 1.0 - log_loss / entropy if entropy > 0 else 0.0
    if entropy > 0 and abs(compression) < entropy / rows:
        compression = 0.0
    best = np.asarray(classes)[probabilities.argmax(axis=1)]
    auc = 0.0
    for c, n in zip(present, counts, strict=True):
        known = c in place
        own = one_against_the_others(probabilities[:, place[c]], labels == c) if known else 0.5
        auc += n / rows * own
    figures = {"auc": auc, "accuracy": (best == labels).mean(), "compression": compression}
    return {key: round(float(value), 7) for key, value in figures.items()}


def one_against_the_others(scores, is_class):
    positives = is_class.sum()
    negatives = len(scores) - positives
    if negatives == 0:
        return 1.0
    ranks = rankdata(scores)[is_class].sum()
    return (ranks - positives * (positives + 1) / 2) / (positives * negatives)
