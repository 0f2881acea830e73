"""Compare the package of two checkouts: `python -m tests.net [--only 'kit/Accuracy*']`.

The same checks run in each checkout, in processes of their own, and what they saw is compared by
`==`: values with every bit, intervals, reports, classes of errors and of warnings, numbers of
messages. Texts, and messages that grew, are listed apart. What the old checkout said is kept in
`build/net`, and runs again only when the checks change.

    python -m tests.net                          # this checkout against the commit of OLD
    python -m tests.net --old main               # against another commit
    python -m tests.net --old ../other           # against a folder
    python -m tests.net --itself                 # this checkout against itself, with other hashes
    python -m tests.net --only 'wrap*' --jobs 2  # some groups of checks, in two processes

The exit status is 1 where a check differs that `INTENDED` does not name, or where a change of
`INTENDED` is not seen.
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
from pathlib import Path
from typing import Any

OLD = "0e8320c"

# What shall differ from OLD: a pattern of names of checks, and the reason. Each must be seen.
INTENDED: dict[str, str] = {
    "lacking/padding/*": "of a shared slot the least `max_padding` counts, in any order of members",
    "lacking/options set late/statistic*": "a statistic that is set after samples is refused",
    "lacking/lists/a tuple, before it joins": "what is no list is refused in any use",
    "lacking/refused batches/Order*": "all members read a batch before rows are checked",
    "recorded/*/call": "records compute a batch alone",
    "recorded/*/later": "records are computed in the background",
    "recorded/*/2 ranks, later": "records are computed in the background",
    "recorded/*/2 ranks, uneven calls": "records compute a batch alone",
    "recorded/*/gates": "gates look into slices of records",
    "sliced/of remembers/*": "slices reset their metrics, and calls do not change them",
    "sliced/refused/no columns": "the error of missing columns names them",
    "paired/refused/slices of two": "pairs compare several metrics",
    "kit/*/paired*": "a float sum without a row is rounded once: last bits of standard errors",
    "wrap/Paired(MeanSquaredError)/*": "a float sum without a row is rounded once",
    "wrap/*(*(*))/*": "pairs that were refused before work now",
    "wrap/Sliced(Remembers)/*": "slices reset their metrics, and calls do not change them",
    "wrap/Windowed(Remembers)/*": "a window keeps what a metric remembers",
    "windowed/remembers/*": "a window keeps what a metric remembers",
    "windowed/running*/*": "the last samples have the intervals of the metric",
    "windowed/steps/*": "the last samples have the intervals of the metric; windows take clusters",
    "wrap/Windowed(*)/subtract": "a window forgets by itself: subtract is refused, not ignored",
    "wrap/Windowed(*)/gates": "gates look into windows",
    "wrap/Recorded(*)/*": "records compute batches alone, in the background, and pass gates",
    "wrap/Running(*)/*": "the last samples have the intervals of the metric",
    "wrap/*(Running(*))/*": "the last samples have the intervals of the metric",
    "wrap/Paired(Running(*))/*": "pairs of the last samples are tested on these alone",
    "kit/StructuralSimilarity/*": "variances under a window are centred: last bits",
    "kit/MultiScaleStructuralSimilarity/*": "variances under a window are centred: last bits",
    "kit/VisualInformationFidelity/*": "variances under a window are centred: last bits",
    "kit/NaturalImageQualityEvaluator/*": "variances under a window are centred: last bits",
    "kit/SignalDistortionRatio/*": "the distortion is a norm, not a difference: last bits",
    "kit/BERTScore, weighted/*": "a pair whose precision and recall differ in sign has no f1",
    "kit/FrechetInceptionDistance/recorded*": "its records name the option magnitude",
    "kit/MemorizationInformedFID/*": "cosines near 1 are not rounded: last bits",
    "kit/KernelInceptionDistance*/*": "kernels far from 0 do not cancel: last bits",
    "kit/MaximumMeanDiscrepancy*/*": "small distances do not cancel: last bits",
    "kit/LogLoss, logits/*": "small losses are not rounded: last bits",
    "kit/ProcrustesDisparity/*": "no cancellation near the truth: last bits",
    "kit/MeanSquaredLogError/*": "no cancellation near the truth: last bits",
    "kit/D2TweedieScore/*": "no cancellation near the truth: last bits",
    "kit/HilbertSchmidtIndependence/*": "distances far from 0 are not rounded: last bits",
    "kit/KlingGuptaEfficiency*/*": "sums with different denominators are combined exactly",
    "kit/FBetaScore, binary*/recorded*": "its cases pass no average, which has no effect",
    "paired/refused/other order": "the labels of equal ids are compared",
    "kit/PredictionPoweredMean/recorded*": "the number of labels is a sum of floats",
    "*/gates": "the number of samples that a share needs allows for its exact bounds",
    "collection/own states, clusters/*": "few clusters do not show heavy tails",
}

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "net"
_CHILD = "import sys; sys.path.append({tests!r}); from net.child import main; main({arguments})"
_SHOWN = 40  # differences that are printed


def main() -> int:
    """Run what the command line asks for."""
    options = _options()
    old = ROOT if options.itself else _folder(options.old)
    new = Path(options.new).resolve()
    before = _run(old, options.only, options.jobs, "1", cached=not options.itself)
    after = _run(new, options.only, options.jobs, "2" if options.itself else "1", cached=False)
    return _compare(before["checks"], after["checks"], options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.net", description=__doc__.split("\n")[0])
    parser.add_argument("--old", default=OLD, help="a commit, or the folder of a checkout")
    parser.add_argument("--new", default=str(ROOT), help="the folder of a checkout")
    parser.add_argument("--itself", action="store_true", help="compare this checkout with itself")
    parser.add_argument("--only", default="*", help="a pattern of the names of groups of checks")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--all", action="store_true", help="print every difference")
    parser.add_argument("--texts", action="store_true", help="print texts that changed as well")
    return parser.parse_args()


def _folder(old: str) -> Path:
    """Return the folder of a commit, with its files."""
    if Path(old).is_dir():
        return Path(old).resolve()
    commit = subprocess.run(
        ["git", "rev-parse", "--verify", f"{old}^{{commit}}"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
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


def _run(folder: Path, only: str, jobs: int, seed: str, cached: bool) -> dict[str, Any]:
    """Return what the checks saw in a checkout; that of a commit is kept."""
    program = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if file != Path(__file__).resolve():
            program.update(file.read_bytes())
    cached = cached and folder.parent == BUILD
    kept = BUILD / f"{folder.name[:12]}-{program.hexdigest()[:12]}.json"
    if cached and kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
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
    if cached and only == "*":
        written = kept.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(found), encoding="utf-8")
        written.rename(kept)
    return found


def _compare(old: dict[str, Any], new: dict[str, Any], options: argparse.Namespace) -> int:
    """Print what differs, and return the exit status."""
    failures: dict[str, list[str]] = {}
    apart: dict[str, list[str]] = {"texts": [], "fewer messages": [], "larger messages": []}
    seen: Counter[str] = Counter()
    for name in [*old, *(name for name in new if name not in old)]:
        if not fnmatch.fnmatchcase(name.rpartition("/")[0], options.only):
            continue
        before, after = old.get(name), new.get(name)
        if before is None or after is None:
            failures[name] = ["it is only in the new checkout" if before is None else "it is gone"]
            continue
        lines = [*_differences(before, after)]
        intended = [pattern for pattern in INTENDED if fnmatch.fnmatchcase(name, pattern)]
        if lines and intended:
            seen.update(intended)
        elif lines:
            failures[name] = lines
        if before["texts"] != after["texts"]:
            apart["texts"].append(f"{name}: {_first(before['texts'], after['texts'])}")
        if "messages" not in before or "messages" not in after:
            continue
        if sum(after["messages"]) < sum(before["messages"]):
            apart["fewer messages"].append(f"{name}: {before['messages']} -> {after['messages']}")
        if sum(after["bytes"]) > sum(before["bytes"]):
            apart["larger messages"].append(f"{name}: {before['bytes']} -> {after['bytes']}")
    _report(failures, apart, options)
    unseen = [pattern for pattern in INTENDED if not seen[pattern]] if options.only == "*" else []
    for pattern, number in seen.items():
        print(f"intended: {pattern}: {number} checks: {INTENDED[pattern]}")
    for pattern in unseen:
        print(f"intended, and not seen: {pattern}: {INTENDED[pattern]}")
    return int(bool(failures or unseen) and not (options.itself and not failures))


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


def _report(
    failures: dict[str, list[str]], apart: dict[str, list[str]], options: argparse.Namespace
) -> None:
    limit = None if options.all else _SHOWN
    for name, lines in [*failures.items()][:limit]:
        print(f"DIFFERS {name}")
        for line in lines:
            print(f"    {line}")
    if len(failures) > _SHOWN:
        kinds = Counter(name.rpartition("/")[2] for name in failures)
        print("by check:", ", ".join(f"{name} {number}" for name, number in kinds.most_common(30)))
    for what, entries in apart.items():
        wanted = options.all or (options.texts if what == "texts" else True)
        for entry in entries[:limit] if wanted else []:
            print(f"{what}: {entry}")
    counts = ", ".join(f"{len(entries)} {what}" for what, entries in apart.items())
    print(f"{len(failures)} checks differ; apart: {counts}")


if __name__ == "__main__":
    sys.exit(main())
