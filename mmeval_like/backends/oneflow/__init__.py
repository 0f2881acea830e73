"""OneFlow's collectives. Importing this package imports and initialises OneFlow."""

from mmeval_like.backends.oneflow.backend import OneFlowDist

__all__ = ["OneFlowDist"]
