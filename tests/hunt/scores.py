"""Metrics of scores against counts at every distinct score, in fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import mmeval_like as mm
from tests.hunt.points import (
    Points,
    auroc,
    average_precision,
    curve,
    equal_error_rate,
    kolmogorov_smirnov,
    partial_auroc,
    points_of,
    totals_of,
)
from tests.hunt.trial import Generator, Trial, weights_of

__all__ = ["draw"]


def draw(rng: Generator) -> Trial:
    """Return a random metric of scores with random samples."""
    task = str(rng.choice(["binary", "binary", "multiclass", "multilabel"]))
    size = 1 if task == "binary" else int(rng.integers(2, 6))
    count = int(rng.choice([1, 2, 3, 9, 40, 200, 700])) if rng.random() < 0.97 else 40_000
    bins = int(rng.choice([1, 2, 7, 10, 64, 100])) if rng.random() < 0.25 else None
    shape = (count,) if task == "binary" else (count, size)
    scores = _scores(rng, shape, bins is not None)
    if task == "multiclass":
        labels = rng.integers(0, size, count)
    else:
        labels = (rng.random(shape) < rng.choice([0.5, 0.01, 0.99, 0.0, 1.0])).astype(int)
    ignore = int(rng.choice([-100, 1, 0, 7])) if rng.random() < 0.2 else None
    if ignore is not None:
        labels = np.where(rng.random(labels.shape) < 0.3, ignore, labels)
    weights = weights_of(rng, count) if count < 1000 and rng.random() < 0.3 else None
    options: dict[str, Any] = {"task": task, "ignore_index": ignore, "bins": bins}
    if weights is not None:
        options["use_sample_weight"] = True
    if task != "binary" and (bins or rng.random() < 0.5):
        options["num_classes"] = size
    columns = _columns(task, size, scores, labels, weights, ignore, bins)
    kind = str(rng.choice(sorted(KINDS)))
    return KINDS[kind](rng, options, (scores, labels, weights), columns)


def _scores(rng: Generator, shape: Any, unit: bool) -> np.ndarray:
    if unit:
        dtype = str(rng.choice(["float64", "float32", "float16"]))
        values = rng.random(shape)
        if rng.random() < 0.5:
            values = np.round(values * 10) / 10
        return values.astype(dtype)
    kind = rng.integers(9)
    if kind == 0:
        return rng.integers(-(2**53), 2**53, shape)
    if kind == 1:
        return rng.integers(0, 2, shape).astype(str(rng.choice(["bool", "int8", "uint8"])))
    if kind == 2:
        return (rng.integers(0, 4, shape) + 2**52).astype(str(rng.choice(["int64", "uint64"])))
    if kind == 3:
        return rng.choice([0.0, -0.0, np.inf, -np.inf, 5e-324, -5e-324, 1.7e308, -1.7e308], shape)
    values = np.asarray(rng.normal(size=shape))
    if kind == 4:
        values = np.sort(values, axis=0)
    if kind == 5:
        values = np.sort(values, axis=0)[::-1]
    if kind == 6:
        values = np.round(values * 3)
    if kind == 7 and len(values) > 1:  # in order at first
        half = len(values) // 2
        values[:half] = np.sort(values[:half], axis=0)
    return values.astype(str(rng.choice(["float64", "float32", "float16"])))


def _columns(
    task: str, size: int, scores: Any, labels: Any, weights: Any, ignore: Any, bins: Any
) -> dict[str, Any]:
    """Return the points of every class and of all, and the samples behind them."""
    wide = scores.reshape(len(scores), size)
    counted = labels != ignore if ignore is not None else np.ones(labels.shape, bool)
    if task == "multiclass":
        positive = labels[:, None] == np.arange(size)
        counted = np.repeat(counted[:, None], size, 1)
    else:
        positive = labels.reshape(wide.shape) == 1
        counted = counted.reshape(wide.shape)
    own = None if weights is None else [Fraction(float(w)) for w in weights]
    every = [
        points_of(wide[k, c], positive[k, c], _chosen(own, np.flatnonzero(k)), bins)
        for c in range(size)
        for k in [counted[:, c]]
    ]
    flat = counted.reshape(-1)
    pooled = None
    if len(flat) < 5000:
        repeated = None if own is None else [w for w in own for _ in range(size)]
        pooled = points_of(wide.reshape(-1)[flat], positive.reshape(-1)[flat],
                           _chosen(repeated, np.flatnonzero(flat)), bins)  # fmt: skip
    ignored = [ignore] if task == "multiclass" and ignore in range(size) else []
    return {"task": task, "every": every, "pooled": pooled, "ignored": ignored, "own": own,
            "wide": wide, "labels": labels, "bins": bins, "size": size}  # fmt: skip


def _chosen(weights: list[Fraction] | None, which: Any) -> list[Fraction] | None:
    return None if weights is None else [weights[index] for index in which]


def _mean(values: list[Any], weights: list[Any] | None) -> float:
    known = [c for c, v in enumerate(values) if not (isinstance(v, float) and math.isnan(v))]
    if not known:
        return math.nan
    own = [Fraction(1) if weights is None else weights[c] for c in known]
    if not sum(own):
        own = [Fraction(1)] * len(known)
    total = sum(Fraction(values[c]) * w for c, w in zip(known, own, strict=True))
    return float(total / sum(own))


def _averaged(
    rng: Generator, options: dict[str, Any], columns: Any, key: str, of: Callable[..., Any],
    micro: bool,
) -> dict[str, Any]:  # fmt: skip
    """Draw an average, and return the expected value."""
    every, ignored = columns["every"], columns["ignored"]
    averages = ["macro", "weighted", None]
    if micro and columns["task"] != "binary" and columns["pooled"] is not None and not ignored:
        averages.append("micro")
    options["average"] = average = averages[rng.integers(len(averages))]
    if columns["task"] == "binary":
        value = of(every[0])
        if average is None and micro:  # the two that had a list before
            return {}
        return {key: float(value)}
    if average == "micro":
        return {key: float(of(columns["pooled"]))}
    values = [math.nan if c in ignored else of(p) for c, p in enumerate(every)]
    if average is None:
        return {f"{key}_classwise": [float(v) for v in values]}
    weights = [totals_of(p)[0] for p in every] if average == "weighted" else None
    return {key: _mean(values, weights)}


def _auroc_trial(rng: Generator, options: Any, data: Any, columns: Any) -> Trial:
    expected = {}
    if columns["task"] == "binary" and not columns["bins"] and rng.random() < 0.4:
        options["max_fpr"] = limit = float(rng.choice([0.1, 0.5, 1.0, 0.001]))
        points = columns["every"][0]
        value = partial_auroc(points, Fraction(limit)) if limit < 1 else auroc(points)
        expected = {"auroc": float(value)}
    else:
        expected = _averaged(rng, options, columns, "auroc", auroc, True)
    return Trial(mm.AUROC, options, data, len(data[0]), expected, 1e-12)


def _ap_trial(rng: Generator, options: Any, data: Any, columns: Any) -> Trial:
    options["percent"] = False
    expected = _averaged(rng, options, columns, "mAP", average_precision, True)
    expected = {k.replace("mAP_", "AP_"): v for k, v in expected.items()}
    if options["bins"] and "num_classes" not in options:
        options["num_classes"] = 1
    return Trial(mm.AveragePrecision, options, data, len(data[0]), expected, 1e-12)


def _gini_trial(rng: Generator, options: Any, data: Any, columns: Any) -> Trial:
    expected = _averaged(rng, options, columns, "gini", lambda points: 2 * auroc(points) - 1, False)
    return Trial(mm.GiniCoefficient, options, data, len(data[0]), expected, 1e-12)


def _ks_trial(rng: Generator, options: Any, data: Any, columns: Any) -> Trial:
    expected = _averaged(rng, options, columns, "ks", kolmogorov_smirnov, False)
    return Trial(mm.KolmogorovSmirnov, options, data, len(data[0]), expected, 1e-12)


def _eer_trial(rng: Generator, options: Any, data: Any, columns: Any) -> Trial:
    expected = _averaged(rng, options, columns, "eer", equal_error_rate, False)
    return Trial(mm.EqualErrorRate, options, data, len(data[0]), expected, 1e-12)


def _curve_trial(rng: Generator, options: Any, data: Any, columns: Any) -> Trial:
    kind = [mm.ROC, mm.PrecisionRecallCurve, mm.DETCurve][rng.integers(3)]
    expected = None
    if not columns["bins"] and rng.random() < 0.3:
        options["max_points"] = int(rng.choice([5, 6, 17, 1000]))
    elif not columns["bins"]:
        curves = [curve(points, kind) for points in columns["every"]]
        listed = columns["task"] != "binary"
        if columns["ignored"] == []:
            expected = {k: [c[k] for c in curves] if listed else curves[0][k] for k in curves[0]}
            if listed:
                expected = None if len({len(c["thresholds"]) for c in curves}) > 1 else expected
    return Trial(kind, options, data, len(data[0]), expected, 1e-12)


def _best_trial(rng: Generator, options: Any, data: Any, columns: Any) -> Trial:
    name = str(rng.choice(["fbeta", "accuracy", "balanced_accuracy", "informedness", "jaccard"]))
    options["metric"] = name
    if name == "fbeta":
        options["beta"] = float(rng.choice([0.5, 1.0, 3.0]))
    b2 = Fraction(options.get("beta", 1.0)) ** 2

    def best(points: Points) -> Any:
        ups, downs = totals_of(points)
        needs_both = name in ("balanced_accuracy", "informedness")
        if (needs_both and not (ups and downs)) or not ups + downs:
            return math.nan
        x = y = Fraction(0)
        values = []
        for up, down in [(0, 0), *((p, n) for _, p, n in points)]:
            x, y = x + down, y + up
            value = {
                "fbeta": lambda y=y, x=x: _share((1 + b2) * y, y + x + b2 * ups),
                "accuracy": lambda y=y, x=x: (y + downs - x) / (ups + downs),
                "balanced_accuracy": lambda y=y, x=x: (y / ups + 1 - x / downs) / 2,
                "informedness": lambda y=y, x=x: y / ups - x / downs,
                "jaccard": lambda y=y, x=x: _share(y, ups + x),
            }[name]()
            values.append(value)
        return max(values)

    expected = _averaged(rng, options, columns, f"best_{name}", best, False)
    if name in ("fbeta", "jaccard") and any(not totals_of(p)[0] for p in columns["every"]):
        expected = None  # undefined without positives: by its page
    return Trial(mm.BestThreshold, options, data, len(data[0]), expected, 1e-12)


def _share(above: Any, below: Any) -> Any:
    return Fraction(above) / below if below else Fraction(0)


KINDS: dict[str, Callable[..., Trial]] = {
    "auroc": _auroc_trial, "auroc again": _auroc_trial, "ap": _ap_trial, "gini": _gini_trial,
    "ks": _ks_trial, "eer": _eer_trial, "curve": _curve_trial, "best": _best_trial,
}  # fmt: skip
