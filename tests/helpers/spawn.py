"""The launcher that needs no library: ``python spawn.py N PROGRAM ARGUMENTS``.

Starts N processes with torchrun's variables. When one fails, the others are ended, and its exit
code becomes this launcher's.
"""

import os
import signal
import socket
import subprocess
import sys


def free_port() -> int:
    """A TCP port of this machine that nobody uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def main(size: int, program: list[str]) -> int:
    """Run the program on `size` ranks; return the first failure's exit code, or 0."""
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    shared |= {"WORLD_SIZE": str(size), "LOCAL_WORLD_SIZE": str(size)}
    running = {}
    for rank in range(size):
        own = {"RANK": str(rank), "LOCAL_RANK": str(rank)}
        process = subprocess.Popen([sys.executable, *program], env=os.environ | shared | own)
        running[process.pid] = process
    while running:
        pid, status = os.wait()
        del running[pid]
        code = os.waitstatus_to_exitcode(status)
        if code != 0:
            for pid in running:
                os.kill(pid, signal.SIGKILL)
            return code if code > 0 else 128 - code
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
