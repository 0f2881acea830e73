"""The search of the site finds first what readers mean; `make docs` asks the site that it built.

`tests/project/search.js` runs the site's own code on the site's own index, in node.
"""

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from mmeval_like import metrics
from mmeval_like._base.names import EVERYDAY
from tests.helpers import require_installed
from tools.metrics_index import PAGE, SOUGHT, also_called
from tools.search import HAN
from tools.search_words import PAGES, search_words
from tools.site import pages

SITE = "MMEVAL_LIKE_SITE"  # the folder of the site that was built, which noxfile.py sets
Found = dict[str, list[str]]

# What was searched for by people who had not seen the site before, and which page they need.
SEARCHES = {
    "mAP": "metrics/COCODetection",
    "per class accuracy": "metrics/Accuracy",
    "confidence interval": "how-sure",
    "hangs": "faq",
    "NCCL": "accelerators",
    "custom metric": "writing-a-metric",
    "weighted F1": "metrics/FBetaScore",
    "DistributedSampler duplicates": "evaluation-loop",
    "bootstrap": "how-sure",
    "BLEU": "metrics/BLEU",
    "multi-GPU": "evaluation-loop",
    "mean average precision COCO": "metrics/COCODetection",
    "word error rate": "metrics/WordErrorRate",
    "f1_score": "metrics/FBetaScore",
    "roc_auc_score": "metrics/AUROC",
    "MulticlassF1Score": "metrics/FBetaScore",
    "AUC": "metrics/AUROC",
    "MeanAveragePrecision": "metrics/COCODetection",
    "confusion matrix": "metrics/ConfusionMatrix",
    "gate": "ci",
    # Pages for users come before the evidence about the same thing.
    "intervals": "how-sure",
    "memory": "faq",
    "slot": "concepts",
    "supported versions": "install",
    "interval study": "interval-study",
    "how fast": "benchmarks",
    "集合通信": "zh/dist",
    "概念": "zh/concepts",
    "自定义指标": "zh/writing-a-metric",
}


@pytest.fixture(scope="module")
def site() -> set[str]:
    """The names of all pages."""
    return {*pages()}


def test_every_page_has_words_that_find_it(site: set[str]) -> None:
    """A page in English that people wrote is listed; a listed page exists."""
    generated = ("metrics/", "groups/", "zh/", "index.md")
    written = {page for page in site if not page.startswith(generated)}

    assert {page.removesuffix(".md") for page in written} - {*PAGES} == set(), "see PAGES"
    assert {*search_words()} - site == set()


def test_a_word_finds_one_page() -> None:
    """No word is listed for two pages, of which only one could be found first."""
    times = Counter(word for words in search_words().values() for word in words)

    assert [word for word, count in times.items() if count > 1] == []


def test_everyday_names_are_search_words() -> None:
    """The site, Python and the command line mean the same metric by a name."""
    words = search_words()

    assert {
        name for name, metric in EVERYDAY.items() if name not in words[f"metrics/{metric}.md"]
    } == set()


def test_the_metrics_that_people_look_for_exist(site: set[str]) -> None:
    """About sixty are listed by task, each once, with the other names that it has."""
    sought = also_called()

    assert len(sought) == len(SOUGHT.findall(PAGE.read_text()))
    assert {*sought} <= {*metrics.__all__}
    assert {f"metrics/{name}.md" for name in sought} <= site
    assert 55 <= len(sought) <= 75
    assert all(
        name and name.lower() != metric.lower()
        for metric, names in sought.items()
        for name in names
    )


@pytest.fixture(scope="module")
def found() -> Found:
    """The pages that the built site finds, by query."""
    folder = os.environ.get(SITE)
    if folder is None:
        pytest.skip(f"needs the site: run `make docs`, or set {SITE} to its folder")
    require_installed("node")
    words = [word for listed in search_words().values() for word in listed]
    queries = [*SEARCHES, *words, *metrics.__all__]
    script = Path(__file__).with_name("search.js")
    command = [shutil.which("node") or "", str(script), folder]
    done = subprocess.run(command, input=json.dumps(queries), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(zip(queries, json.loads(done.stdout), strict=True))


def test_searches_find_the_page_that_is_meant(found: Found) -> None:
    """It is the first of all that are found."""
    first = {query: (found[query] or [""])[0] for query in SEARCHES}

    assert first == SEARCHES


def test_search_words_find_their_page(found: Found) -> None:
    """Each of them, as readers type it."""
    wrong = {
        word: found[word][:3]
        for page, words in search_words().items()
        for word in words
        if f"{(found[word] or [''])[0]}.md" != page
    }

    assert wrong == {}


def test_names_of_metrics_find_their_page(found: Found) -> None:
    """A title comes before all texts that mention it."""
    assert {name for name in metrics.__all__ if found[name][0] != f"metrics/{name}"} == set()


def test_evidence_comes_after_the_pages_for_users(found: Found) -> None:
    """Unless the query is one of its own words, or its title."""
    site = pages()
    listed = re.search(r":caption: Evidence\n\n(.*?)\n```", site["index.md"], re.DOTALL)
    assert listed
    evidence = {*listed[1].split()}
    words = {page: search_words()[f"{page}.md"] for page in evidence}
    titles = {page: site[f"{page}.md"].partition("# ")[2].partition("\n")[0] for page in evidence}
    behind = 0
    for query, those in found.items():
        asked = query.lower()
        own = {page for page in evidence if asked in (*words[page], titles[page].lower())}
        guides = [page for page in those if not page.startswith("zh/") and page != "changelog"]
        places = [page in evidence - own for page in guides if page not in own]
        behind += any(places)
        assert places == sorted(places), (query, guides)

    assert behind > 100


def test_languages_and_the_changelog_are_apart(found: Found) -> None:
    """Pages of the query's language come first, and the changelog last of these."""
    for query, listed in found.items():
        chinese = re.search(f"[{HAN}]", query) is not None
        own = [page.startswith("zh/") == chinese for page in listed]
        assert own == sorted(own, reverse=True), query
        english = [page for page in listed if not page.startswith("zh/")]
        if "changelog" in english and query not in search_words()["changelog.md"]:
            assert {*english[english.index("changelog") :]} == {"changelog"}, query
