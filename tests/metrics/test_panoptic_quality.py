"""PanopticQuality and its modified kind, against sets of pixels as in the paper."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from mmeval_like import ModifiedPanopticQuality, PanopticQuality
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples

THINGS, STUFFS, VOID = (5, 2), (9, 3), 0


def maps(rng: np.random.Generator, n: int, classes: Any = THINGS + STUFFS) -> tuple[Any, ...]:
    """Blocks of pixels of a class and an instance; predictions follow them by parts."""
    coarse = np.stack([rng.choice(classes, (n, 4, 4)), rng.integers(0, 3, (n, 4, 4))], axis=-1)
    truths = coarse.repeat(2, axis=1).repeat(2, axis=2)
    noise = rng.random((n, 8, 8, 1)) < rng.choice([0, 0.2, 0.5], (n, 1, 1, 1))
    other = np.stack([rng.choice(classes, (n, 8, 8)), rng.integers(0, 3, (n, 8, 8))], axis=-1)
    return np.where(noise, other, truths), truths


def with_void(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Void pixels in both, classes that nobody knows in predictions, and crowds."""
    predictions, truths = maps(rng, n, (*THINGS, *STUFFS, VOID))
    predictions[rng.random((n, 8, 8)) < 0.1] = (77, 5)
    crowds = [[(int(c), int(rng.integers(3))) for c in rng.choice(THINGS, 2)] for _ in range(n)]
    return predictions, truths, crowds


def segments(image: np.ndarray) -> dict[tuple[int, int], set[int]]:
    """The pixels of every segment of a known class; stuff has one."""
    found: dict[tuple[int, int], set[int]] = {}
    for place, (c, instance) in enumerate(image.reshape(-1, 2).tolist()):
        if c in THINGS + STUFFS:
            found.setdefault((c, instance if c in THINGS else 0), set()).add(place)
    return found


def tables(
    predictions: Any, truths: Any, crowds: Any, modified: bool = False
) -> dict[int, list[float]]:
    """Of every class the IoUs, tp, fp and fn."""
    table = {c: [0.0, 0, 0, 0] for c in THINGS + STUFFS}
    for prediction, truth, named in zip(predictions, truths, crowds, strict=True):
        void = {*np.flatnonzero(truth[..., 0].reshape(-1) == VOID)}
        ours, theirs = segments(prediction), segments(truth)
        matched = set()
        for (c, i), goal in theirs.items():
            if (c, i) in named:
                continue
            hits = []
            for key, found in ours.items():
                iou = len(found & goal) / len((found | goal) - (void & found))
                if key[0] == c and (iou > 0.5 or (modified and c in STUFFS and iou > 0)):
                    hits.append(iou)
                    matched.add(key)
            table[c][0] += sum(hits)
            table[c][1 if hits else 3] += 1
        for key, found in ours.items():
            same = [goal for k, goal in theirs.items() if k in named and k[0] == key[0]]
            spared = void.union(*same)
            if key not in matched and 2 * len(found & spared) <= len(found):
                table[key[0]][2] += 1
    return table


def mean(values: list[float]) -> float:
    """Of what is not nan."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def oracle(predictions: Any, truths: Any, crowds: Any = None) -> dict[str, Any]:
    """The paper's three numbers."""
    table = tables(predictions, truths, crowds or [[]] * len(truths))
    values: dict[str, list[float]] = {"pq": [], "sq": [], "rq": []}
    for iou, tp, fp, fn in table.values():
        total = tp + fp / 2 + fn / 2
        sq, rq = (iou / tp if tp else 0.0, tp / total) if total else (math.nan, math.nan)
        for key, value in (("pq", sq * rq), ("sq", sq), ("rq", rq)):
            values[key].append(value)
    found: dict[str, Any] = {f"{key}_classwise": several for key, several in values.items()}
    for key, several in values.items():
        found |= {key: mean(several), f"{key}_things": mean(several[:2])}
        found[f"{key}_stuffs"] = mean(several[2:])
    return found


def modified(predictions: Any, truths: Any, crowds: Any = None) -> dict[str, Any]:
    """With the IoUs of stuff over its segments in ground truths."""
    table = tables(predictions, truths, crowds or [[]] * len(truths), modified=True)
    values = []
    for c, (iou, tp, fp, fn) in table.items():
        total = tp + fn if c in STUFFS else tp + fp / 2 + fn / 2
        values.append(iou / total if total else math.nan)
    stuffs = mean(values[2:])
    return {"pq_modified": mean(values), "pq_modified_stuffs": stuffs}


