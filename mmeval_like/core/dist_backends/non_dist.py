"""MMEval's path of `NonDist`."""

from mmeval_like.backends.non_dist import NonDist

__all__ = ["NonDist"]
