"""Random data samples for every evaluator that has an adapter, and the configs they are tried with.

A case is a function of a random generator and an empty folder; it returns the dataset's facts and
its data samples as dicts, as an evaluator gets them. `CONFIGS` has the configs of each evaluator,
with "{folder}" for the folder.
"""

import json

import numpy as np
import torch

CASES = {}  # the samples of "package.Name"
CONFIGS = {}  # the configs of "package.Name"


def case(name, *configs):
    """Declare the samples of an evaluator and the configs that it is tried with."""

    def declare(make):
        CASES[name], CONFIGS[name] = make, configs
        return make

    return declare


def tensor(values, dtype=None):
    """An array as a tensor of its own memory."""
    return torch.from_numpy(np.asarray(values, dtype))


def boxes(rng, number, size=200):
    """Corners x1, y1, x2, y2."""
    corners = rng.uniform(0, size, (number, 2))
    return np.hstack([corners, corners + rng.uniform(5, 150, (number, 2))])


def near(rng, truths, number):
    """Detections around true boxes."""
    source = rng.integers(0, max(len(truths), 1), number if len(truths) else 0)
    found = truths[source] + rng.normal(0, 9, (len(source), 4))
    found[:, 2:] = np.maximum(found[:, 2:], found[:, :2] + 1)
    return source, found


def outlines(rng, number, size):
    """Rectangles of pixels, and polygons of the same rectangles."""
    masks, polygons = np.zeros((number, *size), bool), []
    for mask in masks:
        y, x = rng.integers(0, size[0] - 8), rng.integers(0, size[1] - 8)
        h, w = rng.integers(4, size[0] - y + 1), rng.integers(4, size[1] - x + 1)
        mask[y : y + h, x : x + w] = True
        x, y, w, h = map(float, (x, y, w, h))
        polygons.append([[x, y, x + w, y, x + w, y + h, x, y + h]])
    return masks, polygons


CLASSES = ("dog", "cat", "ant")


@case(
    "mmdet.CocoMetric",
    {},
    {"ann_file": "{folder}/truths.json", "classwise": True},
    {"ann_file": "{folder}/truths.json", "metric": ["bbox", "segm"], "classwise": True},
    {"ann_file": "{folder}/descending.json", "metric": ["proposal", "bbox"]},
    {"metric": ["segm"], "proposal_nums": (100, 1, 10)},
    {"proposal_nums": (1, 10, 300), "metric_items": ["AR@100", "mAP_s", "mAP"]},
    {
        "iou_thrs": np.array([0.5, 0.6]),
        "metric_items": ["mAP_75", "mAP", "mAP_50"],
        "prefix": "mine",
    },
)
def coco(rng, folder):
    """Categories in another order than classes, over 100 detections of a class, crowds."""
    samples, images, annotations, size = [], [], [], (60, 80)
    # In the file, categories have another order than classes, other ids, and one more.
    ids = {"ant": 3, "rat": 5, "dog": 7, "cat": 11}
    file_order = [name for name in ids if name in CLASSES]
    for index in range(9):
        truths = boxes(rng, 6 if index != 4 else 0)
        labels = rng.integers(0, 3, len(truths))
        crowd = rng.random(len(truths)) < 0.15
        masks, polygons = outlines(rng, len(truths), size)
        source, found = near(rng, truths, 130 if index == 0 else int(rng.integers(0, 9)))
        if index == 0:
            source[:] = 0  # more than 100 of one class
        given = np.where(
            rng.random(len(found)) < 0.8, labels[source], rng.integers(0, 3, len(found))
        )
        moved = np.roll(masks[source], rng.integers(-2, 3), axis=2)
        samples.append(
            {
                "img_id": 100 - index,
                "ori_shape": size,
                "pred_instances": {
                    "bboxes": tensor(found, np.float32),
                    "scores": tensor(rng.random(len(found)), np.float32),
                    "labels": tensor(given, np.int64),
                    "masks": tensor(moved),
                    "mask_scores": tensor(rng.random(len(found)), np.float32),
                },
                "instances": [
                    {"bbox": b.tolist(), "bbox_label": int(y), "ignore_flag": int(c), "mask": m}
                    for b, y, c, m in zip(truths, labels, crowd, polygons, strict=True)
                ],
            }
        )
        images.append({"id": 100 - index, "height": size[0], "width": size[1]})
        annotations += [
            {
                "id": 1000 * (index + 1) + place,
                "image_id": 100 - index,
                "category_id": ids[file_order[y]],
                "bbox": [*b[:2].tolist(), *(b[2:] - b[:2]).tolist()],
                "area": float(rng.uniform(10, 20000)),
                "iscrowd": int(c),
                "segmentation": m,
            }
            for place, (b, y, c, m) in enumerate(zip(truths, labels, crowd, polygons, strict=True))
        ]
    categories = [{"id": number, "name": name} for name, number in ids.items()]
    content = {"images": images, "annotations": annotations, "categories": categories}
    (folder / "truths.json").write_text(json.dumps(content))
    for one in (*annotations, *categories):  # the ids are no longer ascending
        key = "category_id" if "category_id" in one else "id"
        one[key] = {3: 30, 5: 50, 7: 7, 11: 11}[one[key]]
    (folder / "descending.json").write_text(json.dumps(content))
    return {"classes": CLASSES}, samples


@case(
    "mmseg.IoUMetric",
    {},
    {"iou_metrics": ["mIoU", "mDice", "mFscore"]},
    {"iou_metrics": ["mFscore", "mIoU"], "beta": 2, "nan_to_num": 0, "ignore_index": 0},
    {"iou_metrics": ["mIoU"], "ignore_index": 5, "prefix": "seg"},
)
def pixels(rng, folder):
    """Labels out of range, a class that is nowhere, predictions out of range."""
    number, samples = 5, []
    for index in range(7):
        shape = tuple(rng.integers(5, 30, 2))
        labels = rng.integers(0, number - 1, shape)
        found = np.where(rng.random(shape) < 0.6, labels, rng.integers(0, number - 1, shape))
        labels[rng.random(shape) < 0.1] = 255
        labels[rng.random(shape) < 0.1] = rng.choice([number, number + 3, 200])
        if index == 2:
            found[0, 0] = number
        samples.append(
            {
                "pred_sem_seg": {"data": tensor(found)[None]},
                "gt_sem_seg": {"data": tensor(labels, np.uint8)[None]},
                "img_path": f"images/{index}.jpg",
                "reduce_zero_label": bool(index % 2),
            }
        )
    return {"classes": tuple("abcde")}, samples


@case(
    "mmpretrain.Accuracy",
    {},
    {"topk": (1, 5)},
    {"topk": 2, "thrs": (0.3, None, 0.25), "prefix": "mine"},
)
def scores(rng, folder):
    """Scores of seven classes."""
    found = rng.dirichlet(np.ones(7), 11)
    labels = np.where(rng.random(11) < 0.5, found.argmax(1), rng.integers(0, 7, 11))
    return {"classes": tuple("abcdefg")}, [
        {"pred_score": tensor(one, np.float32), "gt_label": tensor([label])}
        for one, label in zip(found, labels, strict=True)
    ]
