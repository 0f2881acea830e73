"""Detection of hostile boxes and masks against pycocotools, a textbook's loops and shapely."""

from __future__ import annotations

import contextlib
import io
import math
from typing import Any

import numpy as np

import mmeval_like as mm
from tests.hunt.trial import Generator, Trial
from tests.metrics import test_ava_mean_ap, test_oid_mean_ap
from tests.metrics.textbook_map import average_precision, box_area, box_iou, match_image, mean

__all__ = ["draw"]

Images = list[dict[str, Any]]

# IoUs of small whole boxes hit many of these exactly.
THRESHOLDS = [0.0, 0.1, 0.25, 1 / 3, 0.5, 0.6, 2 / 3, 0.75, 0.9, 1.0]
AREAS = {"": "all", "_s": "small", "_m": "medium", "_l": "large"}


def draw(rng: Generator) -> Trial:
    """Return a random metric of detection with hostile images."""
    kinds = [_coco, _coco, _coco, _voc, _voc, _open_images, _actions, _proposals]
    return kinds[int(rng.integers(len(kinds)))](rng)


def _some_boxes(rng: Generator, count: int) -> np.ndarray:
    """Return boxes of corners: whole, tiny, far away, without area, inside out, out of images."""
    scale = float(rng.choice([0.1, 1.0, 1.0, 16.0, 1000.0]))
    corners = rng.integers(-3, 8, (count, 2)) * scale
    least = -2 if rng.random() < 0.2 else 0
    boxes = np.concatenate([corners, corners + rng.integers(least, 7, (count, 2)) * scale], 1)
    return boxes + float(rng.choice([0.0, 0.0, 1e6, 0.5]))


def _found(rng: Generator, truth: np.ndarray) -> np.ndarray:
    """Return boxes of which many are those of the truth, moved a little or not at all."""
    count = int(rng.choice([0, 1, 2, 5, 30]))
    boxes = _some_boxes(rng, count)
    for box in boxes:
        if len(truth) and rng.random() < 0.7:
            box[:] = truth[rng.integers(len(truth))]
            side = max(1e-3, abs(float(box[2] - box[0])))
            box[rng.integers(4)] += float(rng.choice([0.0, 0.5, 0.25, 1.0])) * side
    return boxes


def _scores(rng: Generator, count: int) -> np.ndarray:
    scores = np.round(rng.normal(size=count), int(rng.integers(0, 3)))
    return (scores + 0.0).astype(str(rng.choice(["float16", "float32", "float64", "int64"])))


def _images(rng: Generator, classes: int) -> tuple[Images, Images]:
    """Return predictions and ground truths of some images, each with an identity."""
    count = int(rng.choice([1, 2, 5, 12]))
    ids = rng.choice([-(2**40), -3, -1, 0, 1, 7, 8, 99, 10**6, 2**31, 2**53 + 1, 2**62], count,
                     replace=False).tolist()  # fmt: skip
    used = rng.integers(0, classes, int(rng.integers(1, classes + 1)))  # some classes never occur
    predictions, truths = [], []
    for identity in ids:
        truth = _some_boxes(rng, int(rng.choice([0, 0, 1, 3, 12])))
        if len(truth) > 1 and rng.random() < 0.3:
            truth[1] = truth[0]
        boxes = _found(rng, truth)
        predictions.append({"img_id": identity, "bboxes": boxes, "scores": _scores(rng, len(boxes)),
                            "labels": rng.choice(used, len(boxes))})  # fmt: skip
        crowd = rng.random(len(truth)) < float(rng.choice([0.0, 0.3, 1.0]))
        truths.append({"img_id": identity, "bboxes": truth, "ignore_flags": crowd,
                       "labels": rng.choice(used, len(truth))})  # fmt: skip
    return predictions, truths


# COCO --------------------------------------------------------------------------------------


def _coco(rng: Generator) -> Trial:
    classes, kind = int(rng.choice([1, 3, 9])), str(rng.choice(["bbox", "segm", "proposal"]))
    predictions, truths = _images(rng, classes)
    if kind == "segm":
        _add_masks(rng, predictions, truths)
    thrs = sorted(rng.choice(THRESHOLDS, int(rng.integers(1, 8)), replace=False).tolist())
    if rng.random() < 0.3:
        thrs = None
    most = sorted(rng.choice([1, 2, 3, 10, 100], int(rng.integers(1, 4)), replace=False).tolist())
    names = [f"c{index}" for index in range(classes)]
    items = [
        *(f"mAP{name}" for name in ("", "_50", "_75", *list(AREAS)[1:])),
        *(f"AR@{n}" for n in most),
        *(f"AR{a}@{most[-1]}" for a in list(AREAS)[1:]),
    ]
    options = {
        "metric": kind,
        "iou_thrs": thrs,
        "proposal_nums": most,
        "metric_items": items,
        "dataset_meta": {"classes": names},
        "classwise": True,
        "print_results": False,
    }
    if thrs is None:
        thrs = np.linspace(0.5, 0.95, 10).tolist()
    expected = _pycocotools(predictions, truths, kind, thrs, most, classes)
    plain = [dict(zip(p, p.values(), strict=True)) for p in predictions]
    if kind == "segm":
        for part in (*plain, *truths):
            part["masks"] = [_spelled(rng, mask) for mask in part["masks"]]
    return Trial(mm.COCODetection, options, (plain, truths), len(truths), expected, 1e-9)


