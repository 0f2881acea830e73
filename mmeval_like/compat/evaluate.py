"""evaluate: metrics by the names, the arguments and the keys of Hugging Face's evaluate."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from mmeval_like._base.names import did_you_mean
from mmeval_like._core.collection import MetricCollection
from mmeval_like.backends import BaseDistBackend
from mmeval_like.metrics import (
    AUROC,
    BLEU,
    ROUGE,
    Accuracy,
    BrierScore,
    CharErrorRate,
    CHRFScore,
    ExactMatch,
    FBetaScore,
    GoogleBLEU,
    MatthewsCorrCoef,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    PearsonCorrCoef,
    Precision,
    R2Score,
    Recall,
    SpearmanCorrCoef,
    TranslationEditRate,
    WordErrorRate,
)

__all__ = ["LoadedMetrics", "load"]


@dataclass(frozen=True)
class _Known:
    """A metric of evaluate.

    Attributes:
        make: Returns our metric, with evaluate's options.
        keys: Our key and evaluate's key of each value.
        scale: The factor by which evaluate's value is larger.
        bare: Whether evaluate returns a number in place of a dict.
    """

    make: Callable[..., Any]
    keys: Mapping[str, str]
    scale: float = 1.0
    bare: bool = False


class _OfOccurring:
    """A metric of classes for which only those count that a sample has as prediction or label."""

    def parts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        numerator, denominator = super().parts(tp, fp, fn, tn)  # type: ignore[misc]
        return numerator, denominator + (denominator == 0) * (tp + fp + fn > 0)


class _Precision(_OfOccurring, Precision):
    pass


class _Recall(_OfOccurring, Recall):
    pass


class _FBetaScore(_OfOccurring, FBetaScore):
    pass


_OCCURRING: dict[Any, Any] = {Precision: _Precision, Recall: _Recall, FBetaScore: _FBetaScore}


def _averaged(
    metric: Callable[..., Any], average: str | None = "binary", num_classes: int | None = None
) -> Any:
    if average == "binary":
        return metric()
    if average == "micro":
        return metric(task="multiclass", average=average, num_classes=num_classes)
    return _OCCURRING[metric](
        task="multiclass", average=average, num_classes=num_classes, zero_division=math.nan
    )


_KNOWN = {
    "accuracy": _Known(lambda: Accuracy(), {"top1": "accuracy"}),
    "bleu": _Known(lambda: BLEU(tokenizer_fn="13a"), {"bleu": "bleu"}),
    "brier_score": _Known(lambda: BrierScore(), {"brier": "brier_score"}),
    "cer": _Known(lambda: CharErrorRate(), {"cer": "cer"}, bare=True),
    "chrf": _Known(lambda word_order=0: CHRFScore(word_order=word_order), {"chrf": "score"}, 100),
    "exact_match": _Known(lambda: ExactMatch(), {"exact_match": "exact_match"}),
    "f1": _Known(partial(_averaged, FBetaScore), {"fbeta": "f1", "fbeta_classwise": "f1"}),
    "google_bleu": _Known(lambda: GoogleBLEU(tokenizer_fn="13a"), {"google_bleu": "google_bleu"}),
    "mae": _Known(lambda: MeanAbsoluteError(), {"mae": "mae"}),
    "mape": _Known(lambda: MeanAbsolutePercentageError(), {"mape": "mape"}),
    "matthews_correlation": _Known(
        lambda num_classes=2: MatthewsCorrCoef(num_classes), {"mcc": "matthews_correlation"}
    ),
    "mse": _Known(lambda: MeanSquaredError(), {"mse": "mse"}),
    "pearsonr": _Known(lambda: PearsonCorrCoef(), {"pearson": "pearsonr"}),
    "precision": _Known(
        partial(_averaged, Precision),
        {"precision": "precision", "precision_classwise": "precision"},
    ),
    "r_squared": _Known(lambda: R2Score(), {"r2": "r_squared"}, bare=True),
    "recall": _Known(
        partial(_averaged, Recall), {"recall": "recall", "recall_classwise": "recall"}
    ),
    "roc_auc": _Known(lambda: AUROC(), {"auroc": "roc_auc"}),
    "rouge": _Known(
        lambda use_stemmer=False: ROUGE((1, 2, "L"), use_stemmer),
        {f"rouge{one}_fmeasure": f"rouge{one}" for one in (1, 2, "L")},
    ),
    "sacrebleu": _Known(lambda: BLEU(tokenizer_fn="13a", smooth="exp"), {"bleu": "score"}, 100),
    "spearmanr": _Known(lambda: SpearmanCorrCoef(), {"spearman": "spearmanr"}),
    "ter": _Known(lambda: TranslationEditRate(), {"ter": "score"}, 100),
    "wer": _Known(lambda: WordErrorRate(), {"wer": "wer"}, bare=True),
}


def load(
    *names: str, dist_backend: str | BaseDistBackend | None = None, **options: Any
) -> LoadedMetrics:
    """Return metrics by the names that Hugging Face's `evaluate.load` and `combine` know.

    Nothing is downloaded. Every rank adds its samples, and every rank gets the result.

    Args:
        names: Such as "accuracy", or several, as `evaluate.combine` takes them.
        dist_backend: As for every metric.
        **options: What evaluate's `compute` takes: `average` and `num_classes`, which averages over
            classes need here, `use_stemmer`, `word_order`. Each metric gets those that it knows. As
            in evaluate, classes that no sample has as prediction or label do not count.

    Raises:
        ValueError: evaluate's name is not known here; the page of migration lists the others.
        TypeError: No metric takes an option.

    Example:
        >>> metrics = load("accuracy", "f1")
        >>> metrics.add_batch(predictions=[0, 1, 1], references=[0, 1, 0])
        >>> metrics.compute()
        {'accuracy': 0.6666666666666666, 'f1': 0.6666666666666666}
    """
    if not names:
        raise TypeError("load needs the name of a metric, such as 'accuracy'")
    for name in names:
        if name not in _KNOWN:
            hint = did_you_mean(name, _KNOWN)
            raise ValueError(
                f"no metric of evaluate called {name!r} here{hint}: {', '.join(_KNOWN)}"
            )
    taken = {name: inspect.signature(_KNOWN[name].make).parameters for name in names}
    for option in options:
        if not any(option in parameters for parameters in taken.values()):
            known = sorted(
                {one for parameters in taken.values() for one in parameters} - {"metric"}
            )
            text = f"{', '.join(names)} take no option {option!r}"
            raise TypeError(f"{text}; options are {', '.join(known) or 'none'}")
    made = {
        name: _KNOWN[name].make(
            **{option: value for option, value in options.items() if option in parameters}
        )
        for name, parameters in taken.items()
    }
    return LoadedMetrics(MetricCollection(made, dist_backend=dist_backend))


class LoadedMetrics:
    """What `load` returns: the methods of evaluate's metrics.

    Attributes:
        metrics: The metrics by name, as a collection; it can do all that others can.
    """

    def __init__(self, metrics: MetricCollection) -> None:
        self.metrics = metrics

    def add(self, *, prediction: Any, reference: Any) -> None:
        """Add one sample; arguments are those of `add_batch`, without the first dimension."""
        self.add_batch(predictions=[prediction], references=[reference])

    def add_batch(
        self,
        *,
        references: Any,
        predictions: Any = None,
        prediction_scores: Any = None,
        ids: Any = None,
    ) -> None:
        """Add samples.

        Args:
            references: Labels, numbers or texts of shape (N,), or N lists of texts.
            predictions: Labels, numbers or texts of shape (N,).
            prediction_scores: For "roc_auc" in place of predictions: scores of shape (N,).
            ids: The samples' indices in the dataset; each sample then counts once.

        Raises:
            TypeError: There are no predictions.
            ValueError: As for the metrics.
        """
        given = predictions if prediction_scores is None else prediction_scores
        if given is None:
            raise TypeError("predictions must be given, or prediction_scores for 'roc_auc'")
        self.metrics.add(given, references, ids=ids)

    def compute(self, **batch: Any) -> Any:
        """Return the values of all ranks' samples by evaluate's keys, and discard the samples.

        Args:
            **batch: More samples, as `add_batch` takes them.

        Returns:
            A dict, or the number if evaluate returns one for this metric, as for "wer". A key of
            several metrics has the metric's name before it, such as "chrf_score".
        """
        if batch:
            self.add_batch(**batch)
        results = self.metrics.compute()
        self.metrics.reset()
        found = [
            (name, known.keys[key], value if known.scale == 1 else known.scale * value)
            for name, known in ((name, _KNOWN[name]) for name in results)
            for key, value in results[name].items()
            if key in known.keys
        ]
        found = [(name, key, _occurring(value)) for name, key, value in found]
        if len(results) == 1 and _KNOWN[found[0][0]].bare:
            return found[0][2]
        often = Counter(key for _, key, _ in found)
        return {key if often[key] == 1 else f"{name}_{key}": value for name, key, value in found}


def _occurring(value: Any) -> Any:
    """Return the values of classes without those of classes that do not occur."""
    return [one for one in value if one == one] if isinstance(value, list) else value
