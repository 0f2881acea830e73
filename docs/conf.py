"""How Sphinx makes the site of the pages that `tools/site.py` wrote: `make docs`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.figures import with_figures  # noqa: E402  # from the folder above
from tools.search import SPLIT_QUERY, terms  # noqa: E402

project = "mmeval_like"
copyright = "the authors of mmeval_like"
version = release = re.search(  # type: ignore[union-attr]
    r'__version__ = "(.*)"', (ROOT / "mmeval_like" / "__init__.py").read_text()
)[1]
extensions = ["myst_parser", "sphinx_copybutton", "sphinx_design"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
myst_links_external_new_tab = True
html_title = f"{project} {version}"
html_theme = "furo"
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["narrow.css"]
html_search_scorer = str(ROOT / "docs" / "ranking.js")
html_use_index = False  # its entries are search words
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

TWINS = {
    "": ("zh-CN", "中文 / Chinese"),
    "zh/": ("en", "English / 英文"),
}  # what the other language is called
# What the theme writes on every page; its own catalogue has no Chinese.
CHINESE = {
    "Search": "搜索",
    "Skip to content": "跳到正文",
    "On this page": "本页内容",
    "Contents": "目录",
    "Back to top": "回到页首",
    "Previous": "上一页",
    "Next": "下一页",
    "Home": "首页",
}


class SearchInBoth(SearchEnglish):
    """Finds English and Chinese words."""

    js_splitter_code = SPLIT_QUERY

    def split(self, input: str) -> list[str]:
        """Divide a text into what it is found by."""
        return terms(input)


def draw_figures(app: Sphinx, page: str, source: list[str]) -> None:
    """Put behind every example that draws a figure the figure."""
    source[0] = with_figures(page, source[0], Path(app.outdir, "_images"))


def add_search_words(app: Sphinx, page: nodes.document) -> None:
    """Let a page be found by its search words, which `tools/site.py` wrote above it."""
    words = app.env.metadata[app.env.docname].get("search", "")
    entries = [("single", word, "", "main", None) for word in words.split(", ") if word]
    page += addnodes.index(entries=entries)


def shorten_sidebar(app: Sphinx, page: str, template: str, context: dict[str, Any], _: Any) -> None:
    """List in the sidebar of a page the metrics of its own group, and not those of all."""
    whole = context["toctree"]
    context["toctree"] = lambda **options: whole(**{**options, "collapse": True})


def link_twin(app: Sphinx, page: str, template: str, context: dict[str, Any], _: Any) -> None:
    """Say which language a page is in, and begin it with a link to the same page in the other."""
    folder = "zh/" if page.startswith("zh/") else ""
    context["language"] = "zh-CN" if folder else "en"
    if folder:
        context["_"] = context["gettext"] = lambda words: CHINESE.get(words, words)
    twin = page.removeprefix("zh/") if folder else f"zh/{page}"
    if twin in app.env.found_docs:
        language, name = TWINS[folder]
        link = f'href="{context["pathto"](twin)}" hreflang="{language}" lang="{language}"'
        context["body"] = f"<p><a {link}>{name}</a></p>{context['body']}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx about the functions above."""
    app.connect("source-read", draw_figures)
    app.connect("doctree-read", add_search_words)
    app.add_search_language(SearchInBoth)
    app.connect("html-page-context", link_twin)
    app.connect("html-page-context", shorten_sidebar, priority=100)  # before the theme asks
    return {"parallel_read_safe": True, "parallel_write_safe": True}
