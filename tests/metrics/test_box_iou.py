"""The four kinds of IoU against shapely's areas, pair by pair."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.metrics.detection import box_pairs
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.detections import boxes


def samples(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Images with few boxes of three labels, some without area, some images without boxes."""
    sides: tuple[list[Any], list[Any]] = ([], [])
    for side in sides:
        for _ in range(n):
            count = int(rng.integers(0, 4))
            found = boxes(rng, count, large=False)
            side.append({"bboxes": found, "labels": rng.integers(0, 3, count)})
    return sides


def given(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """As many boxes on both sides."""
    counts = rng.integers(0, 5, n)
    return tuple([boxes(rng, int(count)) for count in counts] for _ in range(2))


def measures(a: Any, b: Any) -> dict[str, float]:
    """All four of a pair, by shapely."""
    box = requires("shapely").box
    one, other = box(*a), box(*b)
    union = one.area + other.area - one.intersection(other).area
    iou = one.intersection(other).area / union if union else 0.0
    x1, y1, x2, y2 = requires("shapely").total_bounds([one, other])  # without area, too
    hull, diagonal = (x2 - x1) * (y2 - y1), (x2 - x1) ** 2 + (y2 - y1) ** 2
    apart = (a[0] + a[2] - b[0] - b[2]) ** 2 / 4 + (a[1] + a[3] - b[1] - b[3]) ** 2 / 4
    diou = iou - (apart / diagonal if diagonal else 0.0)
    angles = [math.atan2(c[2] - c[0], c[3] - c[1]) for c in (a, b)]
    v = 4 / math.pi**2 * (angles[0] - angles[1]) ** 2
    alpha = v / (1 - iou + v) if v else 0.0
    giou = iou - ((hull - union) / hull if hull else 0.0)
    return {"iou": iou, "giou": giou, "diou": diou, "ciou": diou - alpha * v}


def oracle(
    predictions: Any, truths: Any, key: str, threshold: float = 0.0, labels: bool = True
) -> dict[str, Any]:
    """The mean over all pairs, and over those of each label."""
    values, by_class = [], [[], [], []]  # type: ignore[var-annotated]
    for found, truth in zip(predictions, truths, strict=True):
        if bool(len(found["bboxes"])) != bool(len(truth["bboxes"])):
            values += [0.0] * (len(found["bboxes"]) + len(truth["bboxes"]))
        for box, label in zip(found["bboxes"], found["labels"], strict=True):
            for goal, name in zip(truth["bboxes"], truth["labels"], strict=True):
                each = measures(box, goal)
                if (label == name or not labels) and each["iou"] >= threshold:
                    values.append(each[key])
                    by_class[name].append(each[key])
    means = [sum(v) / len(v) if v else math.nan for v in (values, *by_class)]
    return {key: means[0]} | ({f"{key}_classwise": means[1:]} if labels else {})


def pair_oracle(predictions: Any, truths: Any) -> dict[str, float]:
    """The mean over pairs of the same place."""
    pairs = [
        measures(a, b)["giou"]
        for found, truth in zip(predictions, truths, strict=True)
        for a, b in zip(found, truth, strict=True)
    ]
    return {"giou": sum(pairs) / len(pairs) if pairs else math.nan}


KINDS = {
    "iou": mm.IntersectionOverUnion,
    "giou": mm.GeneralizedIntersectionOverUnion,
    "diou": mm.DistanceIntersectionOverUnion,
    "ciou": mm.CompleteIntersectionOverUnion,
}
CASES = {
    kind.__name__: MetricCase(
        partial(kind, num_classes=3), samples, partial(oracle, key=key), array_inputs=False,
        empty={key: math.nan, f"{key}_classwise": [math.nan] * 3},
    )
    for key, kind in KINDS.items()
}  # fmt: skip
VARIANTS = {
    "given": MetricCase(
        partial(mm.GeneralizedIntersectionOverUnion, pairs="given"), given, pair_oracle,
        array_inputs=False,
    ),
    "any labels, above a threshold": MetricCase(
        partial(mm.DistanceIntersectionOverUnion, respect_labels=False, iou_threshold=0.1), samples,
        partial(oracle, key="diou", threshold=0.1, labels=False), array_inputs=False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals what areas of shapely say, and keeps every law."""
    requires("shapely")
    check_metric((CASES | VARIANTS)[name], examples=examples(2))


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pairs are computed together, the bits are the same."""
    data = samples(np.random.default_rng(2), 9)
    metric = mm.CompleteIntersectionOverUnion()
    value = metric(*data)
    monkeypatch.setattr(box_pairs, "_CHUNK_PAIRS", 2)

    assert metric(*data) == value


def test_bad_inputs() -> None:
    """Boxes that end before they begin, other numbers of boxes, labels that are no class."""
    metric = mm.IntersectionOverUnion(num_classes=2)
    box, far = [[0, 0, 1, 1]], {"bboxes": [[2, 0, 1, 1]], "labels": [0]}
    for batch, text in (
        (([far], [far]), "the bboxes of predictions must not end before they begin"),
        (([{"bboxes": box, "labels": [2]}], [far]), r"must be in \[0, 2\)"),
        (([{"bboxes": box, "labels": [0, 1]}], [far]), "as many 'labels'"),
    ):
        with pytest.raises(ValueError, match=text):
            metric.add(*batch)
    with pytest.raises(KeyError, match="bboxes"):
        metric.add([{}], [box])
    with pytest.raises(ValueError, match=r"groundtruths\[0\] .* predictions\[0\] .* got 2 and 1"):
        mm.IntersectionOverUnion(pairs="given").add([box], [box * 2])
    for options in ({"pairs": "some"}, {"iou_threshold": 2}, {"num_classes": 0}):
        with pytest.raises(ValueError, match=next(iter(options))):
            mm.IntersectionOverUnion(**options)
