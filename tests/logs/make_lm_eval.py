"""Make the logs of lm-eval in tests/logs/lm_eval, with its dummy model.

Usage: python -m tests.logs.make_lm_eval

Needs `pip install lm-eval`. The tasks are defined here, on questions that are made here, so that
nothing is downloaded. What would name the machine is taken out.
"""

import json
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "lm_eval"
WORDS = ["ant", "bee", "camel", "dog", "an elephant", "fox", "goose", "a hen"]

CHOICES = {
    "output_type": "multiple_choice",
    "doc_to_text": "Question: {{question}}\nAnswer:",
    "doc_to_choice": "{{choices}}",
    "doc_to_target": "label",
}
TASKS: dict[str, dict[str, Any]] = {
    "animals": CHOICES
    | {"metric_list": [{"metric": name} for name in ("acc", "acc_norm", "acc_mutual_info")]},
    "yes_no": CHOICES
    | {"doc_to_choice": ["no", "yes"], "doc_to_target": "answer",
       "metric_list": [
           {"metric": "acc"},
           {"metric": "f1", "aggregation": "f1", "higher_is_better": True},
           {"metric": "mcc", "aggregation": "matthews_corrcoef", "higher_is_better": True},
       ]},
    "texts": {
        "output_type": "loglikelihood_rolling",
        "doc_to_text": "",
        "doc_to_target": "text",
        "metric_list": [
            {"metric": name} for name in ("word_perplexity", "byte_perplexity", "bits_per_byte")
        ],
    },
    "last_word": {
        "output_type": "loglikelihood",
        "doc_to_text": "{{text}}",
        "doc_to_target": "{{' ' + word}}",
        "metric_list": [{"metric": "perplexity"}, {"metric": "acc"}],
    },
    "middle": {
        "output_type": "loglikelihood",
        "doc_to_text": "{{text}}",
        "doc_to_target": "{{' ' + word}}",
        "metric_list": [
            {"metric": "perplexity", "aggregation": "median", "higher_is_better": False}
        ],
    },
    "say": {
        "output_type": "generate_until",
        "doc_to_text": "Say {{word}}.",
        "doc_to_target": "{{word}}",
        "generation_kwargs": {"until": ["\n"], "do_sample": False},
        "metric_list": [
            {"metric": "exact_match", "aggregation": "mean", "higher_is_better": True},
            {"metric": "bleu", "aggregation": "bleu", "higher_is_better": True},
            {"metric": "chrf", "aggregation": "chrf", "higher_is_better": True},
            {"metric": "ter", "aggregation": "ter", "higher_is_better": False},
        ],
    },
    "vote": {
        "output_type": "generate_until",
        "doc_to_text": "Say {{word}}.",
        "doc_to_target": "{{word}}",
        "repeats": 3,
        "generation_kwargs": {"until": ["\n"], "do_sample": True},
        "filter_list": [
            {"name": "first", "filter": [{"function": "take_first"}]},
            {"name": "maj@3", "filter": [
                {"function": "take_first_k", "k": 3}, {"function": "majority_vote"},
                {"function": "take_first"},
            ]},
        ],
        "metric_list": [
            {"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}
        ],
    },
}  # fmt: skip


def questions(count: int) -> list[dict[str, Any]]:
    """Questions about words."""
    rng = random.Random(1)
    found = []
    for index in range(count):
        choices = rng.sample(WORDS, 3)
        found.append(
            {
                "question": f"Which is number {index}?",
                "choices": choices,
                "label": rng.randrange(3),
                "answer": rng.randrange(2),
                "word": rng.choice(["lol", "lol", *WORDS]),
                "text": " ".join(rng.choices(WORDS, k=rng.randrange(2, 7))),
                "kind": rng.choice(["wild", "tame"]),
            }
        )
    return found


def main() -> None:
    """Run the harness, and keep what it wrote."""
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = folder / "questions.jsonl"
        data.write_text("".join(json.dumps(one) + "\n" for one in questions(12)))
        where = {
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"test": str(data)}},
            "test_split": "test",
        }
        for task, config in TASKS.items():
            (folder / f"{task}.yaml").write_text(yaml.safe_dump(config | {"task": task} | where))
        group = {
            "group": "both",
            "task": ["animals", "yes_no"],
            "aggregate_metric_list": [{"metric": "acc", "weight_by_size": True}],
        }
        (folder / "both.yaml").write_text(yaml.safe_dump(group))
        tracker = EvaluationTracker(output_path=str(folder / "out"))
        found = simple_evaluate(
            "dummy",
            tasks=["both", *(task for task in TASKS if task not in group["task"])],
            task_manager=TaskManager(include_path=name, include_defaults=False),
            evaluation_tracker=tracker,
            bootstrap_iters=20,
        )
        samples = found.pop("samples")
        tracker.save_results_aggregated(results=found, samples=samples)
        for task in found["configs"]:
            tracker.save_results_samples(task_name=task, samples=samples[task])
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir()
        for file in sorted((folder / "out").rglob("*.json*")):
            text = file.read_text().replace(name, "/data")
            if file.suffix == ".json":
                about = json.loads(text)
                for key in ("pretty_env_info", "git_hash", "upper_git_hash"):
                    about.pop(key, None)
                text = json.dumps(about, indent=2)
            (FOLDER / file.name).write_text(text)


if __name__ == "__main__":
    main()
