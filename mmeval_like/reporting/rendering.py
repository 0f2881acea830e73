"""The templates of the page, which say its sentences, and the filters that format their facts."""

from __future__ import annotations

import html
import re
from functools import cache
from typing import Any

from mmeval_like._base.optional import needed_for
from mmeval_like.reporting import figures, words
from mmeval_like.reporting.sections import command_text

__all__ = ["templates"]

_LONG = re.compile(r"[^\s\0]{21,}")  # a word that is too wide for a phone
_PIECE = re.compile(r"[^-_/.,=]{1,12}[-_/.,=]*|[-_/.,=]{1,12}")  # where it may be broken
_TAG = re.compile(r"(<[^>]*>)")


@cache
def templates() -> Any:
    """Return the jinja2 environment of the templates in the folder `templates`.

    Every template escapes what it is given, and a fact that is missing is an error.

    Raises:
        ModuleNotFoundError: jinja2 is not installed.
    """
    with needed_for("report", "pip install 'mmeval-like[report]'"):
        import jinja2

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("mmeval_like.reporting"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    escape, safe = made.filters["escape"], made.filters["safe"]

    def soft(text: object) -> Any:
        return safe(_soft(str(escape(text))))

    def plain(text: object) -> str:
        return html.unescape(str(escape(text)))

    made.filters.update(
        soft=soft,
        plain=plain,
        article=words.article,
        clipped=words.clipped,
        counted=words.counted,
        inside=words.inside,
        level=words.level_text,
        listed=words.listed,
        p_cell=words.p_cell,
        p_said=words.p_said,
        percent=words.percent,
        quoted=words.quoted,
        reasons=words.reasons_text,
        rare=words.rare,
        samples=words.samples_text,
        share_of=words.share,
        signed=words.signed,
        command=command_text,
        thousands=words.thousands,
    )
    made.globals.update(
        draw_bar=figures.sample_bar, draw_gauge=figures.gauge, draw_histogram=figures.histogram
    )
    return made


def _soft(markup: str) -> str:
    """Return HTML in which words wider than a phone's screen may be broken.

    Example:
        >>> _soft("&lt;b&gt;"), _soft("<b>a_very_long_name_of_a_column</b>")
        ('&lt;b&gt;', '<b>a_<wbr>very_<wbr>long_<wbr>name_<wbr>of_<wbr>a_<wbr>column</b>')
    """

    def divided(found: re.Match[str]) -> str:
        return "\0".join(_PIECE.findall(found.group()))

    def broken(text: str) -> str:
        pieces = _LONG.sub(divided, html.unescape(text)).split("\0")
        return "<wbr>".join(map(html.escape, pieces))

    parts = _TAG.split(markup)  # texts and tags by turns
    parts[::2] = map(broken, parts[::2])
    return "".join(parts)
