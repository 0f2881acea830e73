"""Collectives for direct use, on every backend, and also without a distributed run.

Functions return their result and do not change their arguments, except `broadcast_tensors`,
`sync_buffer` and `sync_grad`, whose purpose is to write. Every function takes `dist_backend=`, a
backend's name or instance; None is the automatic choice. In a single process, each collective is
the identity.
"""

from mmeval_like.dist.average import average_metrics
from mmeval_like.dist.arrays import (
    all_gather,
    all_reduce,
    all_reduce_dict,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    scatter,
)
from mmeval_like.dist.info import (
    barrier,
    get_backend,
    get_dist_info,
    get_local_rank,
    get_local_size,
    get_rank,
    get_world_size,
    is_distributed,
    is_main_process,
    master_only,
)
from mmeval_like.dist.nccl import NcclOptLevel, set_nccl_opt_level
from mmeval_like.dist.objects import (
    all_gather_object,
    broadcast_object,
    broadcast_object_list,
    collect_results,
    gather_object,
    scatter_object,
    sync_random_seed,
)
from mmeval_like.dist.pairwise import pairwise_apply
from mmeval_like.dist.parameters import broadcast_tensors, sync_buffer, sync_grad
from mmeval_like.dist.setup import init_dist, init_process_group

__all__ = [
    "NcclOptLevel",
    "all_gather",
    "all_gather_object",
    "all_reduce",
    "all_reduce_dict",
    "average_metrics",
    "barrier",
    "broadcast",
    "broadcast_object",
    "broadcast_object_list",
    "broadcast_tensors",
    "collect_results",
    "gather",
    "gather_object",
    "get_backend",
    "get_dist_info",
    "get_local_rank",
    "get_local_size",
    "get_rank",
    "get_world_size",
    "init_dist",
    "init_process_group",
    "is_distributed",
    "is_main_process",
    "master_only",
    "pairwise_apply",
    "reduce",
    "reduce_scatter",
    "scatter",
    "scatter_object",
    "set_nccl_opt_level",
    "sync_buffer",
    "sync_grad",
    "sync_random_seed",
]
