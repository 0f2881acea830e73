"""Metrics over all score thresholds: curves, areas, operating points, and calibration."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Classification
    from .average_precision import AveragePrecision as AveragePrecision
    from .auroc import AUROC as AUROC
    from .roc import ROC as ROC
    from .roc import DETCurve as DETCurve
    from .precision_recall_curve import PrecisionRecallCurve as PrecisionRecallCurve
    from .operating_points import EqualErrorRate as EqualErrorRate
    from .operating_points import PrecisionAtFixedRecall as PrecisionAtFixedRecall
    from .operating_points import RecallAtFixedPrecision as RecallAtFixedPrecision
    from .operating_points import SensitivityAtSpecificity as SensitivityAtSpecificity
    from .operating_points import SpecificityAtSensitivity as SpecificityAtSensitivity
    from .best_threshold import BestThreshold as BestThreshold
    from .best_threshold import MetricAtThresholds as MetricAtThresholds
    from .roc_numbers import LogAUC as LogAUC
    from .roc_numbers import KolmogorovSmirnov as KolmogorovSmirnov
    from .roc_numbers import GiniCoefficient as GiniCoefficient
    from .area_under_curve import AreaUnderCurve as AreaUnderCurve
    from .label_ranking import CoverageError as CoverageError
    from .label_ranking import LabelRankingAveragePrecision as LabelRankingAveragePrecision
    from .label_ranking import LabelRankingLoss as LabelRankingLoss
    from .calibration_error import CalibrationError as CalibrationError
    from .reliability_diagram import ReliabilityDiagram as ReliabilityDiagram
    from .reliability_diagram import BrierDecomposition as BrierDecomposition
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
