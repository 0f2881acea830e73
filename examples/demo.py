"""The main job on real data: one process and four MPI ranks, side by side with scikit-learn.

Runs `examples/eval_loop.py` alone and under `mpiexec -n 4`, then scores the same predictions from a
file by the command line, and writes a report of them; fails unless all numbers are right.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    log_loss,
    precision_recall_fscore_support,
    top_k_accuracy_score,
)

LOOP = Path(__file__).with_name("eval_loop.py")
REPORT = Path(__file__).resolve().parents[1] / "build" / "demo-report.html"
RANKS = 4


def run(*command: str) -> dict[str, float]:
    """Run the eval loop and return what its rank 0 printed, one number per name."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    printed = json.loads(done.stdout)
    return {**printed["accuracy"], **printed["f1"], "loss": printed["loss"]}


def predictions() -> tuple[np.ndarray, np.ndarray]:
    """Return the scores and labels of the test images."""
    images, labels = load_digits(return_X_y=True)
    images = images / 16
    model = LogisticRegression(max_iter=1000).fit(images[:1000], labels[:1000])
    return model.predict_proba(images[1000:]), labels[1000:]


def scikit_learn(scores: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Return the same numbers by scikit-learn."""
    classes = scores.argmax(axis=1)
    precision, recall, f1, _ = precision_recall_fscore_support(labels, classes, average="macro")
    return {
        "top1": accuracy_score(labels, classes),
        "top2": top_k_accuracy_score(labels, scores, k=2),
        "precision": precision,
        "recall": recall,
        "f1-score": f1,
        "loss": log_loss(labels, scores),
    }


def from_a_file(scores: np.ndarray, labels: np.ndarray, top1: float) -> bool:
    """Score a file of predictions by the command line; return whether it finds the same."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "predictions.npz", predictions=scores, labels=labels)
        arguments = ["predictions.npz", "--metric", "accuracy:topk=1,2", "-n", str(RANKS)]
        print(f"\n$ mmeval_like score {' '.join(arguments)}", flush=True)
        command = [sys.executable, "-m", "mmeval_like", "score", *arguments]
        done = subprocess.run([*command, "--json", "result.json"], cwd=folder, timeout=120)
        if done.returncode != 0:
            return False
        found = json.loads((folder / "result.json").read_text())
    return bool(found["accuracy"]["top1"] == top1)


def write_report(scores: np.ndarray, labels: np.ndarray, ink: np.ndarray) -> bool:
    """Write a report of the same predictions, also by how much ink an image has."""
    REPORT.parent.mkdir(exist_ok=True)
    metrics = [
        "accuracy:topk=1,2",
        "single_label_precision_recall_f1score:num_classes=10,average=none",
        "confusion_matrix:num_classes=10",
        "roc:task=multiclass,num_classes=10",
        "reliability_diagram:bins=10",
    ]
    asked = [word for metric in metrics for word in ("--metric", metric)]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "predictions.npz"
        columns = {"predictions": scores, "labels": labels, "ink": ink}
        np.savez(path, **columns, id=np.arange(len(labels)))
        options = ["--by", "ink", "--ids", "id", "--interval", "--report", str(REPORT), "-q"]
        command = [sys.executable, "-m", "mmeval_like", "score", str(path), *asked, *options]
        return subprocess.run(command, timeout=120).returncode == 0


def main() -> int:
    """Print the table; return 0 if everything agrees."""
    mpiexec = Path(sys.executable).with_name("mpiexec")  # of this environment's own MPI
    launcher = str(mpiexec) if mpiexec.exists() else shutil.which("mpiexec")
    if launcher is None:
        sys.exit("mpiexec was not found: pip install mpich")
    alone = run(sys.executable, str(LOOP))
    together = run(launcher, "-n", str(RANKS), sys.executable, str(LOOP), "mpi4py")
    scores, labels = predictions()
    oracle = scikit_learn(scores, labels)

    print(f"{'797 test images':<16}{'1 process':>20}{f'{RANKS} MPI ranks':>20}{'scikit-learn':>20}")
    wrong = []
    for name, expected in oracle.items():
        same = alone[name] == together[name]
        close = np.isclose(together[name], expected, rtol=0, atol=1e-9)
        verdict = "" if same and close else "   WRONG"
        wrong += [name] if verdict else []
        print(f"{name:<16}{alone[name]!r:>20}{together[name]!r:>20}{expected:>20.12g}{verdict}")
    if wrong:
        print(f"not equal: {', '.join(wrong)}")
        return 1
    print(f"1 process and {RANKS} ranks (padded shards, batches of 32): equal to the last bit")
    if not from_a_file(scores, labels, together["top1"]):
        print("the command line does not find the same")
        return 1
    if not write_report(scores, labels, load_digits().data[1000:].mean(axis=1) / 16):
        print("the command line writes no report")
        return 1
    print(f"\nA report with intervals, slices and pictures: {REPORT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
