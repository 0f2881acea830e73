"""Images in COCO's form, and what pycocotools says about them."""

import contextlib
import io
from typing import Any

import numpy as np

from mmeval_like import COCODetection
from tests.helpers import requires
from tests.metrics.detections import image

CLASSES = ("ant", "bee", "cow")

META = {"classes": CLASSES}

TWELVE = (
    "mAP", "mAP_50", "mAP_75", "mAP_s", "mAP_m", "mAP_l",
    "AR@1", "AR@10", "AR@100", "AR_s@100", "AR_m@100", "AR_l@100",
)  # fmt: skip


def make(**options: Any) -> COCODetection:
    """All twelve numbers of boxes, class by class, quietly."""
    defaults = {"metric_items": TWELVE, "classwise": True, "print_results": False}
    return COCODetection(**(defaults | {"dataset_meta": META} | options))


def samples(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Images with an identity each, in no order."""
    pairs = [image(rng, len(CLASSES)) for _ in range(n)]
    for identity, (prediction, truth) in zip(rng.permutation(10 * n)[:n], pairs, strict=True):
        prediction["img_id"] = truth["img_id"] = int(identity)
    return tuple(map(list, zip(*pairs, strict=True)))


def with_masks(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """The same with masks: octagons in the boxes."""
    predictions, truths = samples(rng, n)
    for part in (*predictions, *truths):
        part["masks"] = [octagon(box) for box in part["bboxes"]]
    for prediction in predictions:
        prediction["mask_scores"] = prediction["scores"][::-1].copy()
    return predictions, truths


def octagon(box: np.ndarray) -> dict[str, Any]:
    """An RLE of a box without its corners, as pycocotools makes them."""
    mask = requires("pycocotools.mask")
    center, half = (box[:2] + box[2:]) / 2 + 10, np.abs(box[2:] - box[:2]) / 2 + 0.5
    angles = np.arange(8) * np.pi / 4 + np.pi / 8
    corners = center + 1.08 * half * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    (rle,) = mask.frPyObjects([corners.reshape(-1).tolist()], 260, 260)
    return rle


def coco(truths: list[Any]) -> dict[str, Any]:
    """Ground truths as a COCO dataset."""
    annotations = []
    for truth in truths:
        for i, (x1, y1, x2, y2) in enumerate(truth["bboxes"].tolist()):
            annotation = {
                "id": len(annotations) + 1,
                "image_id": truth["img_id"],
                "category_id": int(truth["labels"][i]),
                "bbox": [x1, y1, x2 - x1, y2 - y1],
                "area": (x2 - x1) * (y2 - y1),
                "iscrowd": int(truth["ignore_flags"][i]),
            }
            if "masks" in truth:
                mask = requires("pycocotools.mask")
                annotation |= {
                    "segmentation": dict(truth["masks"][i]),
                    "area": float(mask.area(truth["masks"][i])),
                }
            if "areas" in truth:
                annotation["area"] = float(truth["areas"][i])
            annotations.append(annotation)
    return {
        "images": [{"id": t["img_id"], "width": 260, "height": 260} for t in truths],
        "annotations": annotations,
        "categories": [{"id": i, "name": name} for i, name in enumerate(CLASSES)],
    }


def entries(predictions: list[Any], kind: str) -> list[dict[str, Any]]:
    """Detections as the entries of a COCO result file."""
    found = []
    for prediction in predictions:
        score_key = "mask_scores" if kind == "segm" else "scores"
        for i, (x1, y1, x2, y2) in enumerate(prediction["bboxes"].tolist()):
            entry = {
                "image_id": prediction["img_id"],
                "category_id": int(prediction["labels"][i]),
                "score": float(prediction[score_key][i]),
            }
            if kind == "segm":
                entry["segmentation"] = dict(prediction["masks"][i])
            else:
                entry["bbox"] = [x1, y1, x2 - x1, y2 - y1]
            found.append(entry)
    return found


def pycocotools(
    predictions: list[Any], truths: list[Any], kind: str, **params: Any
) -> tuple[list[float], dict[str, float]]:
    """The twelve numbers and the precision of every class, by pycocotools."""
    COCO = requires("pycocotools.coco").COCO
    COCOeval = requires("pycocotools.cocoeval").COCOeval
    with contextlib.redirect_stdout(io.StringIO()):
        dataset = COCO()
        dataset.dataset = coco(truths)
        dataset.createIndex()
        found = entries(predictions, kind)
        detections = dataset.loadRes(found) if found else COCO()
        evaluator = COCOeval(dataset, detections, "segm" if kind == "segm" else "bbox")
        evaluator.params.useCats = int(kind != "proposal")
        for name, value in params.items():
            setattr(evaluator.params, name, value)
        evaluator.evaluate()
        evaluator.accumulate()
        evaluator.summarize()
    precision = evaluator.eval["precision"][..., 0, -1]
    by_class = {}
    for i in range(precision.shape[2]):
        known = precision[:, :, i][precision[:, :, i] > -1]
        by_class[CLASSES[i]] = float(known.mean()) if known.size else -1.0
    return evaluator.stats.tolist(), by_class


def oracle(kind: str) -> Any:
    """What the metric should return."""

    def expected(predictions: list[Any], truths: list[Any]) -> dict[str, float]:
        numbers, by_class = pycocotools(predictions, truths, kind)
        if kind == "proposal":
            return dict(zip(TWELVE, numbers, strict=True))
        values = {f"{kind}_{name}": v for name, v in zip(TWELVE, numbers, strict=True)}
        return values | {f"{kind}_{name}_precision": v for name, v in by_class.items()}

    return expected
