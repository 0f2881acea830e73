"""The paths of `mmeval.core`, for programs that used MMEval; each name is one of the package.

Example:
    >>> import mmeval_like as mmeval
    >>> mmeval.core.BaseMetric is mmeval.BaseMetric
    True
    >>> from mmeval_like.core.dist_backends.base_backend import BaseDistBackend
    >>> BaseDistBackend is mmeval.BaseDistBackend
    True
"""

from mmeval_like.core import base_metric, dist, dist_backends
from mmeval_like.core.base_metric import BaseMetric
from mmeval_like.core.dist import get_dist_backend, list_all_backends, set_default_dist_backend

__all__ = [
    "BaseMetric",
    "base_metric",
    "dist",
    "dist_backends",
    "get_dist_backend",
    "list_all_backends",
    "set_default_dist_backend",
]
