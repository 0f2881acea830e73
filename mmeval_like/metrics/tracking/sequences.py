"""Sequences of frames with true and predicted tracks, and the similarities of their boxes."""

from __future__ import annotations

import importlib
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics.detection import image_dicts
from mmeval_like.metrics.detection.overlaps import box_areas, box_overlaps, pairs_of_groups
from mmeval_like.writing import BaseMetric, MetricOptions, Ragged, Unpack, arrays

__all__ = ["Frame", "TrackMetric", "Tracks"]


@dataclass(frozen=True)
class Frame:
    """The boxes of one frame.

    Attributes:
        truths: The true tracks, as numbers from 0 on, int64 (m,).
        found: The predicted tracks (n,).
        similarities: The similarities of true and predicted boxes, in [0, 1], float64 (m, n).
    """

    truths: np.ndarray
    found: np.ndarray
    similarities: np.ndarray


@dataclass(frozen=True)
class Tracks:
    """The tracks of one sequence.

    Attributes:
        frames: The frames of the sequence.
        truth_lengths: The number of frames of each true track, int64.
        found_lengths: The same for predicted tracks.
    """

    frames: Sequence[Frame]
    truth_lengths: np.ndarray
    found_lengths: np.ndarray


class TrackMetric(BaseMetric):
    """The base class of metrics of sequences: a sample is a sequence."""

    every_rank_computes = True

    def __init__(self, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        try:
            importlib.import_module("scipy.optimize")
        except ImportError as error:
            raise ImportError(
                f"{type(self).__name__} needs scipy: pip install 'mmeval-like[image]'"
            ) from error

    def rows(
        self, predictions: Any, groundtruths: Any, similarities: Any = None
    ) -> dict[str, np.ndarray]:
        """Return the counts and sums of every sequence.

        Args:
            predictions: A list of sequences, each a list with a dict for each frame: `ids` (n,),
                integers, the tracks in it, and `bboxes` (n, 4) of x1, y1, x2, y2.
            groundtruths: The same for the true tracks, with `ids` (m,) and `bboxes` (m, 4), and
                with the same numbers of frames.
            similarities: Instead of boxes: a list of sequences, each a list with an array (m, n)
                for each frame, of similarities in [0, 1] between true and predicted objects.

        Raises:
            KeyError: A frame has no `ids`, or no `bboxes` where they are needed.
            TypeError: A value has the wrong type.
            ValueError: The numbers of sequences, frames or boxes differ; an id occurs twice in a
                frame; a box has x2 < x1 or y2 < y1; or similarities have the wrong shape or are out
                of range.
        """
        found = [*map(self.row_of, self.sequences(predictions, groundtruths, similarities))]
        states: dict[str, Any] = self.states()
        return {
            name: np.reshape(
                np.array([row[place] for row in found], state.dtype), (len(found), *state.shape)
            )
            for place, (name, state) in enumerate(states.items())
        }

    @abstractmethod
    def row_of(self, tracks: Tracks) -> tuple[Any, ...]:
        """Return the row that a sequence adds to each state, in the order of the states."""

    def sequences(self, predictions: Any, groundtruths: Any, similarities: Any) -> Iterator[Tracks]:
        """Yield every sequence of a batch, checked.

        Raises:
            KeyError, TypeError, ValueError: The input is invalid; the message names the frame and
                the key.
        """
        for name, value in (("predictions", predictions), ("groundtruths", groundtruths)):
            if not isinstance(value, list | tuple):
                raise TypeError(
                    f"{name} must be a list of sequences, each a list of frames, "
                    f"got {arrays.describe(value)}"
                )
        arrays.check_same_length("predictions", predictions, "groundtruths", groundtruths)
        given = [None] * len(predictions) if similarities is None else similarities
        arrays.check_same_length("predictions", predictions, "similarities", given)
        for found, truths, alike in zip(predictions, groundtruths, given, strict=True):
            yield _tracks(*image_dicts.check_image_pairs(found, truths), alike)


def _tracks(found: image_dicts.Images, truths: image_dicts.Images, alike: Any) -> Tracks:
    codes, lengths = _codes("predictions", found)
    truth_codes, truth_lengths = _codes("groundtruths", truths)
    if alike is None:
        similarities = _overlaps(found, truths, codes, truth_codes)
    else:
        similarities = _checked(alike, codes.lengths, truth_codes.lengths)
    frames = zip(truth_codes.split(), codes.split(), similarities, strict=True)
    return Tracks([Frame(*frame) for frame in frames], truth_lengths, lengths)


def _codes(name: str, frames: image_dicts.Images) -> tuple[Ragged, np.ndarray]:
    """Return the ids as numbers from 0 on, and how often each occurs."""
    ids = image_dicts.numbers_of(name, frames, "ids")
    known, codes = np.unique(arrays.as_integers(ids.values, f"{name}: 'ids'"), return_inverse=True)
    frame = np.repeat(np.arange(len(frames)), ids.lengths)
    cells, first = np.unique(frame * len(known) + codes, return_index=True)
    if len(cells) < len(codes):
        again = int(np.setdiff1d(np.arange(len(codes)), first)[0])
        raise ValueError(
            f"{name}[{frame[again]}]['ids'] must be different within a frame, "
            f"got {ids.values[again]} twice"
        )
    lengths = np.bincount(codes, minlength=len(known))
    return Ragged(codes.reshape(-1).astype(np.int64), ids.lengths), lengths


def _overlaps(
    found: image_dicts.Images, truths: image_dicts.Images, codes: Ragged, truth_codes: Ragged
) -> list[np.ndarray]:
    """Return the IoU of the boxes of every frame, (m, n)."""
    boxes, goals = (
        image_dicts.ordered_boxes_of(name, frames)
        for name, frames in (("predictions", found), ("groundtruths", truths))
    )
    image_dicts.check_lengths("predictions", ids=codes, bboxes=boxes)
    image_dicts.check_lengths("groundtruths", ids=truth_codes, bboxes=goals)
    goal_frames, box_frames = (
        np.repeat(np.arange(len(side.lengths)), side.lengths) for side in (goals, boxes)
    )
    ious = box_overlaps(
        goals.values,
        boxes.values,
        box_areas(goals.values),
        box_areas(boxes.values),
        pairs_of_groups(goal_frames, box_frames),
    )
    shapes = [*zip(truth_codes.lengths.tolist(), codes.lengths.tolist(), strict=True)]
    parts = np.split(ious, np.cumsum([m * n for m, n in shapes])[:-1]) if shapes else []
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def _checked(alike: Any, lengths: np.ndarray, truth_lengths: np.ndarray) -> list[np.ndarray]:
    """Return the given similarities, checked, (m, n) for every frame."""
    arrays.check_same_length("predictions", lengths, "similarities", alike)
    found = []
    shapes = zip(truth_lengths.tolist(), lengths.tolist(), strict=True)
    for index, (matrix, shape) in enumerate(zip(alike, shapes, strict=True)):
        values = arrays.as_floats(matrix, f"similarities[{index}]")
        if values.size == 0 == shape[0] * shape[1]:
            values = values.reshape(shape)
        if values.shape != shape:
            raise ValueError(
                f"similarities[{index}] must have shape {shape}, true by predicted tracks, "
                f"got {values.shape}"
            )
        good = (values >= 0) & (values <= 1)
        arrays.require(f"similarities[{index}]", values, good, "must be in [0, 1]")
        found.append(values)
    return found
