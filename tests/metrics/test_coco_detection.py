"""COCODetection against pycocotools, and what it promises on its own."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import COCODetection
from mmeval_like.metrics.detection import overlaps
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
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


def case(kind: str) -> MetricCase:
    """The case of one kind of evaluation."""
    return MetricCase(
        make=lambda **options: make(metric=kind, **options),
        samples=with_masks if kind == "segm" else samples,
        oracle=oracle(kind),
        array_inputs=False,
        most=8,
    )


CASES = {f"COCODetection_{kind}": case(kind) for kind in ("bbox", "segm", "proposal")}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """Every law of metrics holds, with pycocotools as the oracle."""
    requires("pycocotools")
    check_metric(CASES[name], examples=3)


@settings(max_examples=40)
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


def test_ranks_and_rest_of_pycocotools_parameters() -> None:
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


def test_annotation_file(tmp_path: Path) -> None:
    """Ground truths from a file: images that nobody added count, class order is the caller's."""
    requires("pycocotools")
    predictions, truths = with_masks(np.random.default_rng(2), 9)
    content = coco(truths)
    for category in content["categories"]:
        category["id"] += 40
    for annotation in content["annotations"]:
        annotation["category_id"] += 40
        counts = annotation["segmentation"]["counts"]
        annotation["segmentation"]["counts"] = counts.decode()
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(content))
    swapped = [{**p, "labels": 2 - p["labels"]} for p in predictions[:6]]
    metric = make(
        ann_file=str(path), metric=["bbox", "segm"], dataset_meta={"classes": CLASSES[::-1]}
    )
    metric.add_predictions(swapped[:2])
    metric.add(swapped[2:])

    value = metric.compute()

    for kind in ("bbox", "segm"):
        for key, number in oracle(kind)(predictions[:6], truths).items():
            assert value[key] == pytest.approx(number, abs=1e-12, rel=0), key


def test_polygons_and_plain_runs_in_a_file(tmp_path: Path) -> None:
    """Segmentations may be polygons or uncompressed runs, as in COCO's own files."""
    requires("pycocotools")
    square = {"size": [8, 8], "counts": [0, 4, 4, 4, 4, 4, 4, 4, 36]}
    content = {
        "images": [{"id": 5, "height": 8, "width": 8}],
        "categories": [{"id": 1, "name": "ant"}],
        "annotations": [
            {"id": 1, "image_id": 5, "category_id": 1, "area": 16.0, "bbox": [0, 0, 4, 4],
             "iscrowd": 0, "segmentation": [[0, 0, 4, 0, 4, 4, 0, 4]]},
            {"id": 2, "image_id": 5, "category_id": 1, "area": 16.0, "bbox": [0, 0, 4, 4],
             "iscrowd": 1, "segmentation": square},
        ],
    }  # fmt: skip
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(content))
    metric = make(ann_file=str(path), metric="segm", dataset_meta={"classes": ("ant",)})
    metric.add_predictions(
        [{"img_id": 5, "bboxes": [[0, 0, 4, 4]], "scores": [1.0], "labels": [0], "masks": [square]}]
    )

    assert metric.compute()["segm_mAP"] == 1.0


def test_files_are_written_by_rank_0(tmp_path: Path) -> None:
    """With a prefix the detections of all ranks land in COCO result files, also with masks."""
    requires("pycocotools")
    predictions, truths = with_masks(np.random.default_rng(4), 7)
    prefix = str(tmp_path / "out" / "run")

    def evaluate(backend: Any) -> dict[str, Any]:
        metric = make(metric="segm", outfile_prefix=prefix, dist_backend=backend)
        metric.add(predictions[backend.rank :: 3], truths[backend.rank :: 3])
        return metric.compute()

    values = LocalWorld(3).run(evaluate)

    for kind in ("bbox", "segm"):
        written = json.loads(Path(f"{prefix}.{kind}.json").read_text())
        expected = entries(sorted(predictions, key=lambda p: p["img_id"]), kind)
        for entry in expected:
            if kind == "segm":
                entry["segmentation"]["counts"] = entry["segmentation"]["counts"].decode()
        assert written == expected
    expected_values = oracle("segm")(predictions, truths)
    assert values[2] == pytest.approx(expected_values, abs=1e-12)


