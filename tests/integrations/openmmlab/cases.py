"""Random data samples for every evaluator that has an adapter, and the configs they are tried with.

A case is a function of a random generator and an empty folder; it returns the dataset's facts and
its data samples as dicts, as an evaluator gets them. `CONFIGS` has the configs of each evaluator,
with "{folder}" for the folder.
"""

import json

import numpy as np
import torch


def filled(options, folder):
    """The options with the folder's path in place of "{folder}"."""
    return {
        key: value.format(folder=folder) if isinstance(value, str) else value
        for key, value in options.items()
    }


DRAWS = 4  # of every config, in test_equal.py
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
        source, found = near(rng, truths, 150 if index == 0 else int(rng.integers(0, 9)))
        scores = rng.random(len(found))
        if index == 0:  # more than 100 of one class, of which the last ones are the right ones
            labels[:], crowd[:] = 0, False
            found[:110], found[110:] = boxes(rng, 110), truths[source[110:]] + 1
            scores[:110] += 1
        given = np.where(
            rng.random(len(found)) < 0.95, labels[source], rng.integers(0, 3, len(found))
        )
        moved = np.roll(masks[source], rng.integers(-2, 3), axis=2)
        samples.append(
            {
                "img_id": 100 - index,
                "ori_shape": size,
                "pred_instances": {
                    "bboxes": tensor(found, np.float32),
                    "scores": tensor(scores, np.float32),
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


FEDERATED = {"ann_file": "{folder}/federated.json"}


@case(
    "mmdet.LVISMetric",
    FEDERATED,
    FEDERATED | {"metric": ["bbox", "segm"]},
    FEDERATED | {"metric": "segm", "metric_items": ["AR@300", "APr", "AP"], "prefix": "mine"},
)
def lvis(rng, folder):
    """Classes that an image does not have, or not all of, and over 300 detections of an image."""
    meta, samples = coco(rng, folder)
    content = json.loads((folder / "truths.json").read_text())
    kinds = {3: "r", 5: "c", 7: "f", 11: "c"}
    for one in content["categories"]:
        one["frequency"] = kinds[one["id"]]
    for one in content["images"]:
        # A class is in an image, or absent, or it is not known; some have not all objects marked.
        there = {a["category_id"] for a in content["annotations"] if a["image_id"] == one["id"]}
        others = [kind for kind in kinds if kind not in there and rng.random() < 0.5]
        one["neg_category_ids"] = others
        one["not_exhaustive_category_ids"] = [kind for kind in there if rng.random() < 0.3]
    for one in content["annotations"]:
        del one["iscrowd"]
    (folder / "federated.json").write_text(json.dumps(content))
    for one in samples:
        found = one["pred_instances"]
        times = 3 if one["img_id"] == 100 else 1
        for key, values in found.items():
            found[key] = torch.cat([values] * times)
        found["scores"] = tensor(rng.random(len(found["scores"])), np.float32)
        found["labels"] = tensor([0, 2, 3])[found["labels"]]  # the file's category 1 is nowhere
    return meta, samples


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


def videos(rng, number=13):
    """Scores of seven classes, and labels; some classes are in neither, or in one of the two."""
    scores = rng.random((number, 7))
    labels = np.where(rng.random(number) < 0.6, scores.argmax(1), rng.integers(0, 5, number))
    return scores, labels


@case(
    "mmaction.AccMetric",
    {},
    {"metric_list": "mean_class_accuracy", "prefix": "mine"},
    {"metric_list": ("mean_class_accuracy", "top_k_accuracy"), "metric_options": {}},
    {"metric_options": {"top_k_accuracy": {"topk": (2, 3)}}},
)
def actions(rng, folder):
    """Scores of one head."""
    return {}, [
        {"pred_score": tensor(one, np.float32), "gt_label": tensor([label])}
        for one, label in zip(*videos(rng), strict=True)
    ]


@case("mmaction.AccMetric/heads", {}, {"metric_list": "top_k_accuracy"})
def heads(rng, folder):
    """Scores of RGB and of poses, which are also added."""
    (rgb, labels), (pose, _) = videos(rng), videos(rng)
    return {"classes": tuple("abcdefg")}, [
        {
            "pred_score": {"rgb": tensor(one, np.float32), "pose": tensor(other, np.float32)},
            "gt_label": tensor([label]),
        }
        for one, other, label in zip(rgb, pose, labels, strict=True)
    ]


AVA = {
    "ann_file": "{folder}/actions.csv",
    "exclude_file": "{folder}/excluded.csv",
    "label_file": "{folder}/actions.pbtxt",
}


def frames(columns, number):
    """A function that makes frames of films, with scores of actions in these columns."""

    def make(rng, folder):
        lines, samples = [], []
        for index in range(10):
            film, second = f"film{index % 2}", 902 + index
            corners = rng.uniform(0, 0.5, (4, 2))
            truths = np.hstack([corners, corners + rng.uniform(0.1, 0.5, (4, 2))])
            truths[0] = 0, 0, 1, 1
            labels = rng.choice([1, 3, 14, 15, 64, 70, 77], 4)
            if index not in (4, 7):  # frames without annotations, of which one is excluded
                lines += [
                    f"{film},{second:04d},{','.join(f'{v:.3f}' for v in box)},{action},1"
                    for box, action in zip(truths, labels, strict=True)
                ]
            source = rng.integers(0, 4, int(rng.integers(1, 9)) if index != 5 else 0)
            found = truths[source] + rng.normal(0, 0.03, (len(source), 4))
            found[:, 2:] = np.maximum(found[:, 2:], found[:, :2] + 0.01)
            if index % 2:  # half of the truth if rounded to 4 decimals, less otherwise
                found[source == 0] = 0, 0, 0.49996, 1
            scores = np.zeros((len(source), number))
            for action, column in columns.items():
                shown = (labels[source] == action) | (rng.random(len(source)) < 0.3)
                # Rounded to 4 decimals, no two of an action are equal; one action is never found.
                drawn = (10 * rng.permutation(900)[: len(source)] + index + 30) / 10000 + 2e-5
                scores[:, column] = np.where(shown & (action != 14), drawn, 0.001)
            instances = {"bboxes": tensor(found, np.float32), "scores": tensor(scores, np.float32)}
            samples.append({"video_id": film, "timestamp": second, "pred_instances": instances})
        (folder / "actions.csv").write_text("\n".join(lines) + "\n")
        (folder / "excluded.csv").write_text("film0,0906\n")
        items = (f'item {{\n  name: "do {one}"\n  id: {one}\n}}\n' for one in KNOWN_ACTIONS)
        (folder / "actions.pbtxt").write_text("".join(items))
        return {}, samples

    return make


KNOWN_ACTIONS = (1, 3, 14, 15, 40, 64, 70)
case("mmaction.AVAMetric", AVA, AVA | {"action_thr": 0.3, "prefix": "mine"})(
    frames({action: action for action in (*KNOWN_ACTIONS, 5)}, 81)
)
OWN_ACTIONS = [3, 15, 70, 1]
case(
    "mmaction.AVAMetric/own",
    AVA | {"num_classes": 5, "custom_classes": OWN_ACTIONS},
    AVA | {"num_classes": 5, "custom_classes": OWN_ACTIONS, "action_thr": -1.0},
    AVA | {"num_classes": 5, "custom_classes": OWN_ACTIONS, "action_thr": [0, 0.2, 0.1, 0.5, 0]},
)(frames({action: place for place, action in enumerate(OWN_ACTIONS, 1)}, 5))


def person(rng, found, truth, **fields):
    """A data sample of one person, as MMPose's top-down models return it."""
    visible = (rng.random(len(truth)) < 0.8).astype(np.float32)
    corner = truth.min(axis=0)
    box = np.concatenate([corner, truth.max(axis=0)])[None].astype(np.float32)
    return {
        "pred_instances": {
            "keypoints": found[None].astype(np.float32),
            "keypoint_scores": rng.random((1, len(truth))).astype(np.float32),
        },
        "gt_instances": {
            "keypoints": truth[None].astype(np.float32),
            "keypoints_visible": visible[None],
            "bboxes": box,
            "bbox_scores": np.ones(1, np.float32),
            "bbox_scales": (box[:, 2:] - box[:, :2]) * 1.25,
            "head_size": np.array([float(rng.uniform(5, 30))], np.float32),
        },
        **fields,
    }


def people(parts, prefix="coco"):
    """A function that makes persons of an annotation file, and detections of them."""

    def make(rng, folder):
        total = sum(parts.values())
        images = [{"id": 10 * index, "width": 500, "height": 500} for index in range(6)]
        annotations, samples = [], []
        for image in images:
            for _ in range(int(rng.integers(0, 4)) if image["id"] != 20 else 0):
                truth = rng.uniform(50, 400, (1, 2)) + rng.uniform(-60, 60, (total, 2))
                seen = rng.integers(0, 3, total) * (rng.random() < 0.9)
                corner, size = truth.min(axis=0), np.ptp(truth, axis=0)
                rows = np.hstack([truth, seen[:, None]])
                cuts = np.cumsum([0, *parts.values()])
                lists = {
                    part: rows[start:stop].ravel().tolist()
                    for part, start, stop in zip(parts, cuts, cuts[1:], strict=False)
                }
                annotations.append(
                    {
                        "id": len(annotations) + 1,
                        "image_id": image["id"],
                        "category_id": 1,
                        "bbox": [*corner.tolist(), *size.tolist()],
                        "area": float(size.prod() * rng.uniform(0.1, 0.8)),
                        "iscrowd": int(rng.random() < 0.1),
                        "num_keypoints": int((seen > 0).sum()),
                        **lists,
                    }
                )
                spread = rng.choice([1.0, 4.0, 15.0])
                for _ in range(int(rng.integers(1, 4))):
                    found = truth + rng.normal(0, spread, truth.shape)
                    one = person(rng, found, truth, img_id=image["id"], id=len(samples))
                    one["gt_instances"]["bbox_scores"] = rng.random(1).astype(np.float32)
                    one["pred_instances"]["bboxes"] = one["gt_instances"]["bboxes"] * 1.1
                    if rng.random() < 0.1:  # a person without a score, who does not count
                        one["pred_instances"]["keypoint_scores"][:] = 0
                    if rng.random() < 0.1:  # a person once more, elsewhere: the first counts
                        again = {**one, "pred_instances": {**one["pred_instances"]}}
                        again["pred_instances"]["keypoints"] = found[None] + 40
                        samples.append(one)
                        one = again
                    samples.append(one)
        categories = [{"id": 1, "name": "person"}]
        content = {"images": images, "annotations": annotations, "categories": categories}
        (folder / "persons.json").write_text(json.dumps(content))
        meta = {
            "dataset_name": "coco",
            "num_keypoints": total,
            "sigmas": np.linspace(0.03, 0.1, total).astype(np.float32),
        }
        # Instances of an image are apart from each other, so that ranks share them.
        return meta, [samples[place] for place in rng.permutation(len(samples))]

    return make


PERSONS = {"ann_file": "{folder}/persons.json"}
case(
    "mmpose.CocoMetric",
    PERSONS,
    PERSONS | {"score_mode": "bbox", "nms_mode": "none"},
    PERSONS | {"score_mode": "keypoint", "nms_thr": 0.5},
    PERSONS | {"score_mode": "bbox_rle", "keypoint_score_thr": 0.5, "prefix": "mine"},
)(people({"keypoints": 17}))
WHOLE = {"keypoints": 17, "foot_kpts": 6, "face_kpts": 68, "lefthand_kpts": 21}
case(
    "mmpose.CocoWholeBodyMetric",
    PERSONS,
    PERSONS | {"score_mode": "bbox", "nms_mode": "none"},
)(people(WHOLE | {"righthand_kpts": 21}))


def single(number, meta=None):
    """A function that makes samples of one person with some joints."""

    def make(rng, folder):
        samples = []
        for _ in range(9):
            truth = rng.uniform(50, 200, (number, 2))
            found = truth + rng.normal(0, 8, truth.shape)
            samples.append(person(rng, found, truth))
        samples[0]["gt_instances"]["keypoints_visible"][:] = 1  # every joint is visible once
        samples[1]["gt_instances"]["keypoints"][0, 4] = samples[1]["gt_instances"]["keypoints"][
            0, 5
        ]
        return meta or {"dataset_name": "horse10"}, samples

    return make


case("mmpose.PCKAccuracy", {}, {"thr": 0.2, "norm_item": ["torso", "head", "bbox"]})(single(16))
case("mmpose.MpiiPCKAccuracy", {}, {"thr": 0.3, "norm_item": ["head", "bbox"]})(single(16))
case("mmpose.JhmdbPCKAccuracy", {}, {"thr": 0.2, "norm_item": ["torso", "bbox"]})(single(15))
case("mmpose.AUC", {}, {"norm_factor": 12, "num_thrs": 7, "prefix": "a"})(single(17))
case("mmpose.EPE", {})(single(17))
case(
    "mmpose.NME",
    {"norm_mode": "keypoint_distance"},
    {"norm_mode": "use_norm_item", "norm_item": "bbox_size"},
    {"norm_mode": "use_norm_item", "norm_item": "head_size"},
)(single(17))
case("mmpose.NME/lapa", {"norm_mode": "keypoint_distance"})(single(106, {"dataset_name": "lapa"}))


def rotated(rng, number):
    """Boxes of center, size and angle."""
    centres, sizes = rng.uniform(0, 200, (number, 2)), rng.uniform(10, 80, (number, 2))
    return np.hstack([centres, sizes, rng.uniform(-1.5, 1.5, (number, 1))])


def pascal(make, moved):
    """A function that makes true boxes, some of them to ignore, and detections near them."""

    def samples(rng, folder):
        made = []
        for index in range(8):
            truths = make(rng, int(rng.integers(1, 7)))
            if index == 3:
                truths = truths[:0]
            labels, ignored = rng.integers(0, 3, len(truths)), rng.random(len(truths)) < 0.2
            ignored[:1] = False  # MMRotate forgets the others of an image where all are ignored
            source, found = moved(rng, truths, int(rng.integers(0, 12)))
            kinds = np.where(rng.random(len(source)) < 0.8, labels[source], 2)
            sides = {
                "gt_instances": (truths[~ignored], labels[~ignored]),
                "ignored_instances": (truths[ignored], labels[ignored]),
                "pred_instances": (found, kinds),
            }
            one = {
                side: {"bboxes": tensor(boxes, np.float32), "labels": tensor(classes, np.int64)}
                for side, (boxes, classes) in sides.items()
            }
            one["pred_instances"]["scores"] = tensor(rng.random(len(found)), np.float32)
            made.append(one | {"img_id": f"P{index:04d}"})
        return {"classes": CLASSES}, made

    return samples


def near_rotated(rng, truths, number):
    """Detections around true rotated boxes."""
    source = rng.integers(0, max(len(truths), 1), number if len(truths) else 0)
    noise = rng.normal(0, 1, (len(source), 5)) * [3, 3, 3, 3, 0.05]
    found = truths[source] + noise
    found[:, 2:4] = np.maximum(found[:, 2:4], 1)
    return source, found


case("mmdet.VOCMetric", {}, {"iou_thrs": [0.3, 0.5, 0.7], "eval_mode": "area", "prefix": "voc"})(
    pascal(boxes, near)
)
case("mmrotate.DOTAMetric", {}, {"iou_thrs": [0.3, 0.5, 0.7], "eval_mode": "area"})(
    pascal(rotated, near_rotated)
)


@case(
    "mmocr.WordMetric",
    {},
    {"mode": ["ignore_case_symbol", "exact", "ignore_case"]},
    {"mode": ["ignore_case"], "prefix": "mine"},
)
def words(rng, folder):
    """Texts with symbols, Chinese characters, and other letter case."""
    known = ["Hello", "a^b", "Öl-Tank", "中文 字", "x_1", "", "The Cat"]
    changes = [str, str.lower, lambda text: text + "!", lambda text: text[1:]]
    texts = [known[place] for place in rng.integers(0, len(known), 14)]
    return {}, [
        {
            "pred_text": {"item": changes[rng.integers(0, len(changes))](text)},
            "gt_text": {"item": text},
        }
        for text in texts
    ]


case("mmocr.CharMetric", {}, {"valid_symbol": "[^a-z]"})(words)


@case(
    "mmocr.HmeanIOUMetric",
    {},
    {"strategy": "max_matching", "match_iou_thr": 0.3},
    {"pred_score_thrs": {"start": 0.1, "stop": 0.5, "step": 0.2}, "ignore_precision_thr": 0.2},
)
def polygons(rng, folder):
    """Rectangles of text, some of them to ignore, with scores that are thresholds."""
    samples = []
    for _ in range(7):
        truths = boxes(rng, int(rng.integers(1, 6)), 120)
        _, found = near(rng, truths, int(rng.integers(1, 8)))
        scores = rng.choice([0.1, 0.3, 0.35, 0.5, 0.7, 0.9], len(found))
        sides = [
            [np.array([x, y, u, y, u, v, x, v], np.float32) for x, y, u, v in side]
            for side in (found, truths)
        ]
        samples.append(
            {
                "pred_instances": {"polygons": sides[0], "scores": tensor(scores, np.float32)},
                "gt_instances": {
                    "polygons": sides[1],
                    "ignored": tensor(rng.random(len(truths)) < 0.2),
                },
            }
        )
    return {}, samples


@case(
    "mmocr.F1Metric",
    {"num_classes": 5},
    {"num_classes": 5, "mode": ["micro", "macro"], "ignored_classes": [0]},
    {"num_classes": 5, "mode": "macro", "cared_classes": [1, 4], "key": "kinds"},
)
def kinds(rng, folder):
    """Classes of boxes, of which one is nowhere."""
    samples = []
    for _ in range(7):
        truth = rng.integers(0, 4, int(rng.integers(1, 9)))
        found = np.where(rng.random(len(truth)) < 0.6, truth, rng.integers(0, 4, len(truth)))
        samples.append(
            {
                side: {key: tensor(classes) for key in ("labels", "kinds")}
                for side, classes in (("pred_instances", found), ("gt_instances", truth))
            }
        )
    return {}, samples


def points(ignored):
    """A function that makes classes of points, of which one is ignored and some are none."""

    def make(rng, folder):
        samples = []
        for _ in range(7):
            labels = rng.integers(0, 4, 50)  # the class 4 is nowhere
            found = np.where(rng.random(50) < 0.6, labels, rng.integers(0, 5, 50))
            labels[rng.random(50) < 0.1] = ignored
            labels[rng.random(50) < 0.1] = 77
            samples.append(
                {
                    "pred_pts_seg": {"pts_semantic_mask": tensor(found)},
                    "eval_ann_info": {"pts_semantic_mask": labels},
                }
            )
        return {"label2cat": dict(enumerate("abcde")), "ignore_index": ignored}, samples

    return make


case("mmdet3d.SegMetric", {})(points(5))
case("mmdet3d.SegMetric/class", {"prefix": "mine"})(points(2))
