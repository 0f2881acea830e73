"""Regression metrics and means against their formulas, in fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import mmeval_like as mm
from tests.hunt.trial import Generator, Trial, weights_of

__all__ = ["draw"]

DTYPES = ("float64", "float32", "float16", "int8", "uint8", "int16", "int64", "uint64", "bool")


def draw(rng: Generator) -> Trial:
    """Return a random metric of numbers with random samples."""
    count = int(rng.choice([1, 2, 3, 20, 300])) if rng.random() < 0.98 else 20_000
    outputs = int(rng.choice([1, 1, 2, 3]))
    predictions, labels = _numbers(rng, count, outputs), _numbers(rng, count, outputs)
    if rng.random() < 0.4 and predictions.dtype == labels.dtype == np.float64:
        labels = predictions + (rng.normal(size=labels.shape) * rng.choice([0.0, 1e-9, 0.1]))
    if rng.random() < 0.1:
        labels = np.full_like(labels, labels.flat[0])
    weights = weights_of(rng, count) if count < 1000 and rng.random() < 0.4 else None
    kind = str(rng.choice(sorted(KINDS)))
    return KINDS[kind](rng, count, outputs, predictions, labels, weights)


def _numbers(rng: Generator, count: int, outputs: int) -> np.ndarray:
    shape = count if outputs == 1 else (count, outputs)
    dtype = str(rng.choice(DTYPES))
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype[0] != "f":
        limits = np.iinfo(dtype)
        low, high = max(limits.min, -(2**53)), min(limits.max, 2**53)
        if rng.random() < 0.5:
            low, high = max(low, -5), 5
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    values = np.asarray(rng.normal(size=shape))
    kind = rng.integers(5)
    if kind == 0:
        values = np.round(values)
    if kind == 1:
        values = values * 1e-3 + 1e3
    if kind == 2:
        values = values * float(rng.choice([1e-50, 1e50, 1e-90, 1e100]))
    if kind == 3:
        values = np.sort(values, axis=0)
    if dtype == "float16":
        values = np.clip(values, -6e4, 6e4)
    return np.nan_to_num(values.astype(dtype), posinf=1e30, neginf=-1e30)


def _exact(values: Any) -> list[Fraction]:
    return [Fraction(v) for v in np.asarray(values).tolist()]


def _pairs(p: Any, y: Any, w: Any, outputs: int) -> list[tuple[list[Any], list[Any], list[Any]]]:
    count = len(p)
    own = [Fraction(1)] * count if w is None else _exact(w)
    p, y = p.reshape(count, outputs), y.reshape(count, outputs)
    return [(_exact(p[:, d]), _exact(y[:, d]), own) for d in range(outputs)]


def _sum(*columns: Any) -> Fraction:
    total = Fraction(0)
    for entries in zip(*columns, strict=True):
        product = Fraction(1)
        for entry in entries:
            product *= entry
        total += product
    return total


def _root(value: Fraction) -> float:
    """Return the square root of a fraction of any size."""
    if not value:
        return 0.0
    shift = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(value / Fraction(4) ** shift), shift)


def _several(rng: Generator, options: dict[str, Any], outputs: int) -> bool:
    options["num_outputs"] = outputs
    options["multioutput"] = str(rng.choice(["uniform_average", "raw_values"]))
    return options["multioutput"] == "raw_values"


def _combined(values: list[float], listed: bool) -> Any:
    return values if listed else math.fsum(values) / len(values)


def _pearson(rng: Generator, count: int, outputs: int, p: Any, y: Any, w: Any) -> Trial:
    options: dict[str, Any] = {}
    listed = _several(rng, options, outputs)
    values = []
    for ps, ys, ws in _pairs(p, y, w, outputs):
        total = sum(ws)
        if not total:
            values.append(math.nan)
            continue
        sp, sy = _sum(ws, ps), _sum(ws, ys)
        cov = _sum(ws, ps, ys) * total - sp * sy
        vp, vy = _sum(ws, ps, ps) * total - sp**2, _sum(ws, ys, ys) * total - sy**2
        if not vp or not vy:
            values.append(math.nan)
        else:
            values.append(math.copysign(_root(cov * cov / (vp * vy)), cov))
    return Trial(mm.PearsonCorrCoef, options, (p, y, w), count,
                 {"pearson": _combined(values, listed)}, 1e-14)  # fmt: skip


def _r2(rng: Generator, count: int, outputs: int, p: Any, y: Any, w: Any) -> Trial:
    options: dict[str, Any] = {}
    listed = _several(rng, options, outputs)
    values = []
    for ps, ys, ws in _pairs(p, y, w, outputs):
        total = sum(ws)
        if not total or count < 2:
            return Trial(mm.R2Score, options, (p, y, w), count, None)
        rest = sum((c * (b - a) ** 2 for a, b, c in zip(ps, ys, ws, strict=True)), Fraction(0))
        spread = _sum(ws, ys, ys) - _sum(ws, ys) ** 2 / total
        value = 1 - rest / spread if spread else Fraction(int(not rest))
        if abs(value) > Fraction(10) ** 300:
            return Trial(mm.R2Score, options, (p, y, w), count, None)
        values.append(float(value))
    return Trial(mm.R2Score, options, (p, y, w), count, {"r2": _combined(values, listed)}, 1e-14)


def _rmse(rng: Generator, count: int, outputs: int, p: Any, y: Any, w: Any) -> Trial:
    options: dict[str, Any] = {}
    listed = _several(rng, options, outputs)
    values = []
    for ps, ys, ws in _pairs(p, y, w, outputs):
        total = sum(ws)
        rest = sum((c * (b - a) ** 2 for a, b, c in zip(ps, ys, ws, strict=True)), Fraction(0))
        values.append(_root(rest / total) if total else math.nan)
    if not listed and outputs > 1:
        return Trial(mm.RootMeanSquaredError, options, (p, y, w), count, None)
    return Trial(mm.RootMeanSquaredError, options, (p, y, w), count,
                 {"rmse": _combined(values, listed)}, 1e-13)  # fmt: skip


def _ranks(values: list[Fraction]) -> list[Fraction]:
    order = sorted(range(len(values)), key=lambda i: values[i])
    found = [Fraction(0)] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            found[place] = Fraction(start + end + 1, 2)
        start = end
    return found


def _spearman(rng: Generator, count: int, outputs: int, p: Any, y: Any, w: Any) -> Trial:
    if outputs > 1 or count > 1000:
        p, y = p.reshape(count, -1)[:, 0], y.reshape(count, -1)[:, 0]
    expected = None
    if count < 1000:
        a, b = _ranks(_exact(p)), _ranks(_exact(y))
        n = len(a)
        cov = _sum(a, b) * n - sum(a) * sum(b)
        va, vb = _sum(a, a) * n - sum(a) ** 2, _sum(b, b) * n - sum(b) ** 2
        value = math.copysign(_root(cov * cov / (va * vb)), cov) if va and vb else math.nan
        expected = {"spearman": value}
    return Trial(mm.SpearmanCorrCoef, {}, (p, y), count, expected, 1e-14)


def _mean(rng: Generator, count: int, outputs: int, p: Any, y: Any, w: Any) -> Trial:
    if outputs > 1:
        p = p[:, 0]
    own = [Fraction(1)] * count if w is None else _exact(w)
    total = sum(own)
    value = float(_sum(own, _exact(p)) / total) if total else math.nan
    return Trial(mm.Mean, {}, (p, w), count, {"mean": value}, 1e-14)


def _errors(rng: Generator, count: int, outputs: int, p: Any, y: Any, w: Any) -> Trial:
    power = int(rng.integers(1, 3))
    scale = float(rng.choice([1.0, 2.0, 255.0]))
    own = [Fraction(1)] * count if w is None else _exact(w)
    total = Fraction(0)
    for d in range(outputs):
        ps = p.reshape(count, outputs)[:, d]
        ys = y.reshape(count, outputs)[:, d]
        total += sum((c * abs((a - b) / Fraction(scale)) ** power / outputs
                      for a, b, c in zip(_exact(ps), _exact(ys), own, strict=True)),
                     Fraction(0))  # fmt: skip
    kind, key = [(mm.MeanAbsoluteError, "mae"), (mm.MeanSquaredError, "mse")][power - 1]
    value = float(total / sum(own)) if sum(own) else math.nan
    return Trial(kind, {"data_range": scale}, (p, y, None, w), count, {key: value}, 1e-12)


KINDS: dict[str, Callable[..., Trial]] = {
    "pearson": _pearson, "r2": _r2, "rmse": _rmse, "spearman": _spearman, "mean": _mean,
    "errors": _errors,
}  # fmt: skip
