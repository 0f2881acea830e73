"""What the jobs for Kubernetes and for an array of Slurm run, without a cluster."""

import json
import os
import subprocess
import sys

from tests.helpers.launch import ROOT
from tests.helpers.optional import require_installed, requires
from tests.helpers.spawn import free_port

EXAMPLES = ROOT / "examples"


def alone(*words, **env):
    """What a program prints."""
    done = subprocess.run(
        [sys.executable, *words],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | env,
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=280,
    )  # fmt: skip
    return done.stdout


def test_the_pods_of_a_kubernetes_job_have_the_numbers_of_one_process():
    """Each runs the container's command with its index; the pod 0 has another address here."""
    require_installed("zmq", "sklearn")
    service, job = requires("yaml").safe_load_all((EXAMPLES / "kubernetes_job.yaml").read_text())
    pods = job["spec"]["completions"]
    [container] = job["spec"]["template"]["spec"]["containers"]
    env = {entry["name"]: entry.get("value", "") for entry in container["env"]}
    address = f"{job['metadata']['name']}-0.{service['metadata']['name']}"
    assert env["MASTER_ADDR"] == address
    assert env["WORLD_SIZE"] == str(pods) == str(job["spec"]["parallelism"])
    assert job["spec"]["template"]["spec"]["subdomain"] == service["metadata"]["name"]
    env |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "PYTHONPATH": str(ROOT)}
    env["MMEVAL_LIKE_SECRET"] = "only for this test"
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])

    ranks = [
        subprocess.Popen(
            container["command"],
            env=os.environ | env | {"PATH": path, "JOB_COMPLETION_INDEX": str(index)},
            cwd=ROOT, stdout=subprocess.PIPE, text=True,
        )
        for index in range(pods)
    ]  # fmt: skip
    printed = [rank.communicate(timeout=280)[0] for rank in ranks]

    assert [rank.returncode for rank in ranks] == [0] * pods
    assert json.loads(printed[0]) == json.loads(alone("examples/eval_loop.py"))


def test_the_tasks_of_an_array_add_up_to_the_number_of_one_process(tmp_path):
    """Each task scores a file; a task that ran twice changes nothing."""
    require_installed("pyarrow", "rich")
    command = tmp_path / "mmeval_like"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m mmeval_like "$@"\n')
    command.chmod(0o755)
    rows = ["0,0", "1,1", "2,1", "2,2", "0,1", "1,1", "2,0", "0,0", "1,2"]
    parts = range(4)
    for part in parts:
        text = "\n".join(["predictions,labels", *rows[part::4]])
        (tmp_path / f"predictions-{part}.csv").write_text(f"{text}\n")

    for part in [*parts, 2]:
        env = {
            "PATH": os.pathsep.join([str(tmp_path), os.environ["PATH"]]),
            "PYTHONPATH": str(ROOT),
            "SLURM_ARRAY_TASK_ID": str(part),
        }
        script = EXAMPLES / "slurm_array.sh"
        subprocess.run(["bash", script], env=os.environ | env, cwd=tmp_path, check=True, timeout=60)
    files = [str(tmp_path / f"part-{part}.safetensors") for part in parts]
    found = json.loads(alone("-m", "mmeval_like", "rollup", *files, "-q", "--json", "-"))

    assert found["accuracy"] == {"top1": 5 / 9}
    assert found["samples"] == 9
