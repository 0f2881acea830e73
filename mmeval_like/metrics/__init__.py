"""The metrics: one file each."""

from mmeval_like.metrics.accuracy import Accuracy
from mmeval_like.metrics.mean_iou import MeanIoU
from mmeval_like.metrics.mean_squared_error import MeanSquaredError
from mmeval_like.metrics.single_label import SingleLabelPrecisionRecallF1score

__all__ = [
    "Accuracy",
    "MeanIoU",
    "MeanSquaredError",
    "SingleLabelPrecisionRecallF1score",
]
