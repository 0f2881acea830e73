"""The figures of the site: what the examples of its pages draw, put behind them when it is made.

A page has figures where a Python block binds the name `figure`. The blocks of such a page are run
from top to bottom in one namespace, as the tests run them, once in light and once in dark colours.
"""

from __future__ import annotations

import contextlib
import doctest
import html
import importlib.util
import io
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import patch

from mmeval_like.plots import THEMES, alternative

__all__ = ["draws", "figures", "with_figures"]

_BLOCK = re.compile(r"^```python([^\n]*)\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)
_BINDS = re.compile(r"^(?:>>> |\.\.\. )?\s*figure = ", re.MULTILINE)
_IMAGE = '<img class="only-{theme}" src="{source}" alt="{alt}" loading="lazy">'
_SITE = ("light", "dark")


def draws(code: str) -> bool:
    """Return whether a block of code draws a figure."""
    return _BINDS.search(code) is not None


def with_figures(page: str, text: str, images: Path) -> str:
    """Return the text of a page with its figures, and write these; the same text where none are.

    Args:
        page: The page's name, as "metrics/roc".
        text: Its Markdown.
        images: The folder of the site's images.
    """
    if not any(draws(code) for _, code in _BLOCK.findall(text)):
        return text
    images.mkdir(parents=True, exist_ok=True)
    drawn = {theme: iter(figures(text, theme)) for theme in _SITE}
    up = "../" * page.count("/")

    def place(block: re.Match[str]) -> str:
        if not draws(block[2]):
            return block[0]
        shown = []
        for theme, found in drawn.items():
            number, picture, alt = next(found)
            name = f"{page.replace('/', '-')}-{number}-{theme}.svg"
            (images / name).write_bytes(picture)
            source, said = f"{up}_images/{name}", html.escape(alt)
            shown.append(_IMAGE.format(theme=theme, source=source, alt=said))
        return f"{block[0]}\n<p>{''.join(shown)}</p>\n\n"

    return _BLOCK.sub(place, text)


def figures(text: str, theme: str) -> list[tuple[int, bytes, str]]:
    """Return the figures of a page: a number, the SVG, and what it shows in words.

    Args:
        text: The page's Markdown.
        theme: The colours.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names: dict[str, Any] = {"__name__": "__main__"}
    found: list[tuple[int, bytes, str]] = []
    # An example draws in light colours, unless it says otherwise: here these are the page's.
    colours = patch.dict(THEMES, light=THEMES[theme])
    with (
        colours,
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
        matplotlib.rc_context({"svg.hashsalt": "mmeval_like"}),
    ):
        warnings.simplefilter("ignore")
        for options, code in _BLOCK.findall(text):
            if "file=" in options or not (draws(code) or _installed(options)):
                continue
            _run(code, names)
            if draws(code):
                written, figure = io.BytesIO(), names["figure"]
                paper = THEMES["light"].paper
                about = {"facecolor": paper, "bbox_inches": "tight", "metadata": {"Date": None}}
                figure.savefig(written, format="svg", **about)
                found.append((len(found) + 1, written.getvalue(), alternative(figure)))
        pyplot.close("all")
    return found


def _run(code: str, names: dict[str, Any]) -> None:
    """Run a block: plain code, or the examples of a doctest but for those that show an error."""
    examples = doctest.DocTestParser().get_examples(code)
    lines = [one.source for one in examples if one.exc_msg is None] if examples else [code]
    for line in lines:
        exec(line, names)


def _installed(options: str) -> bool:
    """Return whether the packages that a block names are there."""
    wanted = re.search(r"requires=(\S+)", options)
    return wanted is None or all(map(importlib.util.find_spec, wanted[1].split(",")))
