"""PanopticQuality and ModifiedPanopticQuality: metrics of segments of things and stuff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics._common.averages import class_values, mean_of_classes
from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics._common.option_checks import check_ignore_index
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.segmentation.panoptic_segments import (
    PanopticClasses,
    Segments,
    codes_of,
    meet,
)
from mmeval_like.metrics.segmentation.pixel_counts import as_map
from mmeval_like.writing import (
    SHARE,
    BaseMetric,
    MetricOptions,
    Results,
    State,
    Unpack,
    arrays,
    state,
)

__all__ = ["ModifiedPanopticQuality", "PanopticQuality"]


@shared_options
class PanopticQuality(BaseMetric):
    """The panoptic quality: how many segments are found, and how well they fit.

    A segment of the prediction and a segment of the ground truth match if they have the same class
    and their IoU is above 1/2; a segment has at most one such partner. A class has TP matches; FP
    segments in predictions and FN segments in ground truths have no partner. SQ is the segmentation
    quality, RQ the recognition quality.

    Void pixels of the ground truth are not part of any union. Crowds, which are ground truths that
    cover several things, match nothing and are never missed. A predicted segment without a
    partner does not count as FP if more than half of it lies on void pixels or on crowds of its
    class. Values are means over the classes that are in at least one map.

    Formula:
        SQ = (sum_(matches) IoU) / TP
        RQ = TP / (TP + FP/2 + FN/2)
        PQ = SQ * RQ

    Source: A. Kirillov et al., "Panoptic segmentation" (CVPR 2019).

    Args:
        things: The ids of the classes whose instances are distinguished, integers.
        stuffs: The ids of the other classes; their instances are ignored.
        ignore_index: The class of void pixels of the ground truth; None: no pixel is void.
        unknown: What happens with predicted classes that are in neither list. "raise": `add` raises
            a ValueError. "void": their pixels count as having no prediction.
        classwise: Whether the result also has lists with one value for each class, first of
            `things`, then of `stuffs`; nan for a class that is in no map.
        **options: As for `BaseMetric`.

    Returns of `compute`: `pq`, `sq`, `rq`, `pq_things`, `sq_things`, `rq_things`, `pq_stuffs`,
    `sq_stuffs`, `rq_stuffs`, and with `classwise` `pq_classwise`, `sq_classwise`, `rq_classwise`,
    in [0, 1]; nan if no class is in any map. Higher is better.

    Raises:
        ValueError: No class is given, or a class is given twice, or `unknown` is neither "raise"
            nor "void".
        TypeError: A class or `ignore_index` is not an integer.

    Example:
        >>> import numpy as np
        >>> classes = [[7, 7, 1, 1, 1, 1]]  # the sky, and persons
        >>> truth = np.stack([classes, [[0, 0, 1, 1, 2, 2]]], axis=-1)
        >>> found = np.stack([classes, [[0, 0, 1, 1, 1, 2]]], axis=-1)
        >>> metric = PanopticQuality(things=[1], stuffs=[7])
        >>> metric.add([found], [truth])
        >>> values = metric.compute()
        >>> values["pq_stuffs"], round(values["pq_things"], 4)  # (2/3) / (1 + 1/2 + 1/2) of persons
        (1.0, 0.3333)
    """

    every_rank_computes = True
    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        things: Sequence[int],
        stuffs: Sequence[int],
        *,
        ignore_index: int | None = None,
        unknown: str = "raise",
        classwise: bool = False,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        check_option("unknown", unknown, ("raise", "void"))
        check_ignore_index(ignore_index)
        ids = [
            tuple(arrays.as_integers([*part], name).tolist())
            for name, part in (("things", things), ("stuffs", stuffs))
        ]
        named = [*ids[0], *ids[1], *([] if ignore_index is None else [ignore_index])]
        if not ids[0] + ids[1] or len(set(named)) < len(named):
            raise ValueError(
                f"things, stuffs and ignore_index must be different classes, at least one, "
                f"got {things}, {stuffs} and {ignore_index}"
            )
        self._known = PanopticClasses(ids[0], ids[1], ignore_index, unknown == "void")
        self.classwise = classwise

    def states(self) -> dict[str, State]:
        """Return every class's sum of IoUs, and its counts of TP, FP and FN."""
        size = len(self._known.ids)
        return {"iou": state.sum(float, (size,)), "segments": state.sum(int, (3, size))}

    def rows(
        self, predictions: Any, groundtruths: Any, crowds: Any = None
    ) -> dict[str, np.ndarray]:
        """Return one row of sums and counts per image.

        Args:
            predictions: Integers (N, H, W, 2), the class and the instance of every pixel, or a
                list of (H, W, 2). Instances are in [0, 2^32).
            groundtruths: The same shapes.
            crowds: A list of N lists of the (class, instance) of ground truths that are crowds;
                None: no ground truth is a crowd.

        Raises:
            TypeError: The inputs are not whole numbers.
            ValueError: The numbers of images differ, shapes do not fit, a class is in neither list,
                or an instance is out of range.
        """
        found = arrays.to_samples(predictions, "predictions")
        truths = arrays.to_samples(groundtruths, "groundtruths")
        arrays.check_same_length("predictions", found, "groundtruths", truths)
        crowds = [()] * len(found) if crowds is None else crowds
        arrays.check_same_length("predictions", found, "crowds", crowds)
        size = len(self._known.ids)
        ious, segments = np.zeros((len(found), size)), np.zeros((len(found), 3, size), np.int64)
        for index, (prediction, truth, named) in enumerate(zip(found, truths, crowds, strict=True)):
            if prediction.shape != truth.shape or truth.ndim != 3 or truth.shape[2] != 2:
                raise ValueError(
                    f"predictions and groundtruths must both have shape (H, W, 2), "
                    f"got {prediction.shape} and {truth.shape}"
                )
            pair = as_map(prediction, "predictions"), as_map(truth, "groundtruths")
            met = meet(*pair, self._known)
            crowd = np.isin(met.truth_codes, codes_of(named, self._known))
            ious[index], segments[index] = self._count(met, crowd)
        return {"iou": ious, "segments": segments}

    def _count(self, met: Segments, crowd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return every class's sum of IoUs (C,), and its TP, FP and FN (3, C), in an image."""
        size = len(self._known.ids)
        void = met.truth_classes == size
        alike = met.truth_classes[:, None] == met.classes
        areas, in_void = met.pixels.sum(axis=0), met.pixels[void].sum(axis=0)
        unions = met.pixels.sum(axis=1)[:, None] + (areas - in_void) - met.pixels
        matches = self.matches(met.pixels, unions, met.classes) & alike
        matches &= ~(void | crowd)[:, None]
        truths, found = np.nonzero(matches)
        ious = np.zeros(size)
        np.add.at(ious, met.classes[found], met.pixels[truths, found] / unions[truths, found])
        spared = in_void + (met.pixels * alike)[crowd].sum(axis=0)
        false = ~matches.any(axis=0) & (met.classes < size) & (2 * spared <= areas)
        hit = matches.any(axis=1)
        owners = (met.truth_classes[hit], met.classes[false])
        missed = met.truth_classes[~(hit | void | crowd)]
        return ious, np.stack([np.bincount(c, minlength=size) for c in (*owners, missed)])

    def matches(self, pixels: np.ndarray, unions: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """Return which pairs (T, P) of segments match if they have the same class.

        Args:
            pixels: The pixels of their intersections.
            unions: The pixels of their unions.
            classes: The indices of the classes of predicted segments (P,).
        """
        return 2 * pixels > unions

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the means over classes."""
        ious, (tp, fp, fn) = results.iou.tolist(), results.segments.tolist()
        halves = [2 * t + p + n for t, p, n in zip(tp, fp, fn, strict=True)]
        nowhere = [c for c, number in enumerate(halves) if not number]
        return self._averages(
            {
                "pq": class_values([2 * iou for iou in ious], halves, ignored=nowhere),
                "sq": class_values(ious, tp, ignored=nowhere),
                "rq": class_values([2 * t for t in tp], halves, ignored=nowhere),
            }
        )

    def _averages(self, values: dict[str, list[float]]) -> dict[str, Any]:
        """Return every value's means over all classes, things and stuffs, and its list."""
        things = len(self._known.things)
        parts = {"": slice(None), "_things": slice(things), "_stuffs": slice(things, None)}
        found: dict[str, Any] = {
            key + suffix: mean_of_classes(several[part])
            for suffix, part in parts.items()
            for key, several in values.items()
        }
        if self.classwise:
            found |= {f"{key}_classwise": several for key, several in values.items()}
        return found


class ModifiedPanopticQuality(PanopticQuality):
    """Modified panoptic quality: like panoptic quality, but segments of stuff need not match.

    Things are classes whose instances are distinguished, such as persons; stuff are the other
    classes, such as sky. For things the value is that of `PanopticQuality`. For a class of stuff it
    is the sum of its IoU over all images in which ground truth and prediction have it, however
    small the IoU is, divided by the number of its segments in ground truths. Source: L. Porzi et
    al., "Seamless scene segmentation" (CVPR 2019).

    Formula:
        PQ_things = (sum_(matches) IoU) / (TP + FP/2 + FN/2)
        PQ_stuff = (sum IoU) / truths

    Args:
        **options: As for `PanopticQuality`.

    Returns of `compute`: `pq_modified`, `pq_modified_things`, `pq_modified_stuffs`, and with
    `classwise` `pq_modified_classwise`, in [0, 1]; nan if no class is in any map. Higher is better.

    Raises:
        ValueError: No class is given, or a class is given twice, or `unknown` is neither "raise"
            nor "void".
        TypeError: A class is not an integer.

    Example:
        >>> import numpy as np
        >>> truth, found = [[7, 7, 7, 8]], [[7, 8, 8, 8]]
        >>> metric = ModifiedPanopticQuality(things=[], stuffs=[7, 8])
        >>> metric.add([np.stack([found] * 2, axis=-1)], [np.stack([truth] * 2, axis=-1)])
        >>> metric.compute()["pq_modified"]  # 1/3 of both
        0.3333333333333333
    """

    def matches(self, pixels: np.ndarray, unions: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """Return which pairs match: for stuff, all pairs that overlap."""
        stuff = classes >= len(self._known.things)
        return (2 * pixels > unions) | ((pixels > 0) & stuff)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the means over classes."""
        ious, (tp, fp, fn) = results.iou.tolist(), results.segments.tolist()
        things = len(self._known.things)
        halves = [
            2 * t + n + (p if c < things else n)
            for c, (t, p, n) in enumerate(zip(tp, fp, fn, strict=True))
        ]
        nowhere = [c for c, number in enumerate(halves) if not number]
        values = class_values([2 * iou for iou in ious], halves, ignored=nowhere)
        return self._averages({"pq_modified": values})
