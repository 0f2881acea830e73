"""What `make intervals` simulates: samples whose true value is known, and how often it lies inside.

Texts and images are drawn from a pool, with replacement: the truth is then the value of the pool,
and what each of its samples adds to the sums is computed once.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import mmeval_like as mm
from mmeval_like._intervals.distributions import normal_quantile
from mmeval_like._states.rows import take

SIZES = (20, 30, 50, 100, 300)
_POOL = 2000


@dataclass(frozen=True)
class Study:
    """One row of the page.

    Attributes:
        name: What is drawn.
        metric: Makes the metric.
        draw: n samples, as the arguments of `add`.
        truth: The true value; None: that of 200,000 samples, or of the pool.
        pooled: Samples are drawn from 2,000 that were drawn before.
        clustered: The last of what is drawn says which samples belong together.
        rare: What decides the truth is in too few samples to be seen: it has a table of its own.
    """

    name: str
    metric: Callable[[], mm.BaseMetric]
    draw: Callable[[np.random.Generator, int], tuple[np.ndarray, ...]]
    truth: float | None = None
    pooled: bool = False
    clustered: bool = False
    rare: bool = False

    @property
    def level(self) -> float:
        """The level of the intervals."""
        level = self.metric().interval
        assert level is not None
        return level

    def evaluate(self, rng: np.random.Generator, count: int) -> mm.Result:
        """Return the metric's result of so many samples."""
        if not self.pooled:
            metric, drawn = self.metric(), self.draw(rng, count)
            if self.clustered:
                metric.add(*drawn[:-1], clusters=drawn[-1])
            else:
                metric.add(*drawn)
            return metric.compute_local()
        return _of_pool(self.name, rng.integers(0, _POOL, count))

    def true_value(self) -> float:
        """Return what the intervals should contain."""
        if self.truth is not None:
            return self.truth
        if self.pooled:
            result = _of_pool(self.name, np.arange(_POOL))
        else:
            metric = self.metric()
            metric.interval = None
            metric.add(*self.draw(np.random.default_rng(0), 200_000))
            result = metric.compute_local()
        value: float = result[next(iter(result))]
        return value


