"""MMEval's path of `MPI4PyDist`."""

from mmeval_like.backends.mpi4py.backend import MPI4PyDist

__all__ = ["MPI4PyDist"]