def empty(*keys: str) -> dict[str, Any]:
    """Nothing is known of any class."""
    numbers = {f"{key}{suffix}": math.nan for suffix in ("", "_things", "_stuffs") for key in keys}
    return numbers | {f"{key}_classwise": [math.nan] * 4 for key in keys}


make = partial(partial, things=THINGS, stuffs=STUFFS, classwise=True)
NONE = {"PanopticQuality": empty("pq", "sq", "rq"), "Modified": empty("pq_modified")}
CASES = {
    "PanopticQuality": MetricCase(
        make(PanopticQuality), maps, oracle, empty=NONE["PanopticQuality"], most=12
    ),
    "ModifiedPanopticQuality": MetricCase(
        make(ModifiedPanopticQuality), maps, modified, empty=NONE["Modified"], most=12
    ),
}
VARIANTS = {
    "PanopticQuality, void": MetricCase(
        make(PanopticQuality, ignore_index=VOID, unknown="void"), with_void, oracle,
        empty=NONE["PanopticQuality"], most=12,
    ),
    "ModifiedPanopticQuality, void": MetricCase(
        make(ModifiedPanopticQuality, ignore_index=VOID, unknown="void"), with_void, modified,
        empty=NONE["Modified"], most=12,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals what sets of pixels say, and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(3))


def image(*segments: tuple[int, int, int]) -> np.ndarray:
    """One row of pixels: (number, class, instance) of each segment."""
    numbers, *pairs = zip(*segments, strict=True)
    return np.repeat(np.stack(pairs, axis=-1), numbers, axis=0)[None, None]


def test_half_is_no_match() -> None:
    """An IoU must be above 1/2; of void pixels of the truth nobody asks."""
    metric = PanopticQuality(things=[1], stuffs=[2], ignore_index=0)

    assert metric(image((3, 1, 0), (3, 2, 0)), image((2, 1, 0), (4, 2, 0)))["rq"] == 1.0
    assert metric(image((2, 1, 0), (4, 2, 0)), image((4, 1, 0), (2, 2, 0)))["rq"] == 0.0
    value = metric(image((4, 1, 0), (2, 2, 0)), image((2, 1, 0), (2, 0, 0), (2, 2, 0)))
    assert value["sq"] == 1.0


def test_crowds() -> None:
    """A crowd is not missed, and a prediction mostly on it is no false alarm."""
    metric = PanopticQuality(things=[1], stuffs=[2])
    truth = image((4, 1, 7), (4, 2, 0))

    for found in (image((8, 2, 0)), image((4, 1, 3), (4, 2, 0))):
        assert metric(found, truth, [[(1, 7)]])["pq_things"] != 0.0
    assert metric(image((4, 1, 3), (4, 2, 0)), truth, [[(1, 7)]])["pq_stuffs"] == 1.0
    assert metric(image((2, 1, 3), (6, 2, 0)), truth)["rq_things"] == 0.0


def test_bad_inputs() -> None:
    """Unknown classes, instances that are no small numbers, shapes, options."""
    metric, good = PanopticQuality(things=[1], stuffs=[2]), image((2, 1, 0))
    for batch, text in (
        ((image((2, 3, 0)), good), r"predictions must have classes of \(1, 2\), got 3"),
        ((good, image((2, 0, 0))), "groundtruths must have classes"),
        ((image((2, 1, -1)), good), "the instances of predictions must be in"),
        ((good[..., :1], good[..., :1]), r"shape \(H, W, 2\)"),
        ((good, good, [[(4, 1)]]), "crowds must have classes"),
        ((good, good, []), "same length"),
        ((good, good, [[(1,)]]), "crowds must be lists"),
        ((good, good, [(1, 1)]), "crowds must be lists"),
        ((good, good, [None]), "crowds must be lists"),
    ):
        with pytest.raises(ValueError, match=text):
            metric.add(*batch)
    for things, stuffs in (([], []), ([1, 1], []), ([1], [1])):
        with pytest.raises(ValueError, match="must be different classes"):
            PanopticQuality(things, stuffs)
    with pytest.raises(TypeError, match="ignore_index must be an integer"):
        PanopticQuality([1], [2], ignore_index=1.5)
    with pytest.raises(TypeError, match="things"):
        PanopticQuality([1.5], [2])
