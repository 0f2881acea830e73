"""The metrics of language models, given what a log holds, say what lm-eval said of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmeval_like import BitsPerByte, MultipleChoiceAccuracy, Perplexity

FOLDER = Path(__file__).parent / "lm_eval"
(RESULTS,) = FOLDER.glob("results_*.json")
NUMBERS: dict[str, Any] = json.loads(RESULTS.read_text())["results"]


def lines_of(task: str) -> list[dict[str, Any]]:
    """The samples of a task."""
    (file,) = FOLDER.glob(f"samples_{task}_*.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_multiple_choice() -> None:
    """By log-likelihood, per character, and beyond that of the choice alone; sample by sample."""
    lines = lines_of("animals")
    likely = np.array([[float(one[0]) for one in line["filtered_resps"]] for line in lines])
    conditional, alone = likely[:, :3], likely[:, 3:]
    choices = [line["doc"]["choices"] for line in lines]
    batch = conditional.tolist(), [line["doc"]["label"] for line in lines], choices, alone.tolist()

    found = MultipleChoiceAccuracy().per_sample(*batch)
    for name in ("acc", "acc_norm", "acc_mutual_info"):
        assert found[name].tolist() == [line[name] for line in lines]
        assert MultipleChoiceAccuracy()(*batch)[name] == NUMBERS["animals"][f"{name},none"]


def test_bits_per_byte_and_perplexities() -> None:
    """Of rolling log-likelihoods; words are the pieces between spaces, as lm-eval counts them."""
    lines = lines_of("texts")
    texts = [line["doc"]["text"] for line in lines]
    words = [len(re.split(r"\s+", text)) for text in texts]
    logarithms = [float(line["filtered_resps"][0]) for line in lines]

    found = BitsPerByte()(logarithms, texts, num_words=words)
    for name in ("bits_per_byte", "byte_perplexity", "word_perplexity"):
        assert found[name] == pytest.approx(NUMBERS["texts"][f"{name},none"], rel=1e-14)


def test_perplexity() -> None:
    """Of the log-likelihoods of last words, of which each is one."""
    lines = lines_of("last_word")
    found = Perplexity()(log_likelihoods=[[float(line["filtered_resps"][0][0])] for line in lines])

    expected = NUMBERS["last_word"]["perplexity,none"]
    assert found["perplexity"] == pytest.approx(expected, rel=1e-14)
