"""MMAction2's evaluators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import mmeval_like as mm
from mmeval_like.integrations.openmmlab.adapter import (
    Adapter,
    Unsupported,
    array_of,
    log_table,
)

__all__ = ["AVAMetric", "AccMetric"]

_SHARES = ("top_k_accuracy", "mean_class_accuracy")
_FUSED = {"1:1": (1, 1), "2:1": (2, 1), "1:2": (1, 2)}  # weights of RGB and of poses


class AccMetric(Adapter):
    """`mmaction.AccMetric`: the share of videos of right class, and its mean over classes.

    Equal scores are ranked from the highest class down for `top1` and `top5`, from the lowest up
    for `mean1`, as there. Scores may be a dict of several heads.

    Raises:
        Unsupported: The mean average precisions.
    """

    default_prefix = "acc"

    def __init__(
        self,
        metric_list: str | tuple[str, ...] = _SHARES,
        collect_device: str = "cpu",
        metric_options: Mapping[str, Any] | None = None,
        prefix: str | None = None,
    ) -> None:
        self.shares = (metric_list,) if isinstance(metric_list, str) else tuple(metric_list)
        if not set(self.shares) <= set(_SHARES):
            raise Unsupported(f"{metric_list=}")
        topk = ((metric_options or {}).get("top_k_accuracy") or {}).get("topk", (1, 5))
        self.topk = (topk,) if isinstance(topk, int) else tuple(topk)
        self.heads: tuple[str, ...] = ()
        super().__init__(_Classes(self.topk, 1), prefix, collect_device)

    def process(self, data_batch: Any, data_samples: Sequence[Mapping[str, Any]]) -> None:
        """Add a batch of data samples, of which the first says what heads there are."""
        scores = data_samples[0]["pred_score"] if len(data_samples) else {}
        if isinstance(scores, Mapping) and not self.heads and scores:
            self.heads = tuple(_with_fused(scores))
            self.use(_Classes(self.topk, len(self.heads)))
        super().process(data_batch, data_samples)

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the scores of every head (N, heads, C), and the labels."""
        scores = []
        for one in data_samples:
            given = one["pred_score"]
            heads = _with_fused(given).values() if isinstance(given, Mapping) else [given]
            scores.append(np.stack([array_of(head) for head in heads]))
        return {"scores": scores, "labels": [int(one["gt_label"]) for one in data_samples]}

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the shares of every head."""
        values: dict[str, float] = {}
        starts = [f"{head}_" for head in self.heads] or [""]
        for place, start in enumerate(starts):
            for share in self.shares:
                if share == "top_k_accuracy":
                    values |= {f"{start}top{k}": result[f"top{k}"][place] for k in self.topk}
                else:
                    values[f"{start}mean1"] = result["mean1"][place]
        return values


def _with_fused(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scores of the heads, and, of RGB and poses, their weighted sums."""
    found = {name: array_of(one) for name, one in scores.items()}
    if found.keys() == {"rgb", "pose"}:
        both = np.stack([found["rgb"], found["pose"]])
        for name, weights in _FUSED.items():
            found[f"RGBPose_{name}"] = np.dot(both.T, np.array(weights)).T
    return found


