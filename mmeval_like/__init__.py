"""Distributed metric evaluation: the same samples give the same bits, on any number of ranks."""

from typing import Any as _Any

from mmeval_like import dist, state
from mmeval_like.average import average_metrics
from mmeval_like.backends import (
    BaseDistBackend,
    get_dist_backend,
    list_all_backends,
    register_backend,
    set_default_dist_backend,
)
from mmeval_like.collection import MetricCollection
from mmeval_like.errors import (
    DisagreementError,
    LauncherMismatchError,
    MissingBackendError,
    RemoteError,
    SyncTimeoutError,
    UnknownBackendError,
)
from mmeval_like.metric import BaseMetric, Statistic
from mmeval_like.metrics import *  # noqa: F403
from mmeval_like.metrics import __all__ as _metrics
from mmeval_like.metrics._aliases import resolve as _resolve

__version__ = "0.1.0"

__all__ = [
    "BaseDistBackend",
    "BaseMetric",
    "DisagreementError",
    "LauncherMismatchError",
    "MetricCollection",
    "MissingBackendError",
    "RemoteError",
    "Statistic",
    "SyncTimeoutError",
    "UnknownBackendError",
    "average_metrics",
    "dist",
    "get_dist_backend",
    "list_all_backends",
    "register_backend",
    "set_default_dist_backend",
    "state",
    *_metrics,
]


def __getattr__(name: str) -> _Any:
    return _resolve(__name__, name)
