"""The recipes of docs/integrations.md with the real packages, on 2 processes where there are some.

In most of them, the model gets 7 of 9 samples right, which 2 processes cannot share equally.
"""

import ast
import json
import re

import numpy as np
import pytest

from tests.helpers.launch import ROOT, run_ranks
from tests.helpers.optional import require_installed, requires
from tools.recipes import PAGES, page

MPI = pytest.mark.mpi
SEVEN = {"top1": 7 / 9}
SINGLE = {"accuracy": 7 / 9, "top1": 7 / 9, "top2": 8 / 9}
ENVIRONMENT = {
    "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # Spark's, made small
    "XLA_FLAGS": "--xla_force_host_platform_device_count=2",  # JAX's, for each process
}
TABLES = ("pandas", "pyarrow")
# The script; its launcher and how many ranks; what must be installed; what each rank prints last.
RECIPES = [
    ("torch_ddp", "torchrun", 2, ("torch",), {"top1": 1.0}),
    ("lightning_callback", "torchrun", 2, ("lightning",), {"val/top1": float(np.float32(7 / 9))}),
    (
        "lightning_self_log",
        "torchrun",
        2,
        ("lightning", "torchmetrics"),
        {name: float(np.float32(value)) for name, value in SINGLE.items()},
    ),
    ("ignite_engine", "torchrun", 2, ("ignite",), SEVEN),
    ("mmengine_runner", "torchrun", 2, ("mmengine",), SEVEN),
    pytest.param("jax_processes", "mpiexec", 2, ("jax", "mpi4py", "mpiexec"), SEVEN, marks=MPI),
    ("paddle_launch", "paddle", 2, ("paddle",), SEVEN),
]
# Engines that divide a table among workers of their own.
ENGINES = [
    ("ray_data", ("ray", *TABLES)),
    ("dask_frame", ("dask", *TABLES)),
    ("daft_frame", ("daft", "pyarrow")),
    ("spark_frame", ("pyspark", *TABLES)),
]


def printed(script, launcher, ranks, *arguments, **env):
    """The dicts and lists that each rank printed; what a framework logs is left out."""
    path = ROOT / "examples" / f"{script}.py"
    done = run_ranks(launcher, ranks, path, *arguments, timeout=280, env=env)
    lines = [text.splitlines() for text in done.stdout]
    return [[ast.literal_eval(line) for line in own if line[:1] in ("{", "[")] for own in lines]


@pytest.mark.parametrize(("script", "launcher", "ranks", "packages", "expected"), RECIPES)
def test_every_process_prints_the_number_of_all_samples(
    script, launcher, ranks, packages, expected
):
    """Also where samples are repeated, so that all processes get equally many."""
    require_installed(*packages)

    for found in printed(script, launcher, ranks, **ENVIRONMENT):
        assert found[-1] == expected


@pytest.mark.parametrize(("script", "packages"), ENGINES)
def test_engines_print_the_numbers_of_all_rows_and_of_every_day(script, packages):
    """Counted by two workers; Ray's tasks then print the number of all rows again."""
    require_installed(*packages)

    [found] = printed(script, "plain", 1, **ENVIRONMENT)

    assert found[:2] == [SEVEN, {"mon": {"top1": 3 / 4}, "tue": {"top1": 4 / 5}}]
    assert found[2:] == [SEVEN] * (script == "ray_data")


def test_beam_prints_the_numbers_of_every_day():
    """In any order."""
    require_installed("apache_beam")

    [found] = printed("beam_rows", "plain", 1)

    assert sorted(found, key=str) == [{"mon": {"top1": 3 / 4}}, {"tue": {"top1": 4 / 5}}]


def test_trainer_counts_what_it_gathered_once():
    """On 2 ranks there are 13 samples, not 26."""
    require_installed("torch", "transformers", "accelerate")

    one, other = printed("transformers_trainer", "torchrun", 2)

    assert one == other
    assert one[-1]["samples"] == 13
    assert one[-1]["eval_acc_top1"] * 13 == pytest.approx(round(one[-1]["eval_acc_top1"] * 13))


