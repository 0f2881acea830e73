"""The colours of pictures: contrast, and eyes that see fewer colours."""

import numpy as np
import pytest

from mmeval_like.plots import THEMES
from tests.helpers import requires

requires("matplotlib")


def _luminance(colour):
    """The relative luminance of WCAG 2.2."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722]), linear


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_colours_can_be_seen(theme):
    """Text has a contrast of 4.5:1 with its ground, lines and bars one of 3:1 (WCAG 2.2)."""
    found = THEMES[theme]
    paper = _luminance(found.paper)[0]
    for colour, least in [(found.ink, 4.5), (found.muted, 4.5), *((c, 3) for c in found.series)]:
        low, high = sorted([_luminance(colour)[0], paper])
        assert (high + 0.05) / (low + 0.05) >= least, colour


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_differ_for_eyes_without_red_or_green_cones(theme):
    """Of the first four, in linear light by the matrices of Vienot, Brettel and Mollon (1999)."""
    blind = {
        "protan": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
        "deutan": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
    }
    for matrix in blind.values():
        seen = [np.array(matrix) @ _luminance(colour)[1] for colour in THEMES[theme].series[:4]]
        apart = [np.abs(np.cbrt(a) - np.cbrt(b)).max() for a in seen for b in seen if a is not b]
        assert min(apart) > 0.04
