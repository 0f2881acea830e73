"""MMEval's paths of the backends; a library is imported with the first use of its backend."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    from .base_backend import BaseDistBackend as BaseDistBackend
    from .mpi4py import MPI4PyDist as MPI4PyDist
    from .non_dist import NonDist as NonDist
    from .oneflow_dist import OneFlowDist as OneFlowDist
    from .paddle_dist import PaddleDist as PaddleDist
    from .torch_cpu import TorchCPUDist as TorchCPUDist
    from .torch_cuda import TorchCUDADist as TorchCUDADist
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
