"""The metrics: one file each."""

from mmeval_like.metrics.accuracy import Accuracy
from mmeval_like.metrics.bleu import BLEU
from mmeval_like.metrics.char_recall_precision import CharRecallPrecision
from mmeval_like.metrics.hmean_iou import HmeanIoU
from mmeval_like.metrics.mean_iou import MeanIoU
from mmeval_like.metrics.mean_squared_error import MeanSquaredError
from mmeval_like.metrics.rouge import ROUGE
from mmeval_like.metrics.single_label import SingleLabelPrecisionRecallF1score
from mmeval_like.metrics.word_accuracy import WordAccuracy

__all__ = [
    "BLEU",
    "ROUGE",
    "Accuracy",
    "CharRecallPrecision",
    "HmeanIoU",
    "MeanIoU",
    "MeanSquaredError",
    "SingleLabelPrecisionRecallF1score",
    "WordAccuracy",
]
