"""AVAMeanAP against the textbook, and what it promises on its own."""

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like import AVAMeanAP
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.textbook_map import average_precision, box_iou, match_image, mean

# In files of the project: ranks of a real run must be given the same paths.
FOLDER = Path(__file__).parent / "ava"
FILES = {
    "ann_file": str(FOLDER / "truth.csv"),
    "label_file": str(FOLDER / "actions.pbtxt"),
    "exclude_file": str(FOLDER / "excluded.csv"),
}
FRAMES = [(video, second) for video in ("one", "two,three") for second in range(902, 908)]
EXCLUDED = [("one", 903)]
ACTIONS = {1: "run", 3: 'say "hi"', 4: "sit"}  # of 1 to 5


@cache
def truth_rows() -> list[tuple[Any, ...]]:
    """The annotations: most frames have some, of counted and other actions."""
    rows = []
    for line in (FOLDER / "truth.csv").read_text().splitlines():
        video, second, *numbers = line.replace("two,three", "2").replace('"', "").split(",")
        if len(numbers) == 6 and numbers[0]:
            frame = "two,three" if video == "2" else video, int(second)
            rows.append((*frame, *map(float, numbers[:4]), int(numbers[4]), int(numbers[5])))
    return rows


def make(**options: Any) -> AVAMeanAP:
    """Of five actions, of which three count."""
    return AVAMeanAP(**({"num_classes": 6, "verbose": False} | FILES | options))


