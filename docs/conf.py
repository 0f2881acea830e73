"""How Sphinx makes the site of these pages: `make docs`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools import metric_pages  # noqa: E402  # from the folder above
from tools.gallery import with_figures  # noqa: E402

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


def complete(app: Sphinx, page: str, source: list[str]) -> None:
    """Add what the docstrings say to the pages of metrics, and to their list the sidebar's list."""
    folder, _, name = page.rpartition("/")
    if folder == "metrics":
        app.env.note_reread()
        source[0] += "\n" + metric_pages.sections(name)
    if page == "metrics/README":
        source[0] = metric_pages.linked(source[0]) + metric_pages.options()
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"


def draw_figures(app: Sphinx, page: str, source: list[str]) -> None:
    """Put behind every example that draws a figure the figure."""
    source[0] = with_figures(page, source[0], Path(app.outdir, "_images"))


def setup(app: Sphinx) -> None:
    """Tell Sphinx about the functions above."""
    app.connect("source-read", draw_figures, priority=100)  # of the page's own examples
    app.connect("source-read", complete)
