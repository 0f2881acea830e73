"""How Sphinx makes the site of these pages: `make docs`."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]

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
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
exclude_patterns = ["_build"]


def place_pages(app: Sphinx, page: str, source: list[str]) -> None:
    """Give the list of metrics its pages, for the sidebar, where GitHub would show a directive."""
    if page == "metrics/README":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"


def setup(app: Sphinx) -> None:
    """Tell Sphinx about the function above."""
    app.connect("source-read", place_pages)
