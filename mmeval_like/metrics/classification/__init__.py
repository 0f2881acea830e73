"""Classification metrics: counts of right and wrong decisions, and losses of probabilities."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Classification
    from .accuracy import Accuracy as Accuracy
    from .precision_recall_f1score import PrecisionRecallF1score as PrecisionRecallF1score
    from .single_label import SingleLabelPrecisionRecallF1score as SingleLabelPrecisionRecallF1score
    from .multi_label import MultiLabelPrecisionRecallF1score as MultiLabelPrecisionRecallF1score
    from .f1_score import F1Score as F1Score
    from .fbeta_score import Precision as Precision
    from .fbeta_score import Recall as Recall
    from .fbeta_score import FBetaScore as FBetaScore
    from .specificity import Specificity as Specificity
    from .specificity import NegativePredictiveValue as NegativePredictiveValue
    from .specificity import FalsePositiveRate as FalsePositiveRate
    from .specificity import FalseNegativeRate as FalseNegativeRate
    from .jaccard_index import JaccardIndex as JaccardIndex
    from .jaccard_index import HammingDistance as HammingDistance
    from .subset_accuracy import SubsetAccuracy as SubsetAccuracy
    from .balanced_accuracy import BalancedAccuracy as BalancedAccuracy
    from .balanced_accuracy import GeometricMean as GeometricMean
    from .balanced_accuracy import Informedness as Informedness
    from .balanced_accuracy import Markedness as Markedness
    from .balanced_accuracy import LikelihoodRatios as LikelihoodRatios
    from .stat_scores import StatScores as StatScores
    from .stat_scores import ClassificationReport as ClassificationReport
    from .confusion_matrix import ConfusionMatrix as ConfusionMatrix
    from .cohen_kappa import CohenKappa as CohenKappa
    from .matthews_corrcoef import MatthewsCorrCoef as MatthewsCorrCoef
    from .fairness import GroupStatRates as GroupStatRates
    from .fairness import Fairness as Fairness
    from .mcnemar import McNemar as McNemar
    from .hinge_loss import HingeLoss as HingeLoss
    from .prediction_entropy import PredictionEntropy as PredictionEntropy
    from .prediction_entropy import NormalizedEntropy as NormalizedEntropy
    from .prediction_entropy import WeightedCalibration as WeightedCalibration
    from .prediction_entropy import ClickThroughRate as ClickThroughRate
    from .log_loss import LogLoss as LogLoss
    from .brier_score import BrierScore as BrierScore
    from .d2_log_loss import D2LogLoss as D2LogLoss
    from .d2_log_loss import D2Brier as D2Brier
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
