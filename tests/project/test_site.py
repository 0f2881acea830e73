"""The site: its pictures are those of their tool, and the Chinese pages follow the English ones."""

import re
from pathlib import Path

import pytest

from tests.helpers import require_installed, requires
from tests.helpers.browser import find_browser
from tests.project.test_docs import FENCE, LINK, ROOT, blocks
from tools.offline import loaded
from tools.pictures import FOLDER, PICTURES, dealt
from tools.report_picture import DESCRIPTION, PICTURE, picture
from tools.search import SPLIT_QUERY, terms, words

README = ROOT / "README.md"
CHINESE = {
    ROOT / "README_zh-CN.md": README,
    **{page: ROOT / "docs" / page.name for page in (ROOT / "docs" / "zh").glob("*.md")},
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_current(name: str) -> None:
    """Every picture is what its function draws; a text says the same as the picture."""
    drawn = PICTURES[name]()

    assert (FOLDER / name).read_text() == drawn, "run: python -m tools.generated"
    assert re.search(r"<desc id=\"text\">\w.{40,}</desc>", drawn)


def test_pictures_on_chinese_pages_are_in_chinese() -> None:
    """None of them is the English one, although the test below takes both for the same."""
    for page in CHINESE:
        for target in re.findall(r"\]\((\S*\.svg)\)", page.read_text()):
            assert "pictures/zh/" in target


def test_no_picture_is_left_over() -> None:
    """Every drawing is one of the tool's."""
    drawn = {file.relative_to(FOLDER).as_posix() for file in FOLDER.rglob("*.svg")}

    assert drawn == set(PICTURES)


def test_the_picture_of_the_report_is_current() -> None:
    """It says what the report of the README's code says, and its heading is said in words there."""
    require_installed("browser", "matplotlib", "jinja2")
    requires("playwright.sync_api")
    with requires("PIL.Image").open(PICTURE) as drawn:
        said = drawn.info[DESCRIPTION]

    assert said == picture()[1], "run: python -m tools.report_picture"
    (words,) = re.findall(r"!\[([^]]*)\]\(docs/pictures/report\.png\)", README.read_text())
    heading = re.search(r"\w+ is better than \w+ by [\d.]+ points", said)
    assert heading
    assert heading[0] in words


@pytest.mark.parametrize(("samples", "ranks"), [(9, 2), (8, 2), (7, 3), (5, 4)])
def test_the_picture_of_padding_deals_as_torch_does(samples: int, ranks: int) -> None:
    """The shards that are drawn are those of torch's DistributedSampler."""
    sampler = pytest.importorskip("torch.utils.data").DistributedSampler
    for rank, shard in enumerate(dealt(samples, ranks)):
        own = sampler(range(samples), num_replicas=ranks, rank=rank, shuffle=False)

        assert [sample for sample, _ in shard] == list(own)


def test_what_a_page_loads_from_elsewhere_is_found(tmp_path: Path) -> None:
    """A script, a font and a style sheet are; a link that a reader may follow is not."""
    page, style = tmp_path / "a.html", tmp_path / "a.css"
    page.write_text(
        '<a href="https://a.org">a</a><script src="//b.org/b.js"></script><img src="c.png">'
        '<link rel="stylesheet" href="https://d.org/d.css"><img src="data:image/png;base64,AA">'
    )
    style.write_text("a { background: url(e.png) } @font-face { src: url('https://f.org/f') }")

    assert loaded(page) == ["//b.org/b.js", "https://d.org/d.css"]
    assert loaded(style) == ["https://f.org/f"]


@pytest.mark.parametrize("page", CHINESE, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_chinese_pages_have_what_the_english_have(page: Path) -> None:
    """A page in Chinese has the code blocks, headings, tables and pictures of the English one.

    Comments in code are translated and do not count; the list of all pages is in English alone.
    """
    english = CHINESE[page]

    assert outline(page) == outline(english)


def test_chinese_is_found_by_neighbouring_characters() -> None:
    """Words of one, two and four characters, also beside letters; the rest has words."""
    assert terms("用rank的混淆矩阵，top-1 a_b") == [
        *("用", "rank", "的混", "混淆", "淆矩", "矩阵", "top", "1", "a_b")
    ]


def test_a_name_is_found_by_its_parts() -> None:
    """Who searches for "confusion matrix" finds ConfusionMatrix; a single letter is no part."""
    assert terms("ConfusionMatrix AUROC bits mAP") == [
        *("ConfusionMatrix", "Confusion", "Matrix", "AUROC", "bits", "mAP", "AP")
    ]


def test_a_query_asks_for_words_that_pages_are_found_by() -> None:
    """Each word of a text is one of its terms; a name is asked for as a whole."""
    for page in CHINESE:
        assert {*words(page.read_text())} <= {*terms(page.read_text())}
    assert words("the mAP of ConfusionMatrix") == ["the", "mAP", "of", "ConfusionMatrix"]


def test_a_browser_divides_a_query_as_the_pages_are_divided() -> None:
    """Else a reader would search for what is nowhere."""
    require_installed("browser")
    texts = [page.read_text() for page in CHINESE]
    with requires("playwright.sync_api").sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        split = f"(texts) => {{ {SPLIT_QUERY}; return texts.map(splitQuery) }}"
        found = browser.new_page().evaluate(split, texts)
        browser.close()

    assert found == [words(text) for text in texts]


def outline(page: Path) -> dict[str, list[str]]:
    """What is the same in every language."""
    text = FENCE.sub("", page.read_text())
    listed = text.partition("## Which page?")[0]
    shown = [
        block
        for block in blocks(page, "python", "sh", "bash", "console", "")
        if "{" not in block.options
    ]
    return {
        "code": [without_comments(block.text) for block in shown],
        "headings": re.findall(r"^#+(?= )", text, re.MULTILINE),
        "tables": [
            re.sub(r"[^|]", "", row) for row in re.findall(r"^\|.*\|$", listed, re.MULTILINE)
        ],
        "pictures": [
            target.removeprefix("../").replace("/zh/", "/")
            for target, _ in LINK.findall(text)
            if ".svg" in target
        ],
    }


def without_comments(text: str) -> str:
    """Code without its comments and the space before them."""
    return re.sub(r"[ \t]*#.*$", "", text, flags=re.MULTILINE)
