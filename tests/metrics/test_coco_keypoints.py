"""CocoKeypoints against pycocotools, and what it promises on its own."""

import contextlib
import io
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import CocoKeypoints
from mmeval_like.metrics.keypoints import oks_task
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples

SIGMAS = (0.026, 0.107, 0.05)
JOINTS = len(SIGMAS)
NAMES = ("mAP", "mAP_50", "mAP_75", "mAP_m", "mAP_l", "AR", "AR_50", "AR_75", "AR_m", "AR_l")


def image(rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any]]:
    """Persons, some without a labelled joint or crowds; detections near them, scores that tie."""
    m, n = rng.integers(0, 5, 2)
    low, side = rng.integers(0, 5, (m, 2)) * 20.0, rng.choice([10.0, 50.0, 120.0], (m, 2))
    joints = low[:, None] + rng.random((m, JOINTS, 2)) * side[:, None]
    visible = rng.integers(0, 3, (m, JOINTS)) * rng.integers(0, 2, (m, 1))
    truth = {
        "keypoints": np.concatenate([joints, visible[:, :, None]], axis=2),
        "bboxes": np.concatenate([low, low + side], axis=1),
        "areas": side.prod(axis=1) * rng.choice([0.5, 1.0]),
        "ignore_flags": rng.random(m) < 0.1,
    }
    found = rng.random((n, JOINTS, 3)) * 150
    for one in found:
        if m and rng.random() < 0.8:
            one[:, :2] = joints[rng.integers(m)] + rng.normal(0, rng.choice([0, 2, 8]), (JOINTS, 2))
    return {"keypoints": found, "scores": rng.integers(0, 5, n) / 4}, truth


