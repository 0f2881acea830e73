"""The scripts of the pages of recipes, such as docs/integrations.md, in both languages.

`python -m tools.generated` copies them into these pages: a block that begins with
```python file=examples/name.py, or bash or yaml, has the text of that file.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["PAGES", "page"]

_ROOT = Path(__file__).resolve().parents[1]
_DOCS = _ROOT / "docs"
PAGES = [
    folder / f"{page}.md"
    for page in ("integrations", "engines", "train-language-models")
    for folder in (_DOCS, _DOCS / "zh")
]
_BLOCK = re.compile(
    r"^(```(?:python|bash|yaml) file=(\S+)\n).*?(?=^```$)", re.MULTILINE | re.DOTALL
)


def page(file: Path) -> str:
    """Return one of the pages, with the scripts' present text in its blocks."""
    return _BLOCK.sub(lambda found: found[1] + (_ROOT / found[2]).read_text(), file.read_text())
