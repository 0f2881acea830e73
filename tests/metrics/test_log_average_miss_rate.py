"""LogAverageMissRate against one detection after the other, and what it promises on its own."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import LogAverageMissRate
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.detections import image
from tests.metrics.textbook_map import box_area, box_iou


def samples(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Images with boxes of one class, some of which are to be ignored; scores tie."""
    return tuple(map(list, zip(*(image(rng, 1) for _ in range(n)), strict=True)))


def within(box: Any, other: Any) -> float:
    """The share of a box that lies in another one."""
    iou = box_iou(box, other)
    inner = iou * (box_area(box) + box_area(other)) / (1 + iou)
    return inner / box_area(box) if inner else 0.0


def outcomes(found: Any, truth: Any, thr: float) -> list[tuple[float, bool]]:
    """Of an image's detections that count the score, and whether it is a hit."""
    free = set(range(len(truth["bboxes"])))
    ignored = np.asarray(truth["ignore_flags"], bool)
    counted = []
    order = sorted(range(len(found["scores"])), key=lambda i: -found["scores"][i])
    for i in order:
        box = found["bboxes"][i]
        near = [(box_iou(box, truth["bboxes"][j]), j) for j in free if not ignored[j]]
        overlap, best = max(near, default=(-1.0, -1))
        if overlap >= thr:
            free.remove(best)
            counted.append((float(found["scores"][i]), True))
        elif not any(within(box, other) >= thr for other in np.asarray(truth["bboxes"])[ignored]):
            counted.append((float(found["scores"][i]), False))
    return counted


def oracle(predictions: Any, truths: Any, thr: float = 0.5) -> dict[str, float]:
    """The curve point by point."""
    total = sum(int((~np.asarray(t["ignore_flags"], bool)).sum()) for t in truths)
    if not total:
        return {"mr": math.nan}
    pairs = zip(predictions, truths, strict=True)
    counted = [entry for pair in pairs for entry in outcomes(*pair, thr)]
    rates = []
    for point in np.logspace(-2, 0, 9):
        rate = 1.0
        for least in sorted({score for score, _ in counted}, reverse=True):
            kept = [hit for score, hit in counted if score >= least]
            if kept.count(False) / len(truths) > point * (1 + 1e-12):
                break
            rate = 1 - sum(kept) / total
        rates.append(max(rate, 1e-10))
    return {"mr": math.exp(sum(map(math.log, rates)) / 9)}


CASES = {"LogAverageMissRate": MetricCase(LogAverageMissRate, samples, oracle, array_inputs=False)}


def test_laws() -> None:
    """The metric equals what loops say, and keeps every law."""
    check_metric(CASES["LogAverageMissRate"], examples=examples(2))


def test_another_threshold() -> None:
    """The same of overlaps from 0.8 on."""
    data = samples(np.random.default_rng(4), 40)

    assert LogAverageMissRate(iou_thr=0.8)(*data) == pytest.approx(oracle(*data, thr=0.8))


def test_extremes() -> None:
    """Everything is found; nothing is; there is nothing to find."""
    box = {"bboxes": [[0, 0, 4, 8]]}
    nothing = {"bboxes": [], "scores": []}
    metric = LogAverageMissRate()

    assert metric([{**box, "scores": [0.3]}], [box])["mr"] == pytest.approx(1e-10)
    assert metric([nothing], [box]) == {"mr": 1.0}
    assert math.isnan(metric([nothing], [{"bboxes": []}])["mr"])
    ignored = {**box, "ignore_flags": [True]}
    with_others = metric([{"bboxes": box["bboxes"] * 3, "scores": [0.9, 0.8, 0.7]}], [ignored])
    assert math.isnan(with_others["mr"])


def test_bad_inputs() -> None:
    """Other numbers of scores and flags, a threshold that is none."""
    box = {"bboxes": [[0, 0, 4, 8]]}
    with pytest.raises(ValueError, match="as many 'scores'"):
        LogAverageMissRate().add([{**box, "scores": [0.5, 0.6]}], [box])
    with pytest.raises(ValueError, match="as many 'ignore_flags'"):
        LogAverageMissRate().add([{**box, "scores": [0.5]}], [{**box, "ignore_flags": [0, 0]}])
    with pytest.raises(ValueError, match="iou_thr must be in"):
        LogAverageMissRate(iou_thr=2)
