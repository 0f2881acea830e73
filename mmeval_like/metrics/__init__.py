"""The metrics: one file each."""

from typing import Any as _Any

from mmeval_like.metrics._aliases import resolve as _resolve
from mmeval_like.metrics.accuracy import Accuracy
from mmeval_like.metrics.auroc import AUROC
from mmeval_like.metrics.ava_mean_ap import AVAMeanAP
from mmeval_like.metrics.average_precision import AveragePrecision
from mmeval_like.metrics.bleu import BLEU
from mmeval_like.metrics.brier_score import BrierScore
from mmeval_like.metrics.calibration_error import CalibrationError
from mmeval_like.metrics.char_recall_precision import CharRecallPrecision
from mmeval_like.metrics.coco_detection import COCODetection
from mmeval_like.metrics.cohen_kappa import CohenKappa
from mmeval_like.metrics.confusion_matrix import ConfusionMatrix
from mmeval_like.metrics.connectivity_error import ConnectivityError
from mmeval_like.metrics.dota_mean_ap import DOTAMeanAP
from mmeval_like.metrics.end_point_error import EndPointError
from mmeval_like.metrics.f1_score import F1Score
from mmeval_like.metrics.gradient_error import GradientError
from mmeval_like.metrics.hmean_iou import HmeanIoU
from mmeval_like.metrics.keypoint_auc import KeypointAUC
from mmeval_like.metrics.keypoint_end_point_error import KeypointEndPointError
from mmeval_like.metrics.keypoint_nme import KeypointNME
from mmeval_like.metrics.log_loss import LogLoss
from mmeval_like.metrics.matthews_corrcoef import MatthewsCorrCoef
from mmeval_like.metrics.matting_mean_squared_error import MattingMeanSquaredError
from mmeval_like.metrics.mean import Mean
from mmeval_like.metrics.mean_absolute_error import MeanAbsoluteError
from mmeval_like.metrics.mean_iou import MeanIoU
from mmeval_like.metrics.mean_squared_error import MeanSquaredError
from mmeval_like.metrics.multi_label import MultiLabelPrecisionRecallF1score
from mmeval_like.metrics.natural_image_quality import NaturalImageQualityEvaluator
from mmeval_like.metrics.oid_mean_ap import OIDMeanAP
from mmeval_like.metrics.pck_accuracy import JhmdbPCKAccuracy, MpiiPCKAccuracy, PCKAccuracy
from mmeval_like.metrics.peak_signal_noise_ratio import PeakSignalNoiseRatio
from mmeval_like.metrics.pearson_corrcoef import PearsonCorrCoef
from mmeval_like.metrics.perplexity import Perplexity
from mmeval_like.metrics.precision_recall_curve import PrecisionRecallCurve
from mmeval_like.metrics.precision_recall_f1score import PrecisionRecallF1score
from mmeval_like.metrics.proposal_recall import ProposalRecall
from mmeval_like.metrics.r2_score import R2Score
from mmeval_like.metrics.roc import ROC
from mmeval_like.metrics.root_mean_squared_error import RootMeanSquaredError
from mmeval_like.metrics.rouge import ROUGE
from mmeval_like.metrics.signal_noise_ratio import SignalNoiseRatio
from mmeval_like.metrics.single_label import SingleLabelPrecisionRecallF1score
from mmeval_like.metrics.spearman_corrcoef import SpearmanCorrCoef
from mmeval_like.metrics.structural_similarity import StructuralSimilarity
from mmeval_like.metrics.sum_absolute_differences import SumAbsoluteDifferences
from mmeval_like.metrics.voc_mean_ap import VOCMeanAP
from mmeval_like.metrics.word_accuracy import WordAccuracy

__all__ = [
    "AUROC",
    "BLEU",
    "ROC",
    "ROUGE",
    "AVAMeanAP",
    "Accuracy",
    "AveragePrecision",
    "BrierScore",
    "COCODetection",
    "CalibrationError",
    "CharRecallPrecision",
    "CohenKappa",
    "ConfusionMatrix",
    "ConnectivityError",
    "DOTAMeanAP",
    "EndPointError",
    "F1Score",
    "GradientError",
    "HmeanIoU",
    "JhmdbPCKAccuracy",
    "KeypointAUC",
    "KeypointEndPointError",
    "KeypointNME",
    "LogLoss",
    "MatthewsCorrCoef",
    "MattingMeanSquaredError",
    "Mean",
    "MeanAbsoluteError",
    "MeanIoU",
    "MeanSquaredError",
    "MpiiPCKAccuracy",
    "MultiLabelPrecisionRecallF1score",
    "NaturalImageQualityEvaluator",
    "OIDMeanAP",
    "PCKAccuracy",
    "PeakSignalNoiseRatio",
    "PearsonCorrCoef",
    "Perplexity",
    "PrecisionRecallCurve",
    "PrecisionRecallF1score",
    "ProposalRecall",
    "R2Score",
    "RootMeanSquaredError",
    "SignalNoiseRatio",
    "SingleLabelPrecisionRecallF1score",
    "SpearmanCorrCoef",
    "StructuralSimilarity",
    "SumAbsoluteDifferences",
    "VOCMeanAP",
    "WordAccuracy",
]


def __getattr__(name: str) -> _Any:
    return _resolve(__name__, name)
