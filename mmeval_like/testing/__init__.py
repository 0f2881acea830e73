"""Tools to test metrics and backends of one's own; they need no test framework."""

from mmeval_like.testing.backend_laws import backend_laws, check_backend
from mmeval_like.testing.local_world import LocalWorld
from mmeval_like.testing.metric_case import MetricCase
from mmeval_like.testing.metric_laws import check_metric, metric_laws

__all__ = [
    "LocalWorld",
    "MetricCase",
    "backend_laws",
    "check_backend",
    "check_metric",
    "metric_laws",
]
