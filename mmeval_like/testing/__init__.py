"""Tools to test your own metrics and backends; they need no test framework."""

from mmeval_like.testing.backend_laws import backend_laws, check_backend
from mmeval_like.testing.local_world import LocalWorld
from mmeval_like.testing.metric_case import MetricCase
from mmeval_like.testing.metric_laws import check_metric, metric_laws
from mmeval_like.testing.state_laws import StateCase, check_state, state_laws

__all__ = [
    "LocalWorld",
    "MetricCase",
    "StateCase",
    "backend_laws",
    "check_backend",
    "check_metric",
    "check_state",
    "metric_laws",
    "state_laws",
]
