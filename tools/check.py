"""Test in three minutes what a change can break: the changed files, and what imports them.

The change is what differs from the last commit, untracked files included; in a clean checkout it is
the last commit. ruff and tests/project always run. Of the other tests, those run that stand nearest
to the change by imports, as many as the time allows; what was left out is printed, with the reason.

Usage: python -m tools.check [--list]
"""

import argparse
import ast
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "build" / "check.json"  # the seconds that each file of tests took here, last time
LIMIT = 180  # seconds for everything
START = 30  # of them, for starting the workers and importing the tests
STOP = 15  # of them, for ending the workers when the time is up
ENOUGH = 20  # failures, after which no further test runs
WORKERS = min(4, os.cpu_count() or 1)
ALWAYS = "tests/project/"
EVERY_METRIC = "tests/metrics/test_every_metric.py"
# What imports this file tests all metrics at once; nearer tests have each metric as well.
CASES = "tests/metric_cases.py"


def main() -> int:
    """Check the change, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.check")
    parser.add_argument("--list", action="store_true", help="only say which tests would run")
    only_list = parser.parse_args().list
    sys.stdout.reconfigure(line_buffering=True)  # in order with what ruff prints
    start = time.monotonic()
    what, changed = change()
    seconds = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    chosen = choose(changed, Graph(tracked()), lambda file: seconds.get(file, guess(file)))
    print(f"{what}: {', '.join(sorted(changed)[:8])}{' ...' * (len(changed) > 8)}")
    print(f"tests: {len(chosen.tests)} files by their distance from the change, and {ALWAYS}")
    for file, steps in chosen.tests.items():
        print(f"  {steps} {file}")
    if only_list:
        _say_left_out(chosen, [])
        return 0
    linted = [lint("check", "."), lint("format", "--check", ".")]
    modules = [file for file in chosen.doctests if (ROOT / file).exists()]
    watch = Watch()
    words = [f"--numprocesses={WORKERS}", "--dist=loadfile", "--no-loadscope-reorder", "-q"]
    words += ["--tb=short", f"--maxfail={ENOUGH}"]
    files = [*chosen.tests, ALWAYS]
    if modules:
        words += ["--doctest-modules", "--doctest-ignore-import-errors"]
    os.chdir(ROOT)
    with alarm(LIMIT - STOP - (time.monotonic() - start), watch) as rang:
        code = pytest.main([*words, *modules, *files], plugins=[watch])
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(seconds | watch.finished(bool(rang)), indent=0, sort_keys=True))
    unfinished = [file for file in files if not watch.ran(file)] if rang else []
    _say_left_out(chosen, unfinished)
    for library, tests in sorted(watch.skipped.items()):
        named = ", ".join(f"{file} {number}" for file, number in tests.most_common())
        print(f"left out, since this environment lacks {library}: {named}")
    stopped = rang and code == pytest.ExitCode.INTERRUPTED
    failed = bool(watch.failed or (code != 0 and not stopped))
    found = ["a test FAILED" if failed else "no test failed", "ruff FAILED" if any(linted) else ""]
    print(f"{time.monotonic() - start:.0f} s: {', '.join(filter(None, found))}")
    return int(failed or any(linted))


def lint(*words: str) -> int:
    """Run ruff on all files, which takes less than a second."""
    return subprocess.run([sys.executable, "-m", "ruff", *words, "--quiet"], cwd=ROOT).returncode


def _say_left_out(chosen: "Chosen", unfinished: list[str]) -> None:
    print("left out, as it takes longer: mypy and pyright (make lint), the site (make docs), other")
    print("  Pythons, numpys, MPIs and libraries, and nine of ten random inputs (make test)")
    for reason, files in chosen.left_out.items():
        if files:
            rooms = Counter(str(Path(file).parent) for file in files).most_common()
            named = ", ".join(f"{room} {number}" for room, number in rooms)
            print(f"left out, {reason}: {len(files)} files: {named}")
    if unfinished:
        print(f"NOT FINISHED after {LIMIT} s: {', '.join(unfinished)}")


# The change -----------------------------------------------------------------------------------


def git(*words: str) -> list[str]:
    """Return what git lists, file by file."""
    done = subprocess.run(["git", *words, "-z"], cwd=ROOT, check=True, capture_output=True)
    return [name for name in done.stdout.decode().split("\0") if name]


def change() -> tuple[str, set[str]]:
    """Return what the change is called, and its files, deleted ones included."""
    new = git("ls-files", "--others", "--exclude-standard")
    changed = {*git("diff", "--name-only", "--no-renames", "HEAD"), *new}
    if changed:
        return "changed since the last commit", changed
    return "the last commit", {*git("diff", "--name-only", "--no-renames", "HEAD~1", "HEAD")}


def tracked() -> list[str]:
    """Return the files of the checkout."""
    files = git("ls-files", "--cached", "--others", "--exclude-standard")
    return sorted({file for file in files if (ROOT / file).is_file()})


# Who imports whom -----------------------------------------------------------------------------


class Graph:
    """Which file uses which: by an import, by its name in a string, or as conftest.py.

    The names of lazy packages (`mmeval_like.Accuracy`) lead to the files that they are defined in.
    """

    def __init__(self, files: Iterable[str], root: Path = ROOT) -> None:
        self.files = {*files}
        self.trees = {
            file: ast.parse((root / file).read_text())
            for file in sorted(self.files)
            if file.endswith(".py")
        }
        self.modules = {_module(file): file for file in self.trees}
        self.by_name: dict[str, list[str]] = {}
        for file in sorted(self.files):
            self.by_name.setdefault(Path(file).name, []).append(file)
        self.lists = {file: self._listed(file) for file in self.trees if self._is_list(file)}
        self.uses = {file: {*self._uses(file)} - {file} for file in self.trees}

    def distances(self, changed: Iterable[str]) -> dict[str, int]:
        """Return every file that uses a changed one, and in how many steps."""
        used_by: dict[str, set[str]] = {}
        for file, used in self.uses.items():
            for other in used:
                used_by.setdefault(other, set()).add(file)
        found = dict.fromkeys(changed, 0)
        stops, now, steps = {CASES} - found.keys(), [*found], 0
        while now:
            steps += 1
            users = {user for file in now if file not in stops for user in used_by.get(file, ())}
            now = sorted(users - found.keys())
            found |= dict.fromkeys(now, steps)
        return found

    def _is_list(self, file: str) -> bool:
        """Whether its names are loaded on first use (`_base/names.py`)."""
        return file.endswith("__init__.py") and any(
            isinstance(node, ast.ImportFrom) and any(one.name == "lazy_names" for one in node.names)
            for node in self.trees[file].body
        )

    def _listed(self, file: str) -> dict[str, str]:
        """Return the files of the names in such a list."""
        found: dict[str, str] = {}
        for node in ast.walk(self.trees[file]):
            if isinstance(node, ast.ImportFrom) and node.level:
                module = _absolute(file, node)
                for alias in node.names:
                    if alias.name != "*":
                        at = self.modules.get(f"{module}.{alias.name}") or self.modules.get(module)
                        found |= {alias.asname or alias.name: at} if at else {}
                    elif module in self.modules:
                        found |= self._listed(self.modules[module])
        return found

    def _uses(self, file: str) -> Iterator[str]:
        bound: dict[str, str] = {}
        for node in ast.walk(self.trees[file]):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    bound[alias.asname or top] = alias.name if alias.asname else top
                    yield from self._resolved(alias.name)
            elif isinstance(node, ast.ImportFrom) and file not in self.lists:
                module = _absolute(file, node)
                for alias in node.names:
                    bound[alias.asname or alias.name] = f"{module}.{alias.name}"
                    yield from self._resolved(f"{module}.{alias.name}")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from self._named(node.value, file)
        for node in ast.walk(self.trees[file]):
            if isinstance(node, ast.Attribute) and (name := _dotted(node, bound)):
                yield from self._resolved(name)
        if file.startswith("tests/"):
            for folder in Path(file).parents:
                yield from {(folder / "conftest.py").as_posix()} & self.files

    def _resolved(self, name: str) -> Iterator[str]:
        """Yield the file that defines a dotted name, and the packages around it."""
        module, rest = name, ""
        while module and module not in self.modules:
            module, _, last = module.rpartition(".")
            rest = f"{last}.{rest}".strip(".")
        if not module:
            return
        file, first = self.modules[module], rest.partition(".")[0]
        listed = self.lists.get(file, {})
        if first == "__path__":
            folder = Path(file).parent
            yield from (one for one in self.trees if Path(one).parent == folder)
        elif first == "__all__":
            yield from listed.values()
        elif first in listed:
            yield listed[first]
        yield file
        while "." in module:
            module = module.rpartition(".")[0]
            if module in self.modules and self.modules[module] not in self.lists:
                yield self.modules[module]

    def _named(self, text: str, file: str) -> Iterator[str]:
        """Yield the files that a string names: a module, or the end of a path."""
        module = text.partition(":")[0]
        if "." in module and module in self.modules:
            yield self.modules[module]
        named = self.by_name.get(text.rpartition("/")[2], []) if "." in text else []
        beside = [one for one in named if Path(one).parent == Path(file).parent]
        yield from beside or [one for one in named if f"/{one}".endswith(f"/{text}")][:3]


def _module(file: str) -> str:
    return ".".join(Path(file).with_suffix("").parts).removesuffix(".__init__")


def _dotted(node: ast.expr, bound: dict[str, str]) -> str:
    """Return `a.b.c` with the full name of what `a` was imported as; "" for all else."""
    if isinstance(node, ast.Name):
        return bound.get(node.id, "")
    name = _dotted(node.value, bound) if isinstance(node, ast.Attribute) else ""
    return f"{name}.{node.attr}" if name else ""


def _absolute(file: str, node: ast.ImportFrom) -> str:
    """Return the full name of the module that names are imported from."""
    if not node.level:
        return str(node.module)
    package = Path(file).parts[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


# The tests that run ---------------------------------------------------------------------------


@dataclass
class Chosen:
    """The tests that run, each with its distance from the change, and those that do not."""

    tests: dict[str, int] = field(default_factory=dict)
    doctests: list[str] = field(default_factory=list)
    left_out: dict[str, list[str]] = field(default_factory=dict)


def is_test(file: str) -> bool:
    """Whether pytest collects a file, and the file does not always run."""
    named = Path(file).name.startswith("test_") and file.endswith(".py")
    return named and file.startswith("tests/") and not file.startswith(ALWAYS)


def choose(changed: set[str], graph: Graph, seconds: Callable[[str], float]) -> Chosen:
    """Return the tests that stand nearest, as many as take the time; of equal ones the shortest.

    Args:
        changed: The changed files.
        graph: Which file uses which.
        seconds: How long the tests of a file take.
    """
    steps = graph.distances(changed)
    if any("metrics" in Path(file).parts[:2] for file in changed):
        steps[EVERY_METRIC] = 1
    # What is tested in a file of its own name is near, though it may be imported through others.
    for file in changed:
        for name in graph.by_name.get(f"test_{Path(file).name}", []):
            steps[name] = min(steps.get(name, 1), 1)
    reached = {file: far for file, far in steps.items() if is_test(file) and file in graph.files}
    left = WORKERS * (LIMIT - START - STOP)
    left -= sum(seconds(file) for file in graph.files if file.startswith(f"{ALWAYS}test_"))
    chosen = Chosen(doctests=sorted(file for file in changed if file.startswith("mmeval_like/")))
    chosen.doctests = [file for file in chosen.doctests if file in graph.trees]
    too_long = []
    for file in sorted(reached, key=lambda file: (reached[file], seconds(file), file)):
        if seconds(file) <= left:
            left -= seconds(file)
            chosen.tests[file] = reached[file]
        else:
            too_long.append(file)
    cases = graph.distances([CASES]) if CASES in steps and CASES not in changed else {}
    every = sorted(file for file in cases if is_test(file) and file not in reached)
    chosen.left_out = {
        "since the time is full, and they are further from the change or take longer": too_long,
        "since they try every metric": every,
    }
    return chosen


def guess(file: str) -> float:
    """Return how long a file of tests may take that has not run here yet, by its length."""
    return 1 + (ROOT / file).stat().st_size / 1000


# Running them ---------------------------------------------------------------------------------


class Watch:
    """What pytest did, file by file."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.failed: list[str] = []
        self.last: dict[str, str] = {}
        self.skipped: dict[str, Counter[str]] = {}

    def pytest_collectreport(self, report: Any) -> None:
        """Keep why a file was skipped."""
        self._note(report)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep how long a test took, and whether it failed or was skipped."""
        self._note(report)
        file = report.nodeid.partition("::")[0]
        self.seconds[file] += report.duration
        self.last[getattr(report, "worker_id", "")] = file
        if report.failed:
            self.failed.append(report.nodeid)

    def _note(self, report: Any) -> None:
        """Keep the library that a skipped test needs."""
        reason = report.longrepr[2] if report.skipped else ""
        if "needs " in reason:
            file, library = report.nodeid.partition("::")[0], reason.partition("needs ")[2]
            self.skipped.setdefault(library, Counter())[file] += 1

    def ran(self, file: str) -> bool:
        """Whether all tests of a file, or of a folder, are known to have run."""
        at_work = any(one.startswith(file) for one in self.last.values())
        return not at_work and any(one.startswith(file) for one in self.seconds)

    def finished(self, stopped: bool) -> dict[str, float]:
        """Return the seconds of the files whose tests all ran."""
        return {
            file: round(seconds, 1)
            for file, seconds in self.seconds.items()
            if not stopped or self.ran(file)
        }


class alarm:
    """Interrupt pytest after some seconds, as Ctrl-C does; true afterwards if it did.

    Where it has not ended `STOP` seconds later, as workers may be busy, the check ends at once.
    """

    def __init__(self, seconds: float, watch: Watch) -> None:
        self.watch = watch
        self.rang: list[bool] = []
        self.timer = threading.Timer(max(seconds, 1), self._ring)

    def _ring(self) -> None:
        self.rang.append(True)
        self.timer = threading.Timer(STOP, self._leave)
        self.timer.start()
        os.kill(os.getpid(), signal.SIGINT)

    def _leave(self) -> None:
        print(f"\nNOT FINISHED after {LIMIT} s: tests still ran when they were interrupted")
        print(*(f"FAILED {name}" for name in self.watch.failed), sep="\n", flush=True)
        os._exit(bool(self.watch.failed))

    def __enter__(self) -> list[bool]:
        self.timer.start()
        return self.rang

    def __exit__(self, *_: object) -> None:
        self.timer.cancel()


if __name__ == "__main__":
    sys.exit(main())
