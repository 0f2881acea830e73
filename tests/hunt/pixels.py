"""Image quality and matting against loops and scipy's filters: tiny, flat, 8 bits, borders."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import mmeval_like as mm
from tests.hunt.trial import Generator, Trial, weights_of

__all__ = ["draw"]

DTYPES = ["uint8", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "bool"]


def draw(rng: Generator) -> Trial:
    """Return a random metric of images or mattes with hostile images."""
    kinds = [_quality, _quality, _similarity, _errors, _errors, _mattes, _mattes, _connected]
    return kinds[int(rng.integers(len(kinds)))](rng)


def _values(rng: Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Return pixels of a dtype: noise, flat, or the ends of its range."""
    least, most = {
        "uint8": (0, 255),
        "int8": (-128, 127),
        "uint16": (0, 65535),
        "bool": (0, 1),
        "int32": (-70000, 70000),
        "uint64": (0, 2**40),
    }.get(dtype, (0, 255))
    kind = rng.integers(4)
    if kind == 0:
        return np.full(shape, rng.choice([least, most])).astype(dtype)
    if kind == 1:
        return rng.choice(np.array([least, most]), shape).astype(dtype)
    values = rng.integers(least, most + 1, shape)
    return values.astype(dtype) if kind == 2 or dtype[0] != "f" else rng.random(shape).astype(dtype)