def test_shards_of_a_dataset_have_its_number(tmp_path):
    """Batch by batch, and from its columns; nothing is asked of the internet."""
    require_installed("torch", "datasets", "pyarrow")

    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    assert printed("hf_datasets", "torchrun", 2, **offline) == [[SEVEN] * 2] * 2


def test_evaluate_has_the_numbers_of_the_metric(tmp_path):
    """From the file in which it collects the batches, and with its options."""
    require_installed("datasets", "evaluate")

    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    [found] = printed("hf_evaluate", "plain", 1, **offline)

    assert found == [{"top1": 7 / 9, "top2": 8 / 9}] * 2


@pytest.mark.mpi
def test_keras_has_the_same_history_on_every_process():
    """Each evaluates a part of the samples; training stops by the number of all of them."""
    require_installed("keras", "jax", "mpi4py", "mpiexec")

    one, other = printed("keras_fit", "mpiexec", 2, "mpi4py", KERAS_BACKEND="jax")

    assert one == other
    assert 1 <= len(one[-1]) <= 5
    assert max(one[-1]) == 1.0


def test_tables_of_all_libraries_have_the_same_numbers():
    """Pandas, polars, DuckDB and a dict of arrays, with slices."""
    require_installed("pandas", "polars", "duckdb", "pyarrow")

    [found] = printed("table_columns", "plain", 1)

    slices = {"all": SEVEN, "day=mon": {"top1": 3 / 4}, "day=tue": {"top1": 4 / 5}}
    assert found == [slices] * 4


def test_folds_together_are_scikit_learns_out_of_fold_predictions():
    """The pooled accuracy is that of `cross_val_predict`."""
    selection = requires("sklearn.model_selection")
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import accuracy_score

    [found] = printed("cross_validation", "plain", 1)

    inputs, labels = load_iris(return_X_y=True)
    folds = selection.StratifiedKFold(5, shuffle=True, random_state=0)
    predicted = selection.cross_val_predict(
        LogisticRegression(max_iter=1000), inputs, labels, cv=folds
    )
    assert found[-1]["acc"] == {"top1": accuracy_score(labels, predicted)}


def test_loggers_have_written_their_files(tmp_path):
    """One of each; tests/integrations/test_loggers.py reads such files back."""
    require_installed("torch", "tensorboard", "mlflow", "wandb")

    [found] = printed("log_results", "plain", 1, str(tmp_path), WANDB_SILENT="true")

    recalls = {"val/class_recall_classwise_cat": 0.5, "val/class_recall_classwise_dog": 1.0}
    low, high = found[0].pop("val/acc_top1_low"), found[0].pop("val/acc_top1_high")
    assert 0 < low < 2 / 3 < high < 1
    assert found[0] == {"val/acc_top1": 2 / 3, **recalls}
    accuracy = {"top1": 2 / 3, "top1_low": low, "top1_high": high}
    assert json.loads((tmp_path / "result.json").read_text())["acc"] == accuracy
    assert (tmp_path / "mlflow.db").stat().st_size > 0
    assert len([*tmp_path.glob("tensorboard/events*")]) == 1
    assert len([*tmp_path.glob("wandb/offline-run-*")]) == 1


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_the_page_has_the_scripts(file):
    """Its blocks are the files that these tests run."""
    assert page(file) == file.read_text(), "run: python -m tools.generated"


@pytest.mark.parametrize(
    "folder", sorted({file.parent for file in PAGES}), ids=lambda path: path.name
)
def test_no_script_is_without_a_page(folder):
    """In either language."""
    texts = [file.read_text() for file in PAGES if file.parent == folder]
    names = set(re.findall(r"file=examples/(.*)", "".join(texts)))
    others = {"async_compute.py", "collectives.py", "demo.py", "eval_loop.py"}
    others |= {"prediction_files.py"}  # tests/cli/test_page.py runs it
    assert names == {file.name for file in (ROOT / "examples").glob("*.*")} - others
