"""What each rank of a test runs first: ``python rank.py FOLDER (SCRIPT | -m MODULE) ARGUMENTS``.

It sends this rank's output to files of its own, leaves its process id, and lets SIGUSR1 print the
stacks of its threads (also while it waits inside a library). Then it becomes the program.
It imports nothing but the standard library, so that the program meets a fresh interpreter.
"""

import faulthandler
import os
import runpy
import signal
import socket
import sys
import time
from pathlib import Path

RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PADDLE_TRAINER_ID", "RANK")


def main(folder: Path, program: list[str]) -> None:
    """Prepare this process, then run the program in it."""
    rank = next(os.environ[name] for name in RANK_VARIABLES if name in os.environ)
    for stream, suffix in ((1, "out"), (2, "err")):
        file = os.open(folder / f"{rank}.{suffix}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, stream)
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    (folder / f"{rank}.pid").write_text(str(os.getpid()))
    if "AWAIT_MASTER" in os.environ and rank != "0":
        await_master()
    if program[0] == "-m":
        sys.argv = program[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(program[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = program
        sys.path[0] = str(Path(program[0]).resolve().parent)
        runpy.run_path(program[0], run_name="__main__")


def await_master() -> None:
    """Wait until rank 0 listens: OneFlow's ranks that come earlier pause for ten seconds."""
    address = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            socket.create_connection(address, timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
