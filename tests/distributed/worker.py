"""One rank of a world: ``worker.py BACKEND FOLDER`` runs every law, and leaves a JSON line each."""

import json
import os
import platform
import sys
import traceback
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from mmeval_like.backends import BaseDistBackend, get_dist_backend
from mmeval_like.backends.records import RECORDS
from tests.distributed.suites import all_laws
from tests.helpers.results import FAILED, PASSED, UNSUPPORTED


def start(name: str) -> tuple[BaseDistBackend, str, dict[str, str]]:
    """Initialise the library; return the backend, what stands behind it, and its versions."""
    if find_spec("torch"):  # every backend takes its tensors
        import_module("torch")
    versions = {"Python": platform.python_version(), "numpy": version("numpy")}
    variant = ""
    if name in ("torch", "torch_cuda"):
        import torch.distributed as dist

        dist.init_process_group("nccl" if name == "torch_cuda" else "gloo")
        variant = dist.get_backend()
        versions["torch"] = version("torch")
    elif name == "mpi4py":
        from mpi4py import MPI

        variant, numbers = MPI.get_vendor()
        versions[variant] = ".".join(map(str, numbers))
        versions["mpi4py"] = version("mpi4py")
    elif name == "paddle":
        import paddle.distributed

        paddle.distributed.init_parallel_env()  # of one rank, it makes no group
        group = paddle.distributed.is_initialized()
        variant = paddle.distributed.get_backend().lower() if group else "gloo"
        versions["paddlepaddle"] = version("paddlepaddle")
    elif name == "zmq":
        versions["pyzmq"] = version("pyzmq")
    elif library := RECORDS[name].module:
        versions[library] = version(library)
    return get_dist_backend(name), variant, versions


def main(name: str, folder: Path) -> None:
    """Run the laws in order; a broken one is noted on all ranks, any other error ends the rank."""
    backend, variant, versions = start(name)
    with (folder / f"{backend.rank}.jsonl").open("w", buffering=1) as report:
        report.write(json.dumps({"variant": variant, "versions": versions}) + "\n")
        for law, check in all_laws().items():
            outcome, reason, in_step = PASSED, "", True
            try:
                check(backend)
            except NotImplementedError as error:
                outcome, reason = UNSUPPORTED, str(error)
            except BaseException as error:
                outcome, reason = FAILED, traceback.format_exc()
                in_step = isinstance(error, AssertionError)  # raised on every rank
            report.write(json.dumps({"law": law, "outcome": outcome, "reason": reason}) + "\n")
            if not in_step:
                report.close()
                os._exit(1)  # an ordinary exit may wait for the other ranks
    if name in ("torch", "torch_cuda"):
        import torch.distributed as dist

        dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
