"""What each of two ranks computes: `forward`, `compute`, `reset`; prints the values."""

import json
from typing import Any

import torch
import torch.distributed as dist

from mmeval_like.compat import torchmetrics as tm


def metrics() -> dict[str, Any]:
    """Return a metric of each family."""
    return {
        "accuracy": tm.Accuracy(task="multiclass", num_classes=3, average="macro"),
        "each": tm.classification.BinaryF1Score(multidim_average="samplewise"),
        "iou": tm.JaccardIndex(task="multiclass", num_classes=3),
        "auroc": tm.AUROC(task="multiclass", num_classes=3),
        "matrix": tm.ConfusionMatrix(task="multiclass", num_classes=3),
        "curve": tm.ROC(task="multiclass", num_classes=3),
        "point": tm.RecallAtFixedPrecision(task="multiclass", num_classes=3, min_precision=0.4),
        "match": tm.ExactMatch(task="multiclass", num_classes=3),
        "loss": tm.MeanSquaredError(),
        "explained": tm.R2Score(),
        "order": tm.SpearmanCorrCoef(),
        "mean": tm.MeanMetric(),
        "all": tm.CatMetric(),
    }


def inputs(name: str, rows: list[int]) -> tuple[Any, ...]:
    """Return the samples of these rows."""
    scores = torch.rand(11, 3, generator=torch.Generator().manual_seed(1))[rows]
    if name in ("mean", "all"):
        return (scores[:, 0],)
    if name in ("loss", "explained", "order"):
        return scores[:, 0], scores[:, 1]
    if name == "each":
        return scores, (torch.arange(33).reshape(11, 3) % 2)[rows]
    return scores, (torch.arange(11) % 3)[rows]


def listed(value: Any) -> Any:
    """Return tensors as numbers and lists."""
    return [*map(listed, value)] if isinstance(value, tuple | list) else value.tolist()


def run(rank: int, size: int) -> dict[str, Any]:
    """Return the values of all rows, of which this rank has a run or all, in batches of two."""
    values = {}
    for name, metric in metrics().items():
        own = [*range(rank * 6, 11 if rank == size - 1 else 6)]
        if name == "explained":  # all of its samples are on one rank; it refuses a batch of one
            own = [] if rank else [*range(10)]
        for _ in range(2):
            for start in range(0, len(own), 2):
                metric(*inputs(name, own[start : start + 2]))
            values[name] = listed(metric.compute())
            metric.reset()
    return values


if __name__ == "__main__":
    dist.init_process_group("gloo")
    print(json.dumps(run(dist.get_rank(), dist.get_world_size())))
    dist.destroy_process_group()
