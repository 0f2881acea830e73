"""Public threads about samples without a score: what the tool printed, and what is right.

The files are those of `make_unscored.py`. Of four threads, inspect_evals 2096 and 2132, nyssa-bench
11 and NeMo Gym 2635, and of EuroEval 1908, only the kind of the fault was at hand: the numbers of
samples are made up.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

INSPECT = ("--score", "match")


@dataclass(frozen=True)
class Thread:
    """A thread.

    Attributes:
        name: The repository and the number of the thread, which begin the names of the files.
        options: The options with which its file is read.
        rule: The rule by which the tool counted: "harness" for a log, or a value of `--unscored`.
        printed: The number that the tool printed.
        scored: The number of samples with a score.
        reasons: The number of the others by reason.
        dropped: The value of those with a score.
        zero: The value if the others count as 0.
        ends: The worst and the best value.
    """

    name: str
    options: tuple[str, ...]
    rule: str
    printed: float
    scored: int
    reasons: dict[str, int]
    dropped: float
    zero: float
    ends: tuple[float, float]


def of_values(column: str, *marks: str, better: bool | None = None) -> tuple[str, ...]:
    """The options for a mean of a column, with the columns that say why rows have no score."""
    direction = "" if better is None else f",higher_is_better={str(better).lower()}"
    given = [word for mark in marks for word in ("--unscored-column", mark)]
    return ("--metric", f"mean:bounds=0,1{direction}", "--column", f"values={column}", *given)


FAITHFUL = of_values("faithfulness")
PROMPTS = of_values("score", "failureReason=2")
THREADS = [
    Thread("inspect_ai-2914", INSPECT, "harness", 1 / 3, 6, {"error": 2}, 1 / 3, 0.25, (0.25, 0.5)),
    Thread("inspect_ai-3707", INSPECT, "harness", 8 / 9, 90, {"error": 10}, 8 / 9, 0.8, (0.8, 0.9)),
    Thread(
        *("inspect_ai-4286", INSPECT, "harness", 6 / 7, 7, {"error": 1, "no score": 2}),
        *(6 / 7, 0.6, (0.6, 0.9)),
    ),
    Thread("inspect_ai-4412", INSPECT, "harness", 1.0, 1, {"error": 1}, 1.0, 0.5, (0.5, 1.0)),
    Thread("inspect_ai-4485", INSPECT, "harness", 0.5, 2, {}, 0.5, 0.5, (0.5, 0.5)),
    Thread(
        *("inspect_evals-2096", INSPECT, "harness", 0.75, 4, {"refusal": 4}),
        *(0.75, 0.375, (0.375, 0.875)),
    ),
    # An error of 0 although no epoch has a score: it may be 1.
    Thread(
        *("inspect_evals-2132", of_values("gap", "unscored", better=False), "0", 0.0, 0),
        *({"unscored": 2}, nan, 0.0, (1.0, 0.0)),
    ),
    Thread("ragas-2818", FAITHFUL, "drop", 0.75, 2, {"absent": 2}, 0.75, 0.375, (0.375, 0.875)),
    Thread("ragas-2832", FAITHFUL, "drop", 0.9, 5, {"absent": 5}, 0.9, 0.45, (0.45, 0.95)),
    Thread("ragas-2980", FAITHFUL, "drop", 0.8, 1, {"absent": 2}, 0.8, 0.8 / 3, (0.8 / 3, 2.8 / 3)),
    Thread("ragas-3028", FAITHFUL, "drop", 1.0, 1, {"absent": 1}, 1.0, 0.5, (0.5, 1.0)),
    # The rate of successful attacks: less is better.
    Thread(
        *("garak-1954", of_values("detector_results.judge", better=False), "drop", 0.4, 5),
        *({"absent": 3}, 0.4, 0.25, (0.625, 0.25)),
    ),
    Thread(
        *("garak-2104", of_values("detector_results.judge", "error", better=False), "0", 0.0, 1),
        *({"judge unavailable": 3}, 0.0, 0.0, (0.75, 0.0)),
    ),
    Thread(
        *("garak-2136", of_values("detector_results.judge", "verdict", better=False), "1", 0.8, 2),
        *({"no verdict": 3}, 0.5, 0.2, (0.8, 0.2)),
    ),
    Thread(
        *("trulens-2698-flaky", of_values("correctness"), "drop", 0.85, 2, {"absent": 3}),
        *(0.85, 0.34, (0.34, 0.94)),
    ),
    Thread(
        "trulens-2698-clean", of_values("correctness"), "drop", 0.7, 5, {}, 0.7, 0.7, (0.7, 0.7)
    ),
    # One nan made the whole run nan, which is what no rule gives; 0.8375 is the fix.
    Thread(
        *("deepeval-3234", of_values("score"), "drop", 0.8375, 4, {"absent": 1}),
        *(0.8375, 0.67, (0.67, 0.87)),
    ),
    Thread(
        *("nemo_agent_toolkit-458", of_values("score", "reasoning.nan"), "0", 0.4, 2),
        *({"reasoning.nan": 2}, 0.8, 0.4, (0.4, 0.9)),
    ),
    Thread(
        *("euroeval-1908", of_values("correct", "failed_instance"), "drop", 0.75, 8),
        *({"invalid": 2}, 0.75, 0.6, (0.6, 0.8)),
    ),
    Thread(
        *("strands_env-98", of_values("reward", "info.status=error"), "0", 0.5, 7, {"error": 3}),
        *(5 / 7, 0.5, (0.5, 0.8)),
    ),
    Thread(
        *("frontier_cs-161", of_values("passed", "status=timeout"), "drop", 108 / 148, 148),
        *({"timeout": 24}, 108 / 148, 108 / 172, (108 / 172, 132 / 172)),
    ),
    Thread("promptfoo-6343", PROMPTS, "drop", 0.4, 5, {"2": 5}, 0.4, 0.2, (0.2, 0.7)),
    Thread("promptfoo-10468", PROMPTS, "drop", 1.0, 1, {"2": 1}, 1.0, 0.5, (0.5, 1.0)),
    Thread("uniswap_ai-122", PROMPTS, "drop", 62 / 69, 69, {"2": 31}, 62 / 69, 0.62, (0.62, 0.93)),
    Thread(
        *("tau2_bench-493", of_values("reward", "termination_reason=infrastructure_error")),
        *("drop", 1.0, 1, {"infrastructure_error": 3}, 1.0, 0.25, (0.25, 1.0)),
    ),
    Thread(
        *("openai_evals-1712", of_values("score", "choice=__invalid__"), "0", 0.5, 5),
        *({"__invalid__": 3}, 0.8, 0.5, (0.5, 0.875)),
    ),
    Thread(
        *("lightrag-4040", of_values("metrics.faithfulness"), "0", 0.6, 3, {"absent": 1}),
        *(0.8, 0.6, (0.6, 0.85)),
    ),
    Thread(
        *("nemo_platform-1065", of_values("value", "status=failed"), "drop", 1.0, 1),
        *({"failed": 1}, 1.0, 0.5, (0.5, 1.0)),
    ),
]


@dataclass(frozen=True)
class Pairs:
    """A thread about two systems, of which only the samples were compared that both scored.

    Attributes:
        name: As in `Thread`.
        printed: The difference that the tool printed.
        scored: The numbers of samples scored on both, on a only, on b only, on neither.
        zero: The difference if samples without a score count as 0.
        ends: The worst and the best difference.
    """

    name: str
    printed: float
    scored: tuple[int, int, int, int]
    zero: float
    ends: tuple[float, float]


PAIRS = [
    Pairs("nyssa_bench-11", 1 / 3, (3, 3, 0, 0), 0.0, (0.0, 0.5)),
    Pairs("flameox-254", 0.1, (4, 2, 0, 0), 2.4 / 6 - 0.5, (2.4 / 6 - 0.5, 4.4 / 6 - 0.5)),
    Pairs("nemo_gym-2635", 0.2, (5, 1, 1, 1), 0.25, (0.0, 0.5)),
]
