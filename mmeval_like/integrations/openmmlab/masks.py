"""Masks of OpenMMLab as COCO's run lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pycocotools import mask as codec

from mmeval_like.integrations.openmmlab.adapter import array_of

__all__ = ["as_rles"]


def as_rles(masks: Any, size: Sequence[int]) -> list[Any]:
    """Return a run-length encoding for each mask.

    Args:
        masks: An array or a tensor (N, H, W), or a list of polygons and run lengths.
        size: The height and width of the image, for polygons.
    """
    pixels = array_of(masks)
    if isinstance(pixels, np.ndarray):
        rles: list[Any] = codec.encode(np.asfortranarray(pixels.transpose(1, 2, 0), np.uint8))
        return rles
    height, width = map(int, size[:2])
    polygons = [isinstance(one, list) for one in masks]
    return [
        codec.merge(codec.frPyObjects(one, height, width)) if outlined else one
        for one, outlined in zip(masks, polygons, strict=True)
    ]
