"""The metrics as type checkers see them: each with what its `add` takes.

Written by `python -m tools.generated`, from the classes.
"""

# mypy: disable-error-code="override"

from typing import Any, overload

import mmeval_like.metrics.aggregation.mean
import mmeval_like.metrics.aggregation.quantile
import mmeval_like.metrics.aggregation.running_mean
import mmeval_like.metrics.aggregation.totals
import mmeval_like.metrics.agreement.chance_corrected
import mmeval_like.metrics.agreement.intraclass_correlation
import mmeval_like.metrics.agreement.krippendorff_alpha
import mmeval_like.metrics.audio.diarization
import mmeval_like.metrics.audio.distortion
import mmeval_like.metrics.audio.permutation
import mmeval_like.metrics.audio.ratios
import mmeval_like.metrics.audio.speech
import mmeval_like.metrics.classification.accuracy
import mmeval_like.metrics.classification.balanced_accuracy
import mmeval_like.metrics.classification.brier_score
import mmeval_like.metrics.classification.cohen_kappa
import mmeval_like.metrics.classification.confusion_matrix
import mmeval_like.metrics.classification.d2_log_loss
import mmeval_like.metrics.classification.f1_score
import mmeval_like.metrics.classification.fairness
import mmeval_like.metrics.classification.fbeta_score
import mmeval_like.metrics.classification.hinge_loss
import mmeval_like.metrics.classification.jaccard_index
import mmeval_like.metrics.classification.log_loss
import mmeval_like.metrics.classification.matthews_corrcoef
import mmeval_like.metrics.classification.mcnemar
import mmeval_like.metrics.classification.multi_label
import mmeval_like.metrics.classification.precision_recall_f1score
import mmeval_like.metrics.classification.prediction_entropy
import mmeval_like.metrics.classification.single_label
import mmeval_like.metrics.classification.specificity
import mmeval_like.metrics.classification.stat_scores
import mmeval_like.metrics.classification.subset_accuracy
import mmeval_like.metrics.clustering.calinski_harabasz_score
import mmeval_like.metrics.clustering.cluster_accuracy
import mmeval_like.metrics.clustering.cramers_v
import mmeval_like.metrics.clustering.davies_bouldin_score
import mmeval_like.metrics.clustering.mutual_info_score
import mmeval_like.metrics.clustering.rand_score
import mmeval_like.metrics.clustering.v_measure_score
import mmeval_like.metrics.curves.area_under_curve
import mmeval_like.metrics.curves.auroc
import mmeval_like.metrics.curves.average_precision
import mmeval_like.metrics.curves.best_threshold
import mmeval_like.metrics.curves.calibration_error
import mmeval_like.metrics.curves.label_ranking
import mmeval_like.metrics.curves.operating_points
import mmeval_like.metrics.curves.precision_recall_curve
import mmeval_like.metrics.curves.reliability_diagram
import mmeval_like.metrics.curves.roc
import mmeval_like.metrics.curves.roc_numbers
import mmeval_like.metrics.detection.ava_mean_ap
import mmeval_like.metrics.detection.box_iou
import mmeval_like.metrics.detection.coco_detection
import mmeval_like.metrics.detection.dota_mean_ap
import mmeval_like.metrics.detection.log_average_miss_rate
import mmeval_like.metrics.detection.lvis_detection
import mmeval_like.metrics.detection.oid_mean_ap
import mmeval_like.metrics.detection.proposal_recall
import mmeval_like.metrics.detection.voc_mean_ap
import mmeval_like.metrics.features.clip_score
import mmeval_like.metrics.features.frechet
import mmeval_like.metrics.features.inception_score
import mmeval_like.metrics.features.independence
import mmeval_like.metrics.features.kernels
import mmeval_like.metrics.features.neighbours
import mmeval_like.metrics.image_quality.multi_scale
import mmeval_like.metrics.image_quality.natural_image_quality
import mmeval_like.metrics.image_quality.peak_signal_noise_ratio
import mmeval_like.metrics.image_quality.perceptual
import mmeval_like.metrics.image_quality.signal_noise_ratio
import mmeval_like.metrics.image_quality.spectral
import mmeval_like.metrics.image_quality.structural_similarity
import mmeval_like.metrics.image_quality.total_variation
import mmeval_like.metrics.image_quality.visual_information
import mmeval_like.metrics.image_quality.windows
import mmeval_like.metrics.keypoints.coco_keypoints
import mmeval_like.metrics.keypoints.end_point_error
import mmeval_like.metrics.keypoints.keypoint_auc
import mmeval_like.metrics.keypoints.keypoint_end_point_error
import mmeval_like.metrics.keypoints.keypoint_nme
import mmeval_like.metrics.keypoints.object_keypoint_similarity
import mmeval_like.metrics.keypoints.pck_accuracy
import mmeval_like.metrics.keypoints.procrustes
import mmeval_like.metrics.language_models.bits_per_byte
import mmeval_like.metrics.language_models.bradley_terry
import mmeval_like.metrics.language_models.majority_vote
import mmeval_like.metrics.language_models.multiple_choice
import mmeval_like.metrics.language_models.pass_at_k
import mmeval_like.metrics.language_models.perplexity
import mmeval_like.metrics.language_models.prediction_powered_mean
import mmeval_like.metrics.language_models.variance_components
import mmeval_like.metrics.language_models.win_rate
import mmeval_like.metrics.regression.concordance_corrcoef
import mmeval_like.metrics.regression.cosine_similarity
import mmeval_like.metrics.regression.covariance
import mmeval_like.metrics.regression.crps
import mmeval_like.metrics.regression.d2_pinball_score
import mmeval_like.metrics.regression.forecast_contingency
import mmeval_like.metrics.regression.interval_score
import mmeval_like.metrics.regression.kendall_rank_corrcoef
import mmeval_like.metrics.regression.kling_gupta_efficiency
import mmeval_like.metrics.regression.mean_absolute_error
import mmeval_like.metrics.regression.mean_absolute_scaled_error
import mmeval_like.metrics.regression.mean_squared_error
import mmeval_like.metrics.regression.median_absolute_error
import mmeval_like.metrics.regression.minkowski_distance
import mmeval_like.metrics.regression.nrmse
import mmeval_like.metrics.regression.pearson_corrcoef
import mmeval_like.metrics.regression.percentage_errors
import mmeval_like.metrics.regression.r2_score
import mmeval_like.metrics.regression.root_mean_squared_error
import mmeval_like.metrics.regression.spearman_corrcoef
import mmeval_like.metrics.regression.tweedie_deviance_score
import mmeval_like.metrics.retrieval.diversity
import mmeval_like.metrics.retrieval.gains
import mmeval_like.metrics.retrieval.hits
import mmeval_like.metrics.retrieval.judgments
import mmeval_like.metrics.retrieval.ranks
import mmeval_like.metrics.retrieval.retrieval_curves
import mmeval_like.metrics.retrieval.users
import mmeval_like.metrics.segmentation.connectivity_error
import mmeval_like.metrics.segmentation.gradient_error
import mmeval_like.metrics.segmentation.mask_scores
import mmeval_like.metrics.segmentation.matting_mean_squared_error
import mmeval_like.metrics.segmentation.mean_iou
import mmeval_like.metrics.segmentation.overlap_scores
import mmeval_like.metrics.segmentation.panoptic_quality
import mmeval_like.metrics.segmentation.skeletons
import mmeval_like.metrics.segmentation.sum_absolute_differences
import mmeval_like.metrics.segmentation.surface_scores
import mmeval_like.metrics.text.bert_score
import mmeval_like.metrics.text.bleu
import mmeval_like.metrics.text.char_recall_precision
import mmeval_like.metrics.text.chrf
import mmeval_like.metrics.text.cider
import mmeval_like.metrics.text.concatenated_wer
import mmeval_like.metrics.text.drop_f1
import mmeval_like.metrics.text.edit_distance
import mmeval_like.metrics.text.entity_f1
import mmeval_like.metrics.text.exact_match
import mmeval_like.metrics.text.google_bleu
import mmeval_like.metrics.text.hmean_iou
import mmeval_like.metrics.text.nist
import mmeval_like.metrics.text.rouge
import mmeval_like.metrics.text.sari
import mmeval_like.metrics.text.squad
import mmeval_like.metrics.text.translation_edit_rate
import mmeval_like.metrics.text.word_accuracy
import mmeval_like.metrics.text.word_error_rate
import mmeval_like.metrics.tracking.hota
import mmeval_like.metrics.tracking.identities
from mmeval_like._core.result import Result

