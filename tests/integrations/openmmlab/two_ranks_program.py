"""One rank of a torch job, in which OpenMMLab's evaluators and ours compute the same samples.

Rank 0 prints a line for each evaluator: its name, and what differs.
"""

import contextlib
import io
import sys
import warnings
from pathlib import Path

import numpy as np
import torch.distributed as dist
from mmengine.evaluator import Evaluator

from mmeval_like.integrations import openmmlab
from mmeval_like.integrations.openmmlab.checked import differences
from tests.integrations.openmmlab.cases import CASES, CONFIGS, filled
from tests.integrations.openmmlab.originals import original


def compared(name: str, folder: Path) -> list[str]:
    """What differs on two ranks between an evaluator and ours, built from a config by its class."""
    package, _, kind = name.partition("/")[0].partition(".")
    theirs = original(package, kind)
    for turn in range(2):  # both write the files that the ranks read
        if turn == dist.get_rank():
            meta, samples = CASES[name](np.random.default_rng(5), folder)
        dist.barrier()
    padded = samples + samples[: len(samples) % 2]  # as MMEngine's sampler does
    options = filled(CONFIGS[name][0], folder)
    openmmlab.take_over(check=True)
    found = Evaluator([{"type": theirs, **options}])
    [both] = found.metrics
    found.dataset_meta = meta
    found.process(padded[dist.get_rank() :: 2])
    values = [one.evaluate(len(samples)) for one in (both.ours, both.original)]
    return differences(*values, both.ours.digits)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    rank, folder = int(sys.argv[1]), Path(sys.argv[2])
    address = f"file://{folder / 'meeting'}"
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=2)
    for name in CASES:
        with contextlib.redirect_stdout(io.StringIO()):
            found = compared(name, folder)
        print("compared", name, found or "equal", flush=True)
