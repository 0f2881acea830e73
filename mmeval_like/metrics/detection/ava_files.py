"""AVA's files: ground truths and excluded frames (CSV), names of actions (pbtxt)."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Sequence

import numpy as np

from mmeval_like.metrics.detection.image_dicts import FARTHEST
from mmeval_like.metrics.detection.pascal_task import Boxes
from mmeval_like.writing import Ragged, take

__all__ = ["FrameTruths", "read_actions", "read_frames"]

Frame = tuple[str, int]
"""A video and a second in it."""

# A label map: comments, and items of named values; a text may hold any character.
_TEXT = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\''
_ITEM = re.compile(rf"#.*|\w+\s*:?\s*\{{((?:{_TEXT}|#.*|[^{{}}\"'#])*)\}}")
_FIELD = re.compile(rf"#.*|(\w+)\s*:\s*({_TEXT}|[^\s\"'#,;]+)")


def read_actions(path: str) -> dict[int, str]:
    """Return the names of actions by id, from a pbtxt label map.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file names no action, repeats an id, or has items other than named ids.
    """
    with open(os.fspath(path), "rb") as file:
        text = _decoded(file.read(), f"label_file {path!r}")
    actions: dict[int, str] = {}
    for item in _ITEM.finditer(text):
        if item[1] is None:
            continue  # a comment
        fields = {field[1]: field[2] for field in _FIELD.finditer(item[1]) if field[1]}
        number = fields.get("id", fields.get("label_id", ""))
        if "name" not in fields or not number.isdecimal() or int(number) in actions:
            raise ValueError(
                f"label_file {path!r} must have items with name and id, each id once, "
                f"got {item[0]!r}"
            )
        name = fields["name"]
        quoted = name[0] in "\"'"
        actions[int(number)] = re.sub(r"\\(.)", r"\1", name[1:-1]) if quoted else name
    rest = _ITEM.sub("", text).split()
    if rest or not actions:
        raise ValueError(f"label_file {path!r} must have items with name and id, got {rest[:3]}")
    return actions


def read_frames(path: str) -> set[Frame]:
    """Return the frames that a CSV of videos and seconds lists.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line is not a video and a second.
    """
    frames = set()
    for number, row in _lines(path, "exclude_file"):
        try:
            frames.add((row[0], int(row[1])))
        except (IndexError, ValueError) as error:
            raise ValueError(
                f"exclude_file {path!r}, line {number}: expected video, second, got {row}"
            ) from error
    return frames


def _lines(path: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file that are not empty, with their numbers."""
    with open(os.fspath(path), "rb") as file:
        text = _decoded(file.read(), f"{name} {path!r}")
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        yield from ((number, row) for number, row in enumerate(reader, 1) if row)
    except csv.Error as error:
        raise ValueError(f"{name} {path!r} is not a CSV file: {error}") from error


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")  # without a byte order mark
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} must be UTF-8: {error}") from error


class FrameTruths:
    """The ground truths of a CSV: video, second, x1, y1, x2, y2, action id, ...

    Args:
        path: The file.
        action_ids: The ids that count; the index in this list becomes the class.
        excluded: Frames that do not count.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line has too few columns, or a value that should be a number is not.

    Attributes:
        labels: The class of every ground truth, int64 (m,).
    """

    def __init__(self, path: str, action_ids: Sequence[int], excluded: set[Frame]) -> None:
        classes = {action: label for label, action in enumerate(action_ids)}
        boxes_of: dict[Frame, list[list[float]]] = {}
        labels_of: dict[Frame, list[int]] = {}
        for number, row in _lines(path, "ann_file"):
            if len(row) == 2 or (len(row) > 2 and row[2] == ""):
                continue  # a frame without people
            try:
                frame = row[0], int(row[1])
                box = [float(value) for value in row[2:6]]
                action = int(row[6])
                if not all(abs(value) <= FARTHEST for value in box):
                    raise ValueError("no such box")
            except (IndexError, ValueError) as error:
                raise ValueError(
                    f"ann_file {path!r}, line {number}: expected video, second, x1, y1, x2, "
                    f"y2 (numbers within {FARTHEST:g}), action, got {row}"
                ) from error
            if action in classes and frame not in excluded:
                boxes_of.setdefault(frame, []).append(box)
                labels_of.setdefault(frame, []).append(classes[action])
        self._place = {frame: place for place, frame in enumerate(boxes_of)}
        # One more frame, without ground truths, for frames that the file does not have.
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
