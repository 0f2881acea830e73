"""The table: a line for each metric, with its peers."""

from __future__ import annotations

from typing import Any

from benchmarks.peers.data import CLASSES, MANY
from benchmarks.peers.judged import JUDGED
from benchmarks.peers.masks import MASKS
from benchmarks.peers.objects import OBJECTS
from benchmarks.peers.packages import (
    Row,
    documents,
    each,
    function,
    mmeval,
    sklearn,
    torcheval,
    torchmetrics,
)  # fmt: skip
from benchmarks.peers.plain import (
    assigned,
    best_f1,
    decomposed,
    energy,
    gini,
    intervals,
    kling_gupta,
    mcnemar,
    mean_bias,
    plain,
    poisson,
    purity,
    rate,
    scaled,
)
from benchmarks.peers.signals import SIGNALS
from benchmarks.peers.texts import TEXTS

__all__ = ["ROWS"]

C: Any = {"num_classes": CLASSES}
M: Any = {"num_classes": MANY}
L: Any = {"num_labels": CLASSES}
MULTI: Any = {"task": "multiclass", **C}
SETS: Any = {"task": "multilabel", **C}
P: Any = {"num_classes": CLASSES, "num_clusters": CLASSES}
FEATURES: Any = {"dim": 16}
MACRO: Any = {"average": "macro"}

# What bounds ours where it is slower.
ADD = "what an add checks and records, 7 us; the peer takes the extremum alone, unchecked"
RANKED = (
    "of equal scores the lowest index ranks first, on every machine, which takes two comparisons"
)
AT_ONCE = (
    "fifty batches are checked and counted one by one; there one call gets all numbers, unchecked"
)
RUNNING = "the window counts samples, of all ranks; there it counts batches, each of one number"
UNCHECKED = "that classes are in range and numbers are no nan is checked, which the peer does not"

