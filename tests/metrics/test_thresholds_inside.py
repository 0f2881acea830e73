"""Every size inside at which the code takes another path: crossed by small data, the same bits."""

from __future__ import annotations

import importlib

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
    data = {key: draw(case, np.random.default_rng(5)) for key, case in CASES.items()}
    expected = {key: value_of(case, data[key][0]) for key, case in CASES.items()}
    for size in PATHS[path]:
        monkeypatch.setattr(inside, name, size)
        for key, case in CASES.items():
            samples, count = data[key]
            assert same(value_of(case, samples), expected[key]), (key, size)
            metric = case.make(dist_backend="non_dist")
            add_in_batches(metric, samples, np.arange(count), np.random.default_rng(1))
            assert same(metric.compute(), expected[key]), (key, size, "in batches")