def _pair(rng: Generator, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    one, other = (str(name) for name in rng.choice(DTYPES, 2))
    other = one if rng.random() < 0.7 else other
    truth = _values(rng, shape, one)
    if rng.random() < 0.2 and np.can_cast(one, other):
        return truth.astype(other), truth
    return _values(rng, shape, other), truth


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if np.isfinite(values).all() else sum(values)


# Planes ------------------------------------------------------------------------------------


def _pictures(rng: Generator, least: int) -> tuple[Any, dict[str, Any], Any]:
    """Return samples, options, and the planes (samples, frames, C, H, W) that are compared."""
    count, border = int(rng.choice([1, 2, 6])), int(rng.choice([0, 0, 1, 3]))
    order, luma = str(rng.choice(["CHW", "HWC"])), bool(rng.random() < 0.4)
    colours = str(rng.choice(["rgb", "bgr"]))
    sides = (rng.integers(least, least + 5, 2) + 2 * border).tolist()
    channels = 3 if luma else int(rng.choice([1, 2, 3, 4]))
    flat, video = not luma and rng.random() < 0.2, rng.random() < 0.2
    shape = [*sides] if flat else [channels, *sides] if order == "CHW" else [*sides, channels]
    if video and not flat:
        shape = [int(rng.integers(1, 4)), *shape]
    scale = float(rng.choice([255.0, 1.0, 65535.0]))
    options = {"crop_border": border, "input_order": order, "channel_order": colours,
               "convert_to": "Y" if luma else None, "data_range": scale}  # fmt: skip
    data = _pair(rng, (count, *shape))
    planes = []
    for images in data:
        wide = images.astype(float)
        if flat:
            wide = wide[:, None]
        elif order == "HWC":
            wide = np.moveaxis(wide, -1, -3)
        wide = wide if wide.ndim == 5 else wide[:, None]
        wide = wide[..., border : wide.shape[3] - border, border : wide.shape[4] - border]
        if luma:
            weights = [65.481, 128.553, 24.966][:: 1 if colours == "rgb" else -1]
            luminance = sum(w * wide[:, :, c] for c, w in enumerate(weights))
            wide = (luminance / 255 + 16 * scale / 255)[:, :, None]
        planes.append(wide)
    return data, options, planes


def _quality(rng: Generator) -> Trial:
    data, options, (predictions, truths) = _pictures(rng, 1)
    signal = rng.random() < 0.5
    scores = []
    for p, t in zip(predictions, truths, strict=True):
        frames = []
        for one, other in zip(p, t, strict=True):
            gaps = [(a - b) ** 2 for a, b in zip(one.flat, other.flat, strict=True)]
            noise = math.fsum(gaps) / len(gaps)
            power = (math.fsum(v * v for v in other.flat) / len(gaps) if signal
                     else options["data_range"] ** 2)  # fmt: skip
            frames.append(math.inf if not noise else -math.inf if not power
                          else 10 * math.log10(power / noise))  # fmt: skip
        scores.append(sum(frames) / len(frames))
    made, key = (mm.SignalNoiseRatio, "snr") if signal else (mm.PeakSignalNoiseRatio, "psnr")
    return Trial(made, options, data, len(scores), {key: _mean(scores)}, 1e-9)


def _similarity(rng: Generator) -> Trial:
    from scipy.signal import convolve2d

    data, options, (predictions, truths) = _pictures(rng, 11)
    taps = np.exp(-(np.arange(-5, 6) ** 2) / (2 * 1.5**2))
    window = np.outer(taps, taps) / taps.sum() ** 2
    c1, c2 = (0.01 * options["data_range"]) ** 2, (0.03 * options["data_range"]) ** 2
    scores = []
    for p, t in zip(predictions, truths, strict=True):
        frames = []
        for one, other in zip(p, t, strict=True):
            planes = []
            for x, y in zip(one, other, strict=True):
                mx, my, xx, yy, xy = (convolve2d(v, window, "valid")
                                      for v in (x, y, x * x, y * y, x * y))  # fmt: skip
                up = (2 * mx * my + c1) * (2 * (xy - mx * my) + c2)
                planes.append(up / ((mx**2 + my**2 + c1) * (xx - mx**2 + yy - my**2 + c2)))
            frames.append(np.mean(planes))
        scores.append(float(np.mean(frames)))
    size = max(np.abs(predictions).max(), np.abs(truths).max())
    # Variances are differences of squares: of bright images only so many digits are left.
    tolerance = max(1e-9, 1e-13 * size**2 / c2)
    expected = {"ssim": _mean(scores)} if tolerance < 1e-3 else None
    return Trial(mm.StructuralSimilarity, options, data, len(scores), expected, tolerance)


def _errors(rng: Generator) -> Trial:
    count = int(rng.choice([1, 2, 6]))
    shape = [(), (3,), (2, 5), (1, 1), (4, 3, 3), (4, 3, 1)][int(rng.integers(6))]
    prediction, truth = _pair(rng, (count, *shape))
    mask, weights = None, weights_of(rng, count) if rng.random() < 0.3 else None
    if len(shape) > 1 and rng.random() < 0.5:
        masked = [shape[:2], (*shape[:2], 1), shape][int(rng.integers(3 if len(shape) > 2 else 1))]
        mask = rng.choice([0.0, 0.0, 0.5, 1.0], (count, *masked))
        mask = mask if rng.random() < 0.5 else _values(rng, mask.shape, "uint8")
    scale = [None, 1.0, 7.0][int(rng.integers(3))]
    unit = scale or (255.0 if len(shape) > 1 else 1.0)
    squared = bool(rng.integers(2))
    scores = []
    for i in range(count):
        gap = np.abs(prediction[i].astype(float) - truth[i].astype(float)) / unit
        gap = gap * gap if squared else gap
        own = np.ones(shape)
        if mask is not None:
            own = mask[i].astype(float)
            own = np.broadcast_to(own[..., None] if own.ndim < gap.ndim else own, gap.shape)
        total = math.fsum(own.flat)
        scores.append(math.fsum((gap * own).flat) / total if total else 0.0)
    used = np.ones(count) if weights is None else weights
    total = math.fsum(used)
    value = math.fsum(s * w for s, w in zip(scores, used, strict=True)) / total if total else None
    made, key = (mm.MeanSquaredError, "mse") if squared else (mm.MeanAbsoluteError, "mae")
    return Trial(made, {"data_range": scale}, (prediction, truth, mask, weights), count,
                 {key: math.nan if value is None else value}, 1e-9)  # fmt: skip


# Mattes ------------------------------------------------------------------------------------


def _alphas(rng: Generator, unit: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count, shape = int(rng.choice([1, 2, 5])), rng.integers(1, 9, 2)
    trimap = rng.choice(np.array([0, 128, 255]), (count, *shape))
    if rng.random() < 0.2:
        trimap[...] = rng.choice([0, 128, 255])
    alphas = []
    for _ in range(2):
        values = rng.integers(0, 11, (count, *shape)) / 10
        kind = rng.integers(4)
        if kind == 0:
            values = np.where(values < 0.5, 0.0, 1.0)
        elif kind == 1:
            values[...] = rng.choice([0.0, 0.3, 1.0])
        elif kind == 2:
            values = rng.random((count, *shape))
        if not unit:
            values = [values, np.rint(values * 255).astype(np.uint8), values.astype("f4"),
                      values > 0.5][rng.integers(4)]  # fmt: skip
        alphas.append(values)
    return alphas[0], alphas[1], trimap.astype(str(rng.choice(["uint8", "int64", "float32"])))


def _mattes(rng: Generator) -> Trial:
    prediction, truth, trimap = _alphas(rng, False)
    pairs = list(zip(prediction.astype(float), truth.astype(float), trimap, strict=True))
    constant, kind = float(rng.choice([1.0, 1000.0, 0.1])), int(rng.integers(3))
    options = {"norm_const": constant}
    if kind == 0:
        scores = [math.fsum(abs(p - t).flat) / constant for p, t, _ in pairs]
        return Trial(mm.SumAbsoluteDifferences, options, (prediction, truth), len(pairs),
                     {"sad": _mean(scores)}, 1e-9)  # fmt: skip
    if kind == 1:
        scores = [math.fsum(((p - t) ** 2).flat) / max(1, (m == 128).sum()) if (m == 128).any()
                  else 0.0 for p, t, m in pairs]  # fmt: skip
        return Trial(mm.MattingMeanSquaredError, {}, (prediction, truth, trimap), len(pairs),
                     {"matting_mse": _mean(scores)}, 1e-9)  # fmt: skip
    sigma = float(rng.choice([0.3, 1.0, 1.4, 3.0]))
    scores = [math.fsum(((_steepness(p, sigma) - _steepness(t, sigma)) ** 2)[m == 128]) / constant
              for p, t, m in pairs]  # fmt: skip
    return Trial(mm.GradientError, options | {"sigma": sigma}, (prediction, truth, trimap),
                 len(pairs), {"gradient_error": _mean(scores)}, 1e-9)  # fmt: skip


def _steepness(alpha: np.ndarray, sigma: float) -> np.ndarray:
    from scipy.ndimage import convolve

    radius = math.ceil(sigma * math.sqrt(-2 * math.log(math.sqrt(2 * math.pi) * sigma * 0.01)))
    x = np.arange(-radius, radius + 1.0)
    dense = np.outer(np.exp(-(x**2) / (2 * sigma**2)), -x * np.exp(-(x**2) / (2 * sigma**2)))
    dense /= np.linalg.norm(dense)
    if not np.ptp(alpha):
        return np.zeros_like(alpha)
    scaled = (alpha - alpha.min()) / np.ptp(alpha)
    return np.hypot(*(convolve(scaled, taps, mode="nearest") for taps in (dense, dense.T)))


def _connected(rng: Generator) -> Trial:
    prediction, truth, trimap = _alphas(rng, True)
    steps, constant = int(rng.choice([1, 2, 4, 10])), float(rng.choice([1.0, 1000.0]))
    levels = [i / steps for i in range(steps + 1)]
    scores = []
    for p, t, m in zip(prediction, truth, trimap, strict=True):
        regions = [_largest(np.minimum(p, t) >= level) for level in levels[1:]]
        total = []
        for place in zip(*np.nonzero(m == 128), strict=True):
            up = 0
            while up < steps and place in regions[up]:
                up += 1
            gaps = [alpha[place] - levels[up] for alpha in (p, t)]
            total.append(abs(max(gaps[0] if gaps[0] >= 0.15 else 0, 0)
                             - max(gaps[1] if gaps[1] >= 0.15 else 0, 0)))  # fmt: skip
        scores.append(math.fsum(total) / constant)
    options = {"step": 1 / steps, "norm_const": constant}
    return Trial(mm.ConnectivityError, options, (prediction, truth, trimap), len(scores),
                 {"connectivity_error": _mean(scores)}, 1e-9)  # fmt: skip


def _largest(inside: np.ndarray) -> set[tuple[int, ...]]:
    """Return the places of the largest 4-connected region, the first of several, by a flood."""
    left = {tuple(place) for place in np.argwhere(inside).tolist()}
    best: set[tuple[int, ...]] = set()
    for start in sorted(left):
        region, edge = set(), [start] if start in left else []
        while edge:
            place = edge.pop()
            if place in left:
                left.remove(place)
                region.add(place)
                y, x = place
                edge += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
        best = region if len(region) > len(best) else best
    return best