# fmt: off
CLASSIFICATION = [
    Row("Accuracy", "counts", "classes", {}, [torchmetrics("MulticlassAccuracy", average="micro", **C), torcheval("MulticlassAccuracy"), sklearn("accuracy_score")], UNCHECKED),
    Row("Accuracy (of scores)", "counts", "probabilities", {"topk": 5}, [torchmetrics("MulticlassAccuracy", average="micro", top_k=5, **C), torcheval("MulticlassAccuracy", k=5, average="micro"), mmeval("Accuracy", topk=5)], RANKED),
    Row("SingleLabelPrecisionRecallF1score", "counts", "classes", C, [sklearn("precision_recall_fscore_support", average="macro")], compared=False),
    Row("MultiLabelPrecisionRecallF1score", "counts", "label sets", C | {"thr": 0.5}, [mmeval("MultiLabelPrecisionRecallF1score", thr=0.5, **C)]),
    Row("F1Score", "counts", "sequences", C, [mmeval("F1Score", **C)]),
    Row("Precision", "counts", "classes", MULTI, [torchmetrics("MulticlassPrecision", **C), torcheval("MulticlassPrecision", **C, **MACRO), sklearn("precision_score", **MACRO)]),
    Row("Precision (binary)", "counts", "binary", {}, [torchmetrics("BinaryPrecision"), torcheval("BinaryPrecision")], UNCHECKED),
    Row("Precision (multilabel)", "counts", "label sets", SETS, [torchmetrics("MultilabelPrecision", **L)]),
    Row("Recall", "counts", "classes", MULTI, [torchmetrics("MulticlassRecall", **C), torcheval("MulticlassRecall", **C, **MACRO), sklearn("recall_score", **MACRO)]),
    Row("FBetaScore", "counts", "classes", MULTI, [torchmetrics("MulticlassF1Score", **C), torcheval("MulticlassF1Score", **C, **MACRO), sklearn("f1_score", **MACRO)]),
    Row("FBetaScore (samples)", "counts", "chosen", SETS | {"average": "samples"}, [sklearn("f1_score", average="samples", zero_division=0)]),
    Row("Specificity", "counts", "classes", MULTI, [torchmetrics("MulticlassSpecificity", **C)]),
    Row("NegativePredictiveValue", "counts", "classes", MULTI, [torchmetrics("MulticlassNegativePredictiveValue", **C)]),
    Row("JaccardIndex", "counts", "classes", MULTI, [torchmetrics("MulticlassJaccardIndex", **C), sklearn("jaccard_score", **MACRO)]),
    Row("HammingDistance", "counts", "label sets", SETS, [torchmetrics("MultilabelHammingDistance", **L)]),
    Row("SubsetAccuracy", "counts", "chosen", SETS, [torchmetrics("MultilabelExactMatch", **L), sklearn("accuracy_score")]),
    Row("BalancedAccuracy", "counts", "classes", MULTI, [sklearn("balanced_accuracy_score")]),
    Row("Informedness", "counts", "decided", {}, [sklearn("balanced_accuracy_score", adjusted=True)]),
    Row("FalsePositiveRate", "counts", "decided", {}, [plain(rate, lambda tn, fp, fn, tp: fp / (fp + tn))], AT_ONCE),
    Row("FalseNegativeRate", "counts", "decided", {}, [plain(rate, lambda tn, fp, fn, tp: fn / (fn + tp))], AT_ONCE),
    Row("Markedness", "counts", "decided", {}, [plain(rate, lambda tn, fp, fn, tp: tp / (tp + fp) + tn / (tn + fn) - 1)], AT_ONCE),
    Row("GeometricMean", "counts", "decided", {}, [plain(rate, lambda tn, fp, fn, tp: (tp / (tp + fn) * tn / (tn + fp)) ** 0.5)], AT_ONCE),
    Row("LikelihoodRatios", "counts", "decided", {}, [sklearn("class_likelihood_ratios")]),
    Row("StatScores", "counts", "classes", MULTI, [torchmetrics("MulticlassStatScores", average="micro", **C)]),
    Row("ClassificationReport", "counts", "classes", MULTI, [sklearn("classification_report", output_dict=True)], compared=False),
    Row("ConfusionMatrix", "counts", "classes", C, [torchmetrics("MulticlassConfusionMatrix", **C), torcheval("MulticlassConfusionMatrix", **C), sklearn("confusion_matrix")]),
    Row("CohenKappa", "counts", "classes", C, [torchmetrics("MulticlassCohenKappa", **C), sklearn("cohen_kappa_score")]),
    Row("CohenKappa (100 classes)", "counts", "many classes", M, [torchmetrics("MulticlassCohenKappa", **M), sklearn("cohen_kappa_score")]),
    Row("MatthewsCorrCoef", "counts", "classes", C, [torchmetrics("MulticlassMatthewsCorrCoef", **C), sklearn("matthews_corrcoef")]),
    Row("MatthewsCorrCoef (100 classes)", "counts", "many classes", M, [torchmetrics("MulticlassMatthewsCorrCoef", **M), sklearn("matthews_corrcoef")]),
    Row("MatthewsCorrCoef (multilabel)", "counts", "label sets", SETS, [torchmetrics("MultilabelMatthewsCorrCoef", **L)]),
    Row("AveragePrecision", "scores", "label sets", {"percent": False}, [torchmetrics("MultilabelAveragePrecision", **L), torcheval("MultilabelAUPRC", **L), sklearn("average_precision_score")]),
    Row("AveragePrecision (bins)", "counts", "label sets", C | {"bins": 100, "percent": False}, [torchmetrics("MultilabelAveragePrecision", thresholds=100, **L), torcheval("MultilabelBinnedAUPRC", threshold=100, **L)], compared=False),
    Row("AUROC", "scores", "binary", {}, [torchmetrics("BinaryAUROC"), torcheval("BinaryAUROC"), sklearn("roc_auc_score")]),
    Row("AUROC (multiclass)", "scores", "probabilities", MULTI, [torchmetrics("MulticlassAUROC", **C), torcheval("MulticlassAUROC", **C)]),
    Row("AUROC (bins)", "counts", "binary", {"bins": 100}, [torchmetrics("BinaryAUROC", thresholds=100), torcheval("BinaryBinnedAUROC", threshold=100)], compared=False),
    Row("ROC", "scores", "binary", {}, [torchmetrics("BinaryROC"), sklearn("roc_curve", drop_intermediate=False)]),
    Row("GiniCoefficient", "scores", "binary", {}, [plain(gini, package="sklearn")]),
    Row("MetricAtThresholds", "scores", "binary", {}, [sklearn("precision_recall_curve")], compared=False),
    Row("BestThreshold", "scores", "binary", {}, [plain(best_f1, package="sklearn")]),
    Row("BrierDecomposition", "sums", "binary", {"bins": 15}, [plain(decomposed)]),
    Row("McNemar", "counts", "models", {}, [plain(mcnemar, package="scipy")], AT_ONCE),
    Row("ReliabilityDiagram", "sums", "binary", {"task": "binary"}, [function("sklearn.calibration.calibration_curve", lambda p, y: (y, p), n_bins=15)], compared=False),
    Row("DETCurve", "scores", "binary", {}, [sklearn("det_curve")], compared=False),
    Row("PrecisionRecallCurve", "scores", "binary", {}, [torchmetrics("BinaryPrecisionRecallCurve"), torcheval("BinaryPrecisionRecallCurve"), sklearn("precision_recall_curve")]),
    Row("EqualErrorRate", "scores", "binary", {}, [torchmetrics("BinaryEER")], compared=False),
    Row("PrecisionAtFixedRecall", "scores", "binary", {"min_recall": 0.5}, [torchmetrics("BinaryPrecisionAtFixedRecall", min_recall=0.5)]),
    Row("RecallAtFixedPrecision", "scores", "binary", {"min_precision": 0.9}, [torchmetrics("BinaryRecallAtFixedPrecision", min_precision=0.9), torcheval("BinaryRecallAtFixedPrecision", min_precision=0.9)]),
    Row("SensitivityAtSpecificity", "scores", "binary", {"min_specificity": 0.9}, [torchmetrics("BinarySensitivityAtSpecificity", min_specificity=0.9)]),
    Row("SpecificityAtSensitivity", "scores", "binary", {"min_sensitivity": 0.9}, [torchmetrics("BinarySpecificityAtSensitivity", min_sensitivity=0.9)]),
    Row("LogAUC", "scores", "binary", {}, [torchmetrics("BinaryLogAUC")], compared=False),
    Row("KolmogorovSmirnov", "scores", "binary", {}, [function("scipy.stats.ks_2samp", lambda s, y: (s[y == 1], s[y == 0]), method="asymp")], compared=False),
    Row("CoverageError", "sums", "label sets", {}, [torchmetrics("MultilabelCoverageError", **L), sklearn("coverage_error")]),
    Row("LabelRankingAveragePrecision", "sums", "label sets", {}, [torchmetrics("MultilabelRankingAveragePrecision", **L), sklearn("label_ranking_average_precision_score")]),
    Row("LabelRankingLoss", "sums", "label sets", {}, [torchmetrics("MultilabelRankingLoss", **L), sklearn("label_ranking_loss")]),
    Row("MultipleChoiceAccuracy", "counts", "choices", {}, [function("sklearn.metrics.top_k_accuracy_score", lambda s, y: (y, s), k=1)]),
    Row("GroupStatRates", "counts", "groups", {"num_groups": 4}, [torchmetrics("BinaryGroupStatRates", num_groups=4)], compared=False),
    Row("Fairness", "counts", "groups", {"num_groups": 4}, [torchmetrics("BinaryFairness", num_groups=4)], compared=False),
    Row("HingeLoss", "sums", "margins", {}, [torchmetrics("BinaryHingeLoss"), sklearn("hinge_loss")], compared=False),
    Row("NormalizedEntropy", "sums", "float labels", {}, [torcheval("BinaryNormalizedEntropy")], compared=False),
    Row("WeightedCalibration", "sums", "binary", {}, [torcheval("WeightedCalibration")]),
    Row("ClickThroughRate", "sums", "clicks", {}, [torcheval("ClickThroughRate")]),
    Row("LogLoss", "sums", "probabilities", {}, [sklearn("log_loss", labels=range(CLASSES))]),
    Row("BrierScore", "sums", "binary", {}, [sklearn("brier_score_loss")]),
    Row("D2LogLoss", "sums", "probabilities", C, [sklearn("d2_log_loss_score")]),
    Row("D2Brier", "sums", "probabilities", C, [sklearn("d2_brier_score")]),
    Row("PredictionEntropy", "sums", "shares", {}, [function("scipy.stats.entropy", axis=1)], compared=False),
    Row("AreaUnderCurve", "scores", "numbers", {}, [torcheval("AUC")]),
    Row("CalibrationError", "sums", "probabilities", {}, [torchmetrics("MulticlassCalibrationError", **C)], compared=False),
]
NUMBERS = [
    Row("Mean", "sums", "values", {}, [torchmetrics("MeanMetric"), torcheval("Mean")]),
    Row("Sum", "sums", "values", {}, [torchmetrics("SumMetric"), torcheval("Sum")]),
    Row("Max", "counts", "values", {}, [torchmetrics("MaxMetric"), torcheval("Max")], ADD),
    Row("Min", "counts", "values", {}, [torchmetrics("MinMetric"), torcheval("Min")], ADD),
    Row("Cat", "scores", "values", {}, [torchmetrics("CatMetric"), torcheval("Cat")]),
    Row("RunningMean", "sums", "values", {"window": 5000}, [torchmetrics("RunningMean", window=5)], RUNNING),
    Row("RunningSum", "sums", "values", {"window": 5000}, [torchmetrics("RunningSum", window=5)], RUNNING),
    Row("Quantile", "scores", "values", {}, [function("numpy.quantile", q=0.5)], "values are kept for all ranks to choose from; the peer partitions one array"),
    Row("MeanAbsoluteError", "sums", "numbers", {}, [torchmetrics("MeanAbsoluteError"), sklearn("mean_absolute_error")]),
    Row("MeanSquaredError", "sums", "numbers", {}, [torchmetrics("MeanSquaredError"), torcheval("MeanSquaredError"), sklearn("mean_squared_error")]),
    Row("RootMeanSquaredError", "sums", "numbers", {}, [torchmetrics("MeanSquaredError", squared=False), sklearn("root_mean_squared_error")]),
    Row("NormalizedRootMeanSquaredError", "sums", "positive", {}, [torchmetrics("NormalizedRootMeanSquaredError")]),
    Row("KlingGuptaEfficiency", "sums", "positive", {}, [plain(kling_gupta)]),
    Row("MeanBias", "sums", "numbers", {}, [plain(mean_bias)]),
    Row("PoissonLoss", "sums", "positive", {}, [plain(poisson)]),
    Row("R2Score", "sums", "numbers", {}, [torchmetrics("R2Score"), torcheval("R2Score"), sklearn("r2_score")]),
    Row("ExplainedVariance", "sums", "numbers", {}, [torchmetrics("ExplainedVariance"), sklearn("explained_variance_score")]),
    Row("RelativeSquaredError", "sums", "numbers", {}, [torchmetrics("RelativeSquaredError")]),
    Row("PearsonCorrCoef", "sums", "numbers", {}, [torchmetrics("PearsonCorrCoef"), function("scipy.stats.pearsonr")], compared=False),
    Row("SpearmanCorrCoef", "scores", "numbers", {}, [torchmetrics("SpearmanCorrCoef"), function("scipy.stats.spearmanr")], compared=False),
    Row("KendallRankCorrCoef", "scores", "numbers", {}, [function("scipy.stats.kendalltau")], "values are copied and kept, and pairs are counted by four sorts and a pass for every bit of a rank; there by compiled code", compared=False),
    Row("ConcordanceCorrCoef", "sums", "numbers", {}, [torchmetrics("ConcordanceCorrCoef")]),
    Row("MeanAbsolutePercentageError", "sums", "positive", {}, [torchmetrics("MeanAbsolutePercentageError"), sklearn("mean_absolute_percentage_error")]),
    Row("SymmetricMeanAbsolutePercentageError", "sums", "positive", {}, [torchmetrics("SymmetricMeanAbsolutePercentageError")]),
    Row("WeightedMeanAbsolutePercentageError", "sums", "positive", {}, [torchmetrics("WeightedMeanAbsolutePercentageError")]),
    Row("TweedieDevianceScore", "sums", "positive", {"power": 1}, [torchmetrics("TweedieDevianceScore", power=1), sklearn("mean_tweedie_deviance", power=1)]),
    Row("MeanSquaredLogError", "sums", "positive", {}, [torchmetrics("MeanSquaredLogError"), sklearn("mean_squared_log_error")]),
    Row("LogCoshError", "sums", "numbers", {}, [torchmetrics("LogCoshError")]),
    Row("MedianAbsoluteError", "scores", "numbers", {}, [sklearn("median_absolute_error")]),
    Row("MaxError", "counts", "numbers", {}, [sklearn("max_error")], "fifty batches are checked one by one; there one call gets all numbers"),
    Row("D2PinballScore", "scores", "numbers", {}, [sklearn("d2_pinball_score")]),
    Row("D2TweedieScore", "scores", "positive", {"power": 1}, [sklearn("d2_tweedie_score", power=1)]),
    Row("Covariance", "sums", "observations", {"dim": 16}, [function("numpy.cov", lambda x: (x.T,))], compared=False),
    Row("MinkowskiDistance", "sums", "numbers", {"p": 3}, [torchmetrics("MinkowskiDistance", p=3)]),
    Row("CosineSimilarity", "sums", "vectors", {}, [torchmetrics("CosineSimilarity", reduction="mean")]),
    Row("KLDivergence", "sums", "distributions", {}, [torchmetrics("KLDivergence")]),
    Row("JensenShannonDivergence", "sums", "distributions", {}, [function("scipy.spatial.distance.jensenshannon", axis=1)], compared=False),
    Row("ContinuousRankedProbabilityScore", "sums", "forecasts", {}, [torchmetrics("ContinuousRankedProbabilityScore")], compared=False),
    Row("IntervalScore", "sums", "ends", {"alpha": 0.1}, [plain(intervals)]),
    Row("EnergyScore", "sums", "ensembles", {}, [plain(energy)]),
    Row("MeanAbsoluteScaledError", "sums", "series", {}, [plain(scaled)]),
    Row("PinballLoss", "sums", "numbers", {}, [sklearn("mean_pinball_loss")]),
    Row("ForecastContingency", "counts", "numbers", {"threshold": 0.5}, [torchmetrics("CriticalSuccessIndex", threshold=0.5)], compared=False),
]
QUERIES = [
    Row("RetrievalMAP", "sums", "relevant", {}, [documents("RetrievalMAP")]),
    Row("RetrievalMRR", "sums", "relevant", {}, [documents("RetrievalMRR")]),
    Row("RetrievalNormalizedDCG", "sums", "queries", {}, [documents("RetrievalNormalizedDCG"), sklearn("ndcg_score", ignore_ties=True), sklearn("ndcg_score")]),
    Row("RetrievalDCG", "sums", "queries", {}, [sklearn("dcg_score", ignore_ties=True), sklearn("dcg_score")]),
    Row("RetrievalPrecision", "sums", "relevant", {"top_k": 10}, [documents("RetrievalPrecision", top_k=10)]),
    Row("RetrievalRecall", "sums", "relevant", {"top_k": 10}, [documents("RetrievalRecall", top_k=10)]),
    Row("RetrievalHitRate", "sums", "relevant", {"top_k": 10}, [documents("RetrievalHitRate", top_k=10)]),
    Row("RetrievalFallOut", "sums", "relevant", {"top_k": 10}, [documents("RetrievalFallOut", top_k=10)]),
    Row("RetrievalRPrecision", "sums", "relevant", {}, [documents("RetrievalRPrecision")]),
    Row("RetrievalAUROC", "sums", "relevant", {}, [documents("RetrievalAUROC")]),
    Row("RetrievalPrecisionRecallCurve", "sums", "relevant", {"max_k": 10}, [documents("RetrievalPrecisionRecallCurve", max_k=10)], compared=False),
    Row("RetrievalRecallAtFixedPrecision", "sums", "relevant", {"min_precision": 0.1, "max_k": 10}, [documents("RetrievalRecallAtFixedPrecision", min_precision=0.1, max_k=10)]),
    Row("FleissKappa", "counts", "ratings", C, [torchmetrics("FleissKappa")], "every combination of ratings is counted, for intervals and other coefficients"),
]
PARTITIONS = [
    Row("MutualInfoScore", "counts", "classes", P, [torchmetrics("MutualInfoScore"), sklearn("mutual_info_score")]),
    Row("NormalizedMutualInfoScore", "counts", "classes", P, [torchmetrics("NormalizedMutualInfoScore"), sklearn("normalized_mutual_info_score")]),
    Row("AdjustedMutualInfoScore", "counts", "classes", P, [sklearn("adjusted_mutual_info_score")]),
    Row("ClusterAccuracy", "counts", "classes", P, [plain(assigned, package="scipy")], AT_ONCE),
    Row("Purity", "counts", "classes", P, [plain(purity)], AT_ONCE),
    Row("RandScore", "counts", "classes", P, [torchmetrics("RandScore"), sklearn("rand_score")]),
    Row("AdjustedRandScore", "counts", "classes", P, [torchmetrics("AdjustedRandScore"), sklearn("adjusted_rand_score")]),
    Row("FowlkesMallowsIndex", "counts", "classes", P, [torchmetrics("FowlkesMallowsIndex"), sklearn("fowlkes_mallows_score")]),
    Row("PairConfusionMatrix", "counts", "classes", P, [sklearn("cluster.pair_confusion_matrix")], compared=False),
    Row("HomogeneityScore", "counts", "classes", P, [torchmetrics("HomogeneityScore"), sklearn("homogeneity_score")]),
    Row("CompletenessScore", "counts", "classes", P, [torchmetrics("CompletenessScore"), sklearn("completeness_score")]),
    Row("VMeasureScore", "counts", "classes", P, [torchmetrics("VMeasureScore"), sklearn("v_measure_score")]),
    Row("CalinskiHarabaszScore", "sums", "features", FEATURES | {"num_clusters": CLASSES}, [torchmetrics("CalinskiHarabaszScore"), function("sklearn.metrics.calinski_harabasz_score")]),
    Row("DaviesBouldinScore", "scores", "features", FEATURES, [torchmetrics("DaviesBouldinScore"), function("sklearn.metrics.davies_bouldin_score")]),
    Row("DunnIndex", "scores", "features", FEATURES, [torchmetrics("DunnIndex")]),
    Row("SilhouetteScore", "scores", "few features", FEATURES, [function("sklearn.metrics.silhouette_score")], "every point's distances from each cluster are summed exactly, and each sum is rounded by itself"),
    Row("CramersV", "counts", "classes", P | {"bias_correction": False}, [torchmetrics("CramersV", bias_correction=False, **C)]),
    Row("TschuprowsT", "counts", "classes", P | {"bias_correction": False}, [torchmetrics("TschuprowsT", bias_correction=False, **C)]),
    Row("PearsonsContingencyCoefficient", "counts", "classes", P, [torchmetrics("PearsonsContingencyCoefficient", **C)]),
    Row("TheilsU", "counts", "classes", P, [torchmetrics("TheilsU", **C)]),
]
IMAGES = [
    Row("MeanIoU", "counts", "maps", {"num_classes": 19}, [mmeval("MeanIoU", num_classes=19), torchmetrics("MulticlassJaccardIndex", num_classes=19)], UNCHECKED, compared=False),
    Row("SumAbsoluteDifferences", "sums", "gray", {}, [mmeval("SumAbsoluteDifferences")]),
    Row("MattingMeanSquaredError", "sums", "mattes", {}, [mmeval("MattingMeanSquaredError")]),
    Row("GradientError", "sums", "mattes", {}, [mmeval("GradientError")]),
    Row("ConnectivityError", "sums", "mattes", {}, [mmeval("ConnectivityError")]),
    Row("PeakSignalNoiseRatio", "sums", "images", {}, [mmeval("PeakSignalNoiseRatio"), each("skimage.metrics.peak_signal_noise_ratio", data_range=255)]),
    Row("SignalNoiseRatio", "sums", "images", {}, [mmeval("SignalNoiseRatio")]),
    Row("StructuralSimilarity", "sums", "images", {}, [mmeval("StructuralSimilarity"), torchmetrics("StructuralSimilarityIndexMeasure", data_range=255.0), each("skimage.metrics.structural_similarity", data_range=255, channel_axis=0, gaussian_weights=True, sigma=1.5, use_sample_covariance=False)]),
    Row("EndPointError", "sums", "flow", {}, [mmeval("EndPointError")]),
    Row("PCKAccuracy", "counts", "poses", {}, [mmeval("PCKAccuracy")]),
    Row("KeypointAUC", "counts", "poses", {}, [mmeval("KeypointAUC")]),
    Row("KeypointEndPointError", "sums", "poses", {}, [mmeval("KeypointEndPointError")]),
    Row("KeypointNME", "sums", "poses", {"norm_mode": "use_norm_item", "norm_item": "box"}, [mmeval("KeypointNME", norm_mode="use_norm_item", norm_item="box")]),
    Row("MpiiPCKAccuracy", "counts", "mpii", {}, [mmeval("MpiiPCKAccuracy")]),
    Row("JhmdbPCKAccuracy", "counts", "jhmdb", {}, [mmeval("JhmdbPCKAccuracy")]),
    Row("NaturalImageQualityEvaluator", "sums", "photographs", {}, [mmeval("NaturalImageQualityEvaluator")]),
    Row("Perplexity", "sums", "tokens", {}, [torchmetrics("Perplexity"), torcheval("Perplexity"), mmeval("Perplexity")]),
]
# fmt: on
ROWS = [
    *CLASSIFICATION,
    *NUMBERS,
    *QUERIES,
    *JUDGED,
    *PARTITIONS,
    *IMAGES,
    *MASKS,
    *OBJECTS,
    *SIGNALS,
    *TEXTS,
]  # fmt: skip
