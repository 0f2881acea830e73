"""The style of all figures: colours that everyone can distinguish, on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

__all__ = [
    "DASHES",
    "HEAT",
    "LIGHTER",
    "MARKS",
    "THEMES",
    "Theme",
    "add_legend",
    "add_note",
    "clipped",
    "default_settings",
    "dress",
    "heat_ink",
    "place",
    "printable",
    "with_glyphs",
]

# A map from dark blue to yellow whose lightness rises evenly, also for colour-blind eyes and in
# grey: J. R. Nunez, C. R. Anderton and R. S. Renslow, PLOS ONE 13(7), 2018.
HEAT = "cividis"
# Line styles and markers distinguish the series of a figure without colour.
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 3)))
MARKS = ("o", "s", "^", "D", "v", "P")
LIGHTER = 0.4  # the opacity of what samples without a score may change
# Fonts of common systems with Chinese, Japanese and Korean glyphs, which matplotlib's font lacks.
_MORE_FONTS = (
    *("Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei"),
    *("Microsoft YaHei", "SimHei", "PingFang SC", "Hiragino Sans GB", "Arial Unicode MS"),
)
_LONGEST = 28  # characters of a name in a picture


@dataclass(frozen=True)
class Theme:
    """The colours of a picture, in a form that matplotlib accepts.

    Attributes:
        ink: Texts and axes.
        muted: For secondary elements: lines of chance, ends of scales.
        grid: Lines behind the data.
        paper: The background.
        series: Lines, dots and bars, in the order of use.
    """

    ink: str
    muted: str
    grid: str
    paper: str
    series: tuple[str, ...]


# After M. Okabe and K. Ito, "Color Universal Design" (2008): darker on light grounds and lighter on
# dark ones, so that each has a contrast of 3:1 or more with its ground (WCAG 2.2, 1.4.11).
THEMES = {
    "light": Theme(
        *("#1b1f24", "#59636e", "#d9dee3", "#ffffff"),
        ("#0068a8", "#c24a00", "#007a5a", "#a8467c", "#7d5a00", "#3d444d"),
    ),
    "dark": Theme(
        *("#e6e9ed", "#a0a9b4", "#353c46", "#14181d"),
        ("#56b4e9", "#f28e5b", "#2fc79b", "#e49bc4", "#e8b54a", "#c9d1d9"),
    ),
    "print": Theme(
        *("#000000", "#4d4d4d", "#cccccc", "#ffffff"),
        ("#00517f", "#a33e00", "#00604a", "#7d3159", "#5c4200", "#000000"),
    ),
}


def place(count: int, size: tuple[float, float], theme: Theme) -> tuple[Any, list[Any]]:
    """Return a figure of pyplot with `count` axes, in two columns if there are several.

    Args:
        count: The number of pictures.
        size: The width and height of each picture, in inches.
        theme: The theme, whose paper colour the figure gets.
    """
    from matplotlib import pyplot

    columns = min(count, 2)
    rows = -(-count // columns)
    figure, grid = pyplot.subplots(
        *(rows, columns),
        figsize=(size[0] * columns, size[1] * rows),
        squeeze=False,
        layout="constrained",
        facecolor=theme.paper,
    )
    axes = list(grid.flat)
    for unused in axes[count:]:
        unused.remove()
    return figure, axes[:count]


def with_glyphs() -> AbstractContextManager[None]:
    """Return a context in which characters that the font lacks come from an installed font."""
    import matplotlib
    from matplotlib.font_manager import fontManager

    known = {font.name for font in fontManager.ttflist}
    more = [name for name in _MORE_FONTS if name in known]
    families = [*matplotlib.rcParams["font.family"], *more]
    found: AbstractContextManager[None] = matplotlib.rc_context({"font.family": families})
    return found


def default_settings(more: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Return a context with matplotlib's own settings, and these.

    The settings of the program do not hold there, nor those of a `matplotlibrc` that lies in the
    current folder, which matplotlib reads: it may call for programs, such as `latex`.
    """
    import matplotlib

    found: AbstractContextManager[None] = matplotlib.rc_context(
        {**matplotlib.rcParamsDefault, **more}
    )
    return found


def dress(ax: Any, theme: Theme, title: str, note: str = "") -> None:
    """Give axes the colours of a theme and a title, before something is drawn on them.

    Args:
        ax: The axes.
        theme: The colours.
        title: The title.
        note: A second line, about parts that are left out.
    """
    ax.set_facecolor(theme.paper)
    ax.set_title("\n".join([clipped(title, 48), *[note] * bool(note)]), **_title(theme))
    ax.tick_params(colors=theme.ink, labelsize=9, width=0.8)
    for which in ("top", "right"):
        ax.spines[which].set_visible(False)
    for which in ("left", "bottom"):
        ax.spines[which].set_color(theme.muted)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_color(theme.ink)
        axis.label.set_fontsize(9)
    ax.set_axisbelow(True)


def add_note(ax: Any, theme: Theme, note: str) -> None:
    """Add a line below the title of axes that `dress` has dressed."""
    ax.set_title(f"{ax.get_title(loc='left')}\n{clipped(note, 64)}", **_title(theme))


def _title(theme: Theme) -> dict[str, Any]:
    return {"color": theme.ink, "fontsize": 11, "loc": "left"}


def add_legend(ax: Any, theme: Theme, title: str = "") -> None:
    """Add a legend to axes where it hides least, in front of the data.

    Args:
        ax: The axes.
        theme: The colours.
        title: The heading above the names; empty: none.
    """
    legend = ax.legend(
        **{"loc": "best", "fontsize": 8, "labelcolor": theme.ink, "alignment": "left"},
        **{"facecolor": theme.paper, "edgecolor": "none", "framealpha": 0.85},
        **{"title": title or None, "title_fontsize": 8},
    )
    legend.get_title().set_color(theme.ink)
    legend.set_zorder(5)


def heat_ink(shares: Sequence[float]) -> list[str]:
    """Return text colours with a contrast of at least 4.5:1 on shares of the heat map's range.

    Example:
        >>> heat_ink([0.0, 1.0])
        ['#ffffff', '#000000']
    """
    return ["#000000" if share > 0.45 else "#ffffff" for share in shares]


def clipped(text: object, longest: int = _LONGEST) -> str:
    r"""Return a text for a picture: without control characters and formulas.

    The middle of a long text is left out: names often share a beginning and differ at the end.

    Example:
        >>> clipped("a\nb $x$"), clipped("abcdefgh", 6)
        ('a\ufffdb \\$x\\$', 'abc…gh')
    """
    shown = printable(str(text))
    if len(shown) > longest:
        end = (longest - 1) // 2
        shown = f"{shown[: longest - 1 - end]}…{shown[-end:]}"
    return shown.replace("$", r"\$")  # a pair of dollar signs would mark a formula


def printable(text: str) -> str:
    r"""Return a text without control characters and characters that change its direction.

    Example:
        >>> printable("a\u202eb c")
        'a\ufffdb c'
    """
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
