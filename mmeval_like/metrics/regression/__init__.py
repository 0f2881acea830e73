"""Regression and forecast metrics."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Regression
    from .mean_absolute_error import MeanAbsoluteError as MeanAbsoluteError
    from .mean_squared_error import MeanSquaredError as MeanSquaredError
    from .root_mean_squared_error import RootMeanSquaredError as RootMeanSquaredError
    from .nrmse import NormalizedRootMeanSquaredError as NormalizedRootMeanSquaredError
    from .r2_score import R2Score as R2Score
    from .r2_score import ExplainedVariance as ExplainedVariance
    from .r2_score import RelativeSquaredError as RelativeSquaredError
    from .pearson_corrcoef import PearsonCorrCoef as PearsonCorrCoef
    from .spearman_corrcoef import SpearmanCorrCoef as SpearmanCorrCoef
    from .kendall_rank_corrcoef import KendallRankCorrCoef as KendallRankCorrCoef
    from .concordance_corrcoef import ConcordanceCorrCoef as ConcordanceCorrCoef
    from .percentage_errors import MeanAbsolutePercentageError as MeanAbsolutePercentageError
    from .percentage_errors import (
        SymmetricMeanAbsolutePercentageError as SymmetricMeanAbsolutePercentageError,
    )
    from .percentage_errors import (
        WeightedMeanAbsolutePercentageError as WeightedMeanAbsolutePercentageError,
    )
    from .tweedie_deviance_score import TweedieDevianceScore as TweedieDevianceScore
    from .tweedie_deviance_score import PoissonLoss as PoissonLoss
    from .tweedie_deviance_score import MeanSquaredLogError as MeanSquaredLogError
    from .tweedie_deviance_score import LogCoshError as LogCoshError
    from .median_absolute_error import MedianAbsoluteError as MedianAbsoluteError
    from .median_absolute_error import MaxError as MaxError
    from .median_absolute_error import MeanBias as MeanBias
    from .d2_pinball_score import D2PinballScore as D2PinballScore
    from .d2_pinball_score import D2TweedieScore as D2TweedieScore
    from .covariance import Covariance as Covariance
    from .minkowski_distance import MinkowskiDistance as MinkowskiDistance
    from .cosine_similarity import CosineSimilarity as CosineSimilarity
    from .cosine_similarity import KLDivergence as KLDivergence
    from .cosine_similarity import JensenShannonDivergence as JensenShannonDivergence

    # Forecasting
    from .mean_absolute_scaled_error import MeanAbsoluteScaledError as MeanAbsoluteScaledError
    from .crps import ContinuousRankedProbabilityScore as ContinuousRankedProbabilityScore
    from .crps import PinballLoss as PinballLoss
    from .interval_score import IntervalScore as IntervalScore
    from .interval_score import EnergyScore as EnergyScore
    from .kling_gupta_efficiency import KlingGuptaEfficiency as KlingGuptaEfficiency
    from .forecast_contingency import ForecastContingency as ForecastContingency
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
