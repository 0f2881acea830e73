"""Texts for the tests of the text metrics, and a longest common subsequence by the textbook."""

import numpy as np
from hypothesis import strategies as st

WORDS = ["the", "cat", "The", "sat", "on", "mat", "running", "flies", "a", "it's", "e-mail", "42"]
IDEOGRAPHS = list("一只猫坐在垫子上")


def sentence(rng: np.random.Generator, most: int = 12) -> str:
    """Random words, possibly none, from a vocabulary so small that n-grams repeat."""
    return " ".join(rng.choice(WORDS, int(rng.integers(0, most + 1))))


def characters(rng: np.random.Generator, most: int = 12) -> str:
    """Random ideographs, at least one."""
    return "".join(rng.choice(IDEOGRAPHS, int(rng.integers(1, most + 1))))


def mixed_samples(rng: np.random.Generator, n: int) -> tuple[list[str], list[list[str]]]:
    """Samples of both languages, each with one to three references."""
    predictions, references = [], []
    for _ in range(n):
        make = sentence if rng.random() < 0.7 else characters
        predictions.append(make(rng))
        references.append([make(rng) for _ in range(int(rng.integers(1, 4)))])
    return predictions, references


def textbook_lcs(first: str | list[str], second: str | list[str]) -> int:
    """The table of Wagner and Fischer, cell by cell."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, x in enumerate(first):
        for j, y in enumerate(second):
            above, left = table[i][j + 1], table[i + 1][j]
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(above, left)
    return table[-1][-1]


any_text = st.text(max_size=30)
few_letters = st.text(alphabet="ab c一", max_size=80)
