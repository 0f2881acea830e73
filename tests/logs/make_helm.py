"""Make a run of HELM in tests/logs/helm, with its simple model, which says the prompt's last word.

Usage: python -m tests.logs.make_helm [FOLDER]

Needs `pip install crfm-helm`. The questions are made here, so that nothing is downloaded and no
model is asked. Each is asked three times, with other examples, as it is and in lower case.
"""

import gzip
import random
import shutil
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from helm.benchmark.adaptation.adapter_spec import ADAPT_GENERATION, AdapterSpec
from helm.benchmark.augmentations.data_augmenter import DataAugmenterSpec
from helm.benchmark.augmentations.perturbation import PerturbationSpec
from helm.benchmark.metrics.common_metric_specs import get_f1_metric_specs
from helm.benchmark.run import main as helm_run
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    TRAIN_SPLIT,
    VALID_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
    ScenarioSpec,
)

FOLDER = Path(__file__).parent / "helm"
KEPT = ("run_spec.json", "stats.json", "per_instance_stats.json")
# The prompt ends with "Output:", which the model says: it is right, right in part, or wrong.
ANSWERS = ["Output:", "output", "the output", "output of words", "ant", "bee"]
LOWER = "helm.benchmark.augmentations.lowercase_perturbation.LowerCasePerturbation"


class Words(Scenario):
    """Questions for examples, and for two splits."""

    name = "words"
    description = "Questions about words."
    tags: list[str] = []  # noqa: RUF012  # as HELM has it

    def get_instances(self, output_path: str) -> list[Instance]:
        rng = random.Random(0)
        splits = [TRAIN_SPLIT] * 5 + [TEST_SPLIT] * 11 + [VALID_SPLIT] * 7
        return [
            Instance(
                Input(f"Which is Number {number * rng.randrange(1, 1000)}?"),
                [Reference(Output(rng.choice(ANSWERS)), tags=[CORRECT_TAG])],
                split=split,
            )
            for number, split in enumerate(splits)
        ]


def words() -> RunSpec:
    """Three trials."""
    return RunSpec(
        name="words",
        scenario_spec=ScenarioSpec(f"{__spec__.name}.Words"),
        adapter_spec=AdapterSpec(
            method=ADAPT_GENERATION, input_prefix="Input: ", output_prefix="Output: ",
            max_train_instances=3, num_train_trials=3, num_outputs=1, max_tokens=5,
            model="simple/model1", model_deployment="simple/model1",
        ),
        metric_specs=get_f1_metric_specs(),
        data_augmenter_spec=DataAugmenterSpec(
            perturbation_specs=[PerturbationSpec(LOWER)], should_augment_eval_instances=True,
            should_include_original_eval=True,
        ),
        groups=["words"],
    )  # fmt: skip


def main(folder: Path = FOLDER) -> None:
    """Run it, and keep what HELM wrote."""
    run_spec_function("words")(words)
    with tempfile.TemporaryDirectory() as name:
        options = [
            "--run-entries",
            "words:model=simple/model1",
            "--suite",
            "v1",
            "--max-eval-instances",
            "20",
        ]
        options += ["--output-path", name, "--local-path", f"{name}/local", "--num-threads", "1"]
        with patch.object(sys, "argv", ["helm-run", *options]):
            helm_run()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (run,) = Path(name, "runs", "v1").glob("words*")
        for file in KEPT:
            content = gzip.compress((run / file).read_bytes(), 9, mtime=0)
            (folder / f"{file}.gz").write_bytes(content)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
