"""MMEval's path of `TorchCPUDist`."""

from mmeval_like.backends.torch.backend import TorchCPUDist

__all__ = ["TorchCPUDist"]