def _add_masks(rng: Generator, predictions: Images, truths: Images) -> None:
    for prediction, truth in zip(predictions, truths, strict=True):
        size = tuple(rng.integers(1, 12, 2).tolist())
        wanted = rng.random((len(truth["bboxes"]), *size)) < rng.choice([0.0, 0.3, 1.0])
        found = rng.random((len(prediction["bboxes"]), *size)) < 0.5
        for mask in found:
            if len(wanted) and rng.random() < 0.7:
                mask[:] = wanted[rng.integers(len(wanted))] ^ (rng.random(size) < 0.1)
        truth["masks"], prediction["masks"] = list(wanted), list(found)
        if rng.random() < 0.5:
            prediction["mask_scores"] = _scores(rng, len(found))
    if any("mask_scores" in p for p in predictions):
        for prediction in predictions:
            prediction.setdefault("mask_scores", prediction["scores"])


def _spelled(rng: Generator, mask: np.ndarray) -> dict[str, Any]:
    """Return a mask as one of the kinds of run-length encodings."""
    kind = rng.integers(3)
    if kind == 0:
        flat = mask.reshape(-1, order="F").astype(int)
        places = np.flatnonzero(np.diff(flat)) + 1
        runs = np.diff([0, *places, flat.size]).tolist()
        return {"size": list(mask.shape), "counts": [0, *runs] if flat[0] else runs}
    rle = _encoded(mask)
    return rle if kind == 1 else {"size": rle["size"], "counts": rle["counts"].decode()}


def _encoded(mask: np.ndarray) -> dict[str, Any]:
    from pycocotools import mask as codec

    return dict(codec.encode(np.asfortranarray(mask.astype(np.uint8))))


def _pycocotools(
    predictions: Images, truths: Images, kind: str, thrs: Any, most: Any, classes: int
) -> dict[str, float]:
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    annotations, found = [], []
    for truth in truths:
        for i, (x, y, u, v) in enumerate(truth["bboxes"].tolist()):
            box = [x, y, u - x, v - y]
            entry = {"id": len(annotations) + 1, "image_id": truth["img_id"],
                     "category_id": int(truth["labels"][i]), "bbox": box, "area": box[2] * box[3],
                     "iscrowd": int(truth["ignore_flags"][i])}  # fmt: skip
            if kind == "segm":
                entry["segmentation"] = _encoded(truth["masks"][i])
                entry["area"] = float(truth["masks"][i].sum())
            annotations.append(entry)
    for prediction in predictions:
        scores = prediction["scores"]
        scores = prediction.get("mask_scores", scores) if kind == "segm" else scores
        for i, (x, y, u, v) in enumerate(prediction["bboxes"].tolist()):
            entry = {"image_id": prediction["img_id"], "score": float(scores[i]),
                     "category_id": int(prediction["labels"][i])}  # fmt: skip
            more = ({"segmentation": _encoded(prediction["masks"][i])} if kind == "segm"
                    else {"bbox": [x, y, u - x, v - y]})  # fmt: skip
            found.append(entry | more)
    sizes = [next((m.shape for m in t.get("masks", [])), (9, 9)) for t in truths]
    with contextlib.redirect_stdout(io.StringIO()):
        dataset = COCO()
        dataset.dataset = {"images": [{"id": t["img_id"], "height": size[0], "width": size[1]}
                                      for t, size in zip(truths, sizes, strict=True)],
                           "annotations": annotations,
                           "categories": [{"id": i} for i in range(classes)]}  # fmt: skip
        dataset.createIndex()
        evaluator = COCOeval(
            dataset,
            dataset.loadRes(found) if found else COCO(),
            "segm" if kind == "segm" else "bbox",
        )
        evaluator.params.useCats = int(kind != "proposal")
        evaluator.params.iouThrs, evaluator.params.maxDets = np.array(thrs), most
        evaluator.evaluate()
        evaluator.accumulate()
    precision, recall = evaluator.eval["precision"], evaluator.eval["recall"]
    values = {}
    for name, thr in (("mAP", None), ("mAP_50", 0.5), ("mAP_75", 0.75)):
        which = [t for t, value in enumerate(thrs) if thr is None or abs(value - thr) < 1e-9]
        values[name] = _known(precision[which, :, :, 0, -1])
    for place, suffix in list(enumerate(AREAS))[1:]:
        values[f"mAP{suffix}"] = _known(precision[:, :, :, place, -1])
        values[f"AR{suffix}@{most[-1]}"] = _known(recall[:, :, place, -1])
    for place, number in enumerate(most):
        values[f"AR@{number}"] = _known(recall[:, :, 0, place])
    if kind == "proposal":
        return values
    by_class = {f"c{c}_precision": _known(precision[:, :, c, 0, -1]) for c in range(classes)}
    return {f"{kind}_{name}": value for name, value in (values | by_class).items()}


def _known(values: np.ndarray) -> float:
    known = values[values > -1]
    return float(known.mean()) if known.size else -1.0


# PASCAL VOC --------------------------------------------------------------------------------


def _voc(rng: Generator) -> Trial:
    classes, extra = int(rng.choice([1, 3])), bool(rng.integers(2))
    predictions, truths = _images(rng, classes)
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


# Open Images and AVA -----------------------------------------------------------------------


def _open_images(rng: Generator) -> Trial:
    predictions, truths = _images(rng, test_oid_mean_ap.CLASSES)
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
            boxes = _found(rng, wanted)
            scores = _scores(rng, len(boxes)).astype(float)
            outputs.append(np.column_stack([boxes, scores]).astype(rng.choice(["f4", "f8"])))
        images.append({"video_id": video, "timestamp": second, "outputs": outputs})
    expected = test_ava_mean_ap.expected(images)
    return Trial(test_ava_mean_ap.make, {}, (images,), len(images), expected, 1e-9)


# Proposals ---------------------------------------------------------------------------------


def _proposals(rng: Generator) -> Trial:
    predictions, truths = _images(rng, 1)
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
