"""MPI, through mpi4py: Open MPI, MPICH and whatever else mpi4py finds."""

from mmeval_like.backends.mpi4py.backend import MPI4PyDist

__all__ = ["MPI4PyDist"]
