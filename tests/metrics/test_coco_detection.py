"""COCODetection against pycocotools, and what it promises on its own."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like.metrics.detection import overlaps
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.coco_oracle import coco, make, oracle, pycocotools, samples, with_masks


def case(kind: str) -> MetricCase:
    """The case of one kind of evaluation."""
    return MetricCase(
        make=lambda **options: make(metric=kind, **options),
        samples=with_masks if kind == "segm" else samples,
        oracle=oracle(kind),
        array_inputs=False,
        most=8,
        empty=-1.0,
    )


CASES = {f"COCODetection_{kind}": case(kind) for kind in ("bbox", "segm", "proposal")}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """Every law of metrics holds, with pycocotools as the oracle."""
    requires("pycocotools")
    check_metric(CASES[name], examples=examples(3))


@settings(max_examples=examples(40))
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.sampled_from(["bbox", "proposal"]))
def test_equals_pycocotools(seed: int, count: int, kind: str) -> None:
    """The twelve numbers and the classes' agree with pycocotools to 1e-12 on random images."""
    requires("pycocotools")
    data = samples(np.random.default_rng(seed), count)
    metric = make(metric=kind)
    metric.add(*data)

    value = metric.compute()

    for key, number in oracle(kind)(*data).items():
        assert value[key] == pytest.approx(number, abs=1e-12, rel=0), key


def test_other_parameters_of_pycocotools() -> None:
    """Fewer detections per image, and single thresholds, as pycocotools computes them."""
    requires("pycocotools")
    data = samples(np.random.default_rng(5), 12)
    names = ("mAP", "mAP_50", "mAP_75", "AR@1", "AR@2", "AR@3", "AR_s@3")
    metric = make(iou_thrs=[0.3, 0.75], proposal_nums=[3, 1, 2], metric_items=names)
    metric.add(*data)

    value = metric.compute()

    numbers, _ = pycocotools(*data, "bbox", iouThrs=np.array([0.3, 0.75]), maxDets=[1, 2, 3])
    # pycocotools' first number always asks for 100 detections, which it has not got here.
    expected = dict(zip(names[1:], [*numbers[1:3], *numbers[6:10]], strict=True))
    assert {name: value[f"bbox_{name}"] for name in names[1:]} == pytest.approx(expected, abs=1e-12)
    assert value["bbox_mAP"] == pytest.approx(np.mean([value["bbox_mAP_75"], _single(data, 0.3)]))


@pytest.mark.parametrize("kind", ["bbox", "segm"])
def test_areas_of_the_annotations(kind: str, tmp_path: Path) -> None:
    """The sizes of objects with `areas` are these, as in pycocotools, and not those of shapes."""
    requires("pycocotools")
    rng = np.random.default_rng(11)
    predictions, truths = (with_masks if kind == "segm" else samples)(rng, 30)
    for truth in truths[1:]:  # an image without areas keeps those of its shapes
        sides = truth["bboxes"][:, 2:] - truth["bboxes"][:, :2]
        truth["areas"] = sides.prod(axis=1) * rng.choice([0.25, 4.0], len(sides))
    metric, without = make(metric=kind), make(metric=kind)
    metric.add(predictions, truths)
    without.add(predictions, [{k: v for k, v in t.items() if k != "areas"} for t in truths])

    value, other = metric.compute(), without.compute()

    for key, number in oracle(kind)(predictions, truths).items():
        assert value[key] == pytest.approx(number, abs=1e-12, rel=0), key
    assert value != other
    written = metric.gt_to_coco_json(truths, str(tmp_path / "of"))
    areas = [entry["area"] for entry in json.loads(Path(written).read_text())["annotations"]]
    assert areas == [entry["area"] for entry in coco(truths)["annotations"]]


def _single(data: tuple[Any, ...], thr: float) -> float:
    metric = make(iou_thrs=thr, proposal_nums=(3,), metric_items=None)
    metric.add(*data)
    return metric.compute()["bbox_mAP"]


def test_more_than_a_hundred_detections() -> None:
    """Only the best hundred of an image and class count, whatever the others hit."""
    requires("pycocotools")
    rng = np.random.default_rng(3)
    (prediction,), (truth,) = samples(rng, 1)
    count = 450
    prediction |= {
        "bboxes": np.tile([[0.0, 0.0, 60.0, 60.0]], (count, 1)) + rng.integers(-9, 9, (count, 4)),
        "scores": rng.integers(0, 50, count) / 50,
        "labels": rng.integers(0, 2, count),
    }
    truth |= {
        "bboxes": np.tile([[0.0, 0.0, 60.0, 60.0]], (70, 1)) + rng.integers(-9, 9, (70, 4)),
        "labels": rng.integers(0, 3, 70),
        "ignore_flags": rng.random(70) < 0.1,
    }
    metric = make(metric=["bbox", "proposal"])
    metric.add([prediction], [truth])

    value = metric.compute()

    for kind in ("bbox", "proposal"):
        for key, number in oracle(kind)([prediction], [truth]).items():
            assert value[key] == pytest.approx(number, abs=1e-12, rel=0), key


