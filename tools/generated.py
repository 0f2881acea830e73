"""Write every generated file that is kept in git: the stub, the recipes and the pictures.

`--test` then runs the tests of whatever lists metrics: their cases, their pages, their types.
Arguments behind it are passed to pytest, for instance the file that tests a new metric.

Usage: python -m tools.generated [--test [ARGUMENT ...]]
"""

import subprocess
import sys
from pathlib import Path

from tools import pictures, recipes, stubs

TESTS = ("tests/metrics/test_every_metric.py", "tests/project", "tests/typing")


def files() -> dict[Path, str]:
    """The text of every such file."""
    drawn = {pictures.FOLDER / name: draw() for name, draw in pictures.PICTURES.items()}
    return {stubs.STUB: stubs.stub(), recipes.PAGE: recipes.page(), **drawn}


def write() -> None:
    """Write the files that have changed, and name them."""
    for file, text in files().items():
        if not file.exists() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            print(f"wrote {file}")


def main(arguments: list[str]) -> int:
    """Write, and test if this is asked for; return the exit code."""
    write()
    if arguments[:1] != ["--test"]:
        return 0
    return subprocess.run([sys.executable, "-m", "pytest", *TESTS, *arguments[1:]]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
