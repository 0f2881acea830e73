"""AVAMeanAP: mean average precision of actions in video, as on AVA."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.detection import image_dicts
from mmeval_like.metrics.detection.ava_files import FrameTruths, read_actions, read_frames
from mmeval_like.metrics.detection.axis_aligned import AxisAligned
from mmeval_like.metrics.detection.images import distinct_images
from mmeval_like.metrics.detection.pascal_curves import ClassCurve, average_precisions, class_curves
from mmeval_like.metrics.detection.pascal_task import Boxes, PascalTask
from mmeval_like.metrics.detection.table import count_truths
from mmeval_like.writing import (
    SHARE,
    BaseMetric,
    MetricOptions,
    Results,
    State,
    Unpack,
    arrays,
    speaks,
    state,
)

__all__ = ["AVAMeanAP"]


class AVAMeanAP(BaseMetric):
    """Mean average precision of detected actions at IoU 0.5, as in the AVA challenge.

    Detections are matched as by `VOCMeanAP`, and the average precision of an action is the area
    under the curve of interpolated precision; r_k is the recall at the k-th score. All frames of
    the annotation file count, including those that no rank added; a frame that is added more than
    once counts once. Frames in `exclude_file` do not count.

    Formula:
        mAP = mean_c sum_k (r_k - r_(k - 1)) max_(j >= k) precision_j

    Args:
        ann_file: The path of AVA's annotation file, a CSV file without header: video, second, x1,
            y1, x2, y2, action id, and further columns that are not read.
        label_file: The path of a pbtxt file with the names and ids of the actions; other actions do
            not count.
        exclude_file: The path of a CSV file of frames that do not count: video, second; or None.
        num_classes: The number of entries of `outputs`, plus 1.
        custom_classes: The action ids of the entries of `outputs`; None: 1, 2, 3, ...
        verbose: Whether the process that computes prints the average precision of every action.
        **options: As for `BaseMetric`.

    Returns of `compute`: `mAP@0.5IOU`, a float in [0, 1]: the mean over actions with ground truths;
    nan if there are none. Higher is better.

    Source: https://research.google.com/ava, ActivityNet challenge, task "AVA actions".

    Raises:
        OSError: A file cannot be read.
        ValueError: A file cannot be understood; `custom_classes` are not distinct, not positive, or
            not `num_classes` - 1; or no action counts.

    Example:
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "val.csv").write_text("film,0902,0.1,0.1,0.5,0.9,2,7")
        >>> _ = (folder / "actions.pbtxt").write_text(
        ...     'item { name: "run" id: 1 } item { name: "sit" id: 2 }')
        >>> metric = AVAMeanAP(str(folder / "val.csv"), str(folder / "actions.pbtxt"),
        ...                    num_classes=3, verbose=False)
        >>> outputs = [[], [[0.1, 0.1, 0.5, 0.8, 0.7]]]
        >>> metric.add([{"video_id": "film", "timestamp": 902, "outputs": outputs}])
        >>> metric.compute()
        {'mAP@0.5IOU': 1.0}
    """

    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        ann_file: str,
        label_file: str,
        exclude_file: str | None = None,
        num_classes: int = 81,
        custom_classes: Sequence[int] | None = None,
        verbose: bool = True,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        actions = read_actions(label_file)
        check_count("num_classes", num_classes)
        chosen = range(1, num_classes) if custom_classes is None else custom_classes
        given = [check_count("custom_classes", action) for action in chosen]
        if len(given) != num_classes - 1 or len(set(given)) < len(given):
            raise ValueError(
                f"custom_classes must be num_classes - 1 = {num_classes - 1} distinct, positive "
                f"ids, got {custom_classes}"
            )
        self._ids = [action for action in given if action in actions]
        if not self._ids:
            raise ValueError(f"label_file {label_file!r} has none of the actions {given}")
        self._names = [actions[action] for action in self._ids]
        # The class of every entry of `outputs`; -1: does not count.
        self._classes = np.array(
            [self._ids.index(action) if action in actions else -1 for action in given]
        )
        self._excluded = read_frames(exclude_file) if exclude_file is not None else set()
        self._truths = FrameTruths(ann_file, self._ids, self._excluded)
        self._task = PascalTask(
            AxisAligned(), (0.5,), ((None, None),), len(self._ids), with_truths=False
        )
        self.verbose = verbose

    def states(self) -> dict[str, State]:
        """Return the frame's identity and its matches."""
        return {"image": state.cat(np.int64), **self._task.table.states()}

    def rows(self, predictions: Any) -> dict[str, Any]:
        """Return one row per frame.

        Args:
            predictions: A list of dicts: `video_id` (a string or an integer), `timestamp` (the
                second: an integer, or a string of one), `outputs`: for every
                action an array (n, 5) of x1, y1, x2, y2, score.

        Raises:
            KeyError: A key is missing.
            TypeError: A value has the wrong type.
            ValueError: The number of outputs of an image differs from the number of actions, or a
                value is nan or beyond 1e100.
        """
        predictions = image_dicts.check_images("predictions", predictions)
        frames = [_frame_of(index, image) for index, image in enumerate(predictions)]
        found = self._detections(predictions)
        kept = np.array([frame not in self._excluded for frame in frames], np.bool_)
        found = found.take(np.flatnonzero(kept[found.images]))
        identity = np.array([_identity(*frame) for frame in frames], np.int64)
        return {"image": identity, **self._task.rows(found, self._truths.of(frames))}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the mean over actions."""
        found = [average_precisions(curve, "area").item() for curve in self._curves(results)]
        if self.verbose and speaks():
            width = max(map(len, self._names))
            for name, value in zip(self._names, found, strict=True):
                print(f"{name:<{width}}  {value:.4f}")
        known = [value for value in found if value == value]
        return {"mAP@0.5IOU": sum(known) / len(known) if known else float("nan")}

    def _of_detected(self, results: Results) -> dict[int, tuple[str, float]]:
        """Return the name and the average precision of each detected action, by its id."""
        curves = zip(self._ids, self._names, self._curves(results), strict=True)
        return {
            action: (name, average_precisions(curve, "area").item())
            for action, name, curve in curves
            if curve.detections
        }

    def _curves(self, results: Results) -> list[ClassCurve]:
        counted = np.ones((len(self._truths.labels), 1), np.bool_)
        truths = count_truths(self._truths.labels, counted, len(self._ids))
        images = distinct_images(results, [self._task.table])
        return class_curves(self._task.table.read(results, images, truths))

    def _detections(self, images: image_dicts.Images) -> Boxes:
        parts = []
        for index, image in enumerate(images):
            if "outputs" not in image:
                raise KeyError(f"predictions[{index}] needs the key 'outputs', it has {[*image]}")
            outputs = image["outputs"]
            if not hasattr(outputs, "__len__") or len(outputs) != len(self._classes):
                got = len(outputs) if hasattr(outputs, "__len__") else arrays.describe(outputs)
                raise ValueError(
                    f"predictions[{index}]['outputs'] must have an array for each of the "
                    f"{len(self._classes)} actions, got {got}"
                )
            entries = [{"outputs": output} for output in outputs]
            parts.append(image_dicts.numbers_of(f"predictions[{index}]", entries, "outputs", 5))
            image_dicts.check_boxes(f"predictions[{index}]", "outputs", parts[-1])
        if not parts:
            return Boxes(np.zeros(0, np.int64), np.empty((0, 4)), np.zeros(0, np.int64))
        counts = np.stack([part.lengths for part in parts])
        labels = np.repeat(np.tile(self._classes, len(parts)), counts.reshape(-1))
        filled = [part.values for part in parts if len(part.values)] or [parts[0].values]
        values = np.concatenate(filled)
        scores = values[:, 4] if values.dtype == np.float32 else values[:, 4].astype(np.float64)
        boxes = values[:, :4].astype(np.float64)
        found = Boxes(counts.sum(axis=1), boxes, labels, scores)
        return found.take(np.flatnonzero(labels >= 0))


def _frame_of(index: int, image: Any) -> tuple[str, int]:
    for key in ("video_id", "timestamp"):
        if key not in image:
            raise KeyError(f"predictions[{index}] needs the key {key!r}, it has {[*image]}")
    video, given = image["video_id"], image["timestamp"]
    if isinstance(video, bool) or not isinstance(video, str | int | np.integer):
        raise TypeError(
            f"predictions[{index}]['video_id'] must be a string or an integer, got {video!r}"
        )
    try:
        second = int(given) if isinstance(given, str) else operator.index(given)
        if isinstance(given, bool):
            raise TypeError("no number")
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"predictions[{index}]['timestamp'] must be a whole second, got {given!r}"
        ) from error
    return str(video), second


def _identity(video: str, second: int) -> int:
    """Return a 64-bit digest of a frame."""
    digest = hashlib.blake2b(f"{second},{video}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
