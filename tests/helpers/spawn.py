"""The launcher that needs no library: ``python spawn.py N PROGRAM ARGUMENTS``.

Starts N processes with torchrun's variables. When one fails, the others are ended, and its exit
code becomes this launcher's.
"""

import os
import signal
import socket
import subprocess
import sys

_reserved = []  # the sockets whose ports this process has given away


def free_port() -> int:
    """A TCP port on which a program may listen; nobody else is given it while this process lives.

    A bound socket that does not listen keeps the system from handing out its port. A port that is
    only looked up can be another server's a second later: OneFlow's share ports without an error,
    and its ranks then talk to a server of another group.
    """
    holder = socket.socket()
    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        holder.setsockopt(socket.SOL_SOCKET, option, 1)
    holder.bind(("", 0))
    _reserved.append(holder)
    port: int = holder.getsockname()[1]
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
