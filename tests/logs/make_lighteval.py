"""Make the logs of lighteval in tests/logs/lighteval, with its dummy model.

Usage: python -m tests.logs.make_lighteval

Needs `pip install lighteval`. The tasks are defined here, on questions that are made here. What
lighteval asks the network when it is imported, for tasks that are not used, is answered here.
"""

import json
import random
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import requests
import xxhash

FOLDER = Path(__file__).parent / "lighteval"
WORDS = ["ant", "bee", "camel", "dog"]
TASKS = """
from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc


def choose(line, task_name=None):
    return Doc(
        task_name=task_name, query=line["question"], choices=line["choices"],
        gold_index=line["label"], specific={"kind": line["kind"]},
    )


def say(line, task_name=None):
    return Doc(task_name=task_name, query="Say", choices=[line["word"]], gold_index=0)


DATA = {
    "hf_repo": "FOLDER/data", "hf_subset": "default", "hf_avail_splits": ["test"],
    "evaluation_splits": ["test"], "few_shots_split": None, "few_shots_select": None,
}
TASKS_TABLE = [
    LightevalTaskConfig(
        name="animals", prompt_function=choose, **DATA,
        metrics=[Metrics.loglikelihood_acc, Metrics.mrr],
    ),
    LightevalTaskConfig(
        name="say", prompt_function=say, generation_size=5, stop_sequence=[], **DATA,
        metrics=[Metrics.exact_match, Metrics.f1_score, Metrics.bleu],
    ),
]
"""


def questions(count: int) -> list[dict[str, object]]:
    """Questions about words; the dummy model always says "random baseline"."""
    rng = random.Random(1)
    return [
        {
            "question": f"Which is number {index}?",
            "choices": rng.sample(WORDS, 3),
            "label": rng.randrange(3),
            "kind": rng.choice(["wild", "tame"]),
            "word": rng.choice(["random baseline", "random baseline", "random", *WORDS]),
        }
        for index in range(count)
    ]


def main() -> None:
    """Run the harness, and keep what it wrote."""
    answer = SimpleNamespace(content=b"", status_code=200, raise_for_status=lambda: None)
    requests.get = lambda *_, **__: answer  # type: ignore[assignment]
    huggingface_hub.HfApi.list_models = lambda *_, **__: [answer]  # type: ignore
    hashed = xxhash.xxh64
    xxhash.xxh64 = lambda text=b"": hashed(  # type: ignore  # new ones take bytes only
        text.encode() if isinstance(text, str) else text
    )

    from lighteval.logging.evaluation_tracker import EvaluationTracker
    from lighteval.models.dummy.dummy_model import DummyModelConfig
    from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").mkdir()
        lines = [json.dumps(one) + "\n" for one in questions(9)]
        (folder / "data" / "test.jsonl").write_text("".join(lines))
        (folder / "tasks.py").write_text(TASKS.replace("FOLDER", name))
        pipeline = Pipeline(
            tasks="animals|0,say|0",
            pipeline_parameters=PipelineParameters(
                launcher_type=ParallelismManager.NONE,
                custom_tasks_directory=str(folder / "tasks.py"),
                bootstrap_iters=20,
            ),
            evaluation_tracker=EvaluationTracker(output_dir=str(folder / "out")),
            model_config=DummyModelConfig(seed=1),
        )
        pipeline.evaluate()
        pipeline.save_and_push_results()
        shutil.rmtree(FOLDER, ignore_errors=True)
        shutil.copytree(folder / "out", FOLDER)
        for file in FOLDER.rglob("*.json"):
            file.write_text(file.read_text().replace(name, "/data"))
        for file in FOLDER.rglob("*|*"):  # no name of a file everywhere
            file.rename(file.with_name(file.name.replace("|", "-")))


if __name__ == "__main__":
    main()
