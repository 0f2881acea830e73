"""BLEU against sacrebleu, and what it promises on its own."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import BLEU, MetricCollection
from mmeval_like.metrics.text.bleu import get_n_gram
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.texts import few_letters, mixed_samples, sentence


def spaced(text: str) -> str:
    """A text whose tokens of either language stand between spaces."""
    return " ".join(text if any("\u4e00" <= c <= "\u9fff" for c in text) else text.split())


def pad(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """References as sacrebleu takes them: the first of every sample, then the second, ..."""
    most = max(map(len, references))
    return [[texts[i] if i < len(texts) else None for texts in references] for i in range(most)]


def sacre(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    order: int = 4,
    smooth: bool = False,
) -> float:
    """Sacrebleu's corpus score of texts whose tokens stand between spaces, in [0, 1]."""
    bleu = requires("sacrebleu").metrics.BLEU(
        tokenize="none",
        force=True,
        max_ngram_order=order,
        smooth_method="add-k" if smooth else "none",
        smooth_value=1 if smooth else None,
    )
    return bleu.corpus_score(list(predictions), pad(references)).score / 100


def oracle(predictions: list[str], references: list[list[str]]) -> dict[str, float]:
    """What sacrebleu says about texts of both languages, cut into tokens sample by sample."""
    return {"bleu": sacre(map(spaced, predictions), [[*map(spaced, r)] for r in references])}


PUNCTUATED = [
    "The",
    "the",
    "cat,",
    "U.S.",
    "can't",
    "\u201cso\u201d",
    "1,000.5%",
    "&quot;",
    "sat.",
    "x-y",
    "猫",
]


def punctuated(rng: np.random.Generator, n: int) -> tuple[list[str], list[list[str]]]:
    """Texts whose tokens depend on the tokenizer."""

    def text() -> str:
        return " ".join(rng.choice(PUNCTUATED, int(rng.integers(0, 10))))

    return [text() for _ in range(n)], [[text(), text()] for _ in range(n)]


