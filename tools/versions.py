"""Put the site that `make docs` made into a folder that has the sites of all versions.

A web server can serve the folder as it is: each version has a folder of its own, whose links never
change, and the start page leads to the newest version.

Usage: python -m tools.versions FOLDER
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from packaging.version import InvalidVersion, Version

import mmeval_like

SITE = Path(__file__).resolve().parents[1] / "build" / "docs"
START = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={newest}/index.html">
<title>mmeval_like</title>
<ul>
{links}
</ul>
</html>
"""


def versions(folder: Path) -> list[Version]:
    """Return the versions that a folder has sites of, the newest first."""
    found = []
    for path in folder.iterdir():
        try:
            found.append(Version(path.name))
        except InvalidVersion:  # a file of the server, such as its own page for errors
            continue
    return sorted(found, reverse=True)


def add(site: Path, version: str, folder: Path) -> None:
    """Copy a site to the folder of its version, in place of an earlier one, and lead to the newest.

    A version that is no release, such as 2.0rc1, is the newest only where there is no release.
    """
    place = folder / version
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(site, place)
    found = versions(folder)
    newest = next((one for one in found if not one.is_prerelease), found[0])
    links = "\n".join(f'<li><a href="{one}/index.html">{one}</a></li>' for one in found)
    start = START.format(newest=newest, links=links)
    (folder / "index.html").write_text(start, encoding="utf-8")


def main() -> None:
    """Add the site of this checkout."""
    parser = argparse.ArgumentParser(prog="python -m tools.versions")
    parser.add_argument("folder", type=Path)
    add(SITE, mmeval_like.__version__, parser.parse_args().folder)


if __name__ == "__main__":
    main()
