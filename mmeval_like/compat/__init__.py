"""The interfaces of other packages, in front of metrics: one file or folder for each package."""

from mmeval_like.compat.evaluate import LoadedMetrics, load

__all__ = ["LoadedMetrics", "load"]
