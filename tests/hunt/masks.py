"""Detection of hostile boxes and masks against pycocotools."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np

import mmeval_like as mm
from tests.hunt.images import THRESHOLDS, Images, some_images, some_scores
from tests.hunt.trial import Generator, Trial

__all__ = ["draw"]

AREAS = {"": "all", "_s": "small", "_m": "medium", "_l": "large"}


def draw(rng: Generator) -> Trial:
    """Return COCODetection of random options with hostile boxes or masks."""
    classes, kind = int(rng.choice([1, 3, 9])), str(rng.choice(["bbox", "segm", "proposal"]))
    predictions, truths = some_images(rng, classes)
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
            prediction["mask_scores"] = some_scores(rng, len(found))
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
