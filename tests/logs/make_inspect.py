"""Make the logs of Inspect in tests/logs/inspect, with its mock model.

Usage: python -m tests.logs.make_inspect [FOLDER]

Needs `pip install inspect-ai`. The questions and the answers are made here, so that nothing is
downloaded and no model is asked.
"""

import gzip
import random
import shutil
import sys
from pathlib import Path

from inspect_ai import Epochs, Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import (
    Score,
    Scorer,
    Target,
    accuracy,
    grouped,
    includes,
    match,
    mean,
    scorer,
    std,
    stderr,
)  # fmt: skip
from inspect_ai.solver import TaskState, generate

FOLDER = Path(__file__).parent / "inspect"
WORDS = ["ant", "bee", "camel", "dog"]


def dataset() -> MemoryDataset:
    """Questions about words, of two kinds."""
    rng = random.Random(1)
    return MemoryDataset(
        [
            Sample(
                f"Say {word}.", id=f"q{index:02}", target=word,
                metadata={"kind": ["wild", "tame"][index % 2]},
            )
            for index, word in enumerate(rng.choices(WORDS, k=7))
        ]
    )  # fmt: skip


@scorer(metrics=[mean(), std(), stderr()])
def share_of_letters() -> Scorer:
    """A float: how many letters of the target the answer has."""

    async def score(state: TaskState, target: Target) -> Score:
        found = set(state.output.completion) & set(target.text)
        return Score(value=len(found) / len(set(target.text)))

    return score


@scorer(metrics={"length": [mean(), stderr()], "first": [accuracy()]})
def several() -> Scorer:
    """Several values of one answer."""

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        return Score(
            value={"length": len(answer) / 3, "first": "C" if answer[0] == target.text[0] else "I"}
        )

    return score


@scorer(metrics=[grouped(accuracy(), "kind"), stderr(cluster="kind")])
def by_kind() -> Scorer:
    """The same as `match`, by kind."""
    inner = match()

    async def score(state: TaskState, target: Target) -> Score:
        return await inner(state, target)

    return score


@task
def animals() -> Task:
    """Two scorers, each question once."""
    return Task(dataset(), solver=generate(), scorer=[match(), includes()])


@task
def repeated() -> Task:
    """Each question three times, averaged."""
    return Task(dataset(), solver=generate(), scorer=match(), epochs=3)


@task
def reduced() -> Task:
    """Each question three times, in other ways than by a mean."""
    ways = ["median", "max", "pass_at_2", "at_least_2"]
    return Task(dataset(), solver=generate(), scorer=match(), epochs=Epochs(3, ways))


@task
def numbers() -> Task:
    """Floats, and several values."""
    return Task(dataset(), solver=generate(), scorer=[share_of_letters(), several(), by_kind()])


def main(folder: Path = FOLDER) -> None:
    """Run the tasks, and keep what Inspect wrote."""
    shutil.rmtree(folder, ignore_errors=True)
    for made, form in ((animals, "eval"), (repeated, "eval"), (reduced, "eval"), (numbers, "json")):
        rng = random.Random(2)
        outputs = [ModelOutput.from_content("mockllm", rng.choice(WORDS)) for _ in range(100)]
        for output in outputs:
            output.usage = ModelUsage(input_tokens=3, output_tokens=1)  # else a tokenizer is loaded
        model = get_model("mockllm/model", custom_outputs=outputs)
        eval(
            made(), model=model, log_dir=str(folder), log_format=form, display="none",
            max_samples=1, log_realtime=False,
        )  # fmt: skip
    for file in list(folder.iterdir()):
        kept = file.rename(folder / f"{file.name.split('_')[1].split('.')[0]}{file.suffix}")
        if kept.suffix == ".json":
            Path(f"{kept}.gz").write_bytes(gzip.compress(kept.read_bytes(), 9, mtime=0))
            kept.unlink()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
