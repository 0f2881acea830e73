"""The scripts of docs/integrations.md and of its Chinese twin.

`python -m tools.generated` copies them into both pages: a block that begins with
```python file=examples/name.py, or bash, has the text of that file.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["PAGES", "page"]

_ROOT = Path(__file__).resolve().parents[1]
PAGES = (_ROOT / "docs" / "integrations.md", _ROOT / "docs" / "zh" / "integrations.md")
_BLOCK = re.compile(r"^(```(?:python|bash) file=(\S+)\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def page(file: Path) -> str:
    """Return one of the pages, with the scripts' present text in its blocks."""
    return _BLOCK.sub(lambda found: found[1] + (_ROOT / found[2]).read_text(), file.read_text())
