"""torch.distributed: gloo, NCCL, and groups that mix them."""

from mmeval_like.backends.torch.backend import TorchCPUDist, TorchCUDADist, TorchDist

__all__ = ["TorchCPUDist", "TorchCUDADist", "TorchDist"]
