"""Pictures as SVG that uses the page's colours: one picture for light, dark and print.

A page with a content security policy takes no `style` attributes: each becomes a class, whose rules
are in the page's style sheet.
"""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass
from xml.etree import ElementTree

from mmeval_like._base.optional import needed_for
from mmeval_like.plots.choice import Picture
from mmeval_like.plots.style import THEMES, Theme, default_settings, printable

__all__ = ["Drawn", "Rules", "draw_inline", "variables"]

_NAMES = ("ink", "muted", "grid", "paper", *(f"series-{at}" for at in range(6)))
# Each colour is a placeholder that pictures do not use otherwise; it becomes a page variable.
_CODES = {name: f"#0{at:x}0fed" for at, name in enumerate(_NAMES)}
_PAGE = Theme(
    _CODES["ink"],
    _CODES["muted"],
    _CODES["grid"],
    _CODES["paper"],
    tuple(_CODES[name] for name in _NAMES[4:]),
)
_REFERENCE = re.compile(r"url\(#([^)]*)\)")
_SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "mmeval_like", "svg.image_inline": True}


@dataclass(frozen=True)
class Drawn:
    """A picture of the page.

    Attributes:
        title: The title of the picture.
        markup: The SVG.
        text: A description of the picture in words and numbers.
    """

    title: str
    markup: str
    text: str


class Rules:
    """The CSS classes of the styles of all pictures of a page."""

    def __init__(self) -> None:
        self._classes: dict[str, str] = {}

    def name_of(self, style: str) -> str:
        """Return the class of a style; a new style gets a new class."""
        return self._classes.setdefault(style, f"m{len(self._classes)}")

    def css(self) -> str:
        """Return the rules, with the page's variables for colours."""
        rules = "\n".join(f".{name}{{{style}}}" for style, name in self._classes.items())
        for name, code in _CODES.items():
            rules = rules.replace(code, f"var(--{name})")
        return rules


def variables(theme: str) -> str:
    """Return the declarations of a theme's colours for a style sheet.

    Example:
        >>> variables("light").split(";")[0]
        '--ink:#1b1f24'
    """
    found = THEMES[theme]
    colours = (found.ink, found.muted, found.grid, found.paper, *found.series)
    return ";".join(f"--{name}:{colour}" for name, colour in zip(_NAMES, colours, strict=True))


def draw_inline(picture: Picture, number: int, rules: Rules) -> Drawn:
    """Draw a picture for a page.

    Args:
        picture: The picture to draw.
        number: A number that makes its names unique on the page.
        rules: The rules to which its styles are added.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    with needed_for("report", "pip install 'mmeval-like[report]'"):
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        settings = default_settings(_SETTINGS)
    written = io.BytesIO()
    with settings, warnings.catch_warnings():
        # Browsers have glyphs for all scripts, so this font may lack some.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure = Figure(figsize=picture.size, facecolor="none")
        text = printable(picture.drawn(ax := figure.add_subplot(), _PAGE))
        ax.set_facecolor("none")
        figure.tight_layout()
        # A layout engine, or savefig, would draw everything twice.
        FigureCanvasSVG(figure).print_svg(written, metadata={"Date": None})
    title = printable(picture.title)
    return Drawn(title, _inline(written.getvalue(), number, title, rules), text)


def _inline(document: bytes, number: int, title: str, rules: Rules) -> str:
    """Return an SVG document in the form for an HTML page."""
    root = ElementTree.fromstring(document)
    used = set(_REFERENCE.findall(document.decode()))
    used |= {one[1:] for node in root.iter() for key, one in node.items() if key.endswith("href")}
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.endswith(("metadata", "}style")):
                parent.remove(child)
    for node in root.iter():
        node.tag = node.tag.rpartition("}")[2]
        for key, value in list(node.items()):
            del node.attrib[key]
            name = key.rpartition("}")[2]
            if name == "style":
                node.set("class", rules.name_of(value.strip()))
            elif name == "href":
                linked = value.startswith("#")
                node.set("href", f"#p{number}-{value[1:]}" if linked else value)
            elif name == "id":
                if value in used:
                    node.set("id", f"p{number}-{value}")
            else:
                node.set(name, _REFERENCE.sub(rf"url(#p{number}-\1)", value))
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", title)
    points = float(root.get("viewBox", "0 0 400 300").split()[2])
    root.set("width", f"{points * 4 / 3:.0f}")  # points converted to pixels
    return ElementTree.tostring(root, encoding="unicode")
