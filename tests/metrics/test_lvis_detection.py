"""LVISDetection against pycocotools on data that say the same, and what it promises on its own.

To pycocotools a class that nobody looked for is one without detections, and a class that is not
annotated exhaustively has a crowd that is as large as the image: what matches nothing else matches
the crowd, and is ignored.
"""

import contextlib
import io
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmeval_like import LVISDetection
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.coco_oracle import CLASSES, META, coco, entries, octagon
from tests.metrics.detections import image

FREQUENCIES = "rcf"
MOST = 6
EVERYWHERE = [-1e4, -1e4, 2e4, 2e4]
KEYS = ("AP", "AP50", "AP75", "APs", "APm", "APl")
RECALLS = tuple(f"AR{size}@{MOST}" for size in ("", "s", "m", "l"))


def samples(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Images with an identity each, in no order, of which only some classes are known."""
    pairs = [image(rng, len(CLASSES)) for _ in range(n)]
    for identity, (found, truth) in zip(rng.permutation(10 * n)[:n], pairs, strict=True):
        found["img_id"] = truth["img_id"] = int(identity)
        truth["ignore_flags"] = np.zeros(len(truth["labels"]), bool)
        for side in (found, truth):  # a box without area would be on no crowd
            side["bboxes"][:, 2:] = np.maximum(side["bboxes"][:, 2:], side["bboxes"][:, :2] + 3)
        known = rng.random(len(CLASSES)) < 0.4
        truth["neg_labels"] = np.setdiff1d(np.flatnonzero(known), truth["labels"])
        truth["not_exhaustive_labels"] = np.unique(truth["labels"])[: rng.integers(0, 2)]
    return tuple(map(list, zip(*pairs, strict=True)))


def with_masks(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """The same with masks: octagons in the boxes, of which some are empty."""
    predictions, truths = samples(rng, n)
    for part in (*predictions, *truths):
        part["masks"] = [octagon(box) for box in part["bboxes"]]
    return predictions, truths


def reduced(found: Any, truth: Any) -> tuple[Any, Any]:
    """An image as pycocotools has to see it."""
    best = np.argsort(-found["scores"], kind="stable")[:MOST]
    looked_for = {*truth["labels"].tolist(), *truth["neg_labels"].tolist()}
    kept = [i for i in best if found["labels"][i] in looked_for]
    crowds = truth["not_exhaustive_labels"]
    more = np.tile(EVERYWHERE, (len(crowds), 1))
    return (
        {key: value if key == "img_id" else value[kept] for key, value in found.items()},
        {
            "img_id": truth["img_id"],
            "bboxes": np.concatenate([truth["bboxes"], more]),
            "labels": np.concatenate([truth["labels"], crowds]).astype(int),
            "ignore_flags": np.arange(len(truth["labels"]) + len(crowds)) >= len(truth["labels"]),
        },
    )


def oracle(predictions: Any, truths: Any) -> dict[str, float]:
    """The thirteen numbers, from the arrays of pycocotools."""
    COCO = requires("pycocotools.coco").COCO
    COCOeval = requires("pycocotools.cocoeval").COCOeval
    pairs = zip(predictions, truths, strict=True)
    found, goals = zip(*(reduced(*pair) for pair in pairs), strict=True)
    with contextlib.redirect_stdout(io.StringIO()):
        dataset = COCO()
        dataset.dataset = coco(list(goals))
        dataset.createIndex()
        boxes = entries(list(found), "bbox")
        evaluator = COCOeval(dataset, dataset.loadRes(boxes) if boxes else COCO(), "bbox")
        evaluator.params.maxDets = [MOST]
        evaluator.evaluate()
        evaluator.accumulate()
    precision, recall = (evaluator.eval[name][..., 0] for name in ("precision", "recall"))
    values = [precision[..., 0], precision[0, ..., 0], precision[5, ..., 0]]
    values += [precision[..., size] for size in (1, 2, 3)]
    values += [recall[..., size] for size in range(4)]
    values += [precision[:, :, [label], 0] for label in range(3)]
    names = (*KEYS, *RECALLS, *(f"AP{kind}" for kind in FREQUENCIES))
    return {
        f"bbox_{name}": float(some[some > -1].mean()) if (some > -1).any() else -1.0
        for name, some in zip(names, values, strict=True)
    }


make = partial(LVISDetection, dataset_meta=META, max_dets=MOST, frequencies=FREQUENCIES)
CASES = {"LVISDetection": MetricCase(make, samples, oracle, array_inputs=False, most=8, empty=-1.0)}


def test_laws() -> None:
    """Every law of metrics holds, with pycocotools as the oracle."""
    requires("pycocotools")
    check_metric(CASES["LVISDetection"], examples=examples(2))


def test_equals_pycocotools() -> None:
    """The thirteen numbers agree to 1e-12 on random images."""
    requires("pycocotools")
    for seed in range(examples(10)):
        data = samples(np.random.default_rng(seed), 8 * seed + 1)

        assert make()(*data) == pytest.approx(oracle(*data), abs=1e-12, rel=0)


def dataset(truths: list[Any]) -> dict[str, Any]:
    """Ground truths as LVIS has them in a file, whose categories have numbers of their own."""
    content = coco(truths)
    for entry, truth in zip(content["images"], truths, strict=True):
        for key in ("neg", "not_exhaustive"):
            labels = truth[f"{key}_labels"]
            entry[f"{key}_category_ids"] = [10 + label for label in labels.tolist()]
    for annotation in content["annotations"]:
        annotation["category_id"] += 10
    for entry, frequency in zip(content["categories"], FREQUENCIES, strict=True):
        entry |= {"id": entry["id"] + 10, "frequency": frequency}
    return content


@pytest.mark.parametrize("kind", ["bbox", "segm"])
def test_an_annotation_file(tmp_path: Path, kind: str) -> None:
    """It says the same; its images that nobody added count, with nothing found."""
    requires("pycocotools")
    data = with_masks(np.random.default_rng(3), 50)
    path = tmp_path / "lvis.json"
    content = dataset(data[1])
    for annotation in content["annotations"]:
        rle = annotation["segmentation"]
        annotation["segmentation"] = {**rle, "counts": rle["counts"].decode()}
    path.write_text(json.dumps(content))
    of_file = partial(make, metric=kind, ann_file=str(path), frequencies=None)
    whole, from_file, some, without = make(metric=kind), of_file(), of_file(), make(metric=kind)
    whole.add(*data)
    from_file.add(data[0])
    some.add(data[0][:40])
    nothing = {"bboxes": np.zeros((0, 4)), "labels": [], "scores": [], "masks": []}
    without.add(data[0][:40] + [nothing | {"img_id": t["img_id"]} for t in data[1][40:]], data[1])

    assert whole.compute()[f"{kind}_AP"] > 0
    assert from_file.compute() == whole.compute()
    assert some.compute() == without.compute()
    with pytest.raises(ValueError, match="not in ann_file"):
        from_file.add([data[0][0] | {"img_id": 999}])
    with pytest.raises(ValueError, match="img_id"):
        from_file.add([nothing])


def test_an_image_twice_counts_once() -> None:
    """Also on several ranks."""
    data = samples(np.random.default_rng(5), 6)

    def evaluate(backend: Any) -> dict[str, float]:
        metric = make(dist_backend=backend)
        metric.add(*data)
        return metric.compute()

    assert LocalWorld(2).run(evaluate) == [make()(*data)] * 2


def test_masks_are_measured_by_masks() -> None:
    """Masks that are what is looked for, in boxes that are not."""
    requires("pycocotools")
    truth = {
        "bboxes": [[0, 0, 40, 40]],
        "labels": [0],
        "masks": [octagon(np.array([0, 0, 40, 40]))],
    }
    found = truth | {"bboxes": [[90, 90, 99, 99]], "scores": [0.5]}

    assert make()([found], [truth])["bbox_AP"] == 0.0
    assert make(metric="segm")([found], [truth])["segm_AP"] == 1.0


def test_areas_of_the_annotations() -> None:
    """A large object of the area of a small one is small."""
    truth = {"bboxes": [[0, 0, 200, 200]], "labels": [0], "areas": [900]}
    found = truth | {"scores": [0.5]}

    values = make()([found], [truth])

    assert (values["bbox_APs"], values["bbox_APl"]) == (1.0, -1.0)


def test_bad_inputs() -> None:
    """Classes out of range, frequencies that are none or of other classes, other kinds."""
    good = {"bboxes": [[0, 0, 1, 1]], "labels": [0]}
    found = good | {"scores": [0.5]}
    with pytest.raises(ValueError, match=r"'neg_labels'\] must be in \[0, 3\)"):
        make().add([found], [good | {"neg_labels": [3]}])
    with pytest.raises(ValueError, match="one entry per class, 3, got 2"):
        make(frequencies="rc").add([found], [good])
    with pytest.raises(ValueError, match="'r', 'c' or 'f'"):
        make(frequencies="rxf")
    with pytest.raises(ValueError, match="metric must be one of"):
        make(metric="proposal")
    with pytest.raises(RuntimeError, match="LVISDetection needs the names of the classes"):
        LVISDetection().add([found], [good])
