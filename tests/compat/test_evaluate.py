"""Metrics by the names and keys of Hugging Face's evaluate."""

from fractions import Fraction

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import requires

RNG = np.random.default_rng(0)
N = 40
WORDS = np.array(["run", "running", "b", "c", "d", "e", "f"])
BINARY = {"predictions": RNG.integers(0, 2, N), "references": RNG.integers(0, 2, N)}
CLASSES = {"predictions": RNG.integers(0, 3, N), "references": RNG.integers(0, 3, N)}
NUMBERS = {"predictions": RNG.random(N) + 0.1, "references": RNG.random(N) + 0.1}
SCORES = {"prediction_scores": RNG.random(N), "references": BINARY["references"]}
CHANCES = {"predictions": RNG.random(N), "references": BINARY["references"]}
TEXTS = {
    name: [" ".join(RNG.choice(WORDS, RNG.integers(1, 9))) for _ in range(N)]
    for name in ("predictions", "references")
}


def of_sklearn(name, **options):
    """A function of scikit-learn, on which evaluate's metric of another name is built."""

    def value(references, given):
        return getattr(requires("sklearn.metrics"), name)(references, given, **options)

    return value


def of_scipy(name):
    """The correlation."""
    return lambda references, given: getattr(requires("scipy.stats"), name)(given, references)[0]


def of_jiwer(name):
    """The rate."""
    return lambda references, given: getattr(requires("jiwer"), name)(references, given)


def of_sacrebleu(name, **options):
    """The score of the corpus."""

    def value(references, given):
        corpus = getattr(requires("sacrebleu"), f"corpus_{name}")
        return corpus(given, [references], **options).score

    return value


def of_rouge(key, stem=False):
    """The mean of the F-measures."""

    def value(references, given):
        judge = requires("rouge_score.rouge_scorer").RougeScorer([key], use_stemmer=stem)
        pairs = zip(references, given, strict=True)
        return np.mean([judge.score(*pair)[key].fmeasure for pair in pairs])

    return value


# The name, the samples, the options, the key (None for a number), and what evaluate computes it by.
LOADED = [
    ("accuracy", CLASSES, {}, "accuracy", of_sklearn("accuracy_score")),
    ("f1", BINARY, {}, "f1", of_sklearn("f1_score")),
    ("f1", CLASSES, {"average": "macro"}, "f1", of_sklearn("f1_score", average="macro")),
    ("f1", CLASSES, {"average": None}, "f1", of_sklearn("f1_score", average=None)),
    ("precision", BINARY, {}, "precision", of_sklearn("precision_score")),
    ("precision", CLASSES, {"average": "weighted"}, "precision",
     of_sklearn("precision_score", average="weighted")),
    ("recall", BINARY, {}, "recall", of_sklearn("recall_score")),
    ("recall", CLASSES, {"average": None}, "recall", of_sklearn("recall_score", average=None)),
    ("matthews_correlation", BINARY, {}, "matthews_correlation", of_sklearn("matthews_corrcoef")),
    ("roc_auc", SCORES, {}, "roc_auc", of_sklearn("roc_auc_score")),
    ("brier_score", CHANCES, {}, "brier_score", of_sklearn("brier_score_loss")),
    ("mse", NUMBERS, {}, "mse", of_sklearn("mean_squared_error")),
    ("mae", NUMBERS, {}, "mae", of_sklearn("mean_absolute_error")),
    ("mape", NUMBERS, {}, "mape", of_sklearn("mean_absolute_percentage_error")),
    ("r_squared", NUMBERS, {}, None, of_sklearn("r2_score")),
    ("pearsonr", NUMBERS, {}, "pearsonr", of_scipy("pearsonr")),
    ("spearmanr", NUMBERS, {}, "spearmanr", of_scipy("spearmanr")),
    ("exact_match", TEXTS, {}, "exact_match",
     lambda texts, given: np.mean(np.array(texts) == np.array(given))),
    ("wer", TEXTS, {}, None, of_jiwer("wer")),
    ("cer", TEXTS, {}, None, of_jiwer("cer")),
    ("bleu", TEXTS, {}, "bleu",
     lambda *texts: of_sacrebleu("bleu", smooth_method="none")(*texts) / 100),
    ("sacrebleu", TEXTS, {}, "score", of_sacrebleu("bleu")),
    ("chrf", TEXTS, {}, "score", of_sacrebleu("chrf")),
    ("chrf", TEXTS, {"word_order": 2}, "score", of_sacrebleu("chrf", word_order=2)),
    ("ter", TEXTS, {}, "score", of_sacrebleu("ter")),
    ("rouge", TEXTS, {}, "rouge2", of_rouge("rouge2")),
    ("rouge", TEXTS, {"use_stemmer": True}, "rougeL", of_rouge("rougeL", stem=True)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "samples", "options", "key", "oracle"), LOADED)
