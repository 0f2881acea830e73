"""Columns of texts, and of lists of texts: the numbers of a call in Python."""

import pytest

import mmeval_like as mm
from tests.cli.files import score, write
from tests.helpers.optional import requires

requires("pyarrow")

FOUND = ["the cat sat", "42", "", "in Paris", "一只猫"]
SEVERAL = [["the cat", "a cat sat"], ["42"], ["", "x"], ["Paris"], ["一只狗", "猫"]]
TAGS = [["B-PER", "O"], ["O", "B-LOC"], ["O"], [], ["B-LOC", "I-LOC"]]
GOLD = [["B-PER", "O"], ["O", "O"], ["B-PER"], [], ["B-LOC", "I-LOC"]]

METRICS = {
    "bleu": mm.BLEU(n_gram=1, tokenizer_fn="cn"),
    "chrf_score": mm.CHRFScore(),
    "sq_ua_d": mm.SQuAD(),
    "exact_match": mm.ExactMatch(ignore_case=True),
    "google_bleu": mm.GoogleBLEU(max_n=2),
}


def spec(name):
    """As the command line names a metric of METRICS."""
    options = {"bleu": ":n_gram=1,tokenizer_fn=cn", "exact_match": ":ignore_case=true"}
    return {"sq_ua_d": "SQuAD", "chrf_score": "CHRFScore"}.get(name, name) + (
        ":max_n=2" if name == "google_bleu" else options.get(name, "")
    )


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_lists_of_references(tmp_path, kind):
    """A cell may hold a list of texts, as of references, or of the tags of a sentence."""
    path = write(tmp_path, kind, {"predictions": FOUND, "references": SEVERAL})
    for name, metric in METRICS.items():
        [values] = score(tmp_path, path, "--metric", spec(name)).values()
        assert values == metric(FOUND, SEVERAL)

    path = write(tmp_path, kind, {"predictions": TAGS, "gold": GOLD}, "tags")
    [values] = score(
        tmp_path, path, "--metric", "EntityF1", "--column", "references=gold"
    ).values()
    assert values == mm.EntityF1()(TAGS, GOLD)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_text_for_each(tmp_path, kind):
    """One reference is a column of texts, whatever the cells look like."""
    requires("rapidfuzz")
    found, references = ["1.0", "two words"], ["1", "two word"]
    path = write(tmp_path, kind, {"predictions": found, "references": references})

    for name in ("WordErrorRate", "CharErrorRate", "EditDistance", "ExactMatch", "CHRFScore"):
        [values] = score(tmp_path, path, "--metric", name).values()
        assert values == getattr(mm, name)()(found, references)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_numbers_are_texts_to_metrics_of_texts(tmp_path, kind):
    """A column of nothing but numbers in a CSV file is texts where the metric takes texts."""
    path = write(tmp_path, kind, {"predictions": ["1.0", "7"], "references": ["1", "7"]})

    [values] = score(tmp_path, path, "--metric", "ExactMatch").values()
    assert values == {"exact_match": 0.5}
