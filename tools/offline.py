"""Say what the pages of a folder would load from elsewhere; a site must need no network.

Usage: python -m tools.offline build/docs
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

# What a browser loads by itself; a link that a reader follows is none of it.
LOADED = {"src", "srcset", "data", "poster"}
ELSEWHERE = re.compile(r"(?:https?:)?//[^\s\"')]+")
IN_STYLES = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\s\"')]+)")


class Loads(HTMLParser):
    """Collects the addresses elsewhere that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at an element that begins."""
        for key, value in attrs:
            if key in LOADED or (tag == "link" and key == "href"):
                self.found += ELSEWHERE.findall(value or "")


def loaded(file: Path) -> list[str]:
    """The addresses elsewhere that a page or a style sheet loads."""
    if file.suffix == ".css":
        return IN_STYLES.findall(file.read_text())
    page = Loads()
    page.feed(file.read_text())
    return page.found


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    files = [*folder.rglob("*.html"), *folder.rglob("*.css")]
    found = [f"{file}: {address}" for file in files for address in loaded(file)]
    print(*found or [f"{len(files)} files load nothing from elsewhere"], sep="\n")
    sys.exit(bool(found))
