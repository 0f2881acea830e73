"""Detection of hostile boxes and masks against pycocotools, a textbook's loops and shapely."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import mmeval_like as mm
from tests.hunt import masks
from tests.hunt.images import THRESHOLDS, Images, found_boxes, some_images, some_scores
from tests.hunt.trial import Generator, Trial
from tests.metrics import test_ava_mean_ap, test_oid_mean_ap
from tests.metrics.textbook_map import average_precision, box_area, box_iou, match_image, mean

__all__ = ["draw"]


def draw(rng: Generator) -> Trial:
    """Return a random metric of detection with hostile images."""
    kinds = [masks.draw, masks.draw, masks.draw, _voc, _voc, _open_images, _actions, _proposals]
    return kinds[int(rng.integers(len(kinds)))](rng)


def _voc(rng: Generator) -> Trial:
    classes, extra = int(rng.choice([1, 3])), bool(rng.integers(2))
    predictions, truths = some_images(rng, classes)
    thrs = sorted(rng.choice(THRESHOLDS, int(rng.integers(1, 5)), replace=False).tolist())
    bounds = [(None, 3.0), (2, 5), (5.0, None), (None, None)][int(rng.integers(4))]
    mode, drop = str(rng.choice(["area", "11points"])), bool(rng.integers(2))
    options = {
        "iou_thrs": thrs,
        "num_classes": classes,
        "scale_ranges": [bounds],
        "eval_mode": mode,
        "use_legacy_coordinate": extra,
        "drop_class_ap": drop,
    }
    given: Images = []
    for truth in truths:
        crowd = truth["ignore_flags"]
        given.append({key: truth[key][~crowd] for key in ("bboxes", "labels")})
        if crowd.any() or rng.random() < 0.5:
            given[-1] |= {f"{key}_ignore": truth[key][crowd] for key in ("bboxes", "labels")}
    found = {}
    for limits in (bounds, (None, None)):
        for thr in thrs:
            values = [_class_ap(predictions, given, label, thr, limits, mode, float(extra))
                      for label in range(classes)]  # fmt: skip
            found[limits, thr] = [v if drop or not math.isnan(v) else 0.0 for v in values]
    expected = {"mAP": mean([v for thr in thrs for v in found[(None, None), thr]])}
    if bounds != (None, None):
        expected[f"mAP@{bounds}"] = mean([v for thr in thrs for v in found[bounds, thr]])
    plain = [{key: p[key] for key in ("bboxes", "scores", "labels")} for p in predictions]
    return Trial(mm.VOCMeanAP, options, (plain, given), len(given), expected, 1e-9)


def _class_ap(
    predictions: Images, truths: Images, label: int, thr: float, bounds: Any, mode: str,
    extra: float,
) -> float:  # fmt: skip
    def in_range(box: Any) -> bool:
        low, high = (None if side is None else side**2 for side in bounds)
        area = box_area(box, extra)
        return (low is None or area >= low) and (high is None or area < high)

    outcome, count = [], 0
    for prediction, truth in zip(predictions, truths, strict=True):
        which = prediction["labels"] == label
        own = list(zip(prediction["scores"][which].tolist(), prediction["bboxes"][which].tolist(),
                       strict=True))  # fmt: skip
        wanted = []
        for suffix, ignored in (("", False), ("_ignore", True)):
            if f"labels{suffix}" in truth:
                chosen = truth[f"bboxes{suffix}"][truth[f"labels{suffix}"] == label]
                wanted += [(box, ignored) for box in chosen.tolist()]
        outcome += match_image(own, wanted, thr, lambda a, b: box_iou(a, b, extra), in_range)
        count += sum(in_range(box) and not ignored for box, ignored in wanted)
    return average_precision(outcome, count, mode)


def _open_images(rng: Generator) -> Trial:
    predictions, truths = some_images(rng, test_oid_mean_ap.CLASSES)
    given: Images = []
    for prediction, truth in zip(predictions, truths, strict=True):
        prediction["scores"] = np.abs(np.maximum(prediction["scores"], -100))
        keys = {"bbox": "bboxes", "bbox_label": "labels", "is_group_of": "ignore_flags"}
        columns = (truth[key].tolist() for key in keys.values())
        instances = [dict(zip(keys, one, strict=True)) for one in zip(*columns, strict=True)]
        given.append({"instances": instances})
        if rng.random() < 0.5:
            given[-1]["image_level_labels"] = rng.integers(0, 4, rng.integers(0, 3))
    names = ("use_group_of", "get_supercategory", "filter_labels")
    options = {name: bool(rng.random() < 0.7) for name in names}
    plain = [{key: p[key] for key in ("bboxes", "scores", "labels")} for p in predictions]
    expected = test_oid_mean_ap.expected(plain, given, **options)
    return Trial(test_oid_mean_ap.make, options, (plain, given), len(given), expected, 1e-9)


def _actions(rng: Generator) -> Trial:
    frames = test_ava_mean_ap.FRAMES
    images: Images = []
    for place in rng.permutation(len(frames))[: int(rng.integers(1, len(frames) + 1))]:
        video, second = frames[place]
        rows = test_ava_mean_ap.truth_rows()
        wanted = np.array([r[2:6] for r in rows if r[:2] == (video, second)]).reshape(-1, 4)
        outputs = []
        for _ in range(5):
            boxes = found_boxes(rng, wanted)
            scores = some_scores(rng, len(boxes)).astype(float)
            outputs.append(np.column_stack([boxes, scores]).astype(rng.choice(["f4", "f8"])))
        images.append({"video_id": video, "timestamp": second, "outputs": outputs})
    expected = test_ava_mean_ap.expected(images)
    return Trial(test_ava_mean_ap.make, {}, (images,), len(images), expected, 1e-9)


def _proposals(rng: Generator) -> Trial:
    predictions, truths = some_images(rng, 1)
    thrs = sorted(rng.choice(THRESHOLDS, int(rng.integers(1, 5)), replace=False).tolist())
    most = sorted(rng.choice([1, 2, 3, 10, 1000], int(rng.integers(1, 4)), replace=False).tolist())
    options = {"iou_thrs": thrs, "proposal_nums": most, "print_results": False}
    total, hits = 0, dict.fromkeys(most, 0)
    for prediction, truth in zip(predictions, truths, strict=True):
        scores = prediction["scores"].astype(float)
        order = sorted(range(len(scores)), key=lambda i: -scores[i])
        boxes, wanted = prediction["bboxes"].tolist(), truth["bboxes"].tolist()
        total += len(wanted)
        for number in most:
            pairs = [
                (-box_iou(boxes[i], box), t, place)
                for place, i in enumerate(order[:number])
                for t, box in enumerate(wanted)
            ]
            while pairs:
                best, truth_place, place = min(pairs)
                hits[number] += sum(-best >= thr for thr in thrs)
                pairs = [p for p in pairs if p[1] != truth_place and p[2] != place]
    expected = {f"AR@{number}": count / (total * len(thrs)) if total else math.nan
                for number, count in hits.items()}  # fmt: skip
    data = (
        [{k: p[k] for k in ("bboxes", "scores")} for p in predictions],
        [{"bboxes": t["bboxes"]} for t in truths],
    )
    return Trial(mm.ProposalRecall, options, data, len(truths), expected, 1e-9)
