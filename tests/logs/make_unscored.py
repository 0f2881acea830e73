"""Write the files in tests/logs/unscored: results in which samples have no score.

Usage: python -m tests.logs.make_unscored [FOLDER]

Each is written from the facts of a public thread about it, in the format of the tool: the numbers
of samples, of right ones and of failures, and the fields that say so. Where a thread gives no
numbers, those here are small ones. `threads.py` has the number that the tool printed.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "unscored"
ERROR = {"message": "RateLimitError()", "traceback": "", "traceback_ansi": ""}
NAN = float("nan")


def inspect(
    task: str, outcomes: Sequence[str], printed: float, scored: int, epochs: int = 1
) -> dict[str, Any]:
    """A log of Inspect with one scorer.

    Args:
        task: The name of the task.
        outcomes: For each sample, epoch by epoch: "C" or "I"; "error", "limit", "none" (no score),
            "nan" (`Score.unscored()`), "refusal"; "error I" (scored after an error); "gone" (not in
            the log).
        printed: The accuracy in the log.
        scored: The number of scored samples in the log.
        epochs: The number of epochs.
    """
    count = len(outcomes) // epochs
    samples = []
    for number, outcome in enumerate(outcomes):
        sample: dict[str, Any] = {
            "id": number % count + 1, "epoch": number // count + 1,
            "input": f"question {number % count + 1}", "target": "yes", "metadata": {},
            "output": {"choices": [{"stop_reason": "stop"}], "completion": ""}, "scores": {},
        }  # fmt: skip
        if outcome.startswith("error"):
            sample["error"] = ERROR
        if outcome == "limit":
            sample["limit"] = {"type": "time", "limit": 60.0}
        if outcome == "refusal":
            sample["output"]["choices"][0]["stop_reason"] = "content_filter"
        value = {"C": "C", "I": "I", "error I": "I", "nan": NAN}.get(outcome)
        if value is not None:
            sample["scores"] = {"match": {"value": value, "answer": "", "history": []}}
        if outcome != "gone":
            samples.append(sample)
    score = {
        "name": "match", "scorer": "match", "params": {}, "scored_samples": scored,
        "unscored_samples": len(samples) - scored,
        "metrics": {"accuracy": {"name": "accuracy", "value": printed, "params": {}}},
    }  # fmt: skip
    if epochs > 1:
        score["reducer"] = "mean"
    ids = [*range(1, count + 1)]
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "task": task, "task_id": task, "model": "mockllm/model",
            "dataset": {"samples": count, "sample_ids": ids, "shuffled": False},
            "config": {"epochs": epochs, "fail_on_error": False},
        },
        "results": {
            "total_samples": len(outcomes), "completed_samples": scored, "scores": [score],
        },
        "samples": samples,
    }  # fmt: skip


def lines(folder: Path, name: str, rows: Sequence[dict[str, Any]]) -> None:
    """Write a file of JSON lines."""
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / f"{name}.jsonl").write_text(text)


def table(folder: Path, name: str, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write a CSV file, as pandas does: nan is an empty cell."""
    with open(folder / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows([["" if cell is None else cell for cell in row] for row in rows])


def main(folder: Path = FOLDER) -> None:
    """Write all files."""
    folder.mkdir(exist_ok=True)
    logs = {
        "inspect_ai-2914": inspect("few", ["C"] * 2 + ["I"] * 4 + ["error"] * 2, 2 / 6, 6),
        "inspect_ai-3707": inspect(
            "hundred", ["C"] * 80 + ["I"] * 10 + ["error"] * 10, 80 / 90, 90
        ),
        "inspect_ai-4286": inspect("outcomes", ["C"] * 6 + ["I", "error", "nan", "none"], 6 / 7, 7),
        "inspect_ai-4412": inspect("score_on_error", ["C", "error I"], 1.0, 1),
        "inspect_ai-4485": inspect("score_on_error", ["C", "error I"], 0.5, 2),
        "inspect_evals-2096": inspect("refusals", ["C"] * 3 + ["I"] + ["refusal"] * 4, 0.75, 4),
    }
    for name, log in logs.items():
        with gzip.GzipFile(folder / f"{name}.json.gz", "wb", mtime=0) as file:
            file.write(json.dumps(log).encode())

    # Inspect evals 2132: the calibration error |confidence - correct| of epochs.
    lines(folder, "inspect_evals-2132", [
        {"id": "q1", "epoch": epoch, "confidence": 1.0, "gap": None, "unscored": True}
        for epoch in (1, 2)
    ])  # fmt: skip

    # ragas: result.to_pandas().to_csv()
    ragas = ["user_input", "faithfulness"]
    five = [0.8, 0.9, 1.0, 0.9, 0.9]
    table(folder, "ragas-2818", ragas, [["a", 1.0], ["b", None], ["c", 0.5], ["d", None]])
    table(folder, "ragas-2832", ragas, [[i, v] for i, v in enumerate([*five, *[None] * 5])])
    table(folder, "ragas-2980", ragas, [["a", 0.8], ["b", None], ["c", None]])
    table(folder, "ragas-3028", ragas, [["easy", 1.0], ["hard", None]])

    # garak: attempts of its report, one detector
    def attempts(scores: Sequence[float | None], **notes: Any) -> list[dict[str, Any]]:
        return [
            {"entry_type": "attempt", "uuid": str(i), "status": 2,
             "detector_results": {"judge": score}, **{k: v[i] for k, v in notes.items()}}
            for i, score in enumerate(scores)
        ]  # fmt: skip

    lines(folder, "garak-1954", attempts([1.0, 1.0, 0.0, 0.0, 0.0, None, None, None]))
    lines(folder, "garak-2104", attempts([0.0] * 4, error=[None] + ["judge unavailable"] * 3))
    replies = ["[[NO]]", "[[YES]]", "NO", "The response is a refusal.", ""]
    verdicts = [None, None, "no verdict", "no verdict", "no verdict"]
    scores = [0.0, 1.0, 1.0, 1.0, 1.0]
    lines(folder, "garak-2136", attempts(scores, reply=replies, verdict=verdicts))

    # TruLens: records of two versions of an app, with the feedback result
    trulens = ["record_id", "app_version", "correctness"]
    flaky = [None, None, 0.8, None, 0.9]
    clean = [0.6, 0.6, 0.7, 0.7, 0.9]
    for name, values in {"flaky": flaky, "clean": clean}.items():
        rows = [[f"r{i}", name, value] for i, value in enumerate(values)]
        table(folder, f"trulens-2698-{name}", trulens, rows)

    # DeepEval: metrics data of a test run; nan is written as NaN
    known = [0.95, 0.8, 0.75, 0.85]
    lines(folder, "deepeval-3234", [
        {"name": f"m{i}", "score": score, "success": score >= 0.5, "error": None}
        for i, score in enumerate([*known, NAN])
    ])  # fmt: skip

    # NeMo Agent Toolkit: items of an evaluator's output, where nan became 0
    lines(folder, "nemo_agent_toolkit-458", [
        {"id": i, "score": score, "reasoning": {"nan": why}}
        for i, (score, why) in enumerate([(0.9, False), (0.7, False), (0.0, True), (0.0, True)])
    ])  # fmt: skip

    # EuroEval: scores of instances, and which failed
    lines(folder, "euroeval-1908", [
        {"index": i, "correct": int(i < 6), "failed_instance": "invalid" if i >= 8 else None}
        for i in range(10)
    ])  # fmt: skip

    # strands-env: rewards, 0 for a verification that failed
    lines(folder, "strands_env-98", [
        {"task_id": f"t{i}", "reward": reward, "info": {"status": status}}
        for i, (reward, status) in enumerate(
            [(1.0, "success")] * 5 + [(0.0, "success")] * 2 + [(0.0, "error")] * 3
        )
    ])  # fmt: skip

    # Frontier-CS: results.csv, 108 + 40 successful and 24 failed evaluations
    frontier = [["success", 1]] * 108 + [["success", 0]] * 40 + [["timeout", None]] * 24
    table(folder, "frontier_cs-161", ["status", "passed"], frontier)

    # promptfoo: results with success, and failureReason 2 for an error
    def prompts(passed: int, failed: int, errors: int) -> list[dict[str, Any]]:
        every = [(1, 0)] * passed + [(0, 1)] * failed + [(0, 2)] * errors
        return [
            {"testIdx": i, "score": s, "failureReason": why} for i, (s, why) in enumerate(every)
        ]

    lines(folder, "promptfoo-6343", prompts(2, 3, 5))
    lines(folder, "promptfoo-10468", prompts(1, 0, 1))
    lines(folder, "uniswap_ai-122", prompts(62, 7, 31))

    # tau2-bench: simulations
    lines(folder, "tau2_bench-493", [
        {"task_id": i, "reward": 1.0 if i == 0 else None,
         "termination_reason": "agent_stop" if i == 0 else "infrastructure_error"}
        for i in range(4)
    ])  # fmt: skip

    # openai/evals: samples of a model-graded eval, where an invalid choice got the least score
    lines(folder, "openai_evals-1712", [
        {"sample_id": i, "choice": choice, "score": score}
        for i, (choice, score) in enumerate(
            [("A", 1.0)] * 3 + [("B", 0.5)] * 2 + [("__invalid__", 0.0)] * 3
        )
    ])  # fmt: skip

    # LightRAG: cases, of which one has no metric at all and became 0
    lines(folder, "lightrag-4040", [
        {"test": i, "ragas_score": score, "metrics": {"faithfulness": metric}}
        for i, (score, metric) in enumerate([(0.8, 0.8)] * 3 + [(0, None)])
    ])  # fmt: skip

    # NeMo platform: attempts of a task; a failed one had no part in pass@1
    lines(folder, "nemo_platform-1065", [
        {"task_id": "a", "trial": 0, "status": "completed", "value": 1.0},
        {"task_id": "a", "trial": 1, "status": "failed", "value": None},
    ])  # fmt: skip

    # In pairs. nyssa-bench: tasks that only one run scored were left out
    def runs(name: str, *systems: Sequence[float | None]) -> None:
        for system, values in zip("ab", systems, strict=True):
            rows = [
                [f"t{i}", "ok" if value is not None else "error", value]
                for i, value in enumerate(values)
            ]
            table(folder, f"{name}-{system}", ["task", "status", "value"], rows)

    runs("nyssa_bench-11", [1, 1, 0, 0, 0, 1], [1, 1, 1, None, None, None])
    runs("flameox-254", [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.6, 0.6, 0.6, 0.6, None, None])
    runs("nemo_gym-2635", [1, None, 0, None, 1, 1, 0, 1], [1, 1, None, None, 1, 1, 1, 1])


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
