"""Rank 1 is interrupted within its third compute: ``interrupt_program.py WAY PART``.

PART of the lines of the exchange have run by then; the second compute counts them, since the first
one also prepares what is kept.
"""

import sys

from mmeval_like.testing.same import same
from tests.distributed.fault_program import connect
from tests.exchange import test_interrupts
from tests.exchange.interrupting import Interrupting


def main(way, part):
    """Compute five times."""
    backend = connect("mpi4py")
    metric = getattr(test_interrupts, way)(backend)
    expected = metric.compute()
    with Interrupting(0) as counting:
        metric.compute()
    for turn in range(3):
        n = int(float(part) * counting.lines) if backend.rank == 1 and turn == 0 else 0
        try:
            with Interrupting(n):
                found = metric.compute()
            print("right" if same(found, expected) else f"wrong: {found}", flush=True)
        except Exception as error:
            print(type(error).__name__, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
