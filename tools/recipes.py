"""The scripts of docs/integrations.md: `python -m tools.generated` copies them into the page.

A block that begins with ```python file=examples/name.py, or bash, has the text of that file.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["PAGE", "page"]

PAGE = Path(__file__).resolve().parents[1] / "docs" / "integrations.md"
_BLOCK = re.compile(r"^(```(?:python|bash) file=(\S+)\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def page() -> str:
    """Return the page with the files' present text in its blocks."""
    root = PAGE.parents[1]
    return _BLOCK.sub(lambda found: found[1] + (root / found[2]).read_text(), PAGE.read_text())
