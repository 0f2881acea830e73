"""Keypoints and flow against loops over joints and pixels: norms of 0, nothing visible, nan."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import mmeval_like as mm
from tests.hunt.trial import Generator, Trial

__all__ = ["draw"]

ITEMS = ("bbox", "head", "torso")
PARTS = {
    mm.MpiiPCKAccuracy: {"Head": [9], "Shoulder": [12, 13], "Elbow": [11, 14], "Wrist": [10, 15],
                         "Hip": [2, 3], "Knee": [1, 4], "Ankle": [0, 5]},
    mm.JhmdbPCKAccuracy: {"Head": [2], "Sho": [3, 4], "Elb": [7, 8], "Wri": [11, 12],
                          "Hip": [5, 6], "Knee": [9, 10], "Ank": [13, 14]},
}  # fmt: skip


def draw(rng: Generator) -> Trial:
    """Return a random metric of keypoints or of flow with hostile samples."""
    kinds = [_pck, _pck, _area, _distance, _distance, _flow]
    return kinds[int(rng.integers(len(kinds)))](rng)


def _poses(rng: Generator, joints: int) -> tuple[list[Any], list[Any]]:
    predictions, truths = [], []
    for _ in range(int(rng.choice([1, 2, 9]))):
        many = int(rng.choice([0, 1, 2, 3], p=[0.1, 0.5, 0.2, 0.2]))
        dtype = str(rng.choice(["float32", "float64", "int64", "float16"]))
        truth = rng.integers(-20, 100, (many, joints, 2)).astype(dtype)
        steps = rng.integers(-12, 13, truth.shape) * float(rng.choice([0, 1, 3]))
        prediction = (truth.astype(float) + steps).astype(dtype)
        mask = rng.random((many, joints)) < float(rng.choice([0.0, 0.5, 1.0]))
        if dtype[0] == "f" and rng.random() < 0.4:  # where nobody looks
            hidden = rng.choice([math.nan, math.inf, -math.inf])
            prediction[~mask] = hidden
            truth[~mask] = rng.choice([hidden, 0.0])
        sizes = {f"{i}_size": rng.integers(0, 4, (many, 2)) * 10.0 for i in ITEMS}
        kind = str(rng.choice(["bool", "uint8", "float32", "int64"]))
        truths.append({"coords": truth, "mask": mask.astype(kind), **sizes,
                       "norm": rng.choice([0.0, 0.5, 10.0, 1e-3, 1e6], (many, 1))})  # fmt: skip
        predictions.append({"coords": prediction})
    return predictions, truths


def _distances(predictions: Any, truths: Any, norms: Any, shift: float = 0.0) -> list[Any]:
    """Return joint and distance of every visible joint; norms(truth, instance) are two."""
    found = []
    for prediction, truth in zip(predictions, truths, strict=True):
        for i, row in enumerate(truth["mask"]):
            width, height = norms(truth, i)
            if not width or not height:
                continue
            for j, seen in enumerate(row):
                if seen:
                    x, y = (prediction["coords"][i, j].astype(float) + shift
                            - truth["coords"][i, j].astype(float))  # fmt: skip
                    x, y = x / width, y / height
                    found.append((j, math.sqrt(x * x + y * y)))
    return found


def _shares(found: list[Any], thr: float, joints: int) -> list[float]:
    each = [[d for j, d in found if j == joint] for joint in range(joints)]
    return [sum(d < thr for d in own) / len(own) if own else math.nan for own in each]


def _mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def _pck(rng: Generator) -> Trial:
    made = [mm.PCKAccuracy, mm.MpiiPCKAccuracy, mm.JhmdbPCKAccuracy][int(rng.integers(3))]
    joints = {mm.MpiiPCKAccuracy: 16, mm.JhmdbPCKAccuracy: 15}.get(made, int(rng.integers(1, 20)))
    items = rng.choice(ITEMS, int(rng.integers(1, 4)), replace=False).tolist()
    thr = float(rng.choice([0.05, 0.1, 0.2, 0.5, 1.0, 3.0]))
    data = _poses(rng, joints)
    expected = {}
    for item in items:
        name = {"bbox": "PCK", "head": "PCKh", "torso": "tPCK"}[item]
        percent = made is mm.MpiiPCKAccuracy and item == "head"
        found = _distances(*data, lambda t, i, key=f"{item}_size": t[key][i], float(percent))
        each = _shares(found, thr, joints)
        if percent:
            own = [(j, d) for j, d in found if j not in (6, 7)]
            for key, limit in (("PCKh", thr), ("PCKh@0.1", 0.1)):
                hits = sum(d < limit for _, d in own)
                expected[key] = 100 * hits / len(own) if own else math.nan
        elif made is not mm.JhmdbPCKAccuracy or item != "torso":
            expected[f"{name}@{thr}"] = _mean(each)
        if percent or (made is mm.JhmdbPCKAccuracy and item != "head"):
            for part, of in PARTS[made].items():
                key = part if percent else f"{part} {name}"
                expected[key] = (100 if percent else 1) * _mean([each[j] for j in of])
    options = {"thr": thr, "norm_item": items}
    return Trial(made, options, data, len(data[0]), expected, 1e-12)


def _area(rng: Generator) -> Trial:
    joints, number = int(rng.integers(1, 6)), int(rng.choice([1, 4, 20]))
    factor, data = float(rng.choice([1, 10, 30])), _poses(rng, joints)
    found = _distances(*data, lambda t, i: (factor, factor))
    curve = [_mean(_shares(found, step / number, joints)) for step in range(number)]
    options = {"norm_factor": factor, "num_thrs": number}
    expected = {f"AUC@{number}": math.fsum(curve) / number}
    return Trial(mm.KeypointAUC, options, data, len(data[0]), expected, 1e-12)


def _distance(rng: Generator) -> Trial:
    joints = int(rng.integers(2, 6))
    data = _poses(rng, joints)
    kind = int(rng.integers(3))
    if kind == 0:
        found = _distances(*data, lambda t, i: (1.0, 1.0))
        made, options, key = mm.KeypointEndPointError, {}, "EPE"
    elif kind == 1:
        found = _distances(*data, lambda t, i: (t["norm"][i, 0],) * 2)
        made, key = mm.KeypointNME, "NME"
        options = {"norm_mode": "use_norm_item", "norm_item": "norm"}
    else:
        for _, truth in zip(*data, strict=True):  # the two joints of the norm are numbers
            truth["coords"][~np.isfinite(truth["coords"].astype(float))] = 3
        found = _distances(*data, _between)
        made, key = mm.KeypointNME, "NME"
        options = {"norm_mode": "keypoint_distance", "keypoint_indices": (0, 1)}
    value = math.fsum(d for _, d in found) / len(found) if found else math.nan
    return Trial(made, options, data, len(data[0]), {key: value}, 1e-12)


def _between(truth: Any, instance: int) -> tuple[float, float]:
    x, y = np.subtract(*truth["coords"][instance, :2].astype(float))
    return (math.sqrt(x * x + y * y),) * 2


def _flow(rng: Generator) -> Trial:
    count, shape = int(rng.choice([1, 2, 7])), rng.integers(0, 9, 2)
    dtype = str(rng.choice(["float32", "float64", "float16", "uint8", "int16", "uint64"]))
    low = 0 if dtype[0] == "u" else -100
    prediction, label = rng.integers(low, 100, (2, count, *shape, 2)).astype(dtype)
    mask = None
    if rng.random() < 0.7:
        mask = rng.choice([0.0, 0.49, 0.5, 1.0, 2.0], (count, *shape))
        mask = mask if rng.random() < 0.5 else (mask > 0.3).astype(str(rng.choice(["bool", "u1"])))
    valid = np.ones((count, *shape), bool) if mask is None else mask >= 0.5
    if dtype[0] == "f":
        prediction[~valid] = rng.choice([math.nan, math.inf, 0.0])
        label[~valid] = rng.choice([math.nan, math.inf, 0.0])
    gap = (prediction.astype(float) - label.astype(float))[valid]
    lengths = [math.sqrt(x * x + y * y) for x, y in gap.tolist()]
    value = math.fsum(lengths) / len(lengths) if lengths else math.nan
    return Trial(mm.EndPointError, {}, (prediction, label, mask), count, {"EPE": value}, 1e-12)
