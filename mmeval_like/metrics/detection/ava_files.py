"""AVA's files: ground truths and excluded frames (CSV), names of actions (pbtxt)."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Sequence

import numpy as np

from mmeval_like._accumulate.rows import Ragged, take
from mmeval_like.metrics.detection.pascal_task import Boxes

__all__ = ["FrameTruths", "read_actions", "read_frames"]

Frame = tuple[str, int]
"""A video and a second in it."""

_ACTION = re.compile(r'name:\s*"((?:[^"\\]|\\.)*)"[^{}]*?\b(?:label_)?id:\s*(\d+)')


def read_actions(path: str) -> dict[int, str]:
    """Return the names of actions by id, from a pbtxt label map.

    Raises:
        OSError: The file cannot be read.
        ValueError: It names no action.
    """
    with open(os.fspath(path), encoding="utf-8") as file:
        found = _ACTION.findall(file.read())
    actions = {int(number): name.replace('\\"', '"') for name, number in found}
    if not actions:
        raise ValueError(f"label_file {path!r} must have items with name and id")
    return actions


def read_frames(path: str) -> set[Frame]:
    """Return the frames that a CSV of videos and seconds lists."""
    with open(os.fspath(path), encoding="utf-8", newline="") as file:
        return {(row[0], int(row[1])) for row in csv.reader(file) if row}


class FrameTruths:
    """The ground truths of a CSV: video, second, x1, y1, x2, y2, action id, ...

    Args:
        path: The file.
        action_ids: The ids that count; the place in this list becomes the class.
        excluded: Frames that do not count.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line has too few columns, or text where numbers belong.

    Attributes:
        labels: The class of every ground truth, int64 (m,).
    """

    def __init__(self, path: str, action_ids: Sequence[int], excluded: set[Frame]) -> None:
        classes = {action: label for label, action in enumerate(action_ids)}
        boxes_of: dict[Frame, list[list[float]]] = {}
        labels_of: dict[Frame, list[int]] = {}
        with open(os.fspath(path), encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.reader(file), 1):
                if len(row) == 2 or (len(row) > 2 and row[2] == ""):
                    continue  # a frame without people
                try:
                    frame = row[0], int(row[1])
                    box = [float(value) for value in row[2:6]]
                    action = int(row[6])
                except (IndexError, ValueError) as error:
                    raise ValueError(
                        f"ann_file {path!r}, line {number}: expected video, second, x1, y1, x2, "
                        f"y2, action, got {row}"
                    ) from error
                if action in classes and frame not in excluded:
                    boxes_of.setdefault(frame, []).append(box)
                    labels_of.setdefault(frame, []).append(classes[action])
        self._place = {frame: place for place, frame in enumerate(boxes_of)}
        # One more frame, without ground truths, for those that the file does not have.
        lengths = np.array([*map(len, boxes_of.values()), 0], np.int64)
        self.labels = np.array([label for own in labels_of.values() for label in own], np.int64)
        self._boxes = np.array([box for own in boxes_of.values() for box in own]).reshape(-1, 4)
        self._order = Ragged(np.arange(len(self.labels)), lengths)

    def of(self, frames: Sequence[Frame]) -> Boxes:
        """Return the ground truths of these frames, in this order."""
        last = len(self._place)
        order = take(self._order, np.array([self._place.get(f, last) for f in frames], np.int64))
        assert isinstance(order, Ragged)
        chosen = order.values
        flags = np.zeros(len(chosen), np.bool_)
        return Boxes(order.lengths, self._boxes[chosen], self.labels[chosen], flags=flags)
