"""Ranks that exchange along gloo's tree, where one fails and later leaves: ``tree_program.py R``.

Every other rank prints, for either fault, the type and text of its error and how long it took.
"""

import datetime
import os
import sys
import time

import torch.distributed

from mmeval_like.backends.torch import TorchDist
from mmeval_like.slot import slot_bytes

TIMEOUT = 300
SLOT = slot_bytes(7)


def exchange(backend, size):
    """What every rank has comes to every rank, whatever was exchanged before."""
    sent = [bytes((size + rank + place) % 256 for place in range(size)) for rank in range(7)]
    came = backend.all_gather_bytes(sent[backend.rank])
    assert [bytes(data) for data in came] == sent[: backend.world_size], size


def main(wrong):
    """Run the job."""
    torch.distributed.init_process_group("gloo", timeout=datetime.timedelta(seconds=TIMEOUT))
    backend = TorchDist()
    for size in (5, SLOT, 0, 1, SLOT, SLOT, 100_003, 5, SLOT):
        exchange(backend, size)
    for fault, size in (("fails", 5), ("fails", SLOT), ("leaves", SLOT)):
        start = time.monotonic()
        try:
            if backend.rank == wrong and fault == "leaves":
                os._exit(0)
            backend.all_gather_bytes(([None] if backend.rank == wrong else b"?") * size)
        except Exception as error:
            seconds = time.monotonic() - start
            print(f"{fault}; {seconds:.1f}; {type(error).__name__}: {error}", flush=True)
        if fault == "fails":
            torch.distributed.barrier()
            for length in (5, SLOT):
                exchange(TorchDist(), length)  # of another backend, in the same group
                exchange(backend, length)
    time.sleep(3)  # the others look for this rank's mark
    os._exit(0)  # torch may abort a process that leaves a broken group behind


if __name__ == "__main__":
    main(int(sys.argv[1]))
