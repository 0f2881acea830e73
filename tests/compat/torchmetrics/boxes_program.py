"""`detection.MeanAveragePrecision`, beside torchmetrics' on pycocotools; prints where they differ.

torchmetrics' class needs torchvision, whose wheels without a GPU cannot be imported beside torch's.
It uses nothing of it but the conversion of boxes, which is here.
"""

from __future__ import annotations

import json
import math
import sys
from random import Random
from typing import Any

import pytest
import torch
import torch.distributed as dist

from tests.helpers import stubs


def _converted(boxes: Any, in_fmt: str, out_fmt: str) -> Any:
    """Return boxes of a format as x, y, width, height; as in torchvision, by way of the corners."""
    assert out_fmt == "xywh"
    if in_fmt == out_fmt:
        return boxes.clone()
    first, second = boxes[:, :2], boxes[:, 2:]
    if in_fmt == "cxcywh":
        first, second = first - 0.5 * second, first + 0.5 * second
    return torch.cat([first, second - first], dim=1)


if __name__ == "__main__":  # the stub would stay where this file is only read
    stubs.install("torchvision")
    import torchvision.ops

    torchvision.ops.box_convert = _converted
import torchmetrics as original  # noqa: E402

from mmeval_like.compat import torchmetrics as ours  # noqa: E402

BOTH = (original, ours)
SIZE = 60
FORMATS = ("xyxy", "xywh", "cxcywh")


def images(random: Random, kinds: tuple[str, ...], given: str) -> tuple[list[Any], list[Any]]:
    """Return a few images: boxes near ground truths and others, equal scores, crowds, areas."""
    draw = torch.Generator().manual_seed(random.randrange(1 << 30))
    factor = 1 if "segm" in kinds else random.choice([1, 4])
    preds, target = [], []
    for _ in range(random.randint(1, 6)):
        # torchmetrics leaves out images without ground truths that are masks.
        truths = random.choice([1, 3, 8] if "segm" in kinds else [0, 1, 3, 8])
        found = random.choice([1, 3, 12] if "segm" in kinds else [0, 1, 12, 130])
        sides = torch.rand(truths, 2, generator=draw) * SIZE / 2 + 1
        corners = torch.rand(truths, 2, generator=draw) * SIZE / 2
        of = torch.randint(0, max(truths, 1), (found,), generator=draw)
        there = truths > 0 and torch.rand(found, generator=draw) < 0.8
        near = corners[of] + torch.randn(found, 2, generator=draw) if truths else None
        far = torch.rand(found, 2, generator=draw) * SIZE / 2
        far_sides = torch.rand(found, 2, generator=draw) * SIZE / 2 + 1
        own = torch.where(there[:, None], near, far) if truths else far
        own_sides = torch.where(there[:, None], sides[of], far_sides) if truths else far_sides
        labels = torch.randint(-1, 3, (truths,), generator=draw)
        guessed = torch.randint(-1, 3, (found,), generator=draw)
        guessed = torch.where(there, labels[of], guessed) if truths else guessed
        scores = torch.rand(found, generator=draw)
        prediction = {"scores": (scores * 4).round() / 4 if random.random() < 0.5 else scores}
        prediction["labels"], truth = guessed, {"labels": labels}
        for image, corner, side in ((prediction, own, own_sides), (truth, corners, sides)):
            if "bbox" in kinds:
                image["boxes"] = _boxes(factor * corner, factor * side, given)
            if "segm" in kinds:
                image["masks"] = _masks(corner, side)
        if random.random() < 0.5:
            truth["iscrowd"] = (torch.rand(truths, generator=draw) < 0.3).long()
        if random.random() < 0.5:  # an area of 0 is that of the box or mask
            truth["area"] = (torch.rand(truths, generator=draw) * 3 - 1).clamp(0) * 4000
        preds.append(prediction)
        target.append(truth)
    return preds, target


def _boxes(corner: Any, side: Any, given: str) -> Any:
    first, second = corner, corner + side
    if given != "xyxy":
        first, second = (corner if given == "xywh" else corner + side / 2), side
    return torch.cat([first, second], dim=1)


def _masks(corner: Any, side: Any) -> Any:
    masks = torch.zeros(len(corner), SIZE, SIZE, dtype=torch.bool)
    for mask, (x, y), (w, h) in zip(masks, corner.long().tolist(), side.long().tolist(),
                                    strict=True):  # fmt: skip
        mask[max(y, 0) : y + h + 1, max(x, 0) : x + w + 1] = True
    return masks


def options(random: Random) -> dict[str, Any]:
    """Return options; without micro averages of both kinds with classes, where they differ."""
    kinds = random.choice([("bbox",), ("bbox",), ("segm",), ("bbox", "segm")])
    given: dict[str, Any] = {"iou_type": kinds if len(kinds) > 1 else kinds[0]}
    given |= {"box_format": random.choice(FORMATS), "average": random.choice(["macro", "micro"])}
    given["class_metrics"] = random.random() < 0.5 and (len(kinds), given["average"]) != (
        2,
        "micro",
    )
    for name, several in (
        ("iou_thresholds", [[0.5], [0.75, 0.3], [0.1, 0.55, 0.5, 1.0]]),
        ("rec_thresholds", [[0.5], [0.3, 0.75], [0.0, 0.1, 0.2, 0.3, 0.3, 1.0]]),
        ("max_detection_thresholds", [[100, 1, 2], [3, 3, 100]]),
    ):
        if random.random() < 0.3:
            given[name] = random.choice(several)
    return given


