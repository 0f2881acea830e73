"""Run torchmetrics' own tests on its classes and on those of `mmeval_like.compat.torchmetrics`.

`python -m tools.torchmetrics_tests TESTS FILE...` runs each file of the folder TESTS, which is
`tests` of torchmetrics' repository at the installed version, once as it is and once with our
classes in the place of torchmetrics', and prints the page's table. Tests of functions, on several
processes, on a GPU, of gradients are left out, and `torch.jit.script` does nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_OURS = "MMEVAL_LIKE_CLASSES"
_OUTCOMES = "MMEVAL_LIKE_OUTCOMES"
_EVERY = "MMEVAL_LIKE_EVERY"
_LEFT_OUT = "not functional and not gpu and not differentiab"


def main(arguments: list[str] | None = None) -> None:
    """Run the tests, print a row for each file, and the names of tests that fail only with ours."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tests", type=Path)
    parser.add_argument("files", nargs="+", help="such as classification/test_accuracy.py")
    parser.add_argument("--every", default=1, help="run only each n-th test of a file")
    given = parser.parse_args(arguments)
    os.environ[_EVERY] = str(given.every)
    failing = []
    print("| tests | torchmetrics | ours, of these | share |\n|---|---|---|---|")
    for file in given.files:
        original, ours = (_passed(given.tests, file, how) for how in ("", "1"))
        both = original & ours
        share = len(both) / max(len(original), 1)
        print(f"| `{file}` | {len(original)} | {len(both)} | {share:.1%} |", flush=True)
        failing += sorted(original - ours)
    print("\n".join(["", *failing]))


def _passed(tests: Path, file: str, ours: str) -> set[str]:
    """Return the names of the tests that pass."""
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Path(folder, "outcomes")
        options = ["-m", "not DDP", "-k", _LEFT_OUT, "-q", "--tb=no", "-p", "no:cacheprovider"]
        code = [sys.executable, "-m", "pytest", "-p", "tools.torchmetrics_tests", *options]
        paths = [str(Path.cwd()), os.environ.get("PYTHONPATH", "")]
        subprocess.run(
            [*code, f"unittests/{file}"],
            cwd=tests,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(paths),
                _OURS: ours,
                _OUTCOMES: str(outcomes),
            },
            stdout=subprocess.DEVNULL,
        )
        return set(json.loads(outcomes.read_text()))


def pytest_configure() -> None:
    """Put our classes in the place of torchmetrics', before the tests import them."""
    import torch

    from benchmarks import cpu_torchvision

    cpu_torchvision.complete()
    torch.jit.script = lambda metric, *_, **__: metric
    if os.environ.get(_OURS):
        replace()


def replace() -> None:
    """Put our classes in the place of torchmetrics' in all of its modules."""
    from mmeval_like.compat import torchmetrics as ours

    classes = {
        original: one
        for one in ours.classes()
        for original in one.__mro__
        if original.__module__.startswith("torchmetrics.") and original.__name__ == one.__name__
    }
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] == "torchmetrics":
            for key, value in [*vars(module).items()]:
                if isinstance(value, type) and value in classes:
                    setattr(module, key, classes[value])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Keep each n-th test."""
    items[:] = items[:: int(os.environ.get(_EVERY, "1"))]


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(terminalreporter: Any) -> Iterator[None]:
    """Write the names of the tests that passed."""
    yield
    if _OUTCOMES in os.environ:
        names = [report.nodeid for report in terminalreporter.stats.get("passed", [])]
        Path(os.environ[_OUTCOMES]).write_text(json.dumps(names))


if __name__ == "__main__":
    main()
