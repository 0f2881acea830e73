"""ProposalRecall against a textbook loop, and what it promises on its own."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import ProposalRecall
from mmeval_like.metrics.detection import overlaps
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.detections import image
from tests.metrics.textbook_map import box_iou

NUMBERS = (1, 3, 100)
THRS = [0.5 + 0.05 * i for i in range(10)]


def make(**options: Any) -> ProposalRecall:
    """Quietly, with few proposals."""
    return ProposalRecall(**({"proposal_nums": NUMBERS, "print_results": False} | options))


def samples(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Images; some proposals have scores, the others are in order."""
    pairs = [image(rng, 1, most=12) for _ in range(n)]
    for prediction, _ in pairs:
        if rng.random() < 0.4:
            del prediction["scores"]
    return tuple(map(list, zip(*pairs, strict=True)))


def expected(predictions: list[Any], truths: list[Any], extra: float = 0.0) -> dict[str, float]:
    """Take the closest pair of all, strike out its two sides, and again."""
    count = sum(len(truth["bboxes"]) for truth in truths)
    values = {}
    for number in NUMBERS:
        found: list[float] = []
        for prediction, truth in zip(predictions, truths, strict=True):
            boxes = prediction["bboxes"].tolist()
            if "scores" in prediction:
                order = sorted(range(len(boxes)), key=lambda i: -prediction["scores"][i])
                boxes = [boxes[i] for i in order]
            table = {
                (g, b): box_iou(box, other, extra)
                for g, other in enumerate(truth["bboxes"].tolist())
                for b, box in enumerate(boxes[:number])
            }
            while table:
                best = min(table, key=lambda pair: (-table[pair], pair))
                found.append(table[best])
                table = {p: v for p, v in table.items() if p[0] != best[0] and p[1] != best[1]}
        shares = [
            sum(v >= thr - 1e-12 for v in found) / count if count else math.nan for thr in THRS
        ]
        values[f"AR@{number}"] = math.fsum(shares) / len(THRS)
    return values


CASES = {"ProposalRecall": MetricCase(make, samples, expected, array_inputs=False, most=10)}


def test_laws() -> None:
    """Every law of metrics holds, with the textbook as the oracle."""
    check_metric(CASES["ProposalRecall"], examples=examples(4))


@settings(max_examples=examples(50))
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.booleans())
def test_equals_the_textbook(seed: int, count: int, legacy: bool) -> None:
    """The closest pair first, for every number of proposals, in both kinds of coordinates."""
    data = samples(np.random.default_rng(seed), count)

    value = make(use_legacy_coordinate=legacy)(*data)

    assert value == pytest.approx(expected(*data, float(legacy)), abs=1e-12, nan_ok=True)


def test_large_batches_are_matched_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Splitting a batch into blocks of images changes nothing."""
    data = samples(np.random.default_rng(8), 30)
    whole = make()(*data)

    monkeypatch.setattr(overlaps, "_BLOCK_PAIRS", 7)

    assert make()(*data) == whole


def test_a_chain_of_overlaps() -> None:
    """The closest pair leaves the others what is left: three boxes, each between two truths."""
    truth = {"bboxes": [[x, 0, x + 10, 10] for x in (0, 4, 8)]}
    found = {"bboxes": [[x, 0, x + 10, 10] for x in (3, 7, 12)]}

    value = make(iou_thrs=[0.4, 0.6])([found], [truth])

    # 3 with 4 and 7 with 8 (0.82), then 12 with 0, far apart.
    assert value == {"AR@1": 1 / 3, "AR@3": 2 / 3, "AR@100": 2 / 3}


def test_prints_on_one_rank(capsys: pytest.CaptureFixture[str]) -> None:
    """The table has a line per number of proposals."""
    truth = {"bboxes": [[0, 0, 10, 10]]}

    def evaluate(backend: Any) -> None:
        metric = make(print_results=True, iou_thrs=[0.5, 0.75], dist_backend=backend)
        metric.add([{"bboxes": [[0, 0, 10, 6]]}], [truth])
        metric.compute()

    LocalWorld(2).run(evaluate)

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["proposals", "AR", "@0.50", "@0.75"]
    assert [line.split() for line in lines[1:]] == [
        [str(number), "0.500", "1.000", "0.000"] for number in NUMBERS
    ]


def test_without_ground_truths() -> None:
    """Nothing to find is nan; nothing found is 0."""
    nothing, something = {"bboxes": []}, {"bboxes": [[0, 0, 9, 9]]}

    assert set(make()([nothing], [something]).values()) == {0.0}
    assert all(map(math.isnan, make()([something], [nothing]).values()))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"iou_thrs": "0.5"}, TypeError),
        ({"proposal_nums": "10"}, TypeError),
        ({"proposal_nums": [1.5]}, TypeError),
        ({"proposal_nums": [10, 1]}, ValueError),
        ({"proposal_nums": 0}, ValueError),
        ({"proposal_nums": []}, ValueError),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    """Wrong arguments of the constructor raise there and are named."""
    with pytest.raises(error, match=next(iter(options))):
        make(**options)


def test_bad_input_is_refused() -> None:
    """Lengths, shapes and keys are checked."""
    box = {"bboxes": [[0, 0, 9, 9]]}
    with pytest.raises(ValueError, match="as many 'scores'"):
        make().add([box | {"scores": [1, 2]}], [box])
    with pytest.raises(KeyError, match="bboxes"):
        make().add([box], [{}])
    with pytest.raises(ValueError, match="same length"):
        make().add([box], [])
    with pytest.raises(ValueError, match="finite"):
        make().add([box | {"scores": [np.nan]}], [box])


def test_one_number() -> None:
    """An int is one number of proposals; one threshold is enough."""
    box = {"bboxes": [[0, 0, 9, 9]]}

    assert make(proposal_nums=2, iou_thrs=0.5)([box], [box]) == {"AR@2": 1.0}