CASES = {
    "BLEU": MetricCase(BLEU, mixed_samples, oracle, empty={"bleu": math.nan}, array_inputs=False),
    "BLEU, sacrebleu's own": MetricCase(
        lambda **options: BLEU(tokenizer_fn="13a", smooth="exp", lowercase=True, **options),
        punctuated,
        lambda p, r: {
            "bleu": requires("sacrebleu").metrics.BLEU(lowercase=True).corpus_score(p, pad(r)).score
            / 100
        },
        array_inputs=False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """BLEU equals sacrebleu and keeps every law of a metric, for languages mixed at will."""
    check_metric(CASES[name], examples=examples(8 if name == "BLEU" else 3))


@pytest.mark.parametrize("tokenizer", ["13a", "intl", "zh", "char", "none"])
def test_tokenizers_of_sacrebleu(tokenizer: str) -> None:
    """The tokenizers that sacrebleu has, by its names."""
    rng = np.random.default_rng(0)
    metric = BLEU(n_gram=2, tokenizer_fn=tokenizer)
    peer = requires("sacrebleu").metrics.BLEU(
        tokenize=tokenizer, smooth_method="none", max_ngram_order=2, force=True
    )
    for _ in range(5):
        predictions, references = punctuated(rng, 20)
        expected = peer.corpus_score(predictions, pad(references)).score / 100

        assert metric(predictions, references)["bleu"] == pytest.approx(expected, 1e-12)


@pytest.mark.parametrize("effective", [False, True])
@pytest.mark.parametrize(
    ("smooth", "value"), [("none", None), ("exp", None), ("floor", None), ("floor", 0.5),
                          ("add-k", None), ("add-k", 2.5)]
)  # fmt: skip
def test_smoothing_of_sacrebleu(smooth: str, value: float | None, effective: bool) -> None:
    """Every way to smooth, of corpora and of single short sentences."""
    metric = BLEU(smooth=smooth, smooth_value=value, effective_order=effective, tokenizer_fn="none")
    peer = requires("sacrebleu").metrics.BLEU(
        tokenize="none",
        smooth_method=smooth,
        smooth_value=value,
        effective_order=effective,
        force=True,
    )
    rng = np.random.default_rng(2)
    for count in (1, 1, 1, 1, 1, 1, 2, 10):
        predictions = [sentence(rng, 6) for _ in range(count)]
        references = [[sentence(rng, 6), sentence(rng, 6)] for _ in range(count)]
        expected = peer.corpus_score(predictions, pad(references)).score / 100

        assert metric(predictions, references)["bleu"] == pytest.approx(expected, 1e-12)


def test_signature() -> None:
    """It has the fields of sacrebleu's, but for the number of references."""
    peer = requires("sacrebleu").metrics.BLEU(
        tokenize="13a", smooth_method="floor", lowercase=True, effective_order=True
    )
    peer.corpus_score(["a"], [["a"]])
    expected = str(peer.get_signature()).split("|")[1:-1]  # without nrefs and version

    found = BLEU(tokenizer_fn="13a", smooth="floor", lowercase=True, effective_order=True)
    assert found.signature.split("|")[:-1] == expected
    assert found.signature.split("|")[-1].startswith("version:mmeval_like-")
    assert "smooth:add-k[1.00]" in BLEU(smooth=True).signature


def test_the_ways_to_smooth_share_one_count() -> None:
    """In a collection all BLEUs of the same tokens are computed from the same counts."""
    several = MetricCollection({"plain": BLEU(), "smooth": BLEU(smooth="exp")})

    assert len(several.plan.slots) == 1


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("smooth", [False, True])
def test_orders_and_smoothing(order: int, smooth: bool) -> None:
    """Every order, and add-one smoothing, equal sacrebleu."""
    rng = np.random.default_rng(order)
    for count in (1, 2, 20):
        predictions = [sentence(rng) for _ in range(count)]
        references = [[sentence(rng), sentence(rng)] for _ in range(count)]
        value = BLEU(n_gram=order, smooth=smooth, tokenizer_fn="en")(predictions, references)

        assert value["bleu"] == pytest.approx(sacre(predictions, references, order, smooth), 1e-12)


@given(st.lists(st.tuples(few_letters, few_letters, few_letters), min_size=1, max_size=5))
def test_characters_are_sacrebleus(samples: list[tuple[str, str, str]]) -> None:
    """The tokenizer "cn" is sacrebleu's "char": every character that is not whitespace."""
    predictions = [sample[0] for sample in samples]
    references = [list(sample[1:]) for sample in samples]
    peer = requires("sacrebleu").metrics.BLEU(tokenize="char", smooth_method="none", force=True)
    expected = peer.corpus_score(predictions, pad(references)).score / 100

    value = BLEU(tokenizer_fn="cn")(predictions, references)["bleu"]
    assert value == pytest.approx(expected, 1e-12)


def test_smoothing_gives_a_value_where_an_order_has_no_match() -> None:
    """Add-one smoothing is for that case: the score is not 0, as it is without smoothing."""
    batch = ["the dog sat"], [["the cat sat"]]
    # 2 of 3 words; (0 + 1) / (2 + 1) pairs; (0 + 1) / (1 + 1) triples
    expected = (2 / 3 * 1 / 3 * 1 / 2) ** (1 / 3)

    assert BLEU(n_gram=3)(*batch) == {"bleu": 0.0}
    assert BLEU(n_gram=3, smooth=True)(*batch)["bleu"] == pytest.approx(expected, 1e-12)


def test_weights_by_hand() -> None:
    """The score is the weighted product of the precisions; weight 0 leaves an order out."""
    batch = ["a b c x"], [["a b c d"]]  # 3 of 4, 2 of 3, 1 of 2, 0 of 1

    assert BLEU(ngram_weights=[1, 0, 0, 0])(*batch)["bleu"] == pytest.approx(3 / 4)
    weighted = BLEU(ngram_weights=(0.5, 0.25, 0.25, 0))(*batch)["bleu"]
    assert weighted == pytest.approx((3 / 4) ** 0.5 * (2 / 3 * 1 / 2) ** 0.25)


@pytest.mark.parametrize("references", [["a b", "a b c d"], ["a b c d", "a b"]])
def test_closest_length_is_the_shorter_of_two(references: list[str]) -> None:
    """Of two references equally close in length the shorter counts, in whichever order."""
    value = BLEU(n_gram=1)(["a b c"], [references])["bleu"]

    assert value == 1.0
    assert value == pytest.approx(sacre(["a b c"], [references], 1))


def test_brevity_by_hand() -> None:
    """A corpus shorter than its references is penalised by exp(1 - r / c), over the corpus."""
    value = BLEU(n_gram=1)(["a b", "c"], [["a b c"], ["c d"]])["bleu"]

    assert value == pytest.approx(math.exp(1 - Fraction(5, 3)))


def test_language_is_each_samples_own() -> None:
    """What decides a sample's tokenizer is the sample, not its neighbours, place or rank."""
    samples = [("a cat sat here", ["a cat sat here"]), ("一只猫坐着", ["一只猫坐着吗"])]

    def evaluate(backend: object) -> dict[str, float]:
        metric = BLEU(dist_backend=backend)  # type: ignore[arg-type]
        prediction, references = samples[metric.dist_comm.rank]
        metric.add([prediction], [references])
        return metric.compute()

    together = BLEU()(*map(list, zip(*samples, strict=True)))
    assert BLEU()(*map(list, zip(*samples[::-1], strict=True))) == together
    assert LocalWorld(2).run(evaluate) == [together] * 2
    assert together["bleu"] == pytest.approx(oracle(*map(list, zip(*samples, strict=True)))["bleu"])


def test_tokenizer_by_argument() -> None:
    """A tokenizer that is given is used for every sample; a function may return any sequence."""
    batch = ["a一b"], [["a 一 b"]]

    assert BLEU(n_gram=1)(*batch)["bleu"] == 1.0  # an ideograph: characters
    assert BLEU(n_gram=1)(["a一b"], [["x y", "a 一 b"]])["bleu"] == 1.0  # in any reference
    assert BLEU(n_gram=1)(["a一b"], [["a b"]])["bleu"] == 0.0  # none in a reference: words
    assert BLEU(n_gram=1, tokenizer_fn="en")(*batch)["bleu"] == 0.0
    assert BLEU(n_gram=1, tokenizer_fn="cn")(*batch)["bleu"] == 1.0
    assert BLEU(n_gram=1, tokenizer_fn=lambda text: tuple(text))(*batch)["bleu"] < 1.0


@pytest.mark.parametrize("prediction", ["", " ", "b"])
def test_nothing_matches(prediction: str) -> None:
    """Without any match the score is 0, smoothed or not, also when there is no token."""
    for smooth in (False, True):
        for weights in (None, (0, 1, 0, 0)):
            metric = BLEU(smooth=smooth, ngram_weights=weights)
            assert metric([prediction], [["a"]]) == {"bleu": 0.0}
            assert metric([""], [[""]]) == {"bleu": 0.0}


def test_perfect_is_one() -> None:
    """A text that equals a reference has the score 1, to the bit."""
    assert BLEU()(["a b c d e"], [["x", "a b c d e"]]) == {"bleu": 1.0}


def test_counts_of_n_grams() -> None:
    """get_n_gram counts the n-grams of all orders up to n."""
    expected = Counter({("a",): 2, ("b",): 1, ("a", "b"): 1, ("b", "a"): 1})

    assert get_n_gram(["a", "b", "a"], 2) == expected
    assert get_n_gram([], 3) == Counter()
    assert get_n_gram("ab", 3) == Counter({("a",): 1, ("b",): 1, ("a", "b"): 1})
