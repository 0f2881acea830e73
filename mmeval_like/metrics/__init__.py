"""The metrics: one file each, listed here in one line each.

Type checkers, the run time and the pages of the documentation read these lines (`_names.py` says
how). A metric's module is imported when a program first uses the metric.
"""

from typing import TYPE_CHECKING

from mmeval_like._names import lazy_names

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
    from .calibration_error import CalibrationError as CalibrationError
    from .reliability_diagram import ReliabilityDiagram as ReliabilityDiagram
    from .reliability_diagram import BrierDecomposition as BrierDecomposition

    # Aggregation
    from .aggregation import Sum as Sum
    from .aggregation import Max as Max
    from .aggregation import Min as Min
    from .aggregation import Cat as Cat
    from .quantile import Quantile as Quantile
    from .running_mean import RunningMean as RunningMean
    from .running_mean import RunningSum as RunningSum

    # Regression
    from .mean import Mean as Mean
    from .mean_absolute_error import MeanAbsoluteError as MeanAbsoluteError
    from .mean_squared_error import MeanSquaredError as MeanSquaredError
    from .root_mean_squared_error import RootMeanSquaredError as RootMeanSquaredError
    from .nrmse import (
        NormalizedRootMeanSquaredError as NormalizedRootMeanSquaredError,
    )
    from .r2_score import R2Score as R2Score
    from .r2_score import ExplainedVariance as ExplainedVariance
    from .r2_score import RelativeSquaredError as RelativeSquaredError
    from .pearson_corrcoef import PearsonCorrCoef as PearsonCorrCoef
    from .spearman_corrcoef import SpearmanCorrCoef as SpearmanCorrCoef
    from .kendall_rank_corrcoef import KendallRankCorrCoef as KendallRankCorrCoef
    from .concordance_corrcoef import ConcordanceCorrCoef as ConcordanceCorrCoef
    from .percentage_errors import (
        MeanAbsolutePercentageError as MeanAbsolutePercentageError,
    )
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
    from .crps import (
        ContinuousRankedProbabilityScore as ContinuousRankedProbabilityScore,
    )
    from .crps import PinballLoss as PinballLoss
    from .interval_score import IntervalScore as IntervalScore
    from .interval_score import EnergyScore as EnergyScore
    from .kling_gupta_efficiency import KlingGuptaEfficiency as KlingGuptaEfficiency
    from .forecast_contingency import ForecastContingency as ForecastContingency

    # Clustering and association
    from .mutual_info_score import MutualInfoScore as MutualInfoScore
    from .mutual_info_score import NormalizedMutualInfoScore as NormalizedMutualInfoScore
    from .mutual_info_score import AdjustedMutualInfoScore as AdjustedMutualInfoScore
    from .rand_score import RandScore as RandScore
    from .rand_score import AdjustedRandScore as AdjustedRandScore
    from .rand_score import FowlkesMallowsIndex as FowlkesMallowsIndex
    from .rand_score import PairConfusionMatrix as PairConfusionMatrix
    from .v_measure_score import HomogeneityScore as HomogeneityScore
    from .v_measure_score import CompletenessScore as CompletenessScore
    from .v_measure_score import VMeasureScore as VMeasureScore
    from .cluster_accuracy import ClusterAccuracy as ClusterAccuracy
    from .cluster_accuracy import Purity as Purity
    from .calinski_harabasz_score import CalinskiHarabaszScore as CalinskiHarabaszScore
    from .davies_bouldin_score import DaviesBouldinScore as DaviesBouldinScore
    from .davies_bouldin_score import DunnIndex as DunnIndex
    from .davies_bouldin_score import SilhouetteScore as SilhouetteScore
    from .cramers_v import CramersV as CramersV
    from .cramers_v import TschuprowsT as TschuprowsT
    from .cramers_v import PearsonsContingencyCoefficient as PearsonsContingencyCoefficient
    from .cramers_v import TheilsU as TheilsU

    # Retrieval and recommendation
    from .retrieval.ranks import RetrievalMAP as RetrievalMAP
    from .retrieval.ranks import RetrievalMRR as RetrievalMRR
    from .retrieval.gains import RetrievalNormalizedDCG as RetrievalNormalizedDCG
    from .retrieval.gains import RetrievalDCG as RetrievalDCG
    from .retrieval.hits import RetrievalPrecision as RetrievalPrecision
    from .retrieval.hits import RetrievalRecall as RetrievalRecall
    from .retrieval.hits import RetrievalFBeta as RetrievalFBeta
    from .retrieval.hits import RetrievalHitRate as RetrievalHitRate
    from .retrieval.hits import RetrievalFallOut as RetrievalFallOut
    from .retrieval.hits import RetrievalRPrecision as RetrievalRPrecision
    from .retrieval.ranks import RetrievalAUROC as RetrievalAUROC
    from .retrieval.curves import RetrievalPrecisionRecallCurve as RetrievalPrecisionRecallCurve
    from .retrieval.curves import (
        RetrievalRecallAtFixedPrecision as RetrievalRecallAtFixedPrecision,
    )
    from .retrieval.curves import InterpolatedPrecision as InterpolatedPrecision
    from .retrieval.users import RankBiasedPrecision as RankBiasedPrecision
    from .retrieval.users import ExpectedReciprocalRank as ExpectedReciprocalRank
    from .retrieval.judgments import BPref as BPref
    from .retrieval.judgments import InferredAP as InferredAP
    from .retrieval.judgments import JudgedAtK as JudgedAtK
    from .retrieval.diversity import AlphaNDCG as AlphaNDCG

    # Agreement of raters
    from .agreement.chance_corrected import FleissKappa as FleissKappa
    from .agreement.krippendorff_alpha import KrippendorffAlpha as KrippendorffAlpha
    from .agreement.chance_corrected import GwetAC as GwetAC
    from .agreement.chance_corrected import BrennanPrediger as BrennanPrediger
    from .agreement.chance_corrected import PercentAgreement as PercentAgreement
    from .agreement.intraclass_correlation import IntraclassCorrelation as IntraclassCorrelation

    # Segmentation and matting
    from .mean_iou import MeanIoU as MeanIoU
    from .segmentation.overlap_scores import DiceScore as DiceScore
    from .segmentation.overlap_scores import GeneralizedDiceScore as GeneralizedDiceScore
    from .segmentation.overlap_scores import VolumetricSimilarity as VolumetricSimilarity
    from .segmentation.surface_scores import HausdorffDistance as HausdorffDistance
    from .segmentation.surface_scores import AverageSurfaceDistance as AverageSurfaceDistance
    from .segmentation.surface_scores import (
        NormalizedSurfaceDistance as NormalizedSurfaceDistance,
    )
    from .segmentation.mask_scores import BoundaryIoU as BoundaryIoU
    from .segmentation.mask_scores import ReferringSegmentation as ReferringSegmentation
    from .segmentation.skeletons import ClDice as ClDice
    from .segmentation.panoptic_quality import PanopticQuality as PanopticQuality
    from .segmentation.panoptic_quality import ModifiedPanopticQuality as ModifiedPanopticQuality
    from .sum_absolute_differences import SumAbsoluteDifferences as SumAbsoluteDifferences
    from .matting_mean_squared_error import MattingMeanSquaredError as MattingMeanSquaredError
    from .gradient_error import GradientError as GradientError
    from .connectivity_error import ConnectivityError as ConnectivityError

    # Detection
    from .coco_detection import COCODetection as COCODetection
    from .lvis_detection import LVISDetection as LVISDetection
    from .voc_mean_ap import VOCMeanAP as VOCMeanAP
    from .oid_mean_ap import OIDMeanAP as OIDMeanAP
    from .dota_mean_ap import DOTAMeanAP as DOTAMeanAP
    from .ava_mean_ap import AVAMeanAP as AVAMeanAP
    from .proposal_recall import ProposalRecall as ProposalRecall
    from .log_average_miss_rate import LogAverageMissRate as LogAverageMissRate
    from .box_iou import IntersectionOverUnion as IntersectionOverUnion
    from .box_iou import (
        GeneralizedIntersectionOverUnion as GeneralizedIntersectionOverUnion,
    )
    from .box_iou import DistanceIntersectionOverUnion as DistanceIntersectionOverUnion
    from .box_iou import CompleteIntersectionOverUnion as CompleteIntersectionOverUnion

    # Keypoints and optical flow
    from .pck_accuracy import PCKAccuracy as PCKAccuracy
    from .pck_accuracy import MpiiPCKAccuracy as MpiiPCKAccuracy
    from .pck_accuracy import JhmdbPCKAccuracy as JhmdbPCKAccuracy
    from .keypoint_auc import KeypointAUC as KeypointAUC
    from .keypoint_end_point_error import KeypointEndPointError as KeypointEndPointError
    from .keypoint_nme import KeypointNME as KeypointNME
    from .coco_keypoints import CocoKeypoints as CocoKeypoints
    from .object_keypoint_similarity import ObjectKeypointSimilarity as ObjectKeypointSimilarity
    from .procrustes import MeanPerJointPositionError as MeanPerJointPositionError
    from .procrustes import ProcrustesDisparity as ProcrustesDisparity
    from .end_point_error import EndPointError as EndPointError

    # Tracking
    from .tracking.hota import HOTA as HOTA
    from .tracking.identities import ClearMOT as ClearMOT
    from .tracking.identities import IDF1 as IDF1

    # Image quality
    from .peak_signal_noise_ratio import PeakSignalNoiseRatio as PeakSignalNoiseRatio
    from .signal_noise_ratio import SignalNoiseRatio as SignalNoiseRatio
    from .structural_similarity import StructuralSimilarity as StructuralSimilarity
    from .image_quality.multi_scale import (
        MultiScaleStructuralSimilarity as MultiScaleStructuralSimilarity,
    )
    from .image_quality.windows import UniversalImageQualityIndex as UniversalImageQualityIndex
    from .image_quality.windows import (
        SpatialCorrelationCoefficient as SpatialCorrelationCoefficient,
    )
    from .image_quality.visual_information import (
        VisualInformationFidelity as VisualInformationFidelity,
    )
    from .image_quality.spectral import SpectralAngleMapper as SpectralAngleMapper
    from .image_quality.spectral import ERGAS as ERGAS
    from .image_quality.total_variation import TotalVariation as TotalVariation
    from .image_quality.perceptual import (
        LearnedPerceptualImagePatchSimilarity as LearnedPerceptualImagePatchSimilarity,
    )
    from .image_quality.perceptual import (
        DeepImageStructureAndTextureSimilarity as DeepImageStructureAndTextureSimilarity,
    )
    from .natural_image_quality import NaturalImageQualityEvaluator as NaturalImageQualityEvaluator

    # Generated images, and features of networks
    from .features.frechet import FrechetInceptionDistance as FrechetInceptionDistance
    from .features.frechet import MemorizationInformedFID as MemorizationInformedFID
    from .features.kernels import KernelInceptionDistance as KernelInceptionDistance
    from .features.kernels import MaximumMeanDiscrepancy as MaximumMeanDiscrepancy
    from .features.inception_score import InceptionScore as InceptionScore
    from .features.neighbours import (
        PrecisionRecallDensityCoverage as PrecisionRecallDensityCoverage,
    )
    from .features.independence import HilbertSchmidtIndependence as HilbertSchmidtIndependence
    from .clip_score import CLIPScore as CLIPScore

    # Audio
    from .audio.ratios import ScaleInvariantSDR as ScaleInvariantSDR
    from .audio.ratios import ScaleInvariantSNR as ScaleInvariantSNR
    from .audio.ratios import ComplexScaleInvariantSNR as ComplexScaleInvariantSNR
    from .audio.ratios import SourceAggregatedSDR as SourceAggregatedSDR
    from .audio.distortion import SignalDistortionRatio as SignalDistortionRatio
    from .audio.permutation import PermutationInvariantTraining as PermutationInvariantTraining
    from .audio.speech import (
        PerceptualEvaluationSpeechQuality as PerceptualEvaluationSpeechQuality,
    )
    from .audio.speech import (
        ShortTimeObjectiveIntelligibility as ShortTimeObjectiveIntelligibility,
    )
    from .audio.diarization import DiarizationErrorRate as DiarizationErrorRate

    # Text and text recognition
    from .bleu import BLEU as BLEU
    from .google_bleu import GoogleBLEU as GoogleBLEU
    from .nist import NIST as NIST
    from .chrf import CHRFScore as CHRFScore
    from .translation_edit_rate import TranslationEditRate as TranslationEditRate
    from .rouge import ROUGE as ROUGE
    from .sari import SARI as SARI
    from .cider import CIDEr as CIDEr
    from .bert_score import BERTScore as BERTScore
    from .perplexity import Perplexity as Perplexity
    from .word_error_rate import WordErrorRate as WordErrorRate
    from .word_error_rate import CharErrorRate as CharErrorRate
    from .word_error_rate import MatchErrorRate as MatchErrorRate
    from .word_error_rate import WordInfoLost as WordInfoLost
    from .word_error_rate import WordInfoPreserved as WordInfoPreserved
    from .concatenated_wer import ConcatenatedWER as ConcatenatedWER
    from .edit_distance import EditDistance as EditDistance
    from .edit_distance import NormalizedEditSimilarity as NormalizedEditSimilarity
    from .edit_distance import ANLS as ANLS
    from .exact_match import ExactMatch as ExactMatch
    from .exact_match import VQAAccuracy as VQAAccuracy
    from .squad import SQuAD as SQuAD
    from .drop_f1 import DropF1 as DropF1
    from .entity_f1 import EntityF1 as EntityF1
    from .word_accuracy import WordAccuracy as WordAccuracy
    from .char_recall_precision import CharRecallPrecision as CharRecallPrecision
    from .hmean_iou import HmeanIoU as HmeanIoU

    # Language models
    from .language_models.pass_at_k import PassAtK as PassAtK
    from .language_models.pass_at_k import PassHatK as PassHatK
    from .language_models.pass_at_k import GPassAtK as GPassAtK
    from .language_models.majority_vote import MajorityVote as MajorityVote
    from .language_models.bits_per_byte import BitsPerByte as BitsPerByte
    from .language_models.multiple_choice import MultipleChoiceAccuracy as MultipleChoiceAccuracy
    from .language_models.multiple_choice import MultipleChoiceMass as MultipleChoiceMass
    from .language_models.bradley_terry import BradleyTerry as BradleyTerry
    from .language_models.win_rate import WinRate as WinRate
    from .language_models.win_rate import PositionBias as PositionBias
    from .language_models.prediction_powered_mean import (
        PredictionPoweredMean as PredictionPoweredMean,
    )

    # Names that MMEval deprecated
    COCODetectionMetric = COCODetection
    F1Metric = F1Score
    MAE = MeanAbsoluteError
    MSE = MeanSquaredError
    MattingMSE = MattingMeanSquaredError
    MultiLabelMetric = MultiLabelPrecisionRecallF1score
    PSNR = PeakSignalNoiseRatio
    SAD = SumAbsoluteDifferences
    SNR = SignalNoiseRatio
    SSIM = StructuralSimilarity
    SingleLabelMetric = SingleLabelPrecisionRecallF1score
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