def samples(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Detections in different frames, also in such that the file does not have."""
    known = truth_rows()
    chosen = rng.permutation(len(FRAMES) + 8)[:n]
    predictions = []
    for place in chosen:
        video, second = FRAMES[place] if place < len(FRAMES) else ("four", int(place))
        own = [row for row in known if row[:2] == (video, second)]
        outputs = []
        for _ in range(5):
            count = rng.integers(0, 3)
            boxes = rng.integers(0, 3, (count, 2)) / 10
            boxes = np.concatenate([boxes, boxes + np.array([0.4, 0.5])], axis=1)
            if own and count:
                boxes[0] = own[rng.integers(len(own))][2:6]
            scores = rng.integers(0, 6, (count, 1)) / 5
            outputs.append(np.concatenate([boxes, scores], axis=1))
        timestamp = f"{second:04d}" if rng.random() < 0.5 else second
        predictions.append({"video_id": video, "timestamp": timestamp, "outputs": outputs})
    return (predictions,)


def expected(predictions: list[Any], ids: Any = (1, 2, 3, 4, 5)) -> dict[str, float]:
    """Action by action, frame by frame."""
    found = []
    detections = {(p["video_id"], int(p["timestamp"])): p["outputs"] for p in predictions}
    for action in ACTIONS:
        if action not in ids:
            continue
        outcome, count = [], 0
        for frame in {*FRAMES, *detections} - set(EXCLUDED):
            wanted = [
                (row[2:6], False) for row in truth_rows() if row[:2] == frame and row[6] == action
            ]
            own = detections.get(frame, [[]] * len(ids))[list(ids).index(action)]
            entries = [(row[4], row[:4]) for row in np.reshape(own, (-1, 5)).tolist()]
            outcome += match_image(entries, wanted, 0.5, box_iou, lambda box: True)
            count += len(wanted)
        found.append(average_precision(outcome, count, "area"))
    return {"mAP@0.5IOU": mean(found)}


CASES = {"AVAMeanAP": MetricCase(make, samples, expected, array_inputs=False, empty=0.0, most=14)}


def test_laws() -> None:
    """Every law of metrics holds, with the textbook as the oracle."""
    check_metric(CASES["AVAMeanAP"], examples=examples(4))


@settings(max_examples=examples(30))
@given(st.integers(0, 2**32 - 1), st.integers(1, 15))
def test_equals_the_textbook(seed: int, count: int) -> None:
    """All frames of the file count but the excluded, all actions of the label file."""
    data = samples(np.random.default_rng(seed), count)

    assert make()(*data) == pytest.approx(expected(*data), abs=1e-12)


def test_custom_classes_are_the_order_of_outputs() -> None:
    """With custom_classes the outputs are those of these ids, in this order."""
    (predictions,) = samples(np.random.default_rng(6), 12)
    chosen = [{**p, "outputs": [p["outputs"][i] for i in (0, 1, 2)]} for p in predictions]

    value = make(num_classes=4, custom_classes=[4, 2, 1])(chosen)

    assert value == pytest.approx(expected(chosen, (4, 2, 1)), abs=1e-12)


def test_scores_keep_all_their_digits() -> None:
    """Scores that agree in three decimals are still ranked."""
    row = next(r for r in truth_rows() if r[6] == 1 and r[:2] not in EXCLUDED)
    only = {"video_id": row[0], "timestamp": row[1]}
    outputs: list[Any] = [[], [], [], [], []]
    outputs[0] = [[*row[2:6], 0.50001], [0.9, 0.9, 1.0, 1.0, 0.5]]
    better = make()([only | {"outputs": outputs}])["mAP@0.5IOU"]
    outputs[0] = [[*row[2:6], 0.5], [0.9, 0.9, 1.0, 1.0, 0.50001]]

    assert better > make()([only | {"outputs": outputs}])["mAP@0.5IOU"]


def test_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No temporary files: the working directory stays empty."""
    monkeypatch.chdir(tmp_path)
    make()(*samples(np.random.default_rng(0), 5))

    assert [*tmp_path.iterdir()] == []


def test_repeated_frames_count_once() -> None:
    """A sampler that pads without size= changes nothing."""
    (predictions,) = samples(np.random.default_rng(2), 9)
    metric = make()
    once = metric(predictions)
    metric.add(predictions)
    metric.add(predictions[:4])

    assert metric.compute() == once


def test_prints_names_on_one_rank(capsys: pytest.CaptureFixture[str]) -> None:
    """One line per action that counts."""
    (predictions,) = samples(np.random.default_rng(2), 9)

    def evaluate(backend: Any) -> None:
        metric = make(verbose=True, dist_backend=backend)
        metric.add(predictions[backend.rank :: 2])
        metric.compute()

    LocalWorld(2).run(evaluate)

    names = [line.rsplit(maxsplit=1)[0] for line in capsys.readouterr().out.splitlines()]
    assert names == ["run", 'say "hi"', "sit"]


def test_without_ground_truths(tmp_path: Path) -> None:
    """An empty annotation file gives nan."""
    (tmp_path / "none.csv").write_text("")
    metric = make(ann_file=str(tmp_path / "none.csv"))

    assert math.isnan(metric(*samples(np.random.default_rng(3), 3))["mAP@0.5IOU"])


GOOD = {"video_id": "one", "timestamp": 902, "outputs": [[]] * 5}
BAD = {
    "no list": (GOOD, TypeError, "must be a list"),
    "no video": ([{"timestamp": 1, "outputs": []}], KeyError, "video_id"),
    "no second": ([{"video_id": "a", "outputs": []}], KeyError, "timestamp"),
    "no outputs": ([{"video_id": "a", "timestamp": 1}], KeyError, "outputs"),
    "half": ([GOOD | {"timestamp": 1.5}], TypeError, "whole second"),
    "text": ([GOOD | {"timestamp": "x"}], TypeError, "whole second"),
    "few": ([GOOD | {"outputs": [[]] * 4}], ValueError, "5 actions, got 4"),
    "shape": ([GOOD, GOOD | {"outputs": [[[0, 0, 1, 1]]] * 5}], ValueError, r"predictions\[1\]"),
    "nan": ([GOOD | {"outputs": [[[0, 0, 1, 1, np.nan]]] * 5}], ValueError, "finite"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    """What cannot be meant raises and names the argument."""
    predictions, error, text = BAD[name]

    with pytest.raises(error, match=text):
        make().add(predictions)


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        *(({"video_id": name}, TypeError, "video_id") for name in (None, True, b"one", 1.5)),
        ({"timestamp": True}, TypeError, "whole second"),
        ({"outputs": None}, ValueError, "got NoneType"),
        ({"outputs": [[[0, 0, 1, 1e300, 0.5]], *[[]] * 4]}, ValueError, "within 1e"),
        ({"outputs": [[[0, 0, 1, 2**53 + 1, 1]], *[[]] * 4]}, ValueError, "rounds integers"),
    ],
)
def test_hostile_frames_are_refused(given: Any, error: type[Exception], text: str) -> None:
    """None is taken for a frame of another name, and no area overflows."""
    metric = make()
    with pytest.raises(error, match=text):
        metric.add([GOOD, GOOD | given])

    assert metric._samples().stores()[0].count == 0


def test_frames_that_differ_are_told_of_in_a_collection_too() -> None:
    """Which of two copies counts depends on their order: a warning says so, alone and together."""
    own = {"outputs": [[[0, 0, 1, 1, 0.5]], *[[]] * 4]}
    together = mm.MetricCollection({"first": make(), "second": make()}, "non_dist")
    for metric in (make(dist_backend="non_dist"), together):
        metric.add([GOOD, GOOD | own])
        with pytest.warns(RuntimeWarning, match="added more than once with different"):
            metric.compute()


def truth_file(folder: Path, text: str, name: str = "truth.csv") -> str:
    """A file of this content."""
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


LINE = "one,0902,0.1,0.1,0.5,0.9,1,7\n"
HIT = [{"video_id": "one", "timestamp": 902, "outputs": [[[0.1, 0.1, 0.5, 0.9, 0.7]], *[[]] * 4]}]


def test_files_that_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    """The mark is no part of the first video's name, and excludes what the line says."""
    marked = truth_file(tmp_path, "\ufeff" + LINE)
    excluded = truth_file(tmp_path, "\ufeffone,902\n", "excluded.csv")

    assert make(ann_file=marked, exclude_file=None)(HIT) == {"mAP@0.5IOU": 1.0}
    assert math.isnan(make(ann_file=marked, exclude_file=excluded)(HIT)["mAP@0.5IOU"])


def test_label_maps(tmp_path: Path) -> None:
    """Fields in any order, in both kinds of quotes; comments do not count; the rest is refused."""
    names = """# item { name: "old" id: 2 }
        item { id: 1 name: 'run' }   # with { braces }
        label { name: "sit } \\"down\\"" label_id: 3 label_type: PERSON }"""
    files = {"ann_file": truth_file(tmp_path, LINE), "exclude_file": None}
    metric = make(label_file=truth_file(tmp_path, names, "map"), **files)

    assert metric._names == ["run", 'sit } "down"']
    assert metric(HIT) == {"mAP@0.5IOU": 1.0}
    item = 'item { name: "a" id: 1 }'
    for bad in ('item { name: "a" }', "item { id: 1 }", "name: 1", f"{item} x", f"{item} {item}",
                'item { name: "a" id: x }'):  # fmt: skip
        with pytest.raises(ValueError, match="must have items with name and id"):
            make(label_file=truth_file(tmp_path, bad, "map"), **files)


@pytest.mark.parametrize("box", ["nan", "inf", "-inf", "1e300"])
def test_annotations_are_boxes(tmp_path: Path, box: str) -> None:
    """One that nothing can overlap is an error of its line, not a ground truth nobody finds."""
    text = LINE + LINE.replace("0.9", box)
    with pytest.raises(ValueError, match=r"truth\.csv', line 2"):
        make(ann_file=truth_file(tmp_path, text))


def test_files_of_other_kinds_are_named(tmp_path: Path) -> None:
    """Lines that are no frames, and bytes that are no text."""
    for line in ("one\n", "one,902.0\n", ",\n"):
        with pytest.raises(ValueError, match=r"excluded\.csv', line 1"):
            make(exclude_file=truth_file(tmp_path, line, "excluded.csv"))
    (tmp_path / "other").write_bytes(LINE.encode("utf-16"))
    for option in ("ann_file", "label_file", "exclude_file"):
        with pytest.raises(ValueError, match=f"{option} .*other' must be UTF-8"):
            make(**{option: str(tmp_path / "other")})
    for custom in ([True, 2, 3, 4, 5], [1.0, 2, 3, 4, 5]):
        with pytest.raises((TypeError, ValueError), match="custom_classes"):
            make(custom_classes=custom)


def test_bad_files_and_options_are_refused(tmp_path: Path) -> None:
    """A file that cannot be understood is named, with the line."""
    bad = tmp_path / "bad"
    bad.write_text("one,0902,0,0,1\n")
    with pytest.raises(ValueError, match="line 1"):
        make(ann_file=str(bad))
    with pytest.raises(ValueError, match="items with name and id"):
        make(label_file=str(bad))
    with pytest.raises(FileNotFoundError):
        make(ann_file=str(tmp_path / "absent"))
    for custom in ([1, 2], [1, 2, 3, 4, 4], [0, 1, 2, 3, 4]):
        with pytest.raises(ValueError, match="custom_classes"):
            make(custom_classes=custom)
    with pytest.raises(ValueError, match="none of the actions"):
        make(custom_classes=[10, 11, 12, 13, 14])
