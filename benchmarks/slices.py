"""Slices and clusters: what a row costs more than without them, and what intervals cost at compute.

python -m benchmarks.slices [--rounds 5]
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import mmeval_like as mm

__all__ = ["measure", "table"]

_ROWS, _BATCH = 1_000_000, 8_192
_KEYS = (3, 100, 10_000)


def _class_ids(classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, _ROWS)
    other = rng.integers(0, classes, _ROWS)
    return np.where(rng.random(_ROWS) < 0.7, labels, other), labels


def _seconds(metric: Any, columns: tuple[np.ndarray, ...], named: dict[str, np.ndarray]) -> float:
    """The time of adding all rows, batch by batch, to a metric without samples."""
    spent = 0.0
    for start in range(0, _ROWS, _BATCH):
        here = slice(start, start + _BATCH)
        batch = [column[here] for column in columns]
        keys: dict[str, Any] = {name: column[here] for name, column in named.items()}
        if "by" in keys:
            keys["by"] = {"x": keys["by"]}
        before = time.perf_counter()
        metric.add(*batch, **keys)
        spent += time.perf_counter() - before
    return spent


def measure(rounds: int = 5) -> dict[str, dict[str, float]]:
    """Nanoseconds a row, by what is added, and milliseconds of a compute, by the metric."""
    sure: dict[str, Any] = {"interval": 0.95}
    four: dict[str, Any] = {"task": "multiclass", "num_classes": 10}
    floats = (np.random.default_rng(1).lognormal(size=_ROWS),)
    kinds: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
        "F1 of 10 classes": (lambda **o: mm.FBetaScore(**four, **o), _class_ids(10)),
        "mean of floats": (mm.Mean, floats),
    }
    rows: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, (make, columns) in kinds.items():
            plain = _seconds(make(), columns, {})
            rows.setdefault(f"{name}, alone", []).append(plain)
            for keys in _KEYS:
                column = np.random.default_rng(keys).integers(0, keys, _ROWS)
                sliced = _seconds(mm.Sliced(make(), by="x"), columns, {"by": column})
                rows.setdefault(f"{name}, {keys:,} slices", []).append(sliced)
            column = np.arange(_ROWS) // 100
            together = _seconds(make(**sure), columns, {"clusters": column})
            rows.setdefault(f"{name}, 10,000 clusters in order", []).append(together)
    nanoseconds = {name: statistics.median(each) / _ROWS * 1e9 for name, each in rows.items()}
    return {"add": nanoseconds, "compute": _computes(rounds)}


def _computes(rounds: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for classes in (10, 32):
        options: dict[str, Any] = {
            "task": "multiclass", "num_classes": classes, "interval": 0.95,
        }  # fmt: skip
        metrics: dict[str, mm.BaseMetric] = {
            f"{average} {cls.__name__}": cls(average=average, **options)
            for cls in (mm.Precision, mm.Recall, mm.FBetaScore)
            for average in ("macro", "weighted")
        }
        metrics |= {"balanced": mm.BalancedAccuracy(**options)}
        metrics |= {"kappa": mm.CohenKappa(classes, interval=0.95)}
        metrics |= {"mcc": mm.MatthewsCorrCoef(classes, interval=0.95)}
        metrics |= {"accuracy": mm.Accuracy(interval=0.95)}
        one, ten = mm.FBetaScore(**options), mm.MetricCollection(metrics)
        for name, metric in (("F1", one), ("ten metrics", ten)):
            metric.add(*_class_ids(classes))
            spent = []
            for _ in range(rounds):
                before = time.perf_counter()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    metric.compute()
                spent.append(time.perf_counter() - before)
            found[f"{name} of {classes} classes, with intervals"] = statistics.median(spent) * 1e3
    return found


def table(found: dict[str, dict[str, float]]) -> str:
    """Return the tables of the benchmarks page."""
    lines = ["| `add` of a million rows, in batches of 8,192 | ns per row |", "|---|---|"]
    lines += [f"| {name} | {value:.0f} |" for name, value in found["add"].items()]
    lines += ["", "| `compute`, in one process | ms |", "|---|---|"]
    lines += [f"| {name} | {value:.1f} |" for name, value in found["compute"].items()]
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    print(table(measure(parser.parse_args().rounds)))
