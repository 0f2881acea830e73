"""MMEval's path of `BaseMetric`."""

from mmeval_like import BaseMetric

__all__ = ["BaseMetric"]
