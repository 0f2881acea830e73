"""Who searches the pages by the words of a question finds the answer."""

import math
import re
from collections import Counter
from functools import cache

import pytest

from tests.project.test_docs import EXECUTED, name_of

FAQ = "docs/faq.md"
# What people type, and the page and a word of the heading below which they find the answer.
QUESTIONS = [
    ("several epochs", FAQ, "epochs"),
    ("use with my framework", FAQ, "framework"),
    ("log results wandb mlflow tensorboard", "docs/integrations.md", "TensorBoard"),
    ("merge metrics of workers", FAQ, "workers"),
    ("save and load a metric", FAQ, "save"),
    ("names of classes in result", FAQ, "names"),
    ("plot confusion matrix", FAQ, "plot"),
    ("which metric for my task", FAQ, "task"),
    ("write my own metric", FAQ, "own"),
    ("tensors on gpu", "docs/accelerators.md", "GPU"),
    ("timeout rank hangs", FAQ, "timeout"),
    ("logits", FAQ, "logits"),
    ("collect mode", FAQ, "collect mode"),
    ("resume interrupted command", FAQ, "resume"),
    # By the name of what they use.
    ("accelerate", "docs/integrations.md", "accelerate"),
    ("lightning", "docs/integrations.md", "Lightning"),
    ("transformers trainer", "docs/integrations.md", "Trainer"),
    ("mmengine", "docs/integrations.md", "MMEngine"),
    ("keras", "docs/integrations.md", "Keras"),
    ("spark", "docs/engines.md", "Spark"),
    ("ray", "docs/engines.md", "Ray"),
    ("dask", "docs/engines.md", "Dask"),
    ("polars duckdb", "docs/integrations.md", "DuckDB"),
    ("cross validation scikit-learn", "docs/integrations.md", "cross-validation"),
]


def words(text: str) -> list[str]:
    """The words of a text, without case, and without the s of a plural."""
    return [word.removesuffix("s") for word in re.findall(r"[a-z]+", text.lower())]


@cache
def sections() -> list[tuple[str, str, Counter[str]]]:
    """The page, heading and words of every section of the pages."""
    found = []
    for page in EXECUTED:
        if page.stem.lower() != "changelog":
            for text in re.split(r"^#+ ", page.read_text(), flags=re.MULTILINE)[1:]:
                found.append((name_of(page), text.partition("\n")[0], Counter(words(text))))
    return found


def search(query: str) -> list[tuple[str, str]]:
    """The sections that have most of the words, rare words first; a heading's words count twice."""
    frequency = Counter(word for *_, text in sections() for word in text)

    def relevance(section: tuple[str, str, Counter[str]]) -> float:
        _, heading, text = section
        rarity = {word: math.log(1 + len(sections()) / frequency[word]) for word in words(query)}
        return sum(
            weight * (2 * (word in words(heading)) + min(text[word], 5) / 5)
            for word, weight in rarity.items()
        )

    return [section[:2] for section in sorted(sections(), key=relevance, reverse=True)]


@pytest.mark.parametrize(("query", "page", "heading"), QUESTIONS)
def test_a_search_finds_the_answer(query: str, page: str, heading: str) -> None:
    """Among the first three sections that a search by words lists."""
    first = search(query)[:3]

    assert [one for one in first if one[0] == page and heading.lower() in one[1].lower()], first
