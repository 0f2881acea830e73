"""The folder that hosts the documentation of all versions."""

import re
from pathlib import Path

from tools.versions import add


def test_the_start_page_leads_to_the_newest_release(tmp_path: Path) -> None:
    """By the order of versions and not of texts, with every version listed and kept as it was."""
    site, folder = tmp_path / "site", tmp_path / "hosted"
    site.mkdir()
    for version in ("0.9.0", "0.10.0", "0.2.0", "0.11.0rc1", "0.9.0"):
        (site / "index.html").write_text(f"pages of {version}", encoding="utf-8")
        add(site, version, folder)
    (folder / "404.html").touch()

    start = (folder / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(\S+)/index.html"', start)

    assert re.findall(r"url=(\S+)/index.html", start) == ["0.10.0"]
    assert links == ["0.11.0rc1", "0.10.0", "0.9.0", "0.2.0"]
    assert all((folder / v / "index.html").read_text() == f"pages of {v}" for v in links)
