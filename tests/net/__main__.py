"""Compare this checkout with an earlier commit: `python -m tests.net --old REV`.

The same checks run on both, in processes of their own, and what they saw is compared by `==`:
values with every bit, intervals, reports, classes of errors and of warnings, numbers of messages.
Texts, larger or fewer messages, and checks of new metrics are counted apart, and are no difference.

    python -m tests.net                          # against the commit where this branch left main
    python -m tests.net --old HEAD~3             # against another commit
    python -m tests.net --only 'wrap*' --jobs 2  # some groups of checks, in two processes

The exit status is 1 where a check differs. The files of the commit, and what its checks saw, are
kept in `build/net`; they run again only when the checks or the installed packages change. The two
sides hash texts differently, so that an order that hangs on hashes shows as a difference.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "net"
_CHILD = "import sys; sys.path.append({tests!r}); from net.child import main; main({arguments})"
_SHOWN = 40  # differences that are printed


def main() -> int:
    """Run what the command line asks for."""
    options = _options()
    commit = _commit(options.old)
    print(f"old: {_git('log', '-1', '--format=%h %s', commit)}", flush=True)
    before = _kept(commit, options.only, options.jobs)
    after = _run(ROOT, options.only, options.jobs, "2")
    return _compare(before["checks"], after["checks"], options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.net", description=__doc__.split("\n")[0])
    parser.add_argument("--old", metavar="REV", help="a commit (default: where HEAD left main)")
    parser.add_argument("--only", default="*", help="a pattern of the names of groups of checks")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--all", action="store_true", help="print every difference, and all texts")
    return parser.parse_args()


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"git {' '.join(words)}: {done.stderr.strip()}; say --old REV")
    return done.stdout.strip()


def _commit(old: str | None) -> str:
    """Return the full name of a commit."""
    if old is None:
        return _git("merge-base", "HEAD", "main")
    return _git("rev-parse", "--verify", f"{old}^{{commit}}")


def _folder(commit: str) -> Path:
    """Return a folder with the files of a commit."""
    folder = BUILD / commit
    if not folder.exists():
        unpacked = folder.with_name(f"{commit}.{os.getpid()}")
        unpacked.mkdir(parents=True)
        packed = subprocess.run(
            ["git", "archive", commit], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x"], cwd=unpacked, input=packed.stdout, check=True)
        unpacked.rename(folder)
    return folder


def _kept(commit: str, only: str, jobs: int) -> dict[str, Any]:
    """Return what the checks saw in a commit, from an earlier run if it saw all of them."""
    program = hashlib.sha256(sys.version.encode())
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if file != Path(__file__).resolve():
            program.update(file.read_bytes())
    installed = sorted({(each.metadata["Name"], each.version) for each in distributions()})
    program.update(repr(installed).encode())
    kept = BUILD / f"{commit[:12]}-{program.hexdigest()[:12]}.json"
    if kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
    found = _run(_folder(commit), only, jobs, "1")
    if only == "*":
        written = kept.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(found), encoding="utf-8")
        written.rename(kept)
    return found


def _run(folder: Path, only: str, jobs: int, seed: str) -> dict[str, Any]:
    """Return what the checks saw in a checkout."""
    start = time.perf_counter()
    BUILD.mkdir(parents=True, exist_ok=True)
    outputs = [BUILD / f"{os.getpid()}-{number}.json" for number in range(jobs)]
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "PYTHONHASHSEED": seed,
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "MPLBACKEND": "agg",
    }
    children = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                _CHILD.format(
                    tests=str(ROOT / "tests"),
                    arguments=f"{str(folder)!r}, {str(output)!r}, {only!r}, {number}, {jobs}",
                ),
            ],
            cwd=folder,
            env=environment,
        )
        for number, output in enumerate(outputs)
    ]
    statuses = [child.wait() for child in children]
    if any(statuses):
        raise SystemExit(f"the checks ended with {statuses} in {folder}")
    found: dict[str, Any] = {"checks": {}, "seconds": {}}
    for output in outputs:
        part = json.loads(output.read_text(encoding="utf-8"))
        output.unlink()
        for name, entries in part.items():
            found[name] |= entries
    took = time.perf_counter() - start
    slowest = sorted(found["seconds"].items(), key=lambda one: -one[1])[:3]
    shown = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in slowest)
    print(
        f"{folder}: {len(found['checks']):,} checks in {took:.0f} s; slowest: {shown}", flush=True
    )
    return found


def _compare(old: dict[str, Any], new: dict[str, Any], options: argparse.Namespace) -> int:
    """Print what differs, and return the exit status."""
    failures: dict[str, list[str]] = {}
    kinds = ("texts", "fewer messages", "larger messages", "new checks")
    apart: dict[str, list[str]] = {kind: [] for kind in kinds}
    for name in [*old, *(name for name in new if name not in old)]:
        if not fnmatch.fnmatchcase(name.rpartition("/")[0], options.only):
            continue
        if name not in old:
            apart["new checks"].append(name)
            continue
        if name not in new:
            failures[name] = ["it is gone"]
            continue
        before, after = old[name], new[name]
        if lines := [*_differences(before, after)]:
            failures[name] = lines
        if before["texts"] != after["texts"]:
            apart["texts"].append(f"{name}: {_first(before['texts'], after['texts'])}")
        if "messages" not in before or "messages" not in after:
            continue
        if sum(after["messages"]) < sum(before["messages"]):
            apart["fewer messages"].append(f"{name}: {before['messages']} -> {after['messages']}")
        if sum(after["bytes"]) > sum(before["bytes"]):
            apart["larger messages"].append(f"{name}: {before['bytes']} -> {after['bytes']}")
    _report(failures, apart, options.all)
    return int(bool(failures))


def _differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    if ("error" in old) != ("error" in new):
        raised = new if "error" in new else old
        which = "the new one raises" if "error" in new else "only the old one raised"
        yield f"{which} {raised['error'][0]}: {raised['texts'][0][:300]}"
    else:
        for part in ("value", "error", "warned"):
            if old.get(part) != new.get(part):
                values = [one.get(part) for one in (old, new)]
                if part == "value":
                    values = [*map(json.loads, values)]
                yield f"{part} {_first(*values)}"
    if "messages" in old and "messages" in new and sum(new["messages"]) > sum(old["messages"]):
        yield f"messages: {old['messages']} -> {new['messages']}"


def _first(old: Any, new: Any, path: str = "") -> str:
    """Return the first place where two values differ."""
    if isinstance(old, list) and isinstance(new, list):
        for place, (a, b) in enumerate(zip(old, new, strict=False)):
            if a != b:
                named = isinstance(a, list) and len(a) == 2 and isinstance(a[0], str)
                step = a[0] if named and isinstance(b, list) and a[0] == b[:1][0] else place
                return _first(a, b, f"{path}[{step}]")
        return f"at {path}: {len(old)} -> {len(new)} entries"
    return f"at {path}: {str(old)[:300]} -> {str(new)[:300]}"


def _report(failures: dict[str, list[str]], apart: dict[str, list[str]], every: bool) -> None:
    limit = None if every else _SHOWN
    for name, lines in [*failures.items()][:limit]:
        print(f"DIFFERS {name}")
        for line in lines:
            print(f"    {line}")
    if len(failures) > _SHOWN:
        kinds = Counter(name.rpartition("/")[2] for name in failures)
        print("by check:", ", ".join(f"{name} {number}" for name, number in kinds.most_common(30)))
    for what, entries in apart.items():
        for entry in entries[:limit] if every or what != "texts" else []:
            print(f"{what}: {entry}")
    counts = ", ".join(f"{len(entries)} {what}" for what, entries in apart.items())
    print(f"{len(failures)} checks differ; apart: {counts}")


if __name__ == "__main__":
    sys.exit(main())
