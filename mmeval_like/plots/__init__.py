"""Figures of results, with matplotlib: what `metric.plot()` draws, one file per kind.

Which picture belongs to a result is decided in `choice.py`, and how all of them look in `style.py`.
"""

from mmeval_like.plots.figure import alternative, draw
from mmeval_like.plots.log import log
from mmeval_like.plots.residuals import residuals
from mmeval_like.plots.style import THEMES, Theme

__all__ = ["THEMES", "Theme", "alternative", "draw", "log", "residuals"]
