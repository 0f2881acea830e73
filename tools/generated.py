"""Write every generated file that is kept in git: the stub, the recipes and the pictures.

With `--test` it then runs the tests that every metric must pass (of its cases, its pages and its
types), and tests/metrics/test_NAME.py.

Usage: python -m tools.generated [--test NAME]
"""

import argparse
import subprocess
import sys
from pathlib import Path

from tools import pictures, recipes, stubs

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("tests/metrics/test_every_metric.py", "tests/project", "tests/typing")


def files() -> dict[Path, str]:
    """The text of every such file."""
    drawn = {pictures.FOLDER / name: draw() for name, draw in pictures.PICTURES.items()}
    copied = {page: recipes.page(page) for page in recipes.PAGES}
    return {stubs.STUB: stubs.stub(), **copied, **drawn}


def write() -> None:
    """Write the files that have changed, and name them."""
    for file, text in files().items():
        if not file.exists() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            print(f"wrote {file.relative_to(ROOT)}")


def main() -> int:
    """Write, and test if this is asked for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.generated")
    parser.add_argument("--test", metavar="NAME", help="also test this metric")
    name = parser.parse_args().test
    write()
    if name is None:
        return 0
    tests = (f"tests/metrics/test_{name}.py", *TESTS)
    return subprocess.run([sys.executable, "-m", "pytest", *tests], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