@pytest.mark.parametrize("last", [0, 1])
def test_equal_overlaps_go_to_the_last_ground_truth(last: int) -> None:
    """As in pycocotools, of two ground truths that fit equally well the later one is taken."""
    requires("pycocotools")
    pair = np.array([[10.0, 0, 30, 10], [0, 0, 20, 10]])
    truth = {"img_id": 1, "labels": [0, 0], "ignore_flags": [0, 0]}
    truth["bboxes"] = pair if last else pair[::-1]
    found = {"bboxes": np.array([[5.0, 0, 25, 10], pair[1]]), "scores": [0.9, 0.8]}
    prediction = {"img_id": 1, "labels": [0, 0]} | found

    value = make()([prediction], [truth])

    assert value == pytest.approx(oracle("bbox")([prediction], [truth]), abs=1e-12)
    assert value["bbox_AR@100"] == pytest.approx(0.5 if last else 0.65)


@pytest.mark.parametrize("side", [31.0, 32.0, 33.0, 96.0, 97.0])
def test_ends_of_the_area_ranges(side: float) -> None:
    """A box of exactly 32 * 32 pixels is small and medium, one of 96 * 96 medium and large."""
    requires("pycocotools")
    truth = {"img_id": 1, "bboxes": np.array([[0, 0, side, side]]), "labels": [0]}
    truth["ignore_flags"] = [0]
    prediction = {**truth, "scores": [0.5]}
    prediction["bboxes"] = np.concatenate([truth["bboxes"] + 300, truth["bboxes"]])
    prediction |= {"scores": [0.9, 0.5], "labels": [0, 0]}

    value = make()([prediction], [truth])

    assert value == pytest.approx(oracle("bbox")([prediction], [truth]), abs=1e-12)


def test_large_batches_are_matched_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Splitting a batch into blocks of images changes nothing."""
    data = samples(np.random.default_rng(8), 40)
    metric = make(metric=["bbox", "proposal"])
    whole = metric(*data)

    monkeypatch.setattr(overlaps, "_BLOCK_PAIRS", 7)

    assert metric(*data) == whole


def test_hundreds_of_masks_in_a_batch() -> None:
    """A batch may hold more masks than pycocotools measures in one call."""
    requires("pycocotools")
    data = with_masks(np.random.default_rng(16), 150)
    assert sum(len(prediction["masks"]) for prediction in data[0]) > 255

    value = make(metric="segm")(*data)

    assert value == pytest.approx(oracle("segm")(*data), abs=1e-12)


def test_the_last_epoch_leaves_nothing_behind() -> None:
    """After reset other ground truths of the same images count."""
    predictions, truths = samples(np.random.default_rng(9), 4)
    metric = make()
    metric.add(predictions, truths)
    metric.compute()
    metric.reset()
    perfect = [
        {"img_id": 1, "bboxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.3]},
        {"img_id": 2, "bboxes": [], "labels": [], "scores": []},
    ]
    metric.add(perfect, perfect)

    assert metric.compute()["bbox_mAP"] == 1.0


def test_repeated_images_count_once() -> None:
    """A sampler that pads without size= changes nothing; copies that differ are reported."""
    predictions, truths = samples(np.random.default_rng(10), 5)
    metric = make()
    once = metric(predictions, truths)
    metric.add(predictions, truths)
    metric.add(predictions[:2], truths[:2])

    assert metric.compute() == once
    changed = {**truths[3], "bboxes": np.zeros((1, 4)), "labels": [0], "ignore_flags": [0]}
    metric.add(predictions[3:4], [changed])
    with pytest.warns(RuntimeWarning, match="added more than once with different"):
        assert metric.compute() == once


def test_without_detections_or_ground_truths() -> None:
    """Nothing found is 0; nothing to find is -1, also where only crowds are."""
    nothing = {"bboxes": np.zeros((0, 4)), "labels": [], "scores": []}
    something = {"bboxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.3]}
    metric = make()

    missed = metric([nothing], [something])
    assert missed["bbox_mAP"] == missed["bbox_bee_precision"] == missed["bbox_AR@100"] == 0
    assert missed["bbox_mAP_l"] == missed["bbox_ant_precision"] == -1
    assert set(metric([something], [nothing]).values()) == {-1.0}
    assert set(metric([something], [something | {"ignore_flags": [True]}]).values()) == {-1.0}


def test_tensors_are_read() -> None:
    """Arrays of another library in the dicts give the bits of numpy arrays."""
    torch = requires("torch")
    data = samples(np.random.default_rng(13), 6)
    tensors = [
        [{k: torch.tensor(v) if k != "img_id" else v for k, v in image.items()} for image in column]
        for column in data
    ]

    assert make()(*tensors) == make()(*data)


def test_images_without_identity_rank_by_their_place() -> None:
    """Without img_id an image's place in the dataset breaks ties, on any number of ranks."""
    predictions, truths = samples(np.random.default_rng(12), 14)
    for place, part in enumerate(zip(predictions, truths, strict=True)):
        part[0]["img_id"] = part[1]["img_id"] = place
    expected = make()(predictions, truths)
    bare = [
        [{k: v for k, v in p.items() if k != "img_id"} for p in c] for c in (predictions, truths)
    ]

    def evaluate(backend: Any) -> dict[str, Any]:
        metric = make(dist_backend=backend)
        for place in range(backend.rank, 14, 3):
            metric.add([bare[0][place]], [bare[1][place]])
        return metric.compute()

    assert LocalWorld(3).run(evaluate) == [expected] * 3
