"""A group of processes over plain TCP, without torch and without MPI."""

from mmeval_like.backends.zmq.backend import ZmqDist

__all__ = ["ZmqDist"]
