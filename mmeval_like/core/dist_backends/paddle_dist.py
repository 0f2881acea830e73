"""MMEval's path of `PaddleDist`."""

from mmeval_like.backends.paddle import PaddleDist

__all__ = ["PaddleDist"]
