"""The pages of docs/metrics, on which people wrote what docstrings do not say, in sections.

One of them explains one metric or several. Where these are many, it is a guide: a page of the site
of its own. Else all of it is about each of its metrics, but for the sections that name others.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mmeval_like import metrics
from mmeval_like._base.names import Listing
from tools.metrics_index import PAGE, page_of

FOLDER = PAGE.parent
DOCS = FOLDER.parent
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
PITFALLS = ("What to know", "What goes wrong")
MANY = 5  # a page of more metrics than these is a guide


@dataclass(frozen=True)
class Section:
    """A heading, without a heading the beginning of a page, and what stands below it."""

    heading: str
    text: str

    @property
    def anchor(self) -> str:
        """What a link to the heading names."""
        return re.sub(r"[^\w\- ]", "", self.heading).lower().replace(" ", "-")

    def is_of(self, name: str) -> bool:
        """Whether the heading is a metric's name, or several with this among them."""
        return name in self.heading.split(", ")

    def names(self, name: str) -> bool:
        """Whether a metric is mentioned."""
        return re.search(rf"\b{name}\b", f"{self.heading} {self.text}") is not None

    def works(self, name: str) -> bool:
        """Whether a metric is computed."""
        code = " ".join(block for block in FENCED.split(self.text) if block.startswith("```"))
        return re.search(rf"\b{name}\b(?! import)", code) is not None


@dataclass(frozen=True)
class Family:
    """A page of docs/metrics.

    Attributes:
        file: Its file's name.
        names: The metrics that it explains, in the order of the list of all metrics.
        title: Its title.
        sections: What stands on it; the first one is its beginning, without a heading.
    """

    file: str
    names: tuple[str, ...]
    title: str
    sections: tuple[Section, ...]

    @property
    def is_guide(self) -> bool:
        """Whether it is a page of the site."""
        return len(self.names) > MANY

    @property
    def others(self) -> tuple[Section, ...]:
        """The sections below its beginning."""
        return self.sections[1:]

    def about(self, name: str) -> list[Section]:
        """What belongs on the page of one of its metrics."""
        found = [section for section in self.sections if self._is_about(section, name)]
        return [self._told(section, name) for section in found]

    def _told(self, section: Section, name: str) -> Section:
        """A section; of what goes wrong only what goes wrong with this metric."""
        if not section.heading.startswith(PITFALLS):
            return section
        points = [Section("", point) for point in re.split(r"\n(?=- )", section.text)]
        told = [point.text for point in points if self._names_or_none(point, name)]
        return Section(section.heading, "\n".join(told))

    def _names_or_none(self, section: Section, name: str) -> bool:
        """Whether a text mentions a metric, or no metric at all."""
        named = [other for other in self.names if section.names(other)]
        return name in named or not named

    def _is_about(self, section: Section, name: str) -> bool:
        named = [other for other in self.names if section.names(other)]
        if not self.is_guide:
            return not section.heading or self._names_or_none(section, name)
        if section.heading.startswith(PITFALLS):
            return True
        few = 2 * len(named) <= len(self.names)
        return bool(section.heading) and name in named and few


@cache
def family_of(name: str) -> Family:
    """The page that explains a metric."""
    return families()[page_of(name)]


@cache
def families() -> dict[str, Family]:
    """All of them, by the names of their files, in the order of the list of all metrics."""
    files: dict[str, list[str]] = {}
    for name in Listing(metrics.__name__).modules:
        files.setdefault(page_of(name), []).append(name)
    return {file: read(FOLDER / file, names) for file, names in files.items()}


def read(path: Path, names: list[str]) -> Family:
    """One of them."""
    heading, parts = "", {"": ""}
    title = ""
    for piece in FENCED.split(path.read_text()):
        if piece.startswith("```"):
            parts[heading] += piece
            continue
        for line in piece.splitlines(keepends=True):
            if line.startswith("# "):
                title = line[2:].strip()
            elif line.startswith("## "):
                heading = line[3:].strip()
                parts[heading] = ""
            else:
                parts[heading] += line
    sections = (Section(heading, text.strip("\n")) for heading, text in parts.items())
    return Family(path.name, tuple(names), title, tuple(sections))