class _Classes(mm.BaseMetric):
    """Right videos among the first k, and among those of each class, of several heads."""

    def __init__(self, topk: tuple[int, ...], heads: int) -> None:
        super().__init__()
        self.topk, self.heads = topk, heads

    def states(self) -> dict[str, Any]:
        """Return the videos, those that are right among the first k, and counts of classes."""
        by_class = [f"{name}{head}" for head in range(self.heads) for name in ("seen", "found")]
        shape = (self.heads, len(self.topk))
        return {
            "videos": mm.state.sum(int),
            "right": mm.state.sum(int, shape),
            **{name: mm.state.count(None) for name in by_class},
        }

    def rows(self, scores: Any, labels: Any) -> dict[str, Any]:
        """Return one row per video.

        Args:
            scores: The scores of every head and class (heads, C) for each video.
            labels: The class of each video.
        """
        known = np.asarray(labels, np.int64)
        right = np.zeros((len(known), self.heads, len(self.topk)), np.int64)
        best = np.zeros((len(known), self.heads), np.int64)
        for row, (one, label) in enumerate(zip(scores, known, strict=True)):
            order = np.argsort(one, axis=1, kind="stable")
            for place, k in enumerate(self.topk):
                right[row, :, place] = (order[:, -k:] == label).any(axis=1)
            best[row] = one.argmax(axis=1)
        rows = {"videos": np.ones(len(known), np.int64), "right": right}
        for head in range(self.heads):
            # A class and whether it was found, as one code.
            rows[f"seen{head}"] = 2 * known + (best[:, head] == known)
            rows[f"found{head}"] = best[:, head]
        return rows

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Return lists with a number for every head."""
        right = np.asarray(results.right) / results.videos
        values = {f"top{k}": right[:, place].tolist() for place, k in enumerate(self.topk)}
        values["mean1"] = [
            _mean(getattr(results, f"seen{head}"), getattr(results, f"found{head}"))
            for head in range(self.heads)
        ]
        return values


def _mean(seen: np.ndarray, found: np.ndarray) -> float:
    """Return the mean over classes that are labelled or predicted; 0 for those never labelled."""
    missed, right = np.resize(np.append(seen, 0), (len(seen) + 1) // 2 * 2).reshape(-1, 2).T
    labelled = missed + right
    size = max(len(labelled), len(found))
    known = np.zeros(size, bool)
    known[: len(labelled)] |= labelled > 0
    known[: len(found)] |= np.asarray(found) > 0
    return float((right[labelled > 0] / labelled[labelled > 0]).sum() / known.sum())


class AVAMetric(Adapter):
    """`mmaction.AVAMetric`: the mean average precision of actions, and those of three groups.

    Boxes and scores are rounded to 4 decimals, as in the file that MMAction2 writes of them. A
    frame without annotations does not count, and neither does an action that is never detected.
    """

    default_prefix = "mAP"

    def __init__(
        self,
        ann_file: str,
        exclude_file: str | None,
        label_file: str,
        options: tuple[str, ...] = ("mAP",),
        action_thr: float | Sequence[float] = 0.002,
        num_classes: int = 81,
        custom_classes: list[int] | None = None,
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        if tuple(options) != ("mAP",):
            raise Unsupported(f"{options=}")
        self.action_thr = action_thr
        actions = _Actions(
            ann_file, label_file, exclude_file, num_classes, custom_classes, verbose=False
        )
        super().__init__(actions, prefix, collect_device)

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the detections of every action in every frame."""
        return {
            "predictions": [
                {
                    "video_id": one["video_id"],
                    "timestamp": one["timestamp"],
                    "outputs": self._outputs(one["pred_instances"]),
                }
                for one in data_samples
            ]
        }

    def _outputs(self, found: Mapping[str, Any]) -> list[np.ndarray]:
        """Return the boxes and scores of every action, (n, 5), without those of low score."""
        boxes, scores = (
            np.round(array_of(found[key]).astype(np.float64), 4).astype(np.float32)
            for key in ("bboxes", "scores")
        )
        given = array_of(found["scores"])[:, 1:]  # the first is of no action
        thrs = np.broadcast_to(np.asarray(self.action_thr, given.dtype), scores.shape[1])[1:]
        if np.ndim(self.action_thr) or (thrs >= 0).all():
            kept = given > thrs
        else:
            kept = given.argmax(axis=1)[:, None] == np.arange(given.shape[1])
        return [
            np.hstack([boxes[own, :4], scores[own, place : place + 1]])
            for place, own in enumerate(kept.T, 1)
        ]

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the means over all actions and over the groups; log those of the actions."""
        by_action = result["by_action"]
        log_table(
            "per class results:",
            {
                "Action": [name for name, _ in by_action.values()],
                "AP": [f"{value:.4f}" for _, value in by_action.values()],
            },
        )
        known = {action: value for action, (_, value) in by_action.items() if value == value}
        return {
            name: float(np.mean(own)) if own else float("nan")
            for name, actions in _GROUPS.items()
            for own in [[value for action, value in known.items() if action in actions]]
        }


_GROUPS = {  # the ids of actions
    "overall": range(1 << 31),
    "person_movement": range(15),
    "object_manipulation": range(15, 64),
    "person_interaction": range(64, 1 << 31),
}


class _Actions(mm.AVAMeanAP):
    """AVA's average precisions, of the actions and frames that count in MMAction2."""

    def rows(self, predictions: Any) -> dict[str, Any]:
        """Return one row per frame; one without annotations has no detections."""
        frames = [(str(one["video_id"]), int(one["timestamp"])) for one in predictions]
        nothing = [np.empty((0, 5), np.float32)] * len(self._classes)
        annotated = self._truths.of(frames).lengths > 0
        return super().rows(
            [
                one if there else {**one, "outputs": nothing}
                for one, there in zip(predictions, annotated, strict=True)
            ]
        )

    def compute_metric(self, results: Any) -> Any:
        """Return the name and the average precision of each action that is detected."""
        return {"by_action": self._of_detected(results)}
