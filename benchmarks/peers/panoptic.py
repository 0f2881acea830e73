"""Panoptic maps of COCO's size, and their evaluation image by image, as panopticapi has it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.peers.data import Batches

__all__ = ["CLASSES", "THINGS", "make_segments", "panoptic_quality"]

CLASSES, THINGS = 133, 80
_SEGMENTS = 12  # of an image
_INSTANCES = 1 << 16


def make_segments() -> Batches:
    """Sixteen images of 480 x 640 pixels, two at a time; the prediction's outlines are moved."""
    tree: Any = importlib.import_module("scipy.spatial").cKDTree
    rng, places = np.random.default_rng(0), np.indices((480, 640)).reshape(2, -1).T
    batches = []
    for _ in range(8):
        sides: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
        for _ in range(2):
            centres = rng.random((_SEGMENTS, 2)) * (480, 640)
            classes = rng.integers(0, CLASSES, _SEGMENTS)
            names = np.stack([classes, np.arange(_SEGMENTS)], axis=1).astype(np.int32)
            for side, shake in zip(sides, (25, 0), strict=True):
                nearest = tree(centres + rng.normal(0, 1, centres.shape) * shake).query(places)[1]
                side.append(names[nearest].reshape(480, 640, 2))
        batches.append((np.stack(sides[0]), np.stack(sides[1])))
    return batches


def panoptic_quality(batches: Batches) -> Callable[[], list[float]]:
    """Maps of one number for each segment, as images of three colours are read there."""
    images = [
        tuple(side[..., 0].astype(np.uint64) * _INSTANCES + _instances(side) for side in pair)
        for batch in batches
        for pair in zip(*batch, strict=True)
    ]
    return lambda: _evaluate(images)


def _instances(side: np.ndarray) -> np.ndarray:
    return np.where(side[..., 0] < THINGS, side[..., 1], 0).astype(np.uint64)


def _evaluate(images: list[Any]) -> list[float]:
    ious, hits, false, missed = np.zeros((4, CLASSES))
    for found, truth in images:
        sizes, goals = (
            dict(zip(*(a.tolist() for a in np.unique(side, return_counts=True)), strict=True))
            for side in (found, truth)
        )
        pairs, counts = np.unique(truth * np.uint64(1 << 32) + found, return_counts=True)
        matched: tuple[set[int], set[int]] = (set(), set())
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            goal, own = divmod(pair, 1 << 32)
            if goal // _INSTANCES != own // _INSTANCES:
                continue
            iou = count / (goals[goal] + sizes[own] - count)
            if iou > 0.5:
                ious[goal // _INSTANCES] += iou
                hits[goal // _INSTANCES] += 1
                matched[0].add(own)
                matched[1].add(goal)
        for one in sizes.keys() - matched[0]:
            false[one // _INSTANCES] += 1
        for one in goals.keys() - matched[1]:
            missed[one // _INSTANCES] += 1
    every = hits + (false + missed) / 2
    there = every > 0
    return [float((ious[there] / every[there]).mean())]
