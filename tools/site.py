"""Write what the site is made of: docs, and what follows from the code.

That is a page of every metric and of every group of metrics, and the tables of the pages that list
all names. Nothing of it is kept in git.

Usage: python -m tools.site build/pages
"""

import json
import os
import posixpath
import re
import shutil
import sys
from pathlib import Path

from mmeval_like import metrics
from mmeval_like._base.names import Listing
from tools import api_page, bounds, coverage, interval_methods, metric_pages, metrics_index
from tools.families import DOCS, FENCED, Family, families, family_of
from tools.search_words import search_words

ROOT = DOCS.parent
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
OUTSIDE = re.compile(r"(?<=\]\()(?:\.\./)+[^)\s]*")
# Pages with tables of all names.
LISTS = (api_page, bounds, coverage, interval_methods, metrics_index)
TREES = re.compile(r"```\{toctree\}\n(?::[^\n]*\n)*\n(.*?)\n```", re.DOTALL)
TREE = "\n```{{toctree}}\n:hidden:\n\n{}\n```\n"


def write(folder: Path) -> None:
    """Write all pages to a folder; a file that would stay the same is not touched."""
    no_text = shutil.ignore_patterns("*.md", "*.py", "*.js", "__pycache__", "static")
    shutil.copytree(DOCS, folder, dirs_exist_ok=True, ignore=no_text)
    words = search_words()
    texts = {
        folder / page: found_by(words.get(page, [])) + outside(text, page, folder)
        for page, text in pages().items()
    }
    for file in {*folder.rglob("*.md")} - {*texts}:
        file.unlink()
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text() != text:
            file.write_text(text)


def chinese(found: dict[str, str]) -> str:
    """The sidebar's list of the pages in Chinese, in the order of their twins in English."""
    listed = "\n".join(TREES.findall(found["index.md"]))
    pages = [f"zh/{page}" for page in ["index", *listed.split()] if f"zh/{page}.md" in found]
    return TREE.replace(":hidden:", ":hidden:\n:caption: 中文").format("\n".join(pages))


def found_by(words: list[str]) -> str:
    """The beginning of a page that is found by search words, for docs/conf.py; readers see none."""
    return f"---\nsearch: {json.dumps(', '.join(words))}\n---\n\n" if words else ""


def pages() -> dict[str, str]:
    """The text of every page, by its name in the site."""
    listing = Listing(metrics.__name__)
    found = {file.relative_to(DOCS).as_posix(): file.read_text() for file in DOCS.rglob("*.md")}
    for family in families().values():
        if not family.is_guide:
            del found[f"metrics/{family.file}"]
    found["changelog.md"] = (ROOT / "CHANGELOG.md").read_text().replace("](docs/", "](")
    found |= {tool.PAGE.relative_to(DOCS).as_posix(): tool.page() for tool in LISTS}
    found |= {f"metrics/{name}.md": metric_pages.page(name) for name in listing.modules}
    groups = {group: names for group, names in listing.headings.items() if names}
    found |= {
        f"{page_of_group(group)}.md": group_page(group, names) for group, names in groups.items()
    }
    found["index.md"] += chinese(found)
    below = [*(f"../{page_of_group(group)}" for group in groups), "bounds", "intervals"]
    of_all = f"\n{metric_pages.options()}{metrics_index.LETTERS}"
    index = found["metrics/README.md"].replace(metrics_index.LETTERS, of_all)
    found["metrics/README.md"] = index + TREE.format("\n".join(below))
    return {page: linked(text, page) for page, text in found.items()}


def page_of_group(group: str) -> str:
    """The name of a group's page."""
    return f"groups/{re.sub(r'[^a-z]+', '_', group.lower())}"


def group_page(group: str, names: list[str]) -> str:
    """The page of a group: its metrics, and in the sidebar what stands below it."""
    guides = {guide.file: guide for guide in map(family_of, names) if guide.is_guide}
    links = [f"[{guide.title}](../metrics/{file})" for file, guide in guides.items()]
    read = [f"Read first: {metric_pages.listed(links)}."] if links else []
    table = metrics_index.table(names, "../metrics/")
    below = [f"{in_sidebar(guide, group)} <../metrics/{file}>" for file, guide in guides.items()]
    below += [f"../metrics/{name}.md" for name in names]
    return "\n\n".join([f"# {group}", *read, table, TREE.format("\n".join(below))])


def in_sidebar(guide: Family, group: str) -> str:
    """What the sidebar calls a guide."""
    return "Overview" if guide.title == group else guide.title


def linked(text: str, page: str) -> str:
    """A page's text, of which links to a page of docs/metrics lead to the page of a metric.

    Blocks of code lose the empty line at their end, which a doctest may need.
    """
    folder = posixpath.dirname(page)

    def lead(link: re.Match[str]) -> str:
        label, target, anchor = link[1], link[2], link[3] or ""
        there, file = posixpath.split(posixpath.normpath(posixpath.join(folder, target)))
        family = families().get(file) if there == "metrics" else None
        if family is None:
            return link[0]
        named = [name for name in family.names if name == label.strip("`")]
        if family.is_guide and not named:
            return link[0]
        named += [name for name in family.names if anchor in anchors(name)] or family.names
        kept = anchor if anchor in anchors(named[0]) else ""
        to = posixpath.join(posixpath.dirname(target), f"{named[0]}.md")
        return f"[{label}]({to}{kept})"

    parts = FENCED.split(text)
    return "".join(
        part.replace("\n\n```", "\n```") if part.startswith("```") else LINK.sub(lead, part)
        for part in parts
    )


def anchors(name: str) -> set[str]:
    """What a link to the page of a metric may end in: the headings of what people wrote."""
    return {"", *(f"#{part.anchor}" for part in metric_pages.by_hand(name, family_of(name)))}


def outside(text: str, page: str, folder: Path) -> str:
    """A page's text, of which links to files beside docs start from the site's folder."""
    own = DOCS / posixpath.dirname(page)

    def lead(link: re.Match[str]) -> str:
        file = Path(os.path.normpath(own / link[0]))
        if file.is_relative_to(DOCS):
            return link[0]
        return Path(os.path.relpath(file, (folder / page).parent)).as_posix()

    return OUTSIDE.sub(lead, text)


if __name__ == "__main__":
    write(Path(sys.argv[1]).resolve())