def test_a_name_has_the_value_of_the_library_that_evaluate_calls(
    name, samples, options, key, oracle
):
    """By evaluate's key, or as a number; in batches, and a second time after the first."""
    references, given = samples["references"], samples[next(iter({*samples} - {"references"}))]
    classes = {"num_classes": 3} if "average" in options else {}
    metric = mm.load(name, **options, **classes)

    whole = metric.compute(**samples)
    for start in (0, 16):
        half = slice(start, start + 16 if start == 0 else None)
        metric.add_batch(**{argument: values[half] for argument, values in samples.items()})
    parts = metric.compute()

    np.testing.assert_equal(parts, whole)
    found = whole if key is None else whole[key]
    np.testing.assert_allclose(found, oracle(references, given), rtol=1e-12)


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", None])
@pytest.mark.parametrize("name", ["f1", "precision", "recall"])
def test_classes_that_do_not_occur_do_not_count(name, average):
    """As in scikit-learn, whose means are over the classes of the predictions and the labels."""
    oracle = of_sklearn(f"{name}_score", average=average, zero_division=0)
    rng = np.random.default_rng(1)
    for _ in range(30):
        size = rng.integers(1, 9)
        given, labels = rng.integers(0, 6, size), rng.integers(0, rng.integers(1, 5), size)
        metric = mm.load(name, average=average, num_classes=6)
        found = metric.compute(predictions=given, references=labels)[name]
        np.testing.assert_allclose(found, oracle(labels, given), rtol=1e-12)


def test_google_bleu_splits_punctuation_off():
    """Its tokenizer is sacreBLEU's "13a", and the value is that of nltk's `corpus_gleu`."""
    texts = {"predictions": ["Hello, world."], "references": [["Hello there, world."]]}
    # 7 of the 10 n-grams of "Hello , world ." are among the 14 of the reference.
    assert mm.load("google_bleu").compute(**texts) == {"google_bleu": 0.5}


def test_several_names_share_their_samples():
    """As `evaluate.combine` does; equal keys have the names before them."""
    metric = mm.load("chrf", "ter", "exact_match")
    for prediction, reference in zip(*TEXTS.values(), strict=True):
        metric.add(prediction=prediction, reference=reference)

    found = metric.compute()

    assert found.keys() == {"chrf_score", "ter_score", "exact_match"}
    assert found["chrf_score"] == mm.load("chrf").compute(**TEXTS)["score"]


def test_every_rank_has_the_result_of_all_samples():
    """Samples that a loader repeats count once."""

    def rank(backend):
        metric = mm.load("accuracy", dist_backend=backend)
        own = [*range(backend.rank, N, 3), 0]
        batch = {name: values[own] for name, values in CLASSES.items()}
        metric.add_batch(**batch, ids=own)
        return metric.compute()

    expected = Fraction(int(sum(CLASSES["predictions"] == CLASSES["references"])), N)
    assert LocalWorld(3).run(rank) == [{"accuracy": float(expected)}] * 3


def test_errors_say_what_to_do():
    """Names, options and arguments."""
    with pytest.raises(ValueError, match=r"called 'acuracy' here.*accuracy"):
        mm.load("acuracy")
    with pytest.raises(TypeError, match="take no option 'avrage'; options are average, num_class"):
        mm.load("f1", "accuracy", avrage="macro")
    with pytest.raises(TypeError, match="name of a metric"):
        mm.load()
    with pytest.raises(TypeError, match="predictions must be given"):
        mm.load("f1").add_batch(references=[1])
