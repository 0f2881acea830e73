"""Files of transformers' Trainer: its totals, and predictions saved in the same folder.

The Trainer writes only metrics of whole datasets (all_results.json and test_results.json by
`save_metrics`, trainer_state.json by `save_state`). The result of `predict` is read from a file of
`numpy.savez`, with the names of its fields: `predictions` and `label_ids`. This module was written
from files of transformers 5.23;
https://huggingface.co/docs/transformers/main_classes/trainer describes them.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like.logs.files import beginning, read_json, reading
from mmeval_like.logs.log import Aggregate, Log, LogError, Scores, digest, no_score
from mmeval_like.writing import arrays

__all__ = ["is_log", "read"]

_ARRAYS = {"predictions.npy", "label_ids.npy"}
# Prefixes of the metrics of `predict`: the default, that of example programs, that of `evaluate`.
_PREFIXES = ("test", "predict", "eval")
# Values that do not depend on predictions.
_OTHERS = re.compile(r".*_(runtime|per_second|samples|time)")
_STATE = (b'"log_history"', b'"global_step"')


def is_log(path: Path, start: bytes) -> bool:
    """Return whether a file has saved predictions, or its beginning looks like the Trainer's."""
    if start[:2] == b"PK":
        with reading(path), zipfile.ZipFile(path) as archive:
            return set(archive.namelist()) >= _ARRAYS
    own = re.search(rb'"\w+_steps_per_second"', start) is not None
    return start[:1] == b"{" and (own or all(key in start for key in _STATE))


def read(path: Path) -> Log:
    """Return the scores of saved predictions, from the file or from one in the Trainer's folder.

    Raises:
        LogError: There are no saved predictions, they are damaged, or they are not one class or one
            number per sample.
    """
    file = path
    if path.suffix != ".npz":
        folder = path if path.is_dir() else path.parent
        found = [one for one in sorted(folder.glob("*.npz")) if is_log(one, beginning(one))]
        if len(found) != 1:
            names = ", ".join(one.name for one in found) or "none"
            raise LogError(
                f"{path}: the Trainer writes totals, but no scores of samples. Save what predict "
                f"returns as predictions.npz, with the names predictions and label_ids, and give "
                f"this file; the folder has {names}"
            )
        file = found[0]
    with reading(file), open(file, "rb") as opened, np.load(opened, allow_pickle=False) as saved:
        predictions, labels = saved["predictions"], saved["label_ids"]
    totals = _totals(file.parent)
    prefix = next((p for p in _PREFIXES if f"{p}_loss" in totals or f"{p}_runtime" in totals), None)
    remarks = [f"{file}: no numbers of the Trainer in its folder to compare with"]
    if prefix is not None:
        remarks = [f"the Trainer's numbers are those in {file.parent} that begin with {prefix}_"]
    numbers = {
        name.removeprefix(f"{prefix}_"): value
        for name, value in totals.items()
        if name.startswith(f"{prefix}_") and not _OTHERS.fullmatch(name)
    }
    columns = _columns(file, predictions, labels)
    scores = [
        _scores(prefix or file.stem, name, values, rule, labels, numbers)
        for name, (values, rule) in columns.items()
    ]
    rest = sorted(numbers.keys() - columns.keys())
    if rest:
        remarks.append(f"{', '.join(rest)} cannot be recomputed: no file says how")
    return Log("trainer", [str(file)], scores, remarks)


def _totals(folder: Path) -> dict[str, Any]:
    """Return the Trainer's metrics, from all files that `save_metrics` wrote."""
    found: dict[str, Any] = {}
    for file in sorted(folder.glob("*_results.json")):
        with reading(file):
            found |= dict(read_json(file))
    return found


def _columns(
    file: Path, predictions: np.ndarray, labels: np.ndarray
) -> dict[str, tuple[list[Any], str]]:
    """Return the scores of all samples and their rules, by the Trainer's usual names."""
    count = len(predictions) if predictions.ndim else -1
    if labels.size == count and predictions.size == count:
        with reading(file):
            gaps = arrays.as_floats(predictions, "predictions").ravel() - labels.ravel()
        return dict.fromkeys(("loss", "mse"), ((gaps * gaps).tolist(), "mean"))
    whole = labels.dtype.kind in "biu" and labels.shape == (count,)
    if predictions.ndim != 2 or predictions.dtype.kind != "f" or not whole:
        raise LogError(
            f"{file}: predictions must be scores of classes (N, C) with label_ids (N,), or numbers "
            f"(N,), got {arrays.describe(predictions)} and {arrays.describe(labels)}; "
            f"mmeval_like score --metric reads them as a table"
        )
    if count and not (labels.min() >= 0 and labels.max() < predictions.shape[1]):
        raise LogError(f"{file}: label_ids must be in [0, {predictions.shape[1]})")
    scores = predictions.astype(np.float64)
    classes = scores.argmax(axis=1)
    above = scores - scores.max(axis=1, keepdims=True)
    logarithms = np.log(arrays.sum_rows(np.exp(above)))
    pairs = [[label, found] for label, found in zip(labels.tolist(), classes.tolist(), strict=True)]
    columns = {
        "loss": ((logarithms - above[np.arange(count), labels]).tolist(), "mean"),
        "accuracy": ((classes == labels).astype(np.float64).tolist(), "mean"),
        "matthews_correlation": (pairs, "matthews_corrcoef"),
    }
    if predictions.shape[1] == 2:
        columns["f1"] = pairs, "f1"
    return columns


def _scores(
    task: str,
    name: str,
    values: list[Any],
    rule: str,
    labels: np.ndarray,
    numbers: Mapping[str, Any],
) -> Scores:
    """Return one score of all samples; the Trainer computes losses in single precision."""
    return Scores(
        task, name, "", values, [*range(len(values))], {"label": labels.ravel().tolist()},
        [Aggregate(rule, rule, numbers.get(name), single=name in ("loss", "mse"))],
        dataset="predictions",  # the task is a prefix of the Trainer's numbers
        asked=[*map(digest, labels.ravel().tolist())],
        higher_is_better={"accuracy": True, "loss": False, "mse": False}.get(name),
        reasons=["no score" if no_score(value) else None for value in values],
    )  # fmt: skip
