"""Two ranks of MPI, of which one does not wait for the other: ``abandoned_program.py HOW``.

HOW is "late": the other comes after the time limit; "interrupted", by a signal; or "begun": the
signal comes when MPI has begun, before the wait.
"""

import signal
import sys
import weakref

from mpi4py import MPI

import mmeval_like as mm
from mmeval_like.backends.mpi4py import MPI4PyDist

begun, armed = [], []  # what MPI was asked to write into; whether the signal comes


class Watched(MPI.Intracomm):
    """A communicator that notes its duplicates."""

    def Idup(self):  # MPI's name
        """Begin to duplicate it."""
        duplicate, request = super().Idup()
        begun.append(weakref.ref(duplicate))
        return duplicate, request

    def Iallgather(self, mine, joined):  # MPI's name
        """Begin to gather; then comes the signal."""
        request = super().Iallgather(mine, joined)
        if armed:
            begun.append(weakref.ref(joined[0]))
            signal.raise_signal(signal.SIGALRM)
        return request


def main(how):
    """What MPI may still write into is kept, and nothing else is begun."""
    spare = MPI.COMM_WORLD.Dup()
    timeout = 0.5 if how == "late" else 60
    metric = mm.Accuracy(dist_backend=MPI4PyDist(Watched(MPI.COMM_WORLD.Dup()), timeout=timeout))
    metric.add([1], [1])
    if how == "begun":
        metric.compute()
        begun.clear()
        armed.append(True)
    if spare.rank == 1:
        spare.recv(source=0)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(how == "interrupted")
    errors = []
    for _ in range(3):
        try:
            metric.compute()
        except (mm.SyncTimeoutError, KeyboardInterrupt, RuntimeError) as error:
            errors.append(type(error).__name__)
    if spare.rank == 0:
        spare.send("come", 1)
    first = "SyncTimeoutError" if how == "late" else "KeyboardInterrupt"
    # After an interrupt the exchange refuses to go on; after a timeout MPI's own waiting does.
    refused = "SyncTimeoutError" if how == "late" else "RuntimeError"
    assert errors == [first, refused, refused]
    assert len(begun) == 1
    assert begun[0]() is not None
    print("kept", flush=True)
    spare.sendrecv("printed", 1 - spare.rank)  # the first that ends ends the job


if __name__ == "__main__":
    main(*sys.argv[1:])