def samples(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Images with an identity each, in no order."""
    pairs = [image(rng) for _ in range(n)]
    for identity, (prediction, truth) in zip(rng.permutation(10 * n)[:n], pairs, strict=True):
        prediction["img_id"] = truth["img_id"] = int(identity)
    return tuple(map(list, zip(*pairs, strict=True)))


def dataset(truths: list[Any]) -> dict[str, Any]:
    """Ground truths as COCO has them in a file."""
    annotations: list[dict[str, Any]] = []
    for truth in truths:
        for i, (x1, y1, x2, y2) in enumerate(truth["bboxes"].tolist()):
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": truth["img_id"],
                    "category_id": 1,
                    "keypoints": truth["keypoints"][i].reshape(-1).tolist(),
                    "num_keypoints": int(np.count_nonzero(truth["keypoints"][i, :, 2])),
                    "bbox": [x1, y1, x2 - x1, y2 - y1],
                    "area": float(truth["areas"][i]),
                    "iscrowd": int(truth["ignore_flags"][i]),
                }
            )
    images = [{"id": truth["img_id"]} for truth in truths]
    categories = [{"id": 1, "name": "person"}]
    return {"images": images, "annotations": annotations, "categories": categories}


def oracle(predictions: list[Any], truths: list[Any], most: int = 20) -> dict[str, float]:
    """The ten numbers of pycocotools."""
    COCO = requires("pycocotools.coco").COCO
    COCOeval = requires("pycocotools.cocoeval").COCOeval
    found = [
        {
            "image_id": image["img_id"],
            "category_id": 1,
            "keypoints": pose.reshape(-1).tolist(),
            "score": float(score),
        }
        for image in predictions
        for pose, score in zip(image["keypoints"], image["scores"], strict=True)
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = dataset(truths)
        coco.createIndex()
        evaluator = COCOeval(coco, coco.loadRes(found) if found else COCO(), "keypoints")
        evaluator.params.kpt_oks_sigmas = np.array(SIGMAS)
        evaluator.params.maxDets = [most]
        evaluator.evaluate()
        evaluator.accumulate()
        evaluator.summarize()
    return {f"keypoints_{name}": v for name, v in zip(NAMES, evaluator.stats.tolist(), strict=True)}


make = partial(CocoKeypoints, sigmas=SIGMAS)
CASES = {"CocoKeypoints": MetricCase(make, samples, oracle, array_inputs=False, most=8, empty=-1.0)}


def test_laws() -> None:
    """Every law of metrics holds, with pycocotools as the oracle."""
    requires("pycocotools")
    check_metric(CASES["CocoKeypoints"], examples=examples(3))


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_equals_pycocotools(seed: int, count: int) -> None:
    """The ten numbers agree to 1e-12 on random images."""
    requires("pycocotools")
    data = samples(np.random.default_rng(seed), count)
    metric = make()
    metric.add(*data)

    assert metric.compute() == pytest.approx(oracle(*data), abs=1e-12, rel=0)


def test_most_detections_of_an_image() -> None:
    """Only the best of an image count."""
    requires("pycocotools")
    predictions, truths = samples(np.random.default_rng(8), 30)
    metric = make(max_dets=2)
    metric.add(predictions, truths)

    # What pycocotools calls all areas asks for 20 detections; here there are two.
    stats = oracle([best(image, 2) for image in predictions], truths)
    assert metric.compute() == pytest.approx(stats, abs=1e-12)


def best(image: dict[str, Any], number: int) -> dict[str, Any]:
    """The first detections by score."""
    order = np.argsort(-image["scores"], kind="stable")[:number]
    return {**image, "keypoints": image["keypoints"][order], "scores": image["scores"][order]}


def test_an_annotation_file(tmp_path: Path) -> None:
    """It says the same; its images that nobody added count, with nothing found."""
    data = samples(np.random.default_rng(3), 12)
    path = tmp_path / "persons.json"
    path.write_text(json.dumps(dataset(data[1])))
    whole, from_file, some = make(), make(ann_file=str(path)), make(ann_file=str(path))
    whole.add(*data)
    from_file.add(data[0])
    some.add(data[0][:7])
    without = make()
    nothing = {"keypoints": np.zeros((0, JOINTS, 3)), "scores": []}
    without.add(data[0][:7] + [nothing | {"img_id": t["img_id"]} for t in data[1][7:]], data[1])

    assert from_file.compute() == whole.compute()
    assert some.compute() == without.compute()
    with pytest.raises(ValueError, match="not in ann_file"):
        from_file.add([data[0][0] | {"img_id": 999}])
    with pytest.raises(ValueError, match="img_id"):
        from_file.add([{"keypoints": [], "scores": []}])
    with pytest.raises(ValueError, match="6 finite numbers"):
        CocoKeypoints(str(path), sigmas=SIGMAS[:2])


def test_an_image_twice_counts_once() -> None:
    """Also on several ranks."""
    data = samples(np.random.default_rng(5), 6)

    def evaluate(backend: Any) -> dict[str, float]:
        metric = make(dist_backend=backend)
        metric.add(*data)
        return metric.compute()

    assert LocalWorld(2).run(evaluate) == [make()(*data)] * 2


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pairs are computed together, the bits are the same."""
    data = samples(np.random.default_rng(2), 9)
    value = make()(*data)
    monkeypatch.setattr(oks_task, "_CHUNK_PAIRS", 2)

    assert make()(*data) == value


def test_bad_inputs() -> None:
    """Other numbers of joints, missing keys, options that cannot be meant."""
    good = {"keypoints": np.zeros((1, JOINTS, 3)), "bboxes": [[0, 0, 1, 1]], "areas": [1]}
    found = {"keypoints": np.zeros((1, JOINTS, 2)), "scores": [0.5]}
    make().add([found], [good])
    for one, other, error, text in (
        ({**found, "keypoints": np.zeros((1, 2, 3))}, good, ValueError, r"shape \(n, 3, 3\)"),
        (found, {**good, "keypoints": np.zeros((1, JOINTS, 2))}, ValueError, r"shape \(n, 3, 3\)"),
        (found, {**good, "areas": [-1]}, ValueError, "areas of groundtruths must not be negative"),
        (found, {**good, "areas": [1, 2]}, ValueError, "as many 'areas'"),
        ({"scores": [0.5]}, good, KeyError, "keypoints"),
    ):
        with pytest.raises(error, match=text):
            make().add([one], [other])
    for options, text in (({"sigmas": [0]}, "sigmas"), ({"oks_thrs": 2}, "oks_thrs")):
        with pytest.raises(ValueError, match=text):
            CocoKeypoints(**options)
