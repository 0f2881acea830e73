"""MMEval's path of `TorchCUDADist`."""

from mmeval_like.backends.torch.backend import TorchCUDADist

__all__ = ["TorchCUDADist"]
