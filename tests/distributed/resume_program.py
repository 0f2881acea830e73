"""An evaluation that saves after every batch: ``resume_program.py FOLDER RUN KILL_AFTER``.

Rank 1 kills itself after KILL_AFTER batches; -1: never.
"""

import json
import os
import signal
import sys
from pathlib import Path

import numpy as np

import mmeval_like as mm

SIZE = 60


def main(folder: Path, run: int, kill_after: int) -> None:
    """Continue what earlier runs saved; print the result on rank 0."""
    backend = mm.get_dist_backend("mpi4py" if run >= 0 else "non_dist")
    metric = mm.MeanSquaredError(dist_backend=backend)
    parts = sorted(folder.glob("*.safetensors"))  # a killed rank may leave a *.part
    metric.load([path for path in parts if path.name < f"run{run:03}"])
    mine = metric.remaining(SIZE)[backend.rank :: backend.world_size]
    for number, batch in enumerate(np.split(mine, range(4, len(mine), 4))):
        if (backend.rank, number) == (1, kill_after):
            os.kill(os.getpid(), signal.SIGKILL)
        if len(batch) == 0:
            continue
        images = np.random.default_rng(0).random((SIZE, 3, 3))[batch] * 255
        metric.add(images, images / (batch[:, None, None] + 2), ids=batch)
        metric.save(folder / f"run{run:03}-rank{backend.rank}.safetensors")
    result = metric.compute(size=SIZE)
    if backend.rank == 0:
        print(json.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
