"""What BLEU refuses, and that nothing of it is kept."""

import math

import pytest

from mmeval_like import BLEU


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"n_gram": 0}, ValueError, "n_gram must be at least 1, got 0"),
        ({"n_gram": 2.0}, TypeError, "n_gram must be an int"),
        ({"ngram_weights": [0.5, 0.5]}, ValueError, "one weight for each of 4 orders"),
        ({"ngram_weights": [1, -1, 1, 1]}, ValueError, "must not be negative, got -1"),
        ({"ngram_weights": [1, math.nan, 1, 1]}, ValueError, "nan"),
        ({"ngram_weights": "1111"}, TypeError, "ngram_weights"),
        ({"tokenizer_fn": "fr"}, ValueError, "tokenizer_fn must be callable, 'en', 'cn'"),
        ({"tokenizer_fn": 3}, TypeError, "tokenizer_fn must be callable"),
        ({"smooth": "linear"}, ValueError, "smooth must be a bool or one of"),
        ({"smooth": "exp", "smooth_value": 1}, ValueError, "for smooth='floor' and 'add-k'"),
        ({"smooth": "floor", "smooth_value": 0}, ValueError, "smooth_value must be positive"),
    ],
)
def test_bad_options(options: dict[str, object], error: type[Exception], text: str) -> None:
    """What cannot be meant is refused when the metric is built."""
    with pytest.raises(error, match=text):
        BLEU(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("predictions", "references", "error", "text"),
    [
        ("a", [["a"]], TypeError, "predictions must be a list of strings, got str"),
        (["a"], "a", TypeError, "references must be a list of lists of strings, got str"),
        (["a"], [b"a"], TypeError, r"references\[0\] must be a list of strings, got bytes"),
        (["a"], [[b"a"]], TypeError, r"references\[0\] .* got bytes at index 0"),
        (["a", None], [["a"], ["a"]], TypeError, "got NoneType at index 1"),
        (None, [["a"]], TypeError, "predictions must be a list of strings, got NoneType"),
        (["a"], 3, TypeError, "references must be"),
        (["a"], [["a"], ["b"]], ValueError, "same length, got 1 and 2"),
        (["a", "b"], [["a"], []], ValueError, r"\[1\] is empty"),
    ],
)
def test_bad_input(
    predictions: object, references: object, error: type[Exception], text: str
) -> None:
    """Input that cannot be meant is refused, and nothing of the batch is kept."""
    metric = BLEU(n_gram=1)
    metric.add(["a"], [["a"]])
    with pytest.raises(error, match=text):
        metric.add(predictions, references)

    assert metric.compute() == {"bleu": 1.0}
