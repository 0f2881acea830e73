"""The segments of two panoptic maps, and the numbers of pixels in which pairs overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mmeval_like.writing import arrays

__all__ = ["PanopticClasses", "Segments", "codes_of", "meet"]

_INSTANCES = 1 << 32  # a segment's code is its class's index times this, plus its instance


@dataclass(frozen=True)
class PanopticClasses:
    """The classes of panoptic maps.

    Attributes:
        things: The ids of classes whose instances are distinguished.
        stuffs: The ids of classes whose pixels form one segment.
        void: The id of pixels of the ground truth that have no class.
        unknown_is_void: Whether predictions with other ids count as void; if not, they are errors.
    """

    things: tuple[int, ...]
    stuffs: tuple[int, ...]
    void: int | None
    unknown_is_void: bool

    @property
    def ids(self) -> tuple[int, ...]:
        """All ids, things first."""
        return self.things + self.stuffs

    def codes(self, pixels: np.ndarray, name: str) -> np.ndarray:
        """Return a code for each (class, instance) of pixels (n, 2); void has the largest class.

        Raises:
            ValueError: A class is unknown, or an instance is out of range.
        """
        ids, classes = np.array(self.ids), pixels[:, 0]
        order = np.argsort(ids)
        places = order[np.searchsorted(ids[order], classes).clip(max=len(ids) - 1)]
        void = ids[places] != classes
        if not (name == "predictions" and self.unknown_is_void):
            strange = classes[void] if self.void is None else classes[void & (classes != self.void)]
            if len(strange):
                raise ValueError(f"{name} must have classes of {self.ids}, got {strange[0]}")
        instances = np.where(void | (places >= len(self.things)), 0, pixels[:, 1])
        arrays.check_range(f"the instances of {name}", instances, _INSTANCES)
        return np.where(void, len(ids), places) * _INSTANCES + instances


@dataclass(frozen=True)
class Segments:
    """The segments of the ground truth and the prediction of an image.

    Attributes:
        pixels: The number of pixels that each pair shares, int64 (T, P).
        truth_codes: The codes of the ground truth's segments, ascending (T,).
        codes: The codes of the prediction's segments (P,).
    """

    pixels: np.ndarray
    truth_codes: np.ndarray
    codes: np.ndarray

    @property
    def truth_classes(self) -> np.ndarray:
        """The index of the class of each segment of the ground truth."""
        return self.truth_codes // _INSTANCES

    @property
    def classes(self) -> np.ndarray:
        """The index of the class of each segment of the prediction."""
        return self.codes // _INSTANCES


def meet(prediction: np.ndarray, truth: np.ndarray, classes: PanopticClasses) -> Segments:
    """Return the segments of two maps (H, W, 2) of (class, instance), and their overlaps.

    Neighbouring pixels mostly belong to the same pair of segments, so runs of pixels are counted.

    Raises:
        ValueError: `PanopticClasses.codes` would reject a map.
    """
    sides = [side.reshape(-1, 2) for side in (prediction, truth)]
    differ = np.zeros(max(len(sides[0]) - 1, 0), np.bool_)
    for side in sides:
        for column in side.T:
            differ |= column[1:] != column[:-1]
    starts = np.flatnonzero(np.concatenate([np.ones(min(len(sides[0]), 1), np.bool_), differ]))
    lengths = np.diff(np.append(starts, len(sides[0])))
    runs = [side[starts].astype(np.int64) for side in sides]
    codes, found = np.unique(classes.codes(runs[0], "predictions"), return_inverse=True)
    truth_codes, truths = np.unique(classes.codes(runs[1], "groundtruths"), return_inverse=True)
    shape = len(truth_codes), len(codes)
    pairs = truths.reshape(-1) * shape[1] + found.reshape(-1)
    pixels = np.bincount(pairs, lengths, shape[0] * shape[1])  # whole numbers, far below 2^53
    return Segments(pixels.astype(np.int64).reshape(shape), truth_codes, codes)


def codes_of(segments: Sequence[tuple[int, int]], classes: PanopticClasses) -> np.ndarray:
    """Return the codes of segments, which are given by class and instance.

    Raises:
        TypeError: The inputs are not whole numbers.
        ValueError: The entries are not pairs, a class is unknown, or an instance is out of range.
    """
    pairs = [np.shape(segment) == (2,) for segment in segments] if np.ndim(segments) else [False]
    if not all(pairs):
        raise ValueError(
            f"crowds must be lists of (class, instance) for each image, got {segments!r}"
        )
    table = np.array([*segments]).reshape(-1, 2) if pairs else np.zeros((0, 2), np.int64)
    return classes.codes(arrays.as_integers(table, "crowds"), "crowds")
