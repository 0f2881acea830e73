"""Figures of results, with matplotlib, as `metric.plot()` draws them; one file per kind.

`choice.py` chooses the pictures of a result, and `style.py` defines their style.
"""

from mmeval_like.plots.figure import alternative, draw
from mmeval_like.plots.log import log
from mmeval_like.plots.residuals import residuals
from mmeval_like.plots.style import THEMES, Theme

__all__ = ["THEMES", "Theme", "alternative", "draw", "log", "residuals"]
