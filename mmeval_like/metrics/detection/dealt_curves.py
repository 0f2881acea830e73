"""COCO's curves where the ranks deal the matches: each rank evaluates some of the classes.

All detections of a class meet on one rank, in the order in which one rank alone would have them.
The curves go to rank 0, which averages them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._states.dealing import Ranks
from mmeval_like.backends.wire.named import pack_named, unpack_named
from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.metrics.detection.coco_curves import RECALLS, Curves, curves_of
from mmeval_like.metrics.detection.coco_task import CocoTask
from mmeval_like.metrics.detection.coco_truths import Truths
from mmeval_like.metrics.detection.dealt_images import OwnImages, own_images
from mmeval_like.metrics.detection.runs import begins_of_runs, lengths_of_runs
from mmeval_like.metrics.detection.table import sorted_matches
from mmeval_like.writing import Ragged, Rows, take

__all__ = ["DealtCurves", "dealt_curves"]

_PARTS = ("keys", "lengths", "labels", "scores", "outcomes")


@dataclass(frozen=True)
class DealtCurves:
    """The curves of all ranks' images.

    Attributes:
        curves: By task, on rank 0; nothing on the others.
        differing: How many images came more than once with different detections.
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
        truths: Returns the ground truths of a file, of which rank 0's count; None: they are rows.
        columns: Returns the states of this rank's images.
        places: Returns the places of these images among those of all ranks, ascending.
        ranks: The ranks, all of which call this.

    Raises:
        ValueError: Some images have an identity and some have none.
    """
    images = own_images(columns, places, ranks)

    def counted() -> np.ndarray:
        return np.concatenate([_counts(task, truths, images, ranks.rank) for task in tasks])

    sizes = [task.num_classes * (1 + len(task.ranges)) for task in tasks]
    counts = np.split(ranks.total(counted, sum(sizes)), np.cumsum(sizes)[:-1])
    shares = _shares(tasks, counts, ranks.size)

    def parts() -> list[list[Buffer]]:
        split = [share.split(images, ranks.size) for share in shares]
        return [
            [piece for of_task in split for piece in pack_named(of_task[rank])]
            for rank in range(ranks.size)
        ]

    received, of_each = ranks.dealt(parts)

    def own() -> list[list[Any]]:
        offsets, found = [0] * ranks.size, []
        for share in shares:
            met = []
            for place, data in enumerate(np.split(received, np.cumsum(of_each)[:-1])):
                part, offsets[place] = unpack_named(data.data, offsets[place])
                met.append(part)
            found += share.own(met, ranks.rank)
        return [found, *([] for _ in range(1, ranks.size))]

    evaluated, lengths = ranks.dealt(own)
    curves: list[Curves] = []

    def joined() -> np.ndarray:
        if ranks.rank == 0:
            buffers = np.split(evaluated.view(np.float64), np.cumsum(lengths)[:-1] // 8)
            curves.extend([share.joined(buffers) for share in shares])
        return np.empty(0, np.int64)

    ranks.total(joined, 0)
    return DealtCurves(curves, images.differing)


def _counts(
    task: CocoTask, truths: Callable[[], Truths] | None, images: OwnImages, rank: int
) -> np.ndarray:
    """Return how many detections, and ground truths of each range, every class has here, flat."""
    labels = task.table.column(images.results, "label", images.rows).values
    counts = np.zeros((task.num_classes, 1 + len(task.ranges)), np.int64)
    counts[:, 0] = np.bincount(labels, minlength=task.num_classes)
    if truths is None:
        counts[:, 1:] = task.table.count_truths(images.results, images.rows)
    elif rank == 0:
        counts[:, 1:] = task.count_truths(truths())
    return counts.reshape(-1)


def _shares(tasks: Sequence[CocoTask], counts: Sequence[np.ndarray], ranks: int) -> list[_Share]:
    """Return which rank evaluates each class of each task, so that their detections are even.

    The largest class is dealt first, each to the rank that has the fewest detections until then.
    Source: R. L. Graham, "Bounds on multiprocessing timing anomalies" (SIAM Journal on Applied
    Mathematics 17, 1969).
    """
    tables = [c.reshape(task.num_classes, -1) for c, task in zip(counts, tasks, strict=True)]
    detections = np.concatenate([table[:, 0] for table in tables])
    owners, load = np.zeros(len(detections), np.min_scalar_type(ranks)), [0] * ranks
    for place in np.argsort(-detections, kind="stable").tolist():
        owners[place] = least = load.index(min(load))
        load[least] += int(detections[place]) + 1  # a class without detections is work, too
    split = np.split(owners, np.cumsum([len(table) for table in tables])[:-1])
    return [
        _Share(task, own, table[:, 1:])
        for task, own, table in zip(tasks, split, tables, strict=True)
    ]


@dataclass(frozen=True)
class _Share:
    """A task whose classes are dealt.

    Attributes:
        task: The task.
        owners: The rank that evaluates each class.
        truths: How many ground truths of each class count in each range.
    """

    task: CocoTask
    owners: np.ndarray
    truths: np.ndarray

    def split(self, images: OwnImages, ranks: int) -> list[dict[str, Any]]:
        """Return what each rank gets of this rank's detections, image by image."""
        table, rows = self.task.table, images.rows
        label = table.column(images.results, "label", rows)
        scores = table.scores(images.results, rows)
        outcomes = table.column(images.results, "outcome", rows).values
        to = self.owners.take(label.values)
        order, numbers = np.argsort(to, kind="stable"), np.bincount(to, minlength=ranks)
        of_image = np.repeat(np.arange(len(label)), label.lengths).take(order)
        ends = np.cumsum(numbers)[:-1]
        found = []
        for own, mine in zip(np.split(of_image, ends), np.split(order, ends), strict=True):
            begins = begins_of_runs(own)
            columns = (
                images.keys.take(own.take(begins)),
                lengths_of_runs(begins, len(own)),
                label.values.take(mine),
                scores.take(mine),
                outcomes.take(mine, 0),
            )
            found.append(dict(zip(_PARTS, columns, strict=True)))
        return found

    def own(self, parts: Sequence[Mapping[str, np.ndarray]], rank: int) -> list[Any]:
        """Return the precision and the recall of the classes of a rank, as `joined` takes them.

        Args:
            parts: What every rank sent of its detections.
            rank: This rank.
        """
        classes = np.flatnonzero(self.owners == rank)
        keys, lengths, labels, scores, outcomes = (
            np.concatenate([part[name] for part in parts]) for name in _PARTS
        )
        number = np.zeros(len(self.owners), labels.dtype)
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
        # As they lie in memory: by range first.
        inside = curves.precision.transpose(3, 1, 0, 2), curves.recall.transpose(2, 0, 1, 3)
        return [table.reshape(-1).view(np.uint8) for table in inside]

    def joined(self, buffers: list[np.ndarray]) -> Curves:
        """Return the curves of all classes from what `own` returned on each rank.

        Args:
            buffers: By rank, float64; what is read is cut off.
        """
        (classes, ranges), thresholds = self.truths.shape, len(self.task.iou_thrs)
        precision = np.empty((ranges, len(RECALLS), thresholds, classes))
        recall = np.empty((ranges, thresholds, classes, len(self.task.max_dets)))
        for rank, buffer in enumerate(buffers):
            own = np.flatnonzero(self.owners == rank)
            sizes = [table.size // classes * len(own) for table in (precision, recall)]
            first, second, buffers[rank] = np.split(buffer, np.cumsum(sizes))
            precision[..., own] = first.reshape(*precision.shape[:-1], len(own))
            recall[:, :, own] = second.reshape(ranges, thresholds, len(own), recall.shape[-1])
        return Curves(precision.transpose(2, 1, 3, 0), recall.transpose(1, 2, 0, 3))