def probabilities(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Scores of four classes, and labels."""
    labels = rng.integers(0, 4, count)
    return rng.dirichlet(np.ones(4), count) + rng.random((count, 1)) * np.eye(4)[labels], labels


def by_total(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Labels from 5 to 15, and predictions that are off by lognormal errors of mean 1."""
    labels = rng.uniform(5, 15, count)
    return labels + rng.lognormal(-0.5, 1, count), labels


def label_sets(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Which of nine labels each sample has, of which three in ten are wrong or missed."""
    labels = (rng.random((count, 9)) < 0.3).astype(int)
    return np.where(rng.random((count, 9)) < 0.85, labels, 1 - labels), labels


def amounts(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Amounts, and predictions of them."""
    labels = rng.gamma(3.0, 1.0, count)
    return labels * rng.uniform(0.6, 1.4, count), labels


@cache
def _pool(name: str) -> tuple[mm.BaseMetric, dict[str, Any]]:
    """Return a metric, and the rows of its pool."""
    [study] = [one for one in STUDIES if one.name == name]
    metric = study.metric()
    rows = metric._rows_of(study.draw(np.random.default_rng(0), _POOL), {})
    checked = metric._samples().stores()[0].check(rows)
    return metric, checked.rows


def _of_pool(name: str, places: np.ndarray) -> mm.Result:
    metric, rows = _pool(name)
    fresh: Any = metric._empty()
    store = fresh._samples().stores()[0]
    store.append(store.check({n: take(each, places) for n, each in rows.items()}))
    found: mm.Result = fresh.compute_local()
    return found


def classes(shares: tuple[float, ...], right: float) -> Callable[..., tuple[np.ndarray, ...]]:
    """Labels with these shares, each predicted right so often, and else any class."""

    def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
        labels = rng.choice(len(shares), count, p=shares)
        other = rng.integers(0, len(shares), count)
        return np.where(rng.random(count) < right, labels, other), labels

    return draw


def clustered(sizes: Callable[..., Any]) -> Callable[..., tuple[np.ndarray, ...]]:
    """Answers about some documents: 0.8 are right, with an intraclass correlation of 0.3."""

    def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
        documents = np.repeat(np.arange(count), np.maximum(1, sizes(rng, count)))[:count]
        right = rng.random(count) < rng.beta(0.8 * 7 / 3, 0.2 * 7 / 3, count)[documents]
        return right.astype(int), np.ones(count, int), documents

    return draw


def falling(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Answers about documents of about six, whose share of right ones falls with their number."""
    sizes = rng.geometric(1 / 6, count // 6)
    documents = np.repeat(np.arange(len(sizes)), sizes)
    chance = np.clip(rng.beta(6, 2, len(sizes)) - 0.02 * (sizes - 6), 0.02, 0.98)
    right = rng.random(len(documents)) < chance[documents]
    return right.astype(int), np.ones(len(right), int), documents


def failing(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Answers about documents of ten: 0.98 are right, but 0.1 for 6% of the documents."""
    documents = np.arange(count) // 10
    chance = np.where(rng.random(documents[-1] + 1) < 0.06, 0.1, 0.98)
    return (rng.random(count) < chance[documents]).astype(int), np.ones(count, int), documents


def of_documents(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Exponential errors in documents of ten, whose mean errors are exponential too."""
    documents = np.arange(count) // 10
    means = rng.exponential(size=documents[-1] + 1)
    return means[documents] * rng.exponential(size=count), np.zeros(count), documents


def scores(share: float, distance: float) -> Callable[..., tuple[np.ndarray, ...]]:
    """Normal scores of positives, so often and so far apart from those of negatives."""

    def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
        labels = (rng.random(count) < share).astype(int)
        return rng.normal(size=count) + distance * labels, labels

    return draw


def mislabelled(share: float, distance: float) -> Callable[..., tuple[np.ndarray, ...]]:
    """Scores of half positives, of which this share has the scores of negatives."""

    def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
        labels = (rng.random(count) < 0.5).astype(int)
        right = rng.random(count) >= share
        return rng.normal(size=count) + distance * labels * right, labels

    return draw


def pairs(slope: float) -> Callable[..., tuple[np.ndarray, ...]]:
    """Labels, and predictions that are off by normal errors."""

    def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
        labels = rng.normal(size=count)
        return slope * labels + math.sqrt(1 - slope**2) * rng.normal(size=count), labels

    return draw


def evenly(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Evenly spread labels, and predictions with normal errors: their correlation is 0.95."""
    labels = rng.uniform(size=count)
    return labels + math.sqrt((1 / 0.95**2 - 1) / 12) * rng.normal(size=count), labels


def words(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Recall of characters: predicted texts that lack some of those of their labels."""
    lengths = rng.poisson(12, count) + 3
    kept = rng.binomial(lengths, rng.beta(6, 1, count))
    return np.array(["a" * k for k in kept]), np.array(["a" * n for n in lengths])


def translations(rng: np.random.Generator, count: int) -> tuple[Any, ...]:
    """Sentences of frequent and rare words, of which some are translated by other words."""
    predictions, references = [], []
    for _ in range(count):
        said = rng.zipf(1.4, rng.integers(8, 30)) % 500
        other = rng.random(len(said)) < rng.beta(2, 5)
        found = np.where(other, rng.zipf(1.4, len(said)) % 500, said)
        predictions.append(" ".join(map(str, found.tolist())))
        references.append([" ".join(map(str, said.tolist()))])
    return predictions, references


def images(rng: np.random.Generator, count: int) -> tuple[Any, ...]:
    """Grey images of 16 x 16 pixels, with more or less noise."""
    base = rng.integers(0, 256, (count, 1, 16, 16))
    noise = rng.normal(size=base.shape) * rng.gamma(2, 15, (count, 1, 1, 1))
    return [*np.clip(base + noise, 0, 255).astype(np.uint8)], [*base.astype(np.uint8)]


def weighted(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Scores of positives and negatives, with weights between a half and one and a half."""
    return (*scores(0.5, 1.8124)(rng, count), rng.uniform(0.5, 1.5, count))


def errors(draw: Callable[..., np.ndarray]) -> Callable[..., tuple[np.ndarray, ...]]:
    """Predictions that are off by such errors, and labels of 0."""
    return lambda rng, count: (draw(rng, count), np.zeros(count))


def student(rng: np.random.Generator, count: int) -> np.ndarray:
    """Errors of Student's t with three degrees of freedom."""
    return rng.standard_t(3, count)


def catastrophes(rng: np.random.Generator, count: int) -> np.ndarray:
    """Normal errors, of which one in a hundred is 20 times as large."""
    return rng.normal(size=count) * np.where(rng.random(count) < 0.01, 20, 1)


def lost(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Losses between 0 and 0.04, and one in a hundred that is 1."""
    return (np.where(rng.random(count) < 0.01, 1.0, rng.uniform(0, 0.04, count)),)


def failures(share: float) -> Callable[..., tuple[np.ndarray, ...]]:
    """Dice scores around 0.9, of which this share is 0."""

    def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
        return (np.where(rng.random(count) < share, 0.0, rng.beta(30, 3, count)),)

    return draw


def judged(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """A judge's scores from 1 to 10, mostly 7 to 9, of which two in a hundred are 1."""
    usual = np.clip(np.round(rng.normal(8, 1, count)), 1, 10)
    return (np.where(rng.random(count) < 0.02, 1.0, usual),)


def attempted(share: float) -> Callable[..., tuple[np.ndarray, ...]]:
    """Sixteen attempts at easy questions, of which this share is out of reach."""

    def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
        chance = np.where(rng.random(count) < share, 0, rng.beta(8, 2, count))
        return rng.binomial(16, chance), np.full(count, 16)

    return draw


def agreed(share: float, agreement: float) -> Callable[..., tuple[np.ndarray, ...]]:
    """Two judges of two classes, one with this share, and their kappa."""

    def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
        labels, other = (rng.random((2, count)) < share).astype(int)
        return np.where(rng.random(count) < agreement, labels, other), labels

    return draw


def boxes(rng: np.random.Generator, count: int) -> tuple[Any, ...]:
    """Images with one to three boxes of five classes, one of which has one box in 25."""
    predictions, truths = [], []
    for _ in range(count):
        labels = rng.choice(5, rng.integers(1, 4), p=(0.4, 0.3, 0.16, 0.1, 0.04))
        corner = rng.uniform(0, 300, (len(labels), 2))
        true = np.concatenate([corner, corner + rng.uniform(40, 90, corner.shape)], axis=1)
        kept = rng.random(len(labels)) < 0.8
        false = rng.uniform(0, 300, (2, 2))
        found = (true + rng.normal(scale=6, size=true.shape))[kept]
        predictions.append({
            "bboxes": np.concatenate([found, np.concatenate([false, false + 60], axis=1)]),
            "scores": np.concatenate([rng.beta(4, 2, len(found)), rng.beta(2, 4, 2)]),
            "labels": np.concatenate([labels[kept], rng.integers(0, 5, 2)]),
        })  # fmt: skip
        truths.append({"bboxes": true, "labels": labels})
    return predictions, truths


SURE: dict[str, Any] = {"interval": 0.95}
LEVELS: tuple[dict[str, Any], ...] = ({"interval": 0.9}, {"interval": 0.99})
FOUR = {"task": "multiclass", "num_classes": 4, **SURE}
UNEVEN = (0.6, 0.25, 0.1, 0.05)
STUDIES = (
    Study("accuracy, 0.8", lambda: mm.Accuracy(**SURE), classes((0.5, 0.5), 0.6), 0.8),
    Study("accuracy, 0.95", lambda: mm.Accuracy(**SURE), classes((0.5, 0.5), 0.9), 0.95),
    Study("accuracy, 0.8, clusters of 10", lambda: mm.Accuracy(**SURE),
          clustered(lambda r, n: np.full(n, 10)), 0.8, clustered=True),
    Study("accuracy, 0.8, clusters of uneven sizes", lambda: mm.Accuracy(**SURE),
          clustered(lambda r, n: np.round(6 * r.lognormal(size=n)).astype(int)), 0.8,
          clustered=True),
    Study("accuracy, larger clusters have fewer hits", lambda: mm.Accuracy(**SURE), falling,
          0.6502, clustered=True),
    Study("accuracy, 6% of the clusters of 10 fail", lambda: mm.Accuracy(**SURE), failing,
          0.94 * 0.98 + 0.06 * 0.1, clustered=True),
    Study("macro F1, two classes 9:1", lambda: mm.FBetaScore(
        task="multiclass", num_classes=2, **SURE), classes((0.9, 0.1), 0.8)),
    Study("macro F1, four classes 60:25:10:5", lambda: mm.FBetaScore(**FOUR), classes(UNEVEN, 0.8)),
    Study("balanced accuracy, the same", lambda: mm.BalancedAccuracy(**FOUR), classes(UNEVEN, 0.8)),
    Study("Cohen's kappa, the same", lambda: mm.CohenKappa(4, **SURE), classes(UNEVEN, 0.8)),
    Study("MCC, the same", lambda: mm.MatthewsCorrCoef(4, **SURE), classes(UNEVEN, 0.8)),
    Study("mean of normal numbers", lambda: mm.Mean(**SURE), lambda r, n: (r.normal(size=n),), 0.0),
    Study("mean of exponential numbers", lambda: mm.Mean(**SURE),
          lambda r, n: (r.exponential(size=n),), 1.0),
    Study("mean of lognormal numbers, σ = 1", lambda: mm.Mean(**SURE),
          lambda r, n: (r.lognormal(size=n),), math.exp(0.5)),
    Study("mean of shares", lambda: mm.Mean(bounds=(0, 1), **SURE),
          lambda r, n: (r.beta(8, 1, n),), 8 / 9),
    Study("characters found", lambda: mm.CharRecallPrecision(**SURE), words, pooled=True),
    Study("BLEU", lambda: mm.BLEU(**SURE), translations, pooled=True),
    Study("chrF", lambda: mm.CHRFScore(**SURE), translations, pooled=True),
    Study("SSIM", lambda: mm.StructuralSimilarity(**SURE), images, pooled=True),
    Study("RMSE, normal errors", lambda: mm.RootMeanSquaredError(**SURE),
          lambda r, n: (r.normal(size=n), np.zeros(n)), 1.0),
    Study("R², 0.75", lambda: mm.R2Score(**SURE),
          lambda r, n: (lambda y: (y + r.normal(size=n) / 2, y))(r.normal(size=n)), 0.75),
    Study("Pearson, 0.7", lambda: mm.PearsonCorrCoef(**SURE), pairs(0.7), 0.7),
    Study("Spearman, 0.7 of Pearson", lambda: mm.SpearmanCorrCoef(**SURE), pairs(0.7),
          6 / math.pi * math.asin(0.35)),
    Study("AUROC 0.9, half positive", lambda: mm.AUROC(**SURE), scores(0.5, 1.8124), 0.9),
    Study("AUROC 0.9, one in ten positive", lambda: mm.AUROC(**SURE), scores(0.1, 1.8124), 0.9),
    Study("AUROC 0.98, 3% of the positives mislabelled", lambda: mm.AUROC(**SURE),
          mislabelled(0.03, 2.9044), 0.97 * 0.98 + 0.03 * 0.5),
    Study("AUROC 0.9, half positive, weights", lambda: mm.AUROC(
        use_sample_weight=True, **SURE), weighted, 0.9),
    Study("average precision, half positive", lambda: mm.AveragePrecision(
        task="binary", percent=False, **SURE), scores(0.5, 1.8124)),
    Study("average precision, one in five positive", lambda: mm.AveragePrecision(
        task="binary", percent=False, **SURE), scores(0.2, 1.5)),
    Study("accuracy, 0.99", lambda: mm.Accuracy(**SURE), classes((0.5, 0.5), 0.98), 0.99),
    Study("macro F1, two classes 99:1", lambda: mm.FBetaScore(
        task="multiclass", num_classes=2, **SURE), classes((0.99, 0.01), 0.8)),
    Study("MCC, two classes 99:1", lambda: mm.MatthewsCorrCoef(2, **SURE),
          classes((0.99, 0.01), 0.8)),
    Study("AUROC 0.9, 1 in 100 positive", lambda: mm.AUROC(**SURE), scores(0.01, 1.8124), 0.9),
    Study("MSE, errors of Student's t, 3 degrees", lambda: mm.MeanSquaredError(**SURE),
          errors(student), 3.0),
    Study("RMSE, the same", lambda: mm.RootMeanSquaredError(**SURE), errors(student),
          math.sqrt(3)),
    Study("MAE, lognormal errors, σ = 1.5", lambda: mm.MeanAbsoluteError(**SURE),
          errors(lambda r, n: r.lognormal(0, 1.5, n)), math.exp(1.125)),
    Study("MAE, exponential errors, clusters of 10", lambda: mm.MeanAbsoluteError(**SURE),
          of_documents, 1.0, clustered=True),
    *(Study(f"accuracy, 0.8, level {level['interval']}", lambda level=level: mm.Accuracy(**level),
            classes((0.5, 0.5), 0.6), 0.8) for level in LEVELS),
    *(Study(f"macro F1, four classes 60:25:10:5, level {level['interval']}",
            lambda level=level: mm.FBetaScore(**{**FOUR, **level}), classes(UNEVEN, 0.8))
      for level in LEVELS),
    *(Study(f"mean of exponential numbers, level {level['interval']}",
            lambda level=level: mm.Mean(**level), lambda r, n: (r.exponential(size=n),), 1.0)
      for level in LEVELS),
    Study("MSE, 1 error in 100 is 20 times as large", lambda: mm.MeanSquaredError(**SURE),
          errors(catastrophes), 0.99 + 0.01 * 400, rare=True),
    Study("mean of losses up to 0.04, 1 in 100 is 1", lambda: mm.Mean(bounds=(0, 1), **SURE),
          lost, 0.99 * 0.02 + 0.01, rare=True),
    Study("macro AUROC, four classes", lambda: mm.AUROC(**FOUR), probabilities),
    Study("macro F1, nine labels", lambda: mm.FBetaScore(
        task="multilabel", num_classes=9, **SURE), label_sets),
    Study("D2, pinball loss", lambda: mm.D2PinballScore(**SURE), amounts),
    Study("AUROC 0.983, one in ten positive", lambda: mm.AUROC(**SURE), scores(0.1, 2.9982), 0.983),
    Study("AUROC 0.98, half positive", lambda: mm.AUROC(**SURE), scores(0.5, 2.9044), 0.98),
    Study("pass@8, 2% of the questions out of reach", lambda: mm.PassAtK(k=8, **SURE),
          attempted(0.02)),
    Study("Cohen's kappa 0.3, classes 9:1", lambda: mm.CohenKappa(2, **SURE), agreed(0.1, 0.3),
          0.3),
    Study("balanced accuracy, classes 9:1", lambda: mm.BalancedAccuracy(
        task="multiclass", num_classes=2, **SURE), agreed(0.1, 0.3), 0.65),
    Study("Cohen's kappa 0.9, two classes", lambda: mm.CohenKappa(2, **SURE), agreed(0.5, 0.9),
          0.9),
    Study("Pearson, 0.95, evenly spread labels", lambda: mm.PearsonCorrCoef(**SURE), evenly, 0.95),
    Study("macro F1, 40 classes", lambda: mm.FBetaScore(
        task="multiclass", num_classes=40, **SURE), classes((1 / 40,) * 40, 0.7)),
    Study("mAP (VOC), a rare class", lambda: mm.VOCMeanAP(num_classes=5, **SURE), boxes,
          pooled=True),
    Study("median of lognormal numbers, σ = 1", lambda: mm.Quantile(**SURE),
          lambda r, n: (r.lognormal(size=n),), 1.0),
    *(Study(f"mean of Dice scores, {share:.0%} are 0", lambda: mm.Mean(bounds=(0, 1), **SURE),
            failures(share), (1 - share) * 30 / 33) for share in (0.01, 0.02, 0.06)),
    Study("percentage error by total, lognormal errors, σ = 1",
          lambda: mm.WeightedMeanAbsolutePercentageError(**SURE), by_total, 0.1),
    Study("mean of a judge's scores, 2 in 100 are 1", lambda: mm.Mean(bounds=(1, 10), **SURE),
          judged),
)  # fmt: skip


def covered(study: Study, count: int, draws: int, truth: float) -> tuple[float, float, float]:
    """How often the interval, and the usual one, contain the truth, and how often it is thin."""
    rng, quantile = np.random.default_rng(count), normal_quantile((1 + study.level) / 2)
    inside = usual = thin = known = 0
    for _ in range(draws):
        result = study.evaluate(rng, count)
        found = result.intervals[next(iter(result))]
        thin += found.thin is not None
        if math.isnan(found.low):
            continue
        known += 1
        inside += found.low <= truth <= found.high
        usual += abs(found.value - truth) <= quantile * found.standard_error
    return inside / max(known, 1), usual / max(known, 1), thin / draws
