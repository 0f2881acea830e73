"""In-toto statements, ready for signing, about the files of a record and the verdict of a gate.

https://in-toto.io/Statement/v1 defines a statement, and
https://in-toto.io/attestation/test-result/v0.1 the predicate of a gate.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from mmeval_like._verdicts.verdict import Verdict
from mmeval_like.records.canonical import canonical

__all__ = ["of_gate", "statement"]

TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
_RESULTS = {"pass": "PASSED", "fail": "FAILED", "undecided": "WARNED"}


def statement(
    files: Sequence[Mapping[str, Any]], kind: str, predicate: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a statement about files.

    Args:
        files: The files, each with its `name` and `sha256`.
        kind: The type of the predicate, a URI.
        predicate: The facts about the files.

    Raises:
        ValueError: `files` is empty.
    """
    if not files:
        raise ValueError("a statement is about files by their SHA-256, and the record has none")
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": one["name"], "digest": {"sha256": one["sha256"]}} for one in files],
        "predicateType": kind,
        "predicate": dict(predicate),
    }


def of_gate(
    verdict: Verdict, number: str, files: Sequence[Mapping[str, Any]], asked: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a statement of a gate's verdict: PASSED, FAILED, or WARNED if it is undecided.

    Args:
        verdict: What `gate` returned.
        number: The number that was judged, such as "accuracy.top1".
        files: The files that were read, each with its `name` and `sha256`.
        asked: The conditions of the gate, as texts and integers; they are written to
            `configuration`, with their SHA-256 and in base64.

    Raises:
        ValueError: `files` is empty.

    Example:
        >>> from mmeval_like import Accuracy, gate
        >>> metric = Accuracy(interval=0.95)
        >>> metric.add([1] * 90 + [0] * 10, [1] * 100)
        >>> verdict = (metric.compute(), gate(metric, "top1", at_least=0.8))[1]
        >>> files = [{"name": "preds.csv", "sha256": "1" * 64}]
        >>> found = of_gate(verdict, "accuracy.top1", files, {"metric": "accuracy"})
        >>> found["predicate"]["result"], found["predicate"]["passedTests"]
        ('PASSED', ['accuracy.top1 >= 0.8'])
    """
    tests: dict[str, list[str]] = {outcome: [] for outcome in _RESULTS}
    whole = verdict if verdict.whole is None else verdict.whole
    for name, one in {"": whole, **verdict.slices}.items():
        outcome = one.outcome
        if outcome == "fail" and verdict.outcome != "fail":
            outcome = "undecided"  # one of many slices may fail by chance
        test = f"{number} {one.sign} {one.bound!r}"
        tests[outcome].append(f"{name}/{test}" if name else test)
    text = canonical(asked)
    configuration = {
        "name": "gate.json",
        "digest": {"sha256": hashlib.sha256(text).hexdigest()},
        "mediaType": "application/json",
        "content": base64.b64encode(text).decode(),
    }
    predicate = {
        "result": _RESULTS[verdict.outcome],
        "configuration": [configuration],
        "passedTests": tests["pass"],
        "warnedTests": tests["undecided"],
        "failedTests": tests["fail"],
    }
    return statement(files, TEST_RESULT, predicate)
