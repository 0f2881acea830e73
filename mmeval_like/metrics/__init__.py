"""The metrics: one file each, or one for each family, listed here with the names in it.

The run time and the pages of the documentation read these lines (`_names.py` says how), and
`tools/stubs.py` writes from them what type checkers read. A metric's module is imported when a
program first uses the metric.
"""

from typing import TYPE_CHECKING

from mmeval_like._names import lazy_names

if TYPE_CHECKING:
    # Classification
    from .accuracy import Accuracy
    from .precision_recall_f1score import PrecisionRecallF1score
    from .single_label import SingleLabelPrecisionRecallF1score
    from .multi_label import MultiLabelPrecisionRecallF1score
    from .f1_score import F1Score
    from .fbeta_score import Precision, Recall, FBetaScore
    from .specificity import Specificity, NegativePredictiveValue, FalsePositiveRate
    from .specificity import FalseNegativeRate
    from .jaccard_index import JaccardIndex, HammingDistance
    from .subset_accuracy import SubsetAccuracy
    from .balanced_accuracy import BalancedAccuracy, GeometricMean, Informedness, Markedness
    from .balanced_accuracy import LikelihoodRatios
    from .stat_scores import StatScores, ClassificationReport
    from .confusion_matrix import ConfusionMatrix
    from .cohen_kappa import CohenKappa
    from .matthews_corrcoef import MatthewsCorrCoef
    from .average_precision import AveragePrecision
    from .auroc import AUROC
    from .roc import ROC, DETCurve
    from .precision_recall_curve import PrecisionRecallCurve
    from .operating_points import EqualErrorRate, PrecisionAtFixedRecall, RecallAtFixedPrecision
    from .operating_points import SensitivityAtSpecificity, SpecificityAtSensitivity
    from .best_threshold import BestThreshold, MetricAtThresholds
    from .roc_numbers import LogAUC, KolmogorovSmirnov, GiniCoefficient
    from .area_under_curve import AreaUnderCurve
    from .label_ranking import CoverageError, LabelRankingAveragePrecision, LabelRankingLoss
    from .fairness import GroupStatRates, Fairness
    from .mcnemar import McNemar
    from .hinge_loss import HingeLoss
    from .prediction_entropy import PredictionEntropy, NormalizedEntropy, WeightedCalibration
    from .prediction_entropy import ClickThroughRate
    from .log_loss import LogLoss
    from .brier_score import BrierScore
    from .d2_log_loss import D2LogLoss, D2Brier
    from .calibration_error import CalibrationError
    from .reliability_diagram import ReliabilityDiagram, BrierDecomposition

    # Aggregation
    from .aggregation import Sum, Max, Min, Cat
    from .quantile import Quantile
    from .running_mean import RunningMean, RunningSum

    # Regression
    from .mean import Mean
    from .mean_absolute_error import MeanAbsoluteError
    from .mean_squared_error import MeanSquaredError
    from .root_mean_squared_error import RootMeanSquaredError
    from .nrmse import NormalizedRootMeanSquaredError
    from .r2_score import R2Score, ExplainedVariance, RelativeSquaredError
    from .pearson_corrcoef import PearsonCorrCoef
    from .spearman_corrcoef import SpearmanCorrCoef
    from .kendall_rank_corrcoef import KendallRankCorrCoef
    from .concordance_corrcoef import ConcordanceCorrCoef
    from .percentage_errors import MeanAbsolutePercentageError, SymmetricMeanAbsolutePercentageError
    from .percentage_errors import WeightedMeanAbsolutePercentageError
    from .tweedie_deviance_score import TweedieDevianceScore, PoissonLoss, MeanSquaredLogError
    from .tweedie_deviance_score import LogCoshError
    from .median_absolute_error import MedianAbsoluteError, MaxError, MeanBias
    from .d2_pinball_score import D2PinballScore, D2TweedieScore
    from .covariance import Covariance
    from .minkowski_distance import MinkowskiDistance
    from .cosine_similarity import CosineSimilarity, KLDivergence, JensenShannonDivergence

    # Forecasting
    from .mean_absolute_scaled_error import MeanAbsoluteScaledError
    from .crps import ContinuousRankedProbabilityScore, PinballLoss
    from .interval_score import IntervalScore, EnergyScore
    from .kling_gupta_efficiency import KlingGuptaEfficiency
    from .forecast_contingency import ForecastContingency

    # Clustering and association
    from .mutual_info_score import MutualInfoScore, NormalizedMutualInfoScore
    from .mutual_info_score import AdjustedMutualInfoScore
    from .rand_score import RandScore, AdjustedRandScore, FowlkesMallowsIndex, PairConfusionMatrix
    from .v_measure_score import HomogeneityScore, CompletenessScore, VMeasureScore
    from .cluster_accuracy import ClusterAccuracy, Purity
    from .calinski_harabasz_score import CalinskiHarabaszScore
    from .davies_bouldin_score import DaviesBouldinScore, DunnIndex, SilhouetteScore
    from .cramers_v import CramersV, TschuprowsT, PearsonsContingencyCoefficient, TheilsU

    # Retrieval and recommendation
    from .retrieval.ranks import RetrievalMAP, RetrievalMRR
    from .retrieval.gains import RetrievalNormalizedDCG, RetrievalDCG
    from .retrieval.hits import RetrievalPrecision, RetrievalRecall, RetrievalFBeta
    from .retrieval.hits import RetrievalHitRate, RetrievalFallOut, RetrievalRPrecision
    from .retrieval.ranks import RetrievalAUROC
    from .retrieval.curves import RetrievalPrecisionRecallCurve, RetrievalRecallAtFixedPrecision
    from .retrieval.curves import InterpolatedPrecision
    from .retrieval.users import RankBiasedPrecision, ExpectedReciprocalRank
    from .retrieval.judgments import BPref, InferredAP, JudgedAtK
    from .retrieval.diversity import AlphaNDCG

    # Agreement of raters
    from .agreement.chance_corrected import FleissKappa
    from .agreement.krippendorff_alpha import KrippendorffAlpha
    from .agreement.chance_corrected import GwetAC, BrennanPrediger, PercentAgreement
    from .agreement.intraclass_correlation import IntraclassCorrelation

    # Segmentation and matting
    from .mean_iou import MeanIoU
    from .segmentation.overlap_scores import DiceScore, GeneralizedDiceScore, VolumetricSimilarity
    from .segmentation.surface_scores import HausdorffDistance, AverageSurfaceDistance
    from .segmentation.surface_scores import NormalizedSurfaceDistance
    from .segmentation.mask_scores import BoundaryIoU, ReferringSegmentation
    from .segmentation.skeletons import ClDice
    from .segmentation.panoptic_quality import PanopticQuality, ModifiedPanopticQuality
    from .sum_absolute_differences import SumAbsoluteDifferences
    from .matting_mean_squared_error import MattingMeanSquaredError
    from .gradient_error import GradientError
    from .connectivity_error import ConnectivityError

    # Detection
    from .coco_detection import COCODetection
    from .lvis_detection import LVISDetection
    from .voc_mean_ap import VOCMeanAP
    from .oid_mean_ap import OIDMeanAP
    from .dota_mean_ap import DOTAMeanAP
    from .ava_mean_ap import AVAMeanAP
    from .proposal_recall import ProposalRecall
    from .log_average_miss_rate import LogAverageMissRate
    from .box_iou import IntersectionOverUnion, GeneralizedIntersectionOverUnion
    from .box_iou import DistanceIntersectionOverUnion, CompleteIntersectionOverUnion

    # Keypoints and optical flow
    from .pck_accuracy import PCKAccuracy, MpiiPCKAccuracy, JhmdbPCKAccuracy
    from .keypoint_auc import KeypointAUC
    from .keypoint_end_point_error import KeypointEndPointError
    from .keypoint_nme import KeypointNME
    from .coco_keypoints import CocoKeypoints
    from .object_keypoint_similarity import ObjectKeypointSimilarity
    from .procrustes import MeanPerJointPositionError, ProcrustesDisparity
    from .end_point_error import EndPointError

    # Tracking
    from .tracking.hota import HOTA
    from .tracking.identities import ClearMOT, IDF1

    # Image quality
    from .peak_signal_noise_ratio import PeakSignalNoiseRatio
    from .signal_noise_ratio import SignalNoiseRatio
    from .structural_similarity import StructuralSimilarity
    from .image_quality.multi_scale import MultiScaleStructuralSimilarity
    from .image_quality.windows import UniversalImageQualityIndex, SpatialCorrelationCoefficient
    from .image_quality.visual_information import VisualInformationFidelity
    from .image_quality.spectral import SpectralAngleMapper, ERGAS
    from .image_quality.total_variation import TotalVariation
    from .image_quality.perceptual import LearnedPerceptualImagePatchSimilarity
    from .image_quality.perceptual import DeepImageStructureAndTextureSimilarity
    from .natural_image_quality import NaturalImageQualityEvaluator

    # Generated images, and features of networks
    from .features.frechet import FrechetInceptionDistance, MemorizationInformedFID
    from .features.kernels import KernelInceptionDistance, MaximumMeanDiscrepancy
    from .features.inception_score import InceptionScore
    from .features.neighbours import PrecisionRecallDensityCoverage
    from .features.independence import HilbertSchmidtIndependence
    from .clip_score import CLIPScore

    # Audio
    from .audio.ratios import ScaleInvariantSDR, ScaleInvariantSNR, ComplexScaleInvariantSNR
    from .audio.ratios import SourceAggregatedSDR
    from .audio.distortion import SignalDistortionRatio
    from .audio.permutation import PermutationInvariantTraining
    from .audio.speech import PerceptualEvaluationSpeechQuality, ShortTimeObjectiveIntelligibility
    from .audio.diarization import DiarizationErrorRate

    # Text and text recognition
    from .bleu import BLEU
    from .google_bleu import GoogleBLEU
    from .nist import NIST
    from .chrf import CHRFScore
    from .translation_edit_rate import TranslationEditRate
    from .rouge import ROUGE
    from .sari import SARI
    from .cider import CIDEr
    from .bert_score import BERTScore
    from .perplexity import Perplexity
    from .word_error_rate import WordErrorRate, CharErrorRate, MatchErrorRate, WordInfoLost
    from .word_error_rate import WordInfoPreserved
    from .concatenated_wer import ConcatenatedWER
    from .edit_distance import EditDistance, NormalizedEditSimilarity, ANLS
    from .exact_match import ExactMatch, VQAAccuracy
    from .squad import SQuAD
    from .drop_f1 import DropF1
    from .entity_f1 import EntityF1
    from .word_accuracy import WordAccuracy
    from .char_recall_precision import CharRecallPrecision
    from .hmean_iou import HmeanIoU

    # Language models
    from .language_models.pass_at_k import PassAtK, PassHatK, GPassAtK
    from .language_models.majority_vote import MajorityVote
    from .language_models.bits_per_byte import BitsPerByte
    from .language_models.multiple_choice import MultipleChoiceAccuracy, MultipleChoiceMass
    from .language_models.bradley_terry import BradleyTerry
    from .language_models.win_rate import WinRate, PositionBias
    from .language_models.prediction_powered_mean import PredictionPoweredMean

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
