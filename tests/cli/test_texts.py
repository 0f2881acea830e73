"""Columns of texts, and of lists of texts: the numbers of a call in Python."""

import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from mmeval_like.cli.specs import name_on_the_line
from tests.cli.files import score, write
from tests.helpers.optional import requires

requires("pyarrow")

FOUND = ["the cat sat", "42", "", "in Paris", "一只猫"]
SEVERAL = [["the cat", "a cat sat"], ["42"], ["", "x"], ["Paris"], ["一只狗", "猫"]]
TAGS = [["B-PER", "O"], ["O", "B-LOC"], ["O"], [], ["B-LOC", "I-LOC"]]
GOLD = [["B-PER", "O"], ["O", "O"], ["B-PER"], [], ["B-LOC", "I-LOC"]]

METRICS = {
    "bleu:n_gram=1,tokenizer_fn=cn": mm.BLEU(n_gram=1, tokenizer_fn="cn"),
    "bleu:n_gram=1,tokenizer_fn=none": mm.BLEU(n_gram=1, tokenizer_fn="none"),
    "chrf_score": mm.CHRFScore(),
    "squad": mm.SQuAD(),
    "exact_match:ignore_case=true": mm.ExactMatch(ignore_case=True),
    "google_bleu:max_n=2": mm.GoogleBLEU(max_n=2),
}


def file_of(folder, kind, **columns):
    """Lines of JSON, or a Parquet file with lists of texts."""
    if kind == "jsonl":
        return write(folder, kind, columns)
    requires("pyarrow.parquet").write_table(
        requires("pyarrow").table(columns), folder / "preds.parquet"
    )
    return folder / "preds.parquet"


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_lists_of_references(tmp_path, kind):
    """A cell may hold a list of texts, as of references, or of the tags of a sentence."""
    path = file_of(tmp_path, kind, predictions=FOUND, references=SEVERAL)
    for text, metric in METRICS.items():
        [values] = score(tmp_path, path, "--metric", text).values()
        assert values == metric(FOUND, SEVERAL)

    path = file_of(tmp_path, kind, predictions=TAGS, gold=GOLD)
    named = ("--metric", "entity_f1", "--column", "references=gold")
    [values] = score(tmp_path, path, *named).values()
    assert values == mm.EntityF1()(TAGS, GOLD)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_text_for_each(tmp_path, kind):
    """One reference is a column of texts, whatever the cells look like."""
    requires("rapidfuzz")
    found, references = ["1.0", "two words"], ["1", "two word"]
    path = write(tmp_path, kind, {"predictions": found, "references": references})

    several = (mm.WordErrorRate, mm.CharErrorRate, mm.EditDistance, mm.ExactMatch, mm.CHRFScore)
    for make in (*several, mm.BLEU, mm.ROUGE):
        [values] = score(tmp_path, path, "--metric", name_on_the_line(make.__name__)).values()
        assert values == make()(found, references)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_numbers_are_texts_to_metrics_of_texts(tmp_path, kind):
    """A column of nothing but numbers in a CSV file is texts where the metric takes texts."""
    path = write(tmp_path, kind, {"predictions": ["1.0", "7"], "references": ["1", "7"]})

    [values] = score(tmp_path, path, "--metric", "exact_match").values()
    assert values == {"exact_match": 0.5}


def test_a_number_among_texts_is_what_is_wrong(tmp_path, capsys):
    """Where texts are asked for, the row of the number is named, and not that of a text."""
    path = tmp_path / "preds.jsonl"
    path.write_text(
        '{"predictions": "a", "references": "a"}\n{"predictions": 3, "references": "a"}\n'
    )
    assert main(["score", str(path), "--metric", "exact_match"]) == 2
    said = capsys.readouterr().err
    assert "preds.jsonl, line 2: predictions must be a list of strings, got int" in said