def test_format_only_needs_no_ground_truths(tmp_path: Path) -> None:
    """Submission files for a test set: nothing is evaluated."""
    prefix = str(tmp_path / "test")
    metric = make(format_only=True, outfile_prefix=prefix)
    metric.add_predictions(
        [{"img_id": 3, "bboxes": [[1, 2, 4, 8]], "scores": [0.5], "labels": [2]}]
    )

    assert metric.compute() == {}
    assert json.loads(Path(f"{prefix}.bbox.json").read_text()) == [
        {"image_id": 3, "category_id": 2, "bbox": [1.0, 2.0, 3.0, 6.0], "score": 0.5}
    ]


def test_ground_truths_as_a_file(tmp_path: Path) -> None:
    """What gt_to_coco_json writes evaluates like the ground truths themselves."""
    requires("pycocotools")
    predictions, truths = with_masks(np.random.default_rng(6), 6)
    metric = make(metric="segm")
    path = metric.gt_to_coco_json(truths, str(tmp_path / "set"))
    from_file = make(ann_file=path, metric="segm")
    from_file.add_predictions(predictions)

    assert path == str(tmp_path / "set.gt.json")
    assert from_file.compute() == metric(predictions, truths)


def test_prints_what_pycocotools_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """The table has pycocotools' very lines; one rank prints."""
    requires("pycocotools")
    predictions, truths = samples(np.random.default_rng(7), 10)

    def evaluate(backend: Any) -> dict[str, Any]:
        metric = make(print_results=True, dist_backend=backend)
        metric.add(predictions[backend.rank :: 2], truths[backend.rank :: 2])
        return metric.compute()

    LocalWorld(2).run(evaluate)

    printed = [line for line in capsys.readouterr().out.splitlines() if line]
    assert printed[:13] == ["bbox", *summary(predictions, truths)]
    assert [line.split()[0] for line in printed[13:]] == ["class", *CLASSES]


def summary(predictions: list[Any], truths: list[Any]) -> list[str]:
    """The lines that pycocotools prints."""
    COCO = requires("pycocotools.coco").COCO
    COCOeval = requires("pycocotools.cocoeval").COCOeval
    with contextlib.redirect_stdout(io.StringIO()):
        dataset = COCO()
        dataset.dataset = coco(truths)
        dataset.createIndex()
        evaluator = COCOeval(dataset, dataset.loadRes(entries(predictions, "bbox")), "bbox")
        evaluator.evaluate()
        evaluator.accumulate()
    with contextlib.redirect_stdout(io.StringIO()) as output:
        evaluator.summarize()
    return output.getvalue().splitlines()


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