from . import aggregation as aggregation
from . import agreement as agreement
from . import audio as audio
from . import classification as classification
from . import clustering as clustering
from . import curves as curves
from . import detection as detection
from . import features as features
from . import image_quality as image_quality
from . import keypoints as keypoints
from . import language_models as language_models
from . import regression as regression
from . import retrieval as retrieval
from . import segmentation as segmentation
from . import text as text
from . import tracking as tracking

class ANLS(mmeval_like.metrics.text.edit_distance.ANLS):
    def add(
        self,
        predictions: Any,
        references: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, references: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class AUROC(mmeval_like.metrics.curves.auroc.AUROC):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class AVAMeanAP(mmeval_like.metrics.detection.ava_mean_ap.AVAMeanAP):
    def add(self, predictions: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, predictions: Any) -> Result: ...
    def per_sample(self, predictions: Any) -> dict[str, Any]: ...

class Accuracy(mmeval_like.metrics.classification.accuracy.Accuracy):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class AdjustedMutualInfoScore(
    mmeval_like.metrics.clustering.mutual_info_score.AdjustedMutualInfoScore
):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class AdjustedRandScore(mmeval_like.metrics.clustering.rand_score.AdjustedRandScore):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class AlphaNDCG(mmeval_like.metrics.retrieval.diversity.AlphaNDCG):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class AreaUnderCurve(mmeval_like.metrics.curves.area_under_curve.AreaUnderCurve):
    def add(self, x: Any, y: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, x: Any, y: Any) -> Result: ...
    def per_sample(self, x: Any, y: Any) -> dict[str, Any]: ...

class AveragePrecision(mmeval_like.metrics.curves.average_precision.AveragePrecision):
    def add(
        self,
        predictions: Any = ...,
        labels: Any = ...,
        sample_weight: Any = ...,
        *,
        preds: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self,
        predictions: Any = ...,
        labels: Any = ...,
        sample_weight: Any = ...,
        *,
        preds: Any = ...,
    ) -> Result: ...
    def per_sample(
        self,
        predictions: Any = ...,
        labels: Any = ...,
        sample_weight: Any = ...,
        *,
        preds: Any = ...,
    ) -> dict[str, Any]: ...

class AverageSurfaceDistance(
    mmeval_like.metrics.segmentation.surface_scores.AverageSurfaceDistance
):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class BERTScore(mmeval_like.metrics.text.bert_score.BERTScore):
    def add(
        self,
        predictions: Any,
        references: Any,
        prediction_weights: Any = ...,
        reference_weights: Any = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self,
        predictions: Any,
        references: Any,
        prediction_weights: Any = ...,
        reference_weights: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    def per_sample(
        self,
        predictions: Any,
        references: Any,
        prediction_weights: Any = ...,
        reference_weights: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class BLEU(mmeval_like.metrics.text.bleu.BLEU):
    def add(
        self, predictions: Any, references: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any) -> Result: ...
    def per_sample(self, predictions: Any, references: Any) -> dict[str, Any]: ...

class BPref(mmeval_like.metrics.retrieval.judgments.BPref):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class BalancedAccuracy(mmeval_like.metrics.classification.balanced_accuracy.BalancedAccuracy):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class BestThreshold(mmeval_like.metrics.curves.best_threshold.BestThreshold):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class BitsPerByte(mmeval_like.metrics.language_models.bits_per_byte.BitsPerByte):
    def add(
        self,
        log_likelihoods: Any,
        texts: Any = ...,
        num_bytes: Any = ...,
        num_words: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, log_likelihoods: Any, texts: Any = ..., num_bytes: Any = ..., num_words: Any = ...
    ) -> Result: ...
    def per_sample(
        self, log_likelihoods: Any, texts: Any = ..., num_bytes: Any = ..., num_words: Any = ...
    ) -> dict[str, Any]: ...

class BoundaryIoU(mmeval_like.metrics.segmentation.mask_scores.BoundaryIoU):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class BradleyTerry(mmeval_like.metrics.language_models.bradley_terry.BradleyTerry):
    def add(
        self, first: Any, second: Any, outcomes: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, first: Any, second: Any, outcomes: Any) -> Result: ...
    def per_sample(self, first: Any, second: Any, outcomes: Any) -> dict[str, Any]: ...

class BrennanPrediger(mmeval_like.metrics.agreement.chance_corrected.BrennanPrediger):
    def add(self, ratings: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, ratings: Any) -> Result: ...
    def per_sample(self, ratings: Any) -> dict[str, Any]: ...

class BrierDecomposition(mmeval_like.metrics.curves.reliability_diagram.BrierDecomposition):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class BrierScore(mmeval_like.metrics.classification.brier_score.BrierScore):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class CHRFScore(mmeval_like.metrics.text.chrf.CHRFScore):
    def add(
        self, predictions: Any, references: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any) -> Result: ...
    def per_sample(self, predictions: Any, references: Any) -> dict[str, Any]: ...

class CIDEr(mmeval_like.metrics.text.cider.CIDEr):
    def add(
        self, predictions: Any, references: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any) -> Result: ...
    def per_sample(self, predictions: Any, references: Any) -> dict[str, Any]: ...

class CLIPScore(mmeval_like.metrics.features.clip_score.CLIPScore):
    def add(
        self,
        images: Any,
        texts: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, images: Any, texts: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(self, images: Any, texts: Any, sample_weight: Any = ...) -> dict[str, Any]: ...

class COCODetection(mmeval_like.metrics.detection.coco_detection.COCODetection):
    def add(
        self, predictions: Any, groundtruths: Any = ..., *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any = ...) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any = ...) -> dict[str, Any]: ...

class CalibrationError(mmeval_like.metrics.curves.calibration_error.CalibrationError):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class CalinskiHarabaszScore(
    mmeval_like.metrics.clustering.calinski_harabasz_score.CalinskiHarabaszScore
):
    def add(
        self, features: Any, predictions: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, features: Any, predictions: Any) -> Result: ...
    def per_sample(self, features: Any, predictions: Any) -> dict[str, Any]: ...

class Cat(mmeval_like.metrics.aggregation.totals.Cat):
    def add(self, values: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, values: Any) -> Result: ...
    def per_sample(self, values: Any) -> dict[str, Any]: ...

class CharErrorRate(mmeval_like.metrics.text.word_error_rate.CharErrorRate):
    def add(
        self, predictions: Any, references: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any) -> Result: ...
    def per_sample(self, predictions: Any, references: Any) -> dict[str, Any]: ...

class CharRecallPrecision(mmeval_like.metrics.text.char_recall_precision.CharRecallPrecision):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class ClDice(mmeval_like.metrics.segmentation.skeletons.ClDice):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class ClassificationReport(mmeval_like.metrics.classification.stat_scores.ClassificationReport):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class ClearMOT(mmeval_like.metrics.tracking.identities.ClearMOT):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        similarities: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, similarities: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, similarities: Any = ...
    ) -> dict[str, Any]: ...

class ClickThroughRate(mmeval_like.metrics.classification.prediction_entropy.ClickThroughRate):
    def add(
        self, clicks: Any, sample_weight: Any = ..., *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, clicks: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(self, clicks: Any, sample_weight: Any = ...) -> dict[str, Any]: ...

class ClusterAccuracy(mmeval_like.metrics.clustering.cluster_accuracy.ClusterAccuracy):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class CocoKeypoints(mmeval_like.metrics.keypoints.coco_keypoints.CocoKeypoints):
    def add(
        self, predictions: Any, groundtruths: Any = ..., *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any = ...) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any = ...) -> dict[str, Any]: ...

class CohenKappa(mmeval_like.metrics.classification.cohen_kappa.CohenKappa):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class CompleteIntersectionOverUnion(
    mmeval_like.metrics.detection.box_iou.CompleteIntersectionOverUnion
):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class CompletenessScore(mmeval_like.metrics.clustering.v_measure_score.CompletenessScore):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class ComplexScaleInvariantSNR(mmeval_like.metrics.audio.ratios.ComplexScaleInvariantSNR):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class ConcatenatedWER(mmeval_like.metrics.text.concatenated_wer.ConcatenatedWER):
    def add(
        self,
        predictions: Any,
        references: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, references: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class ConcordanceCorrCoef(mmeval_like.metrics.regression.concordance_corrcoef.ConcordanceCorrCoef):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class ConfusionMatrix(mmeval_like.metrics.classification.confusion_matrix.ConfusionMatrix):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class ConnectivityError(mmeval_like.metrics.segmentation.connectivity_error.ConnectivityError):
    def add(
        self,
        pred_alphas: Any,
        gt_alphas: Any,
        trimaps: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, pred_alphas: Any, gt_alphas: Any, trimaps: Any, sample_weight: Any = ...
    ) -> Result: ...
    def per_sample(
        self, pred_alphas: Any, gt_alphas: Any, trimaps: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class ContinuousRankedProbabilityScore(
    mmeval_like.metrics.regression.crps.ContinuousRankedProbabilityScore
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class CosineSimilarity(mmeval_like.metrics.regression.cosine_similarity.CosineSimilarity):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class Covariance(mmeval_like.metrics.regression.covariance.Covariance):
    def add(self, observations: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, observations: Any) -> Result: ...
    def per_sample(self, observations: Any) -> dict[str, Any]: ...

class CoverageError(mmeval_like.metrics.curves.label_ranking.CoverageError):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class CramersV(mmeval_like.metrics.clustering.cramers_v.CramersV):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class D2Brier(mmeval_like.metrics.classification.d2_log_loss.D2Brier):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class D2LogLoss(mmeval_like.metrics.classification.d2_log_loss.D2LogLoss):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class D2PinballScore(mmeval_like.metrics.regression.d2_pinball_score.D2PinballScore):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class D2TweedieScore(mmeval_like.metrics.regression.d2_pinball_score.D2TweedieScore):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class DETCurve(mmeval_like.metrics.curves.roc.DETCurve):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class DOTAMeanAP(mmeval_like.metrics.detection.dota_mean_ap.DOTAMeanAP):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class DaviesBouldinScore(mmeval_like.metrics.clustering.davies_bouldin_score.DaviesBouldinScore):
    def add(
        self, features: Any, predictions: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, features: Any, predictions: Any) -> Result: ...
    def per_sample(self, features: Any, predictions: Any) -> dict[str, Any]: ...

class DeepImageStructureAndTextureSimilarity(
    mmeval_like.metrics.image_quality.perceptual.DeepImageStructureAndTextureSimilarity
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, predictions: Any, groundtruths: Any = ..., sample_weight: Any = ...
    ) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any = ..., sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class DiarizationErrorRate(mmeval_like.metrics.audio.diarization.DiarizationErrorRate):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class DiceScore(mmeval_like.metrics.segmentation.overlap_scores.DiceScore):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class DistanceIntersectionOverUnion(
    mmeval_like.metrics.detection.box_iou.DistanceIntersectionOverUnion
):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class DropF1(mmeval_like.metrics.text.drop_f1.DropF1):
    def add(
        self,
        predictions: Any,
        references: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, references: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class DunnIndex(mmeval_like.metrics.clustering.davies_bouldin_score.DunnIndex):
    def add(
        self, features: Any, predictions: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, features: Any, predictions: Any) -> Result: ...
    def per_sample(self, features: Any, predictions: Any) -> dict[str, Any]: ...

class ERGAS(mmeval_like.metrics.image_quality.spectral.ERGAS):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    def per_sample(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class EditDistance(mmeval_like.metrics.text.edit_distance.EditDistance):
    def add(
        self,
        predictions: Any,
        references: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, references: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class EndPointError(mmeval_like.metrics.keypoints.end_point_error.EndPointError):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        valid_masks: Any = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        valid_masks: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, valid_masks: Any = ..., sample_weight: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        valid_masks: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, valid_masks: Any = ..., sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        valid_masks: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class EnergyScore(mmeval_like.metrics.regression.interval_score.EnergyScore):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class EntityF1(mmeval_like.metrics.text.entity_f1.EntityF1):
    def add(
        self, predictions: Any, references: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any) -> Result: ...
    def per_sample(self, predictions: Any, references: Any) -> dict[str, Any]: ...

class EqualErrorRate(mmeval_like.metrics.curves.operating_points.EqualErrorRate):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class ExactMatch(mmeval_like.metrics.text.exact_match.ExactMatch):
    def add(
        self,
        predictions: Any,
        references: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, references: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class ExpectedReciprocalRank(mmeval_like.metrics.retrieval.users.ExpectedReciprocalRank):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class ExplainedVariance(mmeval_like.metrics.regression.r2_score.ExplainedVariance):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class F1Score(mmeval_like.metrics.classification.f1_score.F1Score):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class FBetaScore(mmeval_like.metrics.classification.fbeta_score.FBetaScore):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class Fairness(mmeval_like.metrics.classification.fairness.Fairness):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        groups: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        groups: Any,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, groups: Any, sample_weight: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        groups: Any,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, groups: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        groups: Any,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class FalseNegativeRate(mmeval_like.metrics.classification.specificity.FalseNegativeRate):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class FalsePositiveRate(mmeval_like.metrics.classification.specificity.FalsePositiveRate):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class FleissKappa(mmeval_like.metrics.agreement.chance_corrected.FleissKappa):
    def add(self, ratings: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, ratings: Any) -> Result: ...
    def per_sample(self, ratings: Any) -> dict[str, Any]: ...

class ForecastContingency(mmeval_like.metrics.regression.forecast_contingency.ForecastContingency):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class FowlkesMallowsIndex(mmeval_like.metrics.clustering.rand_score.FowlkesMallowsIndex):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class FrechetInceptionDistance(mmeval_like.metrics.features.frechet.FrechetInceptionDistance):
    def add(self, samples: Any, real: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, samples: Any, real: Any) -> Result: ...
    def per_sample(self, samples: Any, real: Any) -> dict[str, Any]: ...

class GPassAtK(mmeval_like.metrics.language_models.pass_at_k.GPassAtK):
    def add(
        self, correct: Any, attempts: Any = ..., *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, correct: Any, attempts: Any = ...) -> Result: ...
    def per_sample(self, correct: Any, attempts: Any = ...) -> dict[str, Any]: ...

class GeneralizedDiceScore(mmeval_like.metrics.segmentation.overlap_scores.GeneralizedDiceScore):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class GeneralizedIntersectionOverUnion(
    mmeval_like.metrics.detection.box_iou.GeneralizedIntersectionOverUnion
):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class GeometricMean(mmeval_like.metrics.classification.balanced_accuracy.GeometricMean):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class GiniCoefficient(mmeval_like.metrics.curves.roc_numbers.GiniCoefficient):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class GoogleBLEU(mmeval_like.metrics.text.google_bleu.GoogleBLEU):
    def add(
        self,
        predictions: Any,
        references: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, references: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class GradientError(mmeval_like.metrics.segmentation.gradient_error.GradientError):
    def add(
        self,
        pred_alphas: Any,
        gt_alphas: Any,
        trimaps: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, pred_alphas: Any, gt_alphas: Any, trimaps: Any, sample_weight: Any = ...
    ) -> Result: ...
    def per_sample(
        self, pred_alphas: Any, gt_alphas: Any, trimaps: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class GroupStatRates(mmeval_like.metrics.classification.fairness.GroupStatRates):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        groups: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        groups: Any,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, groups: Any, sample_weight: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        groups: Any,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, groups: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        groups: Any,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class GwetAC(mmeval_like.metrics.agreement.chance_corrected.GwetAC):
    def add(self, ratings: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, ratings: Any) -> Result: ...
    def per_sample(self, ratings: Any) -> dict[str, Any]: ...

class HOTA(mmeval_like.metrics.tracking.hota.HOTA):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        similarities: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, similarities: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, similarities: Any = ...
    ) -> dict[str, Any]: ...

class HammingDistance(mmeval_like.metrics.classification.jaccard_index.HammingDistance):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class HausdorffDistance(mmeval_like.metrics.segmentation.surface_scores.HausdorffDistance):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class HilbertSchmidtIndependence(
    mmeval_like.metrics.features.independence.HilbertSchmidtIndependence
):
    def add(
        self, features_x: Any, features_y: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, features_x: Any, features_y: Any) -> Result: ...
    def per_sample(self, features_x: Any, features_y: Any) -> dict[str, Any]: ...

class HingeLoss(mmeval_like.metrics.classification.hinge_loss.HingeLoss):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class HmeanIoU(mmeval_like.metrics.text.hmean_iou.HmeanIoU):
    def add(
        self,
        batch_pred_polygons: Any,
        batch_pred_scores: Any,
        batch_gt_polygons: Any,
        batch_gt_ignore_flags: Any,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self,
        batch_pred_polygons: Any,
        batch_pred_scores: Any,
        batch_gt_polygons: Any,
        batch_gt_ignore_flags: Any,
    ) -> Result: ...
    def per_sample(
        self,
        batch_pred_polygons: Any,
        batch_pred_scores: Any,
        batch_gt_polygons: Any,
        batch_gt_ignore_flags: Any,
    ) -> dict[str, Any]: ...

class HomogeneityScore(mmeval_like.metrics.clustering.v_measure_score.HomogeneityScore):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class IDF1(mmeval_like.metrics.tracking.identities.IDF1):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        similarities: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, similarities: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, similarities: Any = ...
    ) -> dict[str, Any]: ...

class InceptionScore(mmeval_like.metrics.features.inception_score.InceptionScore):
    def add(self, samples: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, samples: Any) -> Result: ...
    def per_sample(self, samples: Any) -> dict[str, Any]: ...

class InferredAP(mmeval_like.metrics.retrieval.judgments.InferredAP):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class Informedness(mmeval_like.metrics.classification.balanced_accuracy.Informedness):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class InterpolatedPrecision(mmeval_like.metrics.retrieval.retrieval_curves.InterpolatedPrecision):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class IntersectionOverUnion(mmeval_like.metrics.detection.box_iou.IntersectionOverUnion):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class IntervalScore(mmeval_like.metrics.regression.interval_score.IntervalScore):
    def add(
        self,
        lower: Any,
        upper: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, lower: Any, upper: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, lower: Any, upper: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class IntraclassCorrelation(
    mmeval_like.metrics.agreement.intraclass_correlation.IntraclassCorrelation
):
    def add(self, ratings: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, ratings: Any) -> Result: ...
    def per_sample(self, ratings: Any) -> dict[str, Any]: ...

class JaccardIndex(mmeval_like.metrics.classification.jaccard_index.JaccardIndex):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class JensenShannonDivergence(
    mmeval_like.metrics.regression.cosine_similarity.JensenShannonDivergence
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class JhmdbPCKAccuracy(mmeval_like.metrics.keypoints.pck_accuracy.JhmdbPCKAccuracy):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class JudgedAtK(mmeval_like.metrics.retrieval.judgments.JudgedAtK):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class KLDivergence(mmeval_like.metrics.regression.cosine_similarity.KLDivergence):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class KendallRankCorrCoef(mmeval_like.metrics.regression.kendall_rank_corrcoef.KendallRankCorrCoef):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class KernelInceptionDistance(mmeval_like.metrics.features.kernels.KernelInceptionDistance):
    def add(self, samples: Any, real: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, samples: Any, real: Any) -> Result: ...
    def per_sample(self, samples: Any, real: Any) -> dict[str, Any]: ...

class KeypointAUC(mmeval_like.metrics.keypoints.keypoint_auc.KeypointAUC):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class KeypointEndPointError(
    mmeval_like.metrics.keypoints.keypoint_end_point_error.KeypointEndPointError
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class KeypointNME(mmeval_like.metrics.keypoints.keypoint_nme.KeypointNME):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class KlingGuptaEfficiency(
    mmeval_like.metrics.regression.kling_gupta_efficiency.KlingGuptaEfficiency
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class KolmogorovSmirnov(mmeval_like.metrics.curves.roc_numbers.KolmogorovSmirnov):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class KrippendorffAlpha(mmeval_like.metrics.agreement.krippendorff_alpha.KrippendorffAlpha):
    def add(self, ratings: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, ratings: Any) -> Result: ...
    def per_sample(self, ratings: Any) -> dict[str, Any]: ...

class LVISDetection(mmeval_like.metrics.detection.lvis_detection.LVISDetection):
    def add(
        self, predictions: Any, groundtruths: Any = ..., *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any = ...) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any = ...) -> dict[str, Any]: ...

class LabelRankingAveragePrecision(
    mmeval_like.metrics.curves.label_ranking.LabelRankingAveragePrecision
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class LabelRankingLoss(mmeval_like.metrics.curves.label_ranking.LabelRankingLoss):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class LearnedPerceptualImagePatchSimilarity(
    mmeval_like.metrics.image_quality.perceptual.LearnedPerceptualImagePatchSimilarity
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, predictions: Any, groundtruths: Any = ..., sample_weight: Any = ...
    ) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any = ..., sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class LikelihoodRatios(mmeval_like.metrics.classification.balanced_accuracy.LikelihoodRatios):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class LogAUC(mmeval_like.metrics.curves.roc_numbers.LogAUC):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class LogAverageMissRate(mmeval_like.metrics.detection.log_average_miss_rate.LogAverageMissRate):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class LogCoshError(mmeval_like.metrics.regression.tweedie_deviance_score.LogCoshError):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class LogLoss(mmeval_like.metrics.classification.log_loss.LogLoss):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class MajorityVote(mmeval_like.metrics.language_models.majority_vote.MajorityVote):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class Markedness(mmeval_like.metrics.classification.balanced_accuracy.Markedness):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class MatchErrorRate(mmeval_like.metrics.text.word_error_rate.MatchErrorRate):
    def add(
        self, predictions: Any, references: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any) -> Result: ...
    def per_sample(self, predictions: Any, references: Any) -> dict[str, Any]: ...

class MatthewsCorrCoef(mmeval_like.metrics.classification.matthews_corrcoef.MatthewsCorrCoef):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class MattingMeanSquaredError(
    mmeval_like.metrics.segmentation.matting_mean_squared_error.MattingMeanSquaredError
):
    def add(
        self,
        pred_alphas: Any,
        gt_alphas: Any,
        trimaps: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, pred_alphas: Any, gt_alphas: Any, trimaps: Any, sample_weight: Any = ...
    ) -> Result: ...
    def per_sample(
        self, pred_alphas: Any, gt_alphas: Any, trimaps: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class Max(mmeval_like.metrics.aggregation.totals.Max):
    def add(self, values: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, values: Any) -> Result: ...
    def per_sample(self, values: Any) -> dict[str, Any]: ...

class MaxError(mmeval_like.metrics.regression.median_absolute_error.MaxError):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class MaximumMeanDiscrepancy(mmeval_like.metrics.features.kernels.MaximumMeanDiscrepancy):
    def add(self, samples: Any, real: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, samples: Any, real: Any) -> Result: ...
    def per_sample(self, samples: Any, real: Any) -> dict[str, Any]: ...

class McNemar(mmeval_like.metrics.classification.mcnemar.McNemar):
    def add(
        self,
        predictions_a: Any,
        predictions_b: Any,
        labels: Any,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions_a: Any, predictions_b: Any, labels: Any) -> Result: ...
    def per_sample(self, predictions_a: Any, predictions_b: Any, labels: Any) -> dict[str, Any]: ...

class Mean(mmeval_like.metrics.aggregation.mean.Mean):
    def add(
        self, values: Any, sample_weight: Any = ..., *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, values: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(self, values: Any, sample_weight: Any = ...) -> dict[str, Any]: ...

class MeanAbsoluteError(mmeval_like.metrics.regression.mean_absolute_error.MeanAbsoluteError):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        masks: Any = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, predictions: Any, groundtruths: Any, masks: Any = ..., sample_weight: Any = ...
    ) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, masks: Any = ..., sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class MeanAbsolutePercentageError(
    mmeval_like.metrics.regression.percentage_errors.MeanAbsolutePercentageError
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class MeanAbsoluteScaledError(
    mmeval_like.metrics.regression.mean_absolute_scaled_error.MeanAbsoluteScaledError
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        history: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        history: Any,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, history: Any, sample_weight: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        history: Any,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, history: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        history: Any,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class MeanBias(mmeval_like.metrics.regression.median_absolute_error.MeanBias):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class MeanIoU(mmeval_like.metrics.segmentation.mean_iou.MeanIoU):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class MeanPerJointPositionError(mmeval_like.metrics.keypoints.procrustes.MeanPerJointPositionError):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        visible: Any = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, predictions: Any, groundtruths: Any, visible: Any = ..., sample_weight: Any = ...
    ) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, visible: Any = ..., sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class MeanSquaredError(mmeval_like.metrics.regression.mean_squared_error.MeanSquaredError):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        masks: Any = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, predictions: Any, groundtruths: Any, masks: Any = ..., sample_weight: Any = ...
    ) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, masks: Any = ..., sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class MeanSquaredLogError(
    mmeval_like.metrics.regression.tweedie_deviance_score.MeanSquaredLogError
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class MedianAbsoluteError(mmeval_like.metrics.regression.median_absolute_error.MedianAbsoluteError):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class MemorizationInformedFID(mmeval_like.metrics.features.frechet.MemorizationInformedFID):
    def add(self, samples: Any, real: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, samples: Any, real: Any) -> Result: ...
    def per_sample(self, samples: Any, real: Any) -> dict[str, Any]: ...

class MetricAtThresholds(mmeval_like.metrics.curves.best_threshold.MetricAtThresholds):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class Min(mmeval_like.metrics.aggregation.totals.Min):
    def add(self, values: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, values: Any) -> Result: ...
    def per_sample(self, values: Any) -> dict[str, Any]: ...

class MinkowskiDistance(mmeval_like.metrics.regression.minkowski_distance.MinkowskiDistance):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class ModifiedPanopticQuality(
    mmeval_like.metrics.segmentation.panoptic_quality.ModifiedPanopticQuality
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        crowds: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, crowds: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, crowds: Any = ...
    ) -> dict[str, Any]: ...

class MpiiPCKAccuracy(mmeval_like.metrics.keypoints.pck_accuracy.MpiiPCKAccuracy):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class MultiLabelPrecisionRecallF1score(
    mmeval_like.metrics.classification.multi_label.MultiLabelPrecisionRecallF1score
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class MultiScaleStructuralSimilarity(
    mmeval_like.metrics.image_quality.multi_scale.MultiScaleStructuralSimilarity
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    def per_sample(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class MultipleChoiceAccuracy(
    mmeval_like.metrics.language_models.multiple_choice.MultipleChoiceAccuracy
):
    def add(
        self,
        log_likelihoods: Any,
        labels: Any,
        choices: Any = ...,
        unconditional: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, log_likelihoods: Any, labels: Any, choices: Any = ..., unconditional: Any = ...
    ) -> Result: ...
    def per_sample(
        self, log_likelihoods: Any, labels: Any, choices: Any = ..., unconditional: Any = ...
    ) -> dict[str, Any]: ...

class MultipleChoiceMass(mmeval_like.metrics.language_models.multiple_choice.MultipleChoiceMass):
    def add(
        self,
        log_likelihoods: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, log_likelihoods: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, log_likelihoods: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class MutualInfoScore(mmeval_like.metrics.clustering.mutual_info_score.MutualInfoScore):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class NIST(mmeval_like.metrics.text.nist.NIST):
    def add(
        self, predictions: Any, references: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any) -> Result: ...
    def per_sample(self, predictions: Any, references: Any) -> dict[str, Any]: ...

class NaturalImageQualityEvaluator(
    mmeval_like.metrics.image_quality.natural_image_quality.NaturalImageQualityEvaluator
):
    def add(
        self,
        predictions: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, predictions: Any, channel_order: str | None = ..., sample_weight: Any = ...
    ) -> Result: ...
    def per_sample(
        self, predictions: Any, channel_order: str | None = ..., sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class NegativePredictiveValue(
    mmeval_like.metrics.classification.specificity.NegativePredictiveValue
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class NormalizedEditSimilarity(mmeval_like.metrics.text.edit_distance.NormalizedEditSimilarity):
    def add(
        self,
        predictions: Any,
        references: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, references: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class NormalizedEntropy(mmeval_like.metrics.classification.prediction_entropy.NormalizedEntropy):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class NormalizedMutualInfoScore(
    mmeval_like.metrics.clustering.mutual_info_score.NormalizedMutualInfoScore
):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class NormalizedRootMeanSquaredError(
    mmeval_like.metrics.regression.nrmse.NormalizedRootMeanSquaredError
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class NormalizedSurfaceDistance(
    mmeval_like.metrics.segmentation.surface_scores.NormalizedSurfaceDistance
):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class OIDMeanAP(mmeval_like.metrics.detection.oid_mean_ap.OIDMeanAP):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class ObjectKeypointSimilarity(
    mmeval_like.metrics.keypoints.object_keypoint_similarity.ObjectKeypointSimilarity
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        areas: Any,
        visible: Any = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self,
        predictions: Any,
        groundtruths: Any,
        areas: Any,
        visible: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    def per_sample(
        self,
        predictions: Any,
        groundtruths: Any,
        areas: Any,
        visible: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class PCKAccuracy(mmeval_like.metrics.keypoints.pck_accuracy.PCKAccuracy):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class PairConfusionMatrix(mmeval_like.metrics.clustering.rand_score.PairConfusionMatrix):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class PanopticQuality(mmeval_like.metrics.segmentation.panoptic_quality.PanopticQuality):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        crowds: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, crowds: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, crowds: Any = ...
    ) -> dict[str, Any]: ...

class PassAtK(mmeval_like.metrics.language_models.pass_at_k.PassAtK):
    def add(
        self, correct: Any, attempts: Any = ..., *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, correct: Any, attempts: Any = ...) -> Result: ...
    def per_sample(self, correct: Any, attempts: Any = ...) -> dict[str, Any]: ...

class PassHatK(mmeval_like.metrics.language_models.pass_at_k.PassHatK):
    def add(
        self, correct: Any, attempts: Any = ..., *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, correct: Any, attempts: Any = ...) -> Result: ...
    def per_sample(self, correct: Any, attempts: Any = ...) -> dict[str, Any]: ...

class PeakSignalNoiseRatio(
    mmeval_like.metrics.image_quality.peak_signal_noise_ratio.PeakSignalNoiseRatio
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, predictions: Any, groundtruths: Any, channel_order: str | None = ...
    ) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, channel_order: str | None = ...
    ) -> dict[str, Any]: ...

class PearsonCorrCoef(mmeval_like.metrics.regression.pearson_corrcoef.PearsonCorrCoef):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class PearsonsContingencyCoefficient(
    mmeval_like.metrics.clustering.cramers_v.PearsonsContingencyCoefficient
):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class PercentAgreement(mmeval_like.metrics.agreement.chance_corrected.PercentAgreement):
    def add(self, ratings: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, ratings: Any) -> Result: ...
    def per_sample(self, ratings: Any) -> dict[str, Any]: ...

class PerceptualEvaluationSpeechQuality(
    mmeval_like.metrics.audio.speech.PerceptualEvaluationSpeechQuality
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class PermutationInvariantTraining(
    mmeval_like.metrics.audio.permutation.PermutationInvariantTraining
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class Perplexity(mmeval_like.metrics.language_models.perplexity.Perplexity):
    def add(
        self,
        predictions: Any = ...,
        targets: Any = ...,
        log_likelihoods: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, predictions: Any = ..., targets: Any = ..., log_likelihoods: Any = ...
    ) -> Result: ...
    def per_sample(
        self, predictions: Any = ..., targets: Any = ..., log_likelihoods: Any = ...
    ) -> dict[str, Any]: ...

class PinballLoss(mmeval_like.metrics.regression.crps.PinballLoss):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class PoissonLoss(mmeval_like.metrics.regression.tweedie_deviance_score.PoissonLoss):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class PositionBias(mmeval_like.metrics.language_models.win_rate.PositionBias):
    def add(
        self, outcomes: Any, swapped_outcomes: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, outcomes: Any, swapped_outcomes: Any) -> Result: ...
    def per_sample(self, outcomes: Any, swapped_outcomes: Any) -> dict[str, Any]: ...

class Precision(mmeval_like.metrics.classification.fbeta_score.Precision):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class PrecisionAtFixedRecall(mmeval_like.metrics.curves.operating_points.PrecisionAtFixedRecall):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class PrecisionRecallCurve(mmeval_like.metrics.curves.precision_recall_curve.PrecisionRecallCurve):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class PrecisionRecallDensityCoverage(
    mmeval_like.metrics.features.neighbours.PrecisionRecallDensityCoverage
):
    def add(self, samples: Any, real: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, samples: Any, real: Any) -> Result: ...
    def per_sample(self, samples: Any, real: Any) -> dict[str, Any]: ...

PrecisionRecallF1score = (
    mmeval_like.metrics.classification.precision_recall_f1score.PrecisionRecallF1score
)

class PredictionEntropy(mmeval_like.metrics.classification.prediction_entropy.PredictionEntropy):
    def add(
        self, predictions: Any, sample_weight: Any = ..., *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(self, predictions: Any, sample_weight: Any = ...) -> dict[str, Any]: ...

class PredictionPoweredMean(
    mmeval_like.metrics.language_models.prediction_powered_mean.PredictionPoweredMean
):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class ProcrustesDisparity(mmeval_like.metrics.keypoints.procrustes.ProcrustesDisparity):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class ProposalRecall(mmeval_like.metrics.detection.proposal_recall.ProposalRecall):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class Purity(mmeval_like.metrics.clustering.cluster_accuracy.Purity):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class Quantile(mmeval_like.metrics.aggregation.quantile.Quantile):
    def add(self, values: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, values: Any) -> Result: ...
    def per_sample(self, values: Any) -> dict[str, Any]: ...

class R2Score(mmeval_like.metrics.regression.r2_score.R2Score):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class ROC(mmeval_like.metrics.curves.roc.ROC):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class ROUGE(mmeval_like.metrics.text.rouge.ROUGE):
    def add(
        self, predictions: Any, references: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any) -> Result: ...
    def per_sample(self, predictions: Any, references: Any) -> dict[str, Any]: ...

class RandScore(mmeval_like.metrics.clustering.rand_score.RandScore):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class RankBiasedPrecision(mmeval_like.metrics.retrieval.users.RankBiasedPrecision):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class Recall(mmeval_like.metrics.classification.fbeta_score.Recall):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class RecallAtFixedPrecision(mmeval_like.metrics.curves.operating_points.RecallAtFixedPrecision):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class ReferringSegmentation(mmeval_like.metrics.segmentation.mask_scores.ReferringSegmentation):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class RelativeSquaredError(mmeval_like.metrics.regression.r2_score.RelativeSquaredError):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class ReliabilityDiagram(mmeval_like.metrics.curves.reliability_diagram.ReliabilityDiagram):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalAUROC(mmeval_like.metrics.retrieval.ranks.RetrievalAUROC):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalDCG(mmeval_like.metrics.retrieval.gains.RetrievalDCG):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalFBeta(mmeval_like.metrics.retrieval.hits.RetrievalFBeta):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalFallOut(mmeval_like.metrics.retrieval.hits.RetrievalFallOut):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalHitRate(mmeval_like.metrics.retrieval.hits.RetrievalHitRate):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalMAP(mmeval_like.metrics.retrieval.ranks.RetrievalMAP):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalMRR(mmeval_like.metrics.retrieval.ranks.RetrievalMRR):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalNormalizedDCG(mmeval_like.metrics.retrieval.gains.RetrievalNormalizedDCG):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalPrecision(mmeval_like.metrics.retrieval.hits.RetrievalPrecision):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalPrecisionRecallCurve(
    mmeval_like.metrics.retrieval.retrieval_curves.RetrievalPrecisionRecallCurve
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalRPrecision(mmeval_like.metrics.retrieval.hits.RetrievalRPrecision):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalRecall(mmeval_like.metrics.retrieval.hits.RetrievalRecall):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RetrievalRecallAtFixedPrecision(
    mmeval_like.metrics.retrieval.retrieval_curves.RetrievalRecallAtFixedPrecision
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        documents: Any = ...,
        judged: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, documents: Any = ..., judged: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        documents: Any = ...,
        judged: Any = ...,
    ) -> dict[str, Any]: ...

class RootMeanSquaredError(
    mmeval_like.metrics.regression.root_mean_squared_error.RootMeanSquaredError
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class RunningMean(mmeval_like.metrics.aggregation.running_mean.RunningMean):
    def add(self, values: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, values: Any) -> Result: ...
    def per_sample(self, values: Any) -> dict[str, Any]: ...

class RunningSum(mmeval_like.metrics.aggregation.running_mean.RunningSum):
    def add(self, values: Any, *, ids: Any = ..., clusters: Any = ...) -> None: ...
    def __call__(self, values: Any) -> Result: ...
    def per_sample(self, values: Any) -> dict[str, Any]: ...

class SARI(mmeval_like.metrics.text.sari.SARI):
    def add(
        self,
        sources: Any,
        predictions: Any,
        references: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, sources: Any, predictions: Any, references: Any, sample_weight: Any = ...
    ) -> Result: ...
    def per_sample(
        self, sources: Any, predictions: Any, references: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class SQuAD(mmeval_like.metrics.text.squad.SQuAD):
    def add(
        self,
        predictions: Any,
        references: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, references: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class ScaleInvariantSDR(mmeval_like.metrics.audio.ratios.ScaleInvariantSDR):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class ScaleInvariantSNR(mmeval_like.metrics.audio.ratios.ScaleInvariantSNR):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class SensitivityAtSpecificity(
    mmeval_like.metrics.curves.operating_points.SensitivityAtSpecificity
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class ShortTimeObjectiveIntelligibility(
    mmeval_like.metrics.audio.speech.ShortTimeObjectiveIntelligibility
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class SignalDistortionRatio(mmeval_like.metrics.audio.distortion.SignalDistortionRatio):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class SignalNoiseRatio(mmeval_like.metrics.image_quality.signal_noise_ratio.SignalNoiseRatio):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, predictions: Any, groundtruths: Any, channel_order: str | None = ...
    ) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, channel_order: str | None = ...
    ) -> dict[str, Any]: ...

class SilhouetteScore(mmeval_like.metrics.clustering.davies_bouldin_score.SilhouetteScore):
    def add(
        self, features: Any, predictions: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, features: Any, predictions: Any) -> Result: ...
    def per_sample(self, features: Any, predictions: Any) -> dict[str, Any]: ...

class SingleLabelPrecisionRecallF1score(
    mmeval_like.metrics.classification.single_label.SingleLabelPrecisionRecallF1score
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class SourceAggregatedSDR(mmeval_like.metrics.audio.ratios.SourceAggregatedSDR):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class SpatialCorrelationCoefficient(
    mmeval_like.metrics.image_quality.windows.SpatialCorrelationCoefficient
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    def per_sample(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class SpearmanCorrCoef(mmeval_like.metrics.regression.spearman_corrcoef.SpearmanCorrCoef):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class Specificity(mmeval_like.metrics.classification.specificity.Specificity):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class SpecificityAtSensitivity(
    mmeval_like.metrics.curves.operating_points.SpecificityAtSensitivity
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class SpectralAngleMapper(mmeval_like.metrics.image_quality.spectral.SpectralAngleMapper):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    def per_sample(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class StatScores(mmeval_like.metrics.classification.stat_scores.StatScores):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class StructuralSimilarity(
    mmeval_like.metrics.image_quality.structural_similarity.StructuralSimilarity
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    def per_sample(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class SubsetAccuracy(mmeval_like.metrics.classification.subset_accuracy.SubsetAccuracy):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class Sum(mmeval_like.metrics.aggregation.totals.Sum):
    def add(
        self, values: Any, sample_weight: Any = ..., *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, values: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(self, values: Any, sample_weight: Any = ...) -> dict[str, Any]: ...

class SumAbsoluteDifferences(
    mmeval_like.metrics.segmentation.sum_absolute_differences.SumAbsoluteDifferences
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, groundtruths: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class SymmetricMeanAbsolutePercentageError(
    mmeval_like.metrics.regression.percentage_errors.SymmetricMeanAbsolutePercentageError
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class TheilsU(mmeval_like.metrics.clustering.cramers_v.TheilsU):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class TotalVariation(mmeval_like.metrics.image_quality.total_variation.TotalVariation):
    def add(
        self,
        predictions: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self, predictions: Any, channel_order: str | None = ..., sample_weight: Any = ...
    ) -> Result: ...
    def per_sample(
        self, predictions: Any, channel_order: str | None = ..., sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class TranslationEditRate(mmeval_like.metrics.text.translation_edit_rate.TranslationEditRate):
    def add(
        self,
        predictions: Any,
        references: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, references: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class TschuprowsT(mmeval_like.metrics.clustering.cramers_v.TschuprowsT):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class TweedieDevianceScore(
    mmeval_like.metrics.regression.tweedie_deviance_score.TweedieDevianceScore
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class UniversalImageQualityIndex(
    mmeval_like.metrics.image_quality.windows.UniversalImageQualityIndex
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    def per_sample(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class VMeasureScore(mmeval_like.metrics.clustering.v_measure_score.VMeasureScore):
    @overload
    def add(
        self, predictions: Any, labels: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any) -> Result: ...
    @overload
    def __call__(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> Result: ...
    @overload
    def per_sample(self, predictions: Any, labels: Any) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self, *, y_true: Any, y_pred: Any = ..., y_score: Any = ..., y_proba: Any = ...
    ) -> dict[str, Any]: ...

class VOCMeanAP(mmeval_like.metrics.detection.voc_mean_ap.VOCMeanAP):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class VQAAccuracy(mmeval_like.metrics.text.exact_match.VQAAccuracy):
    def add(
        self,
        predictions: Any,
        references: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any, sample_weight: Any = ...) -> Result: ...
    def per_sample(
        self, predictions: Any, references: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...

class VarianceComponents(
    mmeval_like.metrics.language_models.variance_components.VarianceComponents
):
    def add(
        self, scores: Any, questions: Any, runs: Any = ..., *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, scores: Any, questions: Any, runs: Any = ...) -> Result: ...
    def per_sample(self, scores: Any, questions: Any, runs: Any = ...) -> dict[str, Any]: ...

class VisualInformationFidelity(
    mmeval_like.metrics.image_quality.visual_information.VisualInformationFidelity
):
    def add(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    def __call__(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    def per_sample(
        self,
        predictions: Any,
        groundtruths: Any,
        channel_order: str | None = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class VolumetricSimilarity(mmeval_like.metrics.segmentation.overlap_scores.VolumetricSimilarity):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class WeightedCalibration(
    mmeval_like.metrics.classification.prediction_entropy.WeightedCalibration
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

class WeightedMeanAbsolutePercentageError(
    mmeval_like.metrics.regression.percentage_errors.WeightedMeanAbsolutePercentageError
):
    @overload
    def add(
        self,
        predictions: Any,
        labels: Any,
        sample_weight: Any = ...,
        *,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def add(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
        ids: Any = ...,
        clusters: Any = ...,
    ) -> None: ...
    @overload
    def __call__(self, predictions: Any, labels: Any, sample_weight: Any = ...) -> Result: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> Result: ...
    @overload
    def per_sample(
        self, predictions: Any, labels: Any, sample_weight: Any = ...
    ) -> dict[str, Any]: ...
    @overload
    def per_sample(
        self,
        *,
        y_true: Any,
        y_pred: Any = ...,
        y_score: Any = ...,
        y_proba: Any = ...,
        sample_weight: Any = ...,
    ) -> dict[str, Any]: ...

WinRate = mmeval_like.metrics.language_models.win_rate.WinRate

class WordAccuracy(mmeval_like.metrics.text.word_accuracy.WordAccuracy):
    def add(
        self, predictions: Any, groundtruths: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, groundtruths: Any) -> Result: ...
    def per_sample(self, predictions: Any, groundtruths: Any) -> dict[str, Any]: ...

class WordErrorRate(mmeval_like.metrics.text.word_error_rate.WordErrorRate):
    def add(
        self, predictions: Any, references: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any) -> Result: ...
    def per_sample(self, predictions: Any, references: Any) -> dict[str, Any]: ...

class WordInfoLost(mmeval_like.metrics.text.word_error_rate.WordInfoLost):
    def add(
        self, predictions: Any, references: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any) -> Result: ...
    def per_sample(self, predictions: Any, references: Any) -> dict[str, Any]: ...

class WordInfoPreserved(mmeval_like.metrics.text.word_error_rate.WordInfoPreserved):
    def add(
        self, predictions: Any, references: Any, *, ids: Any = ..., clusters: Any = ...
    ) -> None: ...
    def __call__(self, predictions: Any, references: Any) -> Result: ...
    def per_sample(self, predictions: Any, references: Any) -> dict[str, Any]: ...

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
