"""AUROC and average precision over all ranks, beside what one would write by hand.

By hand: one all-gather of 4 bytes per sample (float32 scores, the label in the sign) and one sort,
by numpy, which is several times as fast as torch. The labels are lost in it, and nothing is made of
what was sorted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.distributed as dist

import mmeval_like as mm
from benchmarks.timing import BOUND, alternate

SAMPLES = 1_000_000  # on each rank
BATCH = 8192
BY_TORCH = "by hand, torch's sort"


def measure(rounds: int) -> dict[str, Any]:
    """By metric: how many times as long as by hand, in the median and at best; the seconds."""
    rng = np.random.default_rng(dist.get_rank())
    labels = rng.integers(0, 2, SAMPLES)
    scores = (rng.random(SAMPLES, np.float32) + labels.astype(np.float32)) / 2
    mine = torch.from_numpy(np.where(labels, scores, -scores))
    joined = torch.empty(SAMPLES * dist.get_world_size())

    def by_hand() -> None:
        dist.all_gather_into_tensor(joined, mine)
        np.sort(joined.numpy())

    def by_torch() -> None:
        dist.all_gather_into_tensor(joined, mine)
        torch.sort(joined)

    metrics = {"AUROC": mm.AUROC(), "AveragePrecision": mm.AveragePrecision()}
    for start in range(0, SAMPLES, BATCH):
        part = slice(start, start + BATCH)
        metrics["AUROC"].add(scores[part], labels[part])
        metrics["AveragePrecision"].add(scores[part, None], labels[part, None])
    calls = {name: metric.compute for name, metric in metrics.items()}
    times = alternate({BOUND: by_hand, BY_TORCH: by_torch, **calls}, rounds, 1)
    return {name: [t.times_bound, t.times_bound_at_best, t.median] for name, t in times.items()}
