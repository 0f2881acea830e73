"""The states that the metrics with COCO's curves share, and the curves computed from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics.detection.coco_curves import Curves, curves_of
from mmeval_like.metrics.detection.coco_task import CocoTask
from mmeval_like.metrics.detection.coco_truths import Truths
from mmeval_like.metrics.detection.dealt_curves import DealtCurves, dealt_curves
from mmeval_like.metrics.detection.images import distinct_images, warn_of_copies
from mmeval_like.metrics.detection.table import few_boxes
from mmeval_like.writing import Results, Rows, State
from mmeval_like.writing.dealing import Column, Ranks
from mmeval_like.writing.intervals import Jackknife

__all__ = ["Evaluation"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How the images of a metric are evaluated.

    Attributes:
        tasks: The evaluations.
        truths: Returns the ground truths of a file; None: the states hold them, like the
            detections.
    """

    tasks: Sequence[CocoTask]
    truths: Callable[[], Truths] | None

    def states(self) -> dict[str, State]:
        """Return the image's identity, and its matches in every task."""
        columns: dict[str, tuple[Any, tuple[int, ...]]] = {"image": (np.int64, ())}
        for task in self.tasks:
            columns |= task.table.columns()
        return {name: Column(dtype, shape, _deal) for name, (dtype, shape) in columns.items()}

    @property
    def asks(self) -> frozenset[Any] | None:
        """The curves; None for a single class, since one rank would then get all rows."""
        classes = sum(task.num_classes for task in self.tasks)
        return frozenset({self}) if classes > 1 else None

    def images(self, results: Results) -> np.ndarray | None:
        """Return the rows of the images that count, as `distinct_images` does."""
        if isinstance(results.image, DealtCurves):
            warn_of_copies(results.image.differing)
            return None
        return distinct_images(results, [task.table for task in self.tasks])

    @property
    def jackknife(self) -> Jackknife:
        """The caveats for classes with few ground truths, and for images that were not added."""
        return Jackknife(caveat=self._caveat)

    def _caveat(self, results: Results) -> str | None:
        found = None if self.truths is None else _absent(results, len(self.truths().boxes.lengths))
        for task in self.tasks:
            if self.truths is None:
                counts = task.table.count_truths(results, None)
            else:
                counts = task.count_truths(self.truths())
            found = found or few_boxes(counts)
        return found

    def curves(self, results: Results, images: np.ndarray | None) -> list[Curves]:
        """Return the curves of every task.

        Args:
            results: The merged states, or the dealt curves.
            images: The result of `images`.
        """
        if isinstance(results.image, DealtCurves):
            return results.image.curves
        found = []
        for task in self.tasks:
            counts = None if self.truths is None else task.count_truths(self.truths())
            found.append(curves_of(task.table.read(results, images, counts), task.max_dets))
        return found


def _absent(results: Results, images: int) -> str | None:
    """Return a caveat if not all images of the file were added: their variation is unknown."""
    added = len(np.unique(results.image))
    if added == images:
        return None
    return f"only {added} of the {images} images of ann_file were added"


def _deal(
    columns: Callable[[], Mapping[str, Rows]],
    places: Callable[[], np.ndarray],
    wanted: frozenset[Evaluation],
    ranks: Ranks,
) -> DealtCurves:
    [evaluation] = wanted
    return dealt_curves(evaluation.tasks, evaluation.truths, columns, places, ranks)
