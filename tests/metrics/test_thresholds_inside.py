"""Every size inside at which the code takes another path: crossed by small data, the same bits."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from types import FrameType
from typing import Any

import numpy as np
import pytest

from mmeval_like.testing.metric_case import add_in_batches, draw, value_of
from mmeval_like.testing.same import same
from tests.metric_cases import CASES

# The paths: how many scores, pixels, pairs, bins, numbers or classes are worked on in which way.
PATHS = {
    "metrics.curves.sorted_scores._BLOCK": (1, 5),
    "metrics.curves.scored_labels._GUESSED_BINS": (0,),
    "metrics.classification.class_counts._FEW_CLASSES": (0, 1 << 20),
    "metrics.segmentation.pixel_counts._JOINT_BINS": (0,),
    "metrics._common.image._ELEMENTS": (1,),
    "metrics._common.number_inputs._FEW": (0, 1 << 20),
    "metrics._common.filters._STRIP": (1, 3),
    "metrics.detection.masks._AREAS_AT_ONCE": (1, 2),
    "metrics.detection.bits._BLOCK": (8,),
    "metrics.detection.overlaps._BLOCK_PAIRS": (1,),
    "metrics.detection.overlaps._CHUNK_PAIRS": (1, 3),
    "metrics.keypoints.oks_task._CHUNK_PAIRS": (1, 3),
    "metrics.detection.box_pairs._CHUNK_PAIRS": (1, 3),
    "metrics.detection.rotated._CHUNK": (1, 3),
    "metrics.perplexity._BLOCK": (1, 50),
    "_exact.exact_sum._BLOCK": (1, 64),
    "_exact.exact_sum._BLOCK_ROWS": (5, 1),
    "_exact.exact_sum._FEW": (0, 1 << 20),
    "_exact.exact_sum._LONG": (0, 1 << 20),
    "_exact.distillation._PASSES": (1, 50),
    "_exact.gram._SLICES": (0, 3),
    "_exact.gram._WIDE": (0, 1 << 20),
    "_samples.store._FEW": (0, 1 << 20),
}


@pytest.mark.filterwarnings("ignore")  # few samples: undefined values warn
@pytest.mark.parametrize("path", PATHS)
def test_the_size_that_chooses_a_path_does_not_matter(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every metric, at once and in batches: `==` to what it gives with the size as it is."""
    module, _, name = f"mmeval_like.{path}".rpartition(".")
    inside = importlib.import_module(module)
    assert isinstance(getattr(inside, name), int)
    concerned = [key for key in CASES if inside.__file__ in files_of(key)]
    assert concerned
    expected = {key: at_once(key) for key in concerned}
    for size in PATHS[path]:
        monkeypatch.setattr(inside, name, size)
        for key in concerned:
            assert same(at_once(key), expected[key]), (key, size)
            assert same(in_batches(key), expected[key]), (key, size, "in batches")


@cache
def files_of(key: str) -> set[str]:
    """The files whose functions a case calls: a size in any other file is read by none of it."""
    files = set()

    def note(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        at_once(key)
        in_batches(key)
    finally:
        sys.setprofile(None)
    return files


def at_once(key: str) -> Any:
    """The value of one call of `add`."""
    return value_of(CASES[key], draw(CASES[key], np.random.default_rng(5))[0])


def in_batches(key: str) -> Any:
    """The value of the same samples, in several batches."""
    metric = CASES[key].make(dist_backend="non_dist")
    samples, count = draw(CASES[key], np.random.default_rng(5))
    add_in_batches(metric, samples, np.arange(count), np.random.default_rng(1))
    return metric.compute()
