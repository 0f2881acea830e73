"""The documentation is executed: Python blocks run, commands and links name what exists."""

import configparser
import contextlib
import doctest
import importlib.util
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.helpers import require_installed

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
# The code of the Chinese pages is that of the English ones, as test_site.py sees to.
EXECUTED = [page for page in PAGES if "zh" not in f"{page.stem} {page.parent.name}"]
FENCE = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, what follows on that line, its text, its line number."""

    language: str
    options: str
    text: str
    line: int


def blocks(page: Path, *languages: str) -> list[Block]:
    """The fenced blocks of these languages."""
    text = page.read_text()
    found = [
        Block(m[1], m[2].strip(), m[3], text[: m.start()].count("\n") + 1)
        for m in FENCE.finditer(text)
    ]
    return [block for block in found if block.language in languages]


def name_of(page: Path) -> str:
    """A page as a person names it."""
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """No figure of one page is left to the next."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.mark.parametrize("page", EXECUTED, ids=name_of)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page's Python blocks run from top to bottom in one namespace, with the output shown.

    A block with prompts (`>>>`) is a doctest. `requires=torch,zmq` after the language names the
    packages that a block needs; `file=examples/some.py` says that it is a file's text, which
    tests/integrations/test_recipes.py runs.
    """
    names: dict[str, object] = {"__name__": "__main__"}
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "python"):
        if "file=" in block.options:
            continue
        if options := re.search(r"requires=(\S+)", block.options):
            require_installed(*options[1].split(","))
        where = f"{name_of(page)}, line {block.line}"
        if ">>>" in block.text:
            run_doctest(block, names, where)
        else:
            exec(compile("\n" * block.line + block.text, page, "exec"), names)


def test_the_readme_prints_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comment behind each print begins with what is printed, where `...` stands for digits."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(ROOT / "README.md", "python"):
        if options := re.search(r"requires=(\S+)", block.options):
            require_installed(*options[1].split(","))
        said = re.findall(r"^ *print\(.*\) +# (.*)$", block.text, re.MULTILINE)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(block.text, names)
        lines = printed.getvalue().splitlines()

        assert len(lines) == len(said) == block.text.count("print(")
        for line, comment in zip(lines, said, strict=True):
            assert begins_with(comment, line), f"{line} is printed, README.md says {comment}"


def begins_with(comment: str, line: str) -> bool:
    """Whether a comment begins with a line, whose last digits it may leave out."""
    told = (re.escape(comment[:end]) for end in range(1, len(comment) + 1))
    return any(re.fullmatch(one.replace(re.escape("..."), r"\d*"), line) for one in told)


def run_doctest(block: Block, names: dict[str, object], where: str) -> None:
    """Run the examples of one block; what differs becomes the failure's text."""
    test = doctest.DocTestParser().get_doctest(block.text, names, where, where, block.line)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    report = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()):
        result = doctest.DocTestRunner(optionflags=flags).run(
            test, out=report.write, clear_globs=False
        )
    names.update(test.globs)

    assert result.failed == 0, report.getvalue()


def commands(page: Path) -> list[str]:
    """The commands that a page shows: lines that begin with a prompt, or all of a shell block."""
    found = []
    for block in blocks(page, "console", "bash", "sh", "shell"):
        text = block.text.replace("\\\n", " ")
        prompted = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
        found += prompted if block.language == "console" else text.splitlines()
    return [line.partition(" #")[0].strip() for line in found if line.strip()]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_name_what_exists(page: Path) -> None:
    """Targets of make, scripts and extras in a shown command are there under this name."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    extras = set(setup["options.extras_require"])
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    own_folders = ("examples/", "benchmarks/", "tests/", "tools/", "docs/")
    for command in commands(page):
        words = command.split()
        if words[0] == "make":
            assert {word for word in words[1:] if "=" not in word} <= targets, command
        for word in words:
            if word.startswith(own_folders):
                assert (ROOT / word).exists(), command
        for named in re.findall(r"(?:mmeval-like|\.)\[([\w,]+)\]", command):
            assert set(named.split(",")) <= extras, command


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    """A link to a file of this project, or to a heading in it, is not broken."""
    for target, heading in LINK.findall(FENCE.sub("", page.read_text())):
        if "://" in target:
            continue
        file = page.parent / target if target else page
        assert file.exists(), f"{name_of(page)} links to {target}"
        if heading:
            assert heading in anchors(file), f"{name_of(page)} links to {target}#{heading}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_and_names_of_a_page_exist(page: Path) -> None:
    """A path or a dotted name of the package in a page is there; `<name>` stands for any."""
    text = page.read_text()
    folders = "benchmarks|docs|examples|mmeval_like|tests|tools"
    paths = set(re.findall(rf"`((?:{folders})/[\w/.<>*-]+)`", text))
    missing = [path for path in paths if not [*ROOT.glob(re.sub(r"<\w+>", "*", path))]]
    names = set(re.findall(r"`((?:mmeval_like|mm)(?:\.\w+)+)`", text))
    unknown = [name for name in names if not is_known("mmeval_like." + name.partition(".")[2])]

    assert missing == [] == unknown


def is_known(name: str) -> bool:
    """Whether a dotted name can be imported; what needs a library that is not installed may be."""
    *path, last = name.split(".")
    try:
        if importlib.util.find_spec(name) is not None:
            return True
    except ModuleNotFoundError as error:
        if not (error.name or "mmeval_like").startswith("mmeval_like"):
            return True
    try:
        owner = importlib.import_module(path[0])
        for part in (*path[1:], last):
            owner = getattr(owner, part)
    except ImportError:
        return True
    except AttributeError:
        return False
    return True


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings get when it is shown as HTML."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", ["docs/faq.md", "docs/zh/faq.md"])
def test_questions_are_listed_and_answered(page: str) -> None:
    """The page of questions begins with all of its headings, in their order."""
    text = (ROOT / page).read_text()
    listed = re.findall(r"^- \[(.*)\]\(#.*\)$", text, re.MULTILINE)

    assert listed == re.findall(r"^## (.*)$", FENCE.sub("", text), re.MULTILINE)
    assert len(listed) >= 14


def test_the_glossary_explains_the_words_of_the_code() -> None:
    """Ten words are explained, each in a row of its own."""
    glossary = (ROOT / "docs" / "concepts.md").read_text().partition("## Glossary")[2]
    rows = re.findall(r"^\| \*\*(\w+)\*\* \|", glossary.partition("\n## ")[0], re.MULTILINE)

    assert rows == [
        "sample", "row", "state", "statistic", "part", "slot", "shard", "padding", "fingerprint",
        "exchange",
    ]  # fmt: skip
