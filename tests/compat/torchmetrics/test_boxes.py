"""torchmetrics' classes of detection: the installed torchmetrics, on pycocotools, is the oracle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.launch import run_ranks
from tests.helpers.optional import requires

for package in ("torch", "torchmetrics", "pycocotools"):
    requires(package)
PROGRAM = Path(__file__).with_name("boxes_program.py")
REFUSED = (
    "same length, but got 1 and 0",
    "different length (expected 1 labels and scores, got 1 labels and 2)",
    "to contain the `boxes` key",
    "preds[0]['scores'] must be finite",
    "preds[0]['boxes'] must be finite",
    "labels must be of uint8, int8, int16, int32, int64 or bool, got float32",
    "labels must fit into int32",
    "target[0] must have as many 'area' as 'labels', got 2 and 1",
    "Buffer dtype mismatch",
    "the masks of an image must have the same size, got [(3, 4), (4, 4)]",
    "tm_to_coco writes boxes, of which mmeval_like keeps only the matches",
    "extended_summary must be False",
    "rec_thresholds must be in [0, 1], got 1.5",
)


@pytest.fixture(scope="module")
def one() -> dict[str, Any]:
    """What one process prints of 40 random data sets, and of what differs."""
    return printed("40", size=1)[0]


def printed(*arguments: str, size: int) -> list[dict[str, Any]]:
    """Return what each rank prints."""
    ranks = run_ranks("torchrun", size, PROGRAM, *arguments, timeout=240)
    assert ranks.returncode == 0, str(ranks)
    return [json.loads(text.strip().splitlines()[-1]) for text in ranks.stdout]


def test_values_are_torchmetrics(one: dict[str, Any]) -> None:
    """For boxes in each format, masks and both; of every class, and of any option."""
    assert one["wrong"] == {}
    assert len(one["values"]) == 40


def test_two_ranks_have_the_values_of_one(one: dict[str, Any]) -> None:
    """Each with some of the images, of other classes."""
    for rank in printed("10", size=2):
        assert rank["wrong"] == {}
        assert rank["values"] == one["values"][:10]


def test_what_differs_is_on_the_page(one: dict[str, Any]) -> None:
    """Each is a value that torchmetrics' own rule contradicts: see docs/compat-torchmetrics.md."""
    found = one["documented"]
    theirs, ours = found["100 is missing"]
    assert theirs == -1 < 0 < ours
    assert found["no masks in an image"] == [1.0, 0.5]  # a false positive of the same score
    assert found["no masks at all"] == [-1.0, 0.0]
    assert found["falling recalls"] == [0.0, 0.5]  # precision 1 at recall 0.3, 0 at 0.75
    macro, micro, both = found["classes of both kinds"]
    assert macro != micro == both


def test_wrong_batches_are_refused(one: dict[str, Any]) -> None:
    """And lose nothing; torchmetrics' messages where it refuses them in `update`."""
    assert len(one["refused"]) == len(REFUSED)
    for message, expected in zip(one["refused"], REFUSED, strict=True):
        assert expected in message
