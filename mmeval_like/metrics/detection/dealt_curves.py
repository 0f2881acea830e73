"""COCO's curves from matches that are dealt: each rank evaluates some of the classes.

All detections of a class are sent to one rank, which orders them as in an evaluation on a single
rank. The curves are sent to rank 0, which averages them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mmeval_like.metrics.detection.coco_curves import RECALLS, Curves, curves_of
from mmeval_like.metrics.detection.coco_task import CocoTask
from mmeval_like.metrics.detection.coco_truths import Truths
from mmeval_like.metrics.detection.dealt_images import OwnImages, own_images
from mmeval_like.metrics.detection.runs import begins_of_runs, lengths_of_runs
from mmeval_like.metrics.detection.table import sorted_matches
from mmeval_like.writing import Ragged, Rows, take
from mmeval_like.writing.dealing import Ranks, Table

__all__ = ["DealtCurves", "dealt_curves"]

_PARTS = ("keys", "lengths", "labels", "scores", "outcomes")


@dataclass(frozen=True)
class DealtCurves:
    """The curves computed from the images of all ranks.

    Attributes:
        curves: The curves of each task on rank 0; empty on the other ranks.
        differing: The number of images that were added more than once with different detections.
    """

    curves: list[Curves]
    differing: int


def dealt_curves(
    tasks: Sequence[CocoTask],
    truths: Callable[[], Truths] | None,
    columns: Callable[[], Mapping[str, Rows]],
    places: Callable[[], np.ndarray],
    ranks: Ranks,
) -> DealtCurves:
    """Return the curves of all ranks' images, on rank 0.

    Args:
        tasks: The evaluations.
        truths: Returns the ground truths of a file, of which those on rank 0 count. None: the
            ground truths are in the states.
        columns: Returns the states of this rank's images.
        places: Returns the indices of these images among those of all ranks, ascending.
        ranks: The ranks, all of which call this.

    Raises:
        ValueError: Some images have an identity and some have none.
    """
    images = own_images(columns, places, ranks)

    def counted() -> np.ndarray:
        return np.concatenate([_counts(task, truths, images, ranks.first) for task in tasks])

    sizes = [task.num_classes * (1 + len(task.ranges)) for task in tasks]
    counts = np.split(ranks.total(counted, sum(sizes)), np.cumsum(sizes)[:-1])
    tables = [c.reshape(task.num_classes, -1) for c, task in zip(counts, tasks, strict=True)]
    groups = ranks.grouped([table[:, 0] for table in tables])
    shares = [_Share(task, table[:, 1:]) for task, table in zip(tasks, tables, strict=True)]
    met = groups.meet(lambda: [share.detections(images) for share in shares])

    def own() -> list[np.ndarray]:
        return [
            array
            for share, parts, classes in zip(shares, met(), groups.mine, strict=True)
            for array in share.own(parts, classes)
        ]

    curves: list[Curves] = []

    def join(made: list[tuple[Sequence[np.ndarray], np.ndarray]]) -> None:
        buffers = [buffer for _, buffer in made]
        for place, share in enumerate(shares):
            curves.append(share.joined([classes[place] for classes, _ in made], buffers))

    groups.collect(own, join)
    return DealtCurves(curves, images.differing)


def _counts(
    task: CocoTask, truths: Callable[[], Truths] | None, images: OwnImages, first: bool
) -> np.ndarray:
    """Return this rank's detections, and ground truths by range, of every class, flat."""
    labels = task.table.column(images.results, "label", images.rows).values
    counts = np.zeros((task.num_classes, 1 + len(task.ranges)), np.int64)
    counts[:, 0] = np.bincount(labels, minlength=task.num_classes)
    if truths is None:
        counts[:, 1:] = task.table.count_truths(images.results, images.rows)
    elif first:
        counts[:, 1:] = task.count_truths(truths())
    return counts.reshape(-1)


@dataclass(frozen=True)
class _Share:
    """A task whose classes are dealt to the ranks.

    Attributes:
        task: The task.
        truths: The number of ground truths of each class that count in each range.
    """

    task: CocoTask
    truths: np.ndarray

    def detections(self, images: OwnImages) -> Table:
        """Return this rank's detections, image by image, in the table to be dealt by class."""
        table, rows = self.task.table, images.rows
        label = table.column(images.results, "label", rows)
        scores = table.scores(images.results, rows)
        outcomes = table.column(images.results, "outcome", rows).values
        of_image = np.repeat(np.arange(len(label)), label.lengths)

        def cut(mine: np.ndarray) -> dict[str, np.ndarray]:
            own = of_image.take(mine)
            begins = begins_of_runs(own)
            columns = (
                images.keys.take(own.take(begins)),
                lengths_of_runs(begins, len(own)),
                label.values.take(mine),
                scores.take(mine),
                outcomes.take(mine, 0),
            )
            return dict(zip(_PARTS, columns, strict=True))

        return Table(label.values, cut)

    def own(
        self, parts: Sequence[Mapping[str, np.ndarray]], classes: np.ndarray
    ) -> list[np.ndarray]:
        """Return the precision and the recall of some classes, as `joined` takes them.

        Args:
            parts: The detections of these classes, as received from the ranks.
            classes: The classes, ascending.
        """
        keys, lengths, labels, scores, outcomes = (
            np.concatenate([part[name] for part in parts]) for name in _PARTS
        )
        number = np.zeros(len(self.truths), labels.dtype)
        number[classes] = np.arange(len(classes))
        places = take(Ragged(np.arange(len(labels)), lengths), np.argsort(keys))
        assert isinstance(places, Ragged)
        label = places.with_values(number.take(labels).take(places.values))
        matched = sorted_matches(
            label,
            scores.take(places.values),
            outcomes,
            self.truths[classes],
            self.task.table.settings,
            places.values,
        )
        curves = curves_of(matched, self.task.max_dets)
        # In memory order: by range first.
        inside = curves.precision.transpose(3, 1, 0, 2), curves.recall.transpose(2, 0, 1, 3)
        return [table.reshape(-1) for table in inside]

    def joined(self, of_each: Sequence[np.ndarray], buffers: list[np.ndarray]) -> Curves:
        """Return the curves of all classes from the results of `own` on all ranks.

        Args:
            of_each: The classes of each rank.
            buffers: The results of `own`, end to end; the part that is read is removed.
        """
        (classes, ranges), thresholds = self.truths.shape, len(self.task.iou_thrs)
        precision = np.empty((ranges, len(RECALLS), thresholds, classes))
        recall = np.empty((ranges, thresholds, classes, len(self.task.max_dets)))
        for place, own in enumerate(of_each):
            sizes = [table.size // classes * len(own) for table in (precision, recall)]
            first, second, buffers[place] = np.split(buffers[place], np.cumsum(sizes))
            precision[..., own] = first.reshape(*precision.shape[:-1], len(own))
            recall[:, :, own] = second.reshape(ranges, thresholds, len(own), recall.shape[-1])
        return Curves(precision.transpose(2, 1, 3, 0), recall.transpose(1, 2, 0, 3))
