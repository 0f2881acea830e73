"""A browser without a window, where there is one."""

import shutil

from tests.helpers.launch import ROOT

__all__ = ["OWN", "find_browser"]

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
OWN = ROOT / ".venvs" / "browser" / "chromium"  # what tools/browser.py puts there


def find_browser() -> str | None:
    """The path of a Chromium: one that is installed, or else the one of the tests' own."""
    installed = next(filter(None, map(shutil.which, _NAMES)), None)
    return installed or (str(OWN) if OWN.exists() else None)