BOX = {"bboxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.3]}
MASK = {"size": [4, 4], "counts": [16]}
BAD = {
    "no list": ({}, BOX, [BOX], TypeError, "predictions must be a list"),
    "no dict": ({}, [3], [BOX], TypeError, r"predictions\[0\] must be a dict"),
    "no truths": ({}, [BOX], None, TypeError, "groundtruths must be a list"),
    "lengths": ({}, [BOX, BOX], [BOX], ValueError, "same length, got 2 and 1"),
    "no scores": ({}, [{"bboxes": [], "labels": []}], [BOX], KeyError, "needs the key 'scores'"),
    "no labels": ({}, [BOX], [{"bboxes": []}], KeyError, "groundtruths.*'labels'"),
    "few scores": ({}, [BOX | {"scores": []}], [BOX], ValueError, "as many 'scores' as 'bboxes'"),
    "many labels": ({}, [BOX], [BOX | {"labels": [0, 1]}], ValueError, "as many 'labels'"),
    "corners": ({}, [BOX | {"bboxes": [[0, 9]]}], [BOX], ValueError, r"shape \(n, 4\), got \(1, 2"),
    "flat": ({}, [BOX | {"bboxes": [0, 0, 9, 9]}], [BOX], ValueError, r"shape \(n, 4\), got \(4,"),
    "nan box": ({}, [BOX], [BOX | {"bboxes": [[0, 0, 9, np.nan]]}], ValueError, "must be finite"),
    "nan score": (
        {},
        [BOX, BOX | {"scores": [np.nan]}],
        [BOX, BOX],
        ValueError,
        r"predictions\[1\]",
    ),
    "label 3": ({}, [BOX | {"labels": [3]}], [BOX], ValueError, r"in \[0, 3\).*got 3 in row 0"),
    "label -1": ({}, [BOX], [BOX | {"labels": [-1]}], ValueError, "got -1"),
    "label 0.5": ({}, [BOX | {"labels": [0.5]}], [BOX], TypeError, "must be integers"),
    "text": ({}, [BOX | {"scores": ["high"]}], [BOX], TypeError, "must be an array"),
    "img_id": ({}, [BOX | {"img_id": 1}], [BOX | {"img_id": 2}], ValueError, "img_id 1 and 2"),
    "text id": ({}, [BOX | {"img_id": "a"}], [BOX], TypeError, "img_id must be an integer"),
    "no masks": ({"metric": "segm"}, [BOX], [BOX | {"masks": [MASK]}], KeyError, "'masks'"),
    "few masks": ({"metric": "segm"}, [BOX | {"masks": []}], [BOX], ValueError, "as many 'masks'"),
    "no rle": ({"metric": "segm"}, [BOX | {"masks": [3]}], [BOX], TypeError, "must be an RLE dict"),
    "short rle": (
        {"metric": "segm"},
        [BOX | {"masks": [{"size": [4, 4], "counts": [3]}]}],
        [BOX],
        ValueError,
        "add up to 4",
    ),
    "rle sizes": (
        {"metric": "segm"},
        [BOX | {"masks": [MASK]}],
        [BOX | {"masks": [{"size": [2, 8], "counts": [16]}]}],
        ValueError,
        "of one size",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    """What cannot be meant raises, names the argument, and leaves the metric as it was."""
    requires("pycocotools")
    options, predictions, truths, error, text = BAD[name]
    metric = make(**options)

    with pytest.raises(error, match=text):
        metric.add(predictions, truths)
    assert metric._stores()[0].count == 0


OPTIONS = {
    "metric": ({"metric": "keypoints"}, KeyError, "bbox, segm, proposal"),
    "no metric": ({"metric": ()}, KeyError, "bbox, segm, proposal"),
    "item": ({"metric_items": ["AP"]}, KeyError, "mAP_50"),
    "thr text": ({"iou_thrs": "0.5"}, TypeError, "iou_thrs must be a number"),
    "thr percent": ({"iou_thrs": [50]}, ValueError, r"in \[0, 1\], got 50"),
    "no thr": ({"iou_thrs": []}, ValueError, "must not be empty"),
    "numbers": ({"proposal_nums": (1.5,)}, TypeError, "positive integers"),
    "zero": ({"proposal_nums": (0, 1)}, TypeError, "positive integers"),
    "prefix": ({"format_only": True}, ValueError, "needs outfile_prefix"),
    "backend": ({"backend_args": {"backend": "s3"}}, ValueError, "local disk"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_bad_options_are_refused(name: str) -> None:
    """Wrong arguments of the constructor raise there."""
    options, error, text = OPTIONS[name]

    with pytest.raises(error, match=text):
        make(**options)


def test_classes_are_needed() -> None:
    """Names of classes come from dataset_meta, each once."""
    with pytest.raises(RuntimeError, match="dataset_meta"):
        COCODetection().add([BOX], [BOX])
    with pytest.raises(ValueError, match="distinct"):
        COCODetection(dataset_meta={"classes": ("ant", "ant")}).add([BOX], [BOX])


def test_bad_files_are_refused(tmp_path: Path) -> None:
    """A file that is no annotation file, lacks a class, or lacks an image, is named."""
    path = tmp_path / "file.json"
    path.write_text("[]")
    with pytest.raises(ValueError, match="annotations"):
        make(ann_file=str(path))
    path.write_text(json.dumps(coco([])))
    with pytest.raises(ValueError, match="no category 'emu'"):
        make(ann_file=str(path), dataset_meta={"classes": ["emu"]}).add_predictions([])
    with pytest.raises(ValueError, match="img_id 4, which is not in ann_file"):
        make(ann_file=str(path)).add_predictions([BOX | {"img_id": 4}])
    with pytest.raises(ValueError, match="need the key 'img_id'"):
        make(ann_file=str(path)).add_predictions([BOX])