def run(seed: int, rank: int, size: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values of both classes of all images; each rank adds a run of them to ours."""
    random = Random(seed)
    chosen = options(random)
    kinds = chosen["iou_type"] if isinstance(chosen["iou_type"], tuple) else (chosen["iou_type"],)
    preds, target = images(random, kinds, chosen["box_format"])
    oracle = original.detection.MeanAveragePrecision(sync_on_compute=False, **chosen)
    oracle.update(preds, target)
    metric = ours.detection.MeanAveragePrecision(**chosen).clone()
    begin, end = (len(preds) * one // size for one in (rank, rank + 1))
    for place in range(begin, end):
        metric(preds[place : place + 1], target[place : place + 1])
    return oracle.compute(), metric.compute()


def different(expected: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return the names of values that differ by more than their rounding to float32."""
    assert [*expected] == [*found]
    return [
        name
        for name, value in expected.items()
        if (value.shape, value.dtype) != (found[name].shape, found[name].dtype)
        or not torch.allclose(value.double(), found[name].double(), rtol=0, atol=2e-7)
    ]


def documented() -> dict[str, list[float]]:
    """Return values where the two differ, as the page says, torchmetrics' first."""
    random = Random(3)
    boxes = images(random, ("bbox",), "xyxy")
    mask = torch.zeros(1, 9, 9, dtype=torch.bool)
    mask[:, 2:6, 2:6] = True
    one = {"masks": mask, "labels": torch.tensor([0])}
    none = {name: value[:0] for name, value in one.items()}
    scored = {**one, "scores": torch.ones(1)}
    unscored = {**none, "scores": torch.ones(0)}
    cases: dict[str, tuple[dict[str, Any], Any, str]] = {
        "100 is missing": ({"max_detection_thresholds": [1, 10, 50]}, boxes, "map"),
        "no masks in an image": ({"iou_type": "segm"}, ([scored] * 2, [none, one]), "map"),
        "no masks at all": ({"iou_type": "segm"}, ([unscored], [one]), "map"),
        "falling recalls": (
            {"iou_type": "segm", "rec_thresholds": [0.75, 0.3]},
            ([scored, unscored], [one, one]),
            "map",
        ),
    }
    found = {}
    for name, (given, batch, key) in cases.items():
        pair = [where.detection.MeanAveragePrecision(**given) for where in BOTH]
        found[name] = [float(metric(*batch)[key]) for metric in pair]
    both = images(random, ("bbox", "segm"), "xyxy")
    kinds = {"iou_type": ("bbox", "segm"), "average": "micro"}
    found["classes of both kinds"] = [
        float(where.detection.MeanAveragePrecision(class_metrics=given, **kinds)(*both)["segm_map"])
        for given, where in ((True, original), (False, original), (True, ours))
    ]
    return found


def refused() -> list[str]:
    """Return the errors of wrong batches, which lose nothing, and of options."""
    image = {
        "boxes": torch.tensor([[1.0, 2.0, 30.0, 40.0]]),
        "scores": torch.tensor([0.5]),
        "labels": torch.tensor([3]),
        "masks": torch.ones(1, 4, 4, dtype=torch.bool),
    }
    metric = ours.detection.MeanAveragePrecision()
    metric.update([image], [image])
    messages = []
    for preds, target in (
        ([image], []),
        ([{**image, "scores": torch.tensor([0.5, 0.5])}], [image]),
        ([image], [{"labels": image["labels"]}]),
        ([{**image, "scores": torch.tensor([math.nan])}], [image]),
        ([{**image, "boxes": torch.full((1, 4), math.inf)}], [image]),
        ([{**image, "labels": torch.tensor([3.0])}], [image]),
        ([image], [{**image, "labels": torch.tensor([1 << 40])}]),
        ([image], [{**image, "area": torch.ones(2)}]),
    ):
        for call in (metric, metric.update):
            with pytest.raises((TypeError, ValueError)) as error:
                call(preds, target)
        messages.append(str(error.value))
    assert float(metric.compute()["map"]) == 1.0
    masks = ours.detection.MeanAveragePrecision(iou_type="segm")
    for call, given in (
        (masks.update, ([{**image, "masks": torch.ones(1, 4, 4)}], [image])),
        (masks.update, ([{**image, "masks": image["masks"][:, :3]}], [image])),
        (metric.tm_to_coco, ()),
        (lambda: ours.detection.MeanAveragePrecision(extended_summary=True), ()),
        (lambda: ours.detection.MeanAveragePrecision(rec_thresholds=[1.5]), ()),
    ):
        with pytest.raises((TypeError, ValueError)) as error:
            call(*given)
        messages.append(str(error.value))
    return messages


if __name__ == "__main__":
    dist.init_process_group("gloo")
    place = dist.get_rank(), dist.get_world_size()
    wrong, values = {}, []
    for seed in range(int(sys.argv[1])):
        expected, found = run(seed, *place)
        if names := different(expected, found):
            wrong[seed] = names
        values.append({name: value.tolist() for name, value in found.items()})
    more = {} if place[1] > 1 else {"documented": documented(), "refused": refused()}
    print(json.dumps({"wrong": wrong, "values": values, **more}))
    dist.destroy_process_group()
