"""MMEval's path of `OneFlowDist`."""

from mmeval_like.backends.oneflow.backend import OneFlowDist

__all__ = ["OneFlowDist"]
