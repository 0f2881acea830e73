"""HOTA, ClearMOT and IDF1 against loops over frames, tracks and permutations."""

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from mmeval_like import HOTA, IDF1, ClearMOT
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples

ALPHAS = [i / 20 for i in range(1, 20)]


def sequence(rng: np.random.Generator) -> tuple[list[Any], list[Any]]:
    """Boxes that move at random; predictions shake, swap their ids, vanish and come again."""
    people, length = int(rng.integers(0, 4)), int(rng.integers(1, 7))
    places = rng.random((people, 2)) * 30
    names = rng.permutation(20)[:people]
    found, truths = [], []
    for _ in range(length):
        places = places + rng.normal(0, 2, places.shape)
        if people > 1 and rng.random() < 0.2:
            names = rng.permutation(names)
        seen, hit = rng.random(people) < 0.85, rng.random(people) < 0.8
        shaken = places + rng.normal(0, 1.5, places.shape)
        false = rng.integers(0, 2)
        boxes = np.concatenate([shaken[hit], rng.random((false, 2)) * 30])
        truths.append({"ids": np.flatnonzero(seen) * 7, "bboxes": squares(places[seen])})
        found.append({"ids": np.append(names[hit], [99] * false), "bboxes": squares(boxes)})
    return found, truths


def squares(places: np.ndarray) -> np.ndarray:
    """Of side 10."""
    return np.hstack([places, places + 10])


def samples(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Sequences of different lengths."""
    return tuple(map(list, zip(*(sequence(rng) for _ in range(n)), strict=True)))


def iou(a: Any, b: Any) -> float:
    """Of two boxes."""
    sides = [max(0.0, min(a[i + 2], b[i + 2]) - max(a[i], b[i])) for i in (0, 1)]
    areas = [(c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)]
    inner = sides[0] * sides[1]
    return inner / (sum(areas) - inner)


def frames_of(found: Any, truths: Any) -> list[tuple[list[int], list[int], list[list[float]]]]:
    """True ids, predicted ids and their similarities, frame by frame."""
    return [
        (
            [*map(int, truth["ids"])],
            [*map(int, frame["ids"])],
            [[iou(goal, box) for box in frame["bboxes"]] for goal in truth["bboxes"]],
        )
        for frame, truth in zip(found, truths, strict=True)
    ]


def best(scores: list[list[float]]) -> list[tuple[int, int]]:
    """The pairs of the largest sum, of all one-to-one mappings."""
    if not scores or not scores[0]:
        return []
    wide = len(scores) <= len(scores[0])
    table = scores if wide else [list(column) for column in zip(*scores, strict=True)]
    chosen = max(
        permutations(range(len(table[0])), len(table)),
        key=lambda columns: math.fsum(table[r][c] for r, c in enumerate(columns)),
    )
    return [(r, c) if wide else (c, r) for r, c in enumerate(chosen)]


def hota(predictions: Any, groundtruths: Any) -> dict[str, Any]:
    """Pair by pair, as the paper has it."""
    totals = {alpha: [0.0] * 7 for alpha in ALPHAS}  # tp, fn, fp, similarity, A, recall, precision
    for found, truths in zip(predictions, groundtruths, strict=True):
        frames = frames_of(found, truths)
        true_in = {g: sum(g in f[0] for f in frames) for f in frames for g in f[0]}
        found_in = {p: sum(p in f[1] for f in frames) for f in frames for p in f[1]}
        common = dict.fromkeys([(g, p) for g in true_in for p in found_in], 0.0)
        for gs, ps, s in frames:
            for i, g in enumerate(gs):
                for j, p in enumerate(ps):
                    total = sum(s[i]) + sum(row[j] for row in s) - s[i][j]
                    common[g, p] += s[i][j] / total if total else 0.0
        align = {(g, p): c / (true_in[g] + found_in[p] - c) for (g, p), c in common.items()}
        pairs = []
        for gs, ps, s in frames:
            scores = [[align[g, p] * s[i][j] for j, p in enumerate(ps)] for i, g in enumerate(gs)]
            pairs += [(gs[i], ps[j], s[i][j]) for i, j in best(scores)]
        for alpha, sums in totals.items():
            kept = [(g, p, x) for g, p, x in pairs if x >= alpha - 1e-12]
            for g, p, x in kept:
                a = sum((g, p) == other[:2] for other in kept)
                sums[3] += x
                sums[4] += a / (true_in[g] + found_in[p] - a)
                sums[5] += a / true_in[g]
                sums[6] += a / found_in[p]
            sums[0] += len(kept)
            sums[1] += sum(true_in.values()) - len(kept)
            sums[2] += sum(found_in.values()) - len(kept)
    curves: dict[str, list[float]] = {}
    for tp, fn, fp, x, a, recall, precision in totals.values():
        n = max(tp, 1)
        det = tp / (tp + fn + fp) if tp + fn + fp else math.nan
        row = {"hota": math.sqrt(det * a / n), "det_a": det, "ass_a": a / n}
        row |= {"loc_a": x / tp if tp else 1.0, "det_re": tp / max(tp + fn, 1)}
        row |= {"det_pr": tp / max(tp + fp, 1), "ass_re": recall / n, "ass_pr": precision / n}
        for key, value in row.items():
            curves.setdefault(key, []).append(value if tp + fn + fp else math.nan)
    return {key: sum(curve) / len(curve) for key, curve in curves.items()}


def clear(predictions: Any, groundtruths: Any) -> dict[str, Any]:
    """With dicts of who was whose partner."""
    n = dict.fromkeys(("tp", "fp", "fn", "idsw", "frag", "mt", "pt", "ml"), 0)
    similar = 0.0
    for found, truths in zip(predictions, groundtruths, strict=True):
        now: dict[int, int] = {}
        last: dict[int, int] = {}
        begun: dict[int, int] = {}
        there: dict[int, list[bool]] = {}
        for gs, ps, s in frames_of(found, truths):
            pairs = []
            if gs and ps:
                scores = [
                    [
                        (x + 1000 * (now.get(g) == p)) * (x >= 0.5)
                        for p, x in zip(ps, row, strict=True)
                    ]
                    for g, row in zip(gs, s, strict=True)
                ]
                pairs = [(i, j) for i, j in best(scores) if scores[i][j] > 0]
                before, now = now, {gs[i]: ps[j] for i, j in pairs}
                n["idsw"] += sum(last.get(g, p) != p for g, p in now.items())
                for g in now.keys() - before.keys():
                    begun[g] = begun.get(g, 0) + 1
                last |= now
            for i, g in enumerate(gs):
                there.setdefault(g, []).append(i in dict(pairs))
            similar += sum(s[i][j] for i, j in pairs)
            n["tp"] += len(pairs)
            n["fn"] += len(gs) - len(pairs)
            n["fp"] += len(ps) - len(pairs)
        n["frag"] += sum(number - 1 for number in begun.values())
        for hits in there.values():
            share = sum(hits) / len(hits)
            n["mt" if share > 0.8 else "ml" if share < 0.2 else "pt"] += 1
    total = n["tp"] + n["fn"]
    mota = (n["tp"] - n["fp"] - n["idsw"]) / total if total else math.nan
    return {"mota": mota, "motp": similar / n["tp"] if n["tp"] else math.nan, **n}


def identities(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """The best of all mappings."""
    both = truth_boxes = found_boxes = 0
    for found, truths in zip(predictions, groundtruths, strict=True):
        frames = frames_of(found, truths)
        gs, ps = ([*dict.fromkeys(one for f in frames for one in f[i])] for i in (0, 1))
        together = [
            [
                sum(
                    g in f[0] and p in f[1] and f[2][f[0].index(g)][f[1].index(p)] >= 0.5
                    for f in frames
                )
                for p in ps
            ]
            for g in gs
        ]
        both += int(sum(together[i][j] for i, j in best(together)))  # type: ignore[arg-type]
        truth_boxes += sum(len(f[0]) for f in frames)
        found_boxes += sum(len(f[1]) for f in frames)
    values = {"idf1": (2 * both, truth_boxes + found_boxes)}
    values |= {"idp": (both, found_boxes), "idr": (both, truth_boxes)}
    return {key: a / b if b else math.nan for key, (a, b) in values.items()}


COUNTS = ("tp", "fp", "fn", "idsw", "frag", "mt", "pt", "ml")
KEYS = ("hota", "det_a", "ass_a", "loc_a", "det_re", "det_pr", "ass_re", "ass_pr")
NONE: dict[str, Any] = dict.fromkeys(KEYS, math.nan)
NONE |= {f"{key}_alpha": np.full(19, math.nan) for key in KEYS}
CASES = {
    "HOTA": MetricCase(HOTA, samples, hota, array_inputs=False, most=3, empty=NONE),
    "ClearMOT": MetricCase(
        ClearMOT, samples, clear, array_inputs=False, most=5,
        empty={"mota": math.nan, "motp": math.nan, **dict.fromkeys(COUNTS, 0)},
    ),
    "IDF1": MetricCase(IDF1, samples, identities, array_inputs=False, most=5),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals what loops say, and keeps every law."""
    requires("scipy")
    check_metric(CASES[name], examples=examples(3))


@pytest.mark.parametrize("make", [HOTA, ClearMOT, IDF1])
def test_similarities_in_place_of_boxes(make: Any) -> None:
    """Of any kind, for instance of masks or of poses."""
    requires("scipy")
    predictions, truths = samples(np.random.default_rng(1), 4)
    alike = [
        [np.reshape(f[2], (len(f[0]), len(f[1]))) for f in frames_of(*pair)]
        for pair in zip(predictions, truths, strict=True)
    ]
    without = [[{"ids": f["ids"]} for f in frames] for frames in predictions]

    value = make()(without, truths, alike)

    assert str(value) == str(make()(predictions, truths))


def test_a_switch_after_a_gap() -> None:
    """The last partner counts, however long ago; a track that is lost and found is a fragment."""
    requires("scipy")
    box = [[0, 0, 2, 2]]
    truth = [{"ids": [1], "bboxes": box}] * 5
    away = {"ids": [8], "bboxes": [[50, 50, 52, 52]]}
    found = [{"ids": [3], "bboxes": box}, away, away, {"ids": [4], "bboxes": box}, away]

    value = ClearMOT()([found], [truth])

    assert [value[key] for key in ("tp", "fp", "fn", "idsw", "frag", "pt")] == [2, 3, 3, 1, 1, 1]
    assert value["mota"] == (2 - 3 - 1) / 5


def test_bad_inputs() -> None:
    """An id twice in a frame, other numbers of frames, similarities of another shape."""
    requires("scipy")
    box = {"ids": [1], "bboxes": [[0, 0, 1, 1]]}
    for batch, text in (
        (([[{"ids": [1, 1], "bboxes": [[0, 0, 1, 1]] * 2}]], [[box]]), "different within a frame"),
        (([[box]], [[box, box]]), "same length"),
        (([[box]], [[box], [box]]), "same length"),
        (([[{"ids": [1, 2], "bboxes": [[0, 0, 1, 1]]}]], [[box]]), "as many 'bboxes'"),
        (
            ([[box]], [[box | {"bboxes": [[0, 3, 1, 1]]}]]),
            "x1 <= x2 and y1 <= y2; got 1.* in row 0",
        ),
        (([[box]], [[box]], [[[[0.5, 0.1]]]]), r"shape \(1, 1\)"),
        (([[box]], [[box]], [[[[1.5]]]]), r"must be in \[0, 1\]"),
    ):
        with pytest.raises(ValueError, match=text):
            HOTA().add(*batch)
    with pytest.raises(KeyError, match="bboxes"):
        IDF1().add([[{"ids": [1]}]], [[box]])
    for similarities in (3, [3]):
        with pytest.raises(TypeError, match="predictions and similarities must both be"):
            IDF1().add([[box]], [[box]], similarities)
    with pytest.raises(TypeError, match="list of sequences"):
        IDF1().add(np.zeros((1, 2)), [[box]])
    with pytest.raises(ValueError, match="threshold"):
        ClearMOT(threshold=0)
