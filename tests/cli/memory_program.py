"""`score` under limits of memory: ``memory_program.py FOLDER ROOM...``; a line of JSON for each."""

import json
import os
import sys
from pathlib import Path

import mmeval_like as mm
from mmeval_like.cli import main, report, score  # noqa: F401  # with all they need
from mmeval_like.cli.readers import csv_files, numpy_files  # noqa: F401
from tests.distributed.memory_program import limit_memory

KINDS = ["csv", "npz"]


def limited(room, arguments, printed):
    """Run the command in a process that can take so many MiB more than it has."""
    child = os.fork()
    if child == 0:
        for stream in (1, 2):
            os.dup2(os.open(printed, os.O_WRONLY | os.O_APPEND), stream)
        limit_memory(room << 20)
        os._exit(main(arguments))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run(folder, rooms):
    """Run the command for each kind of file and each limit."""
    mm.Accuracy()([0], [0])
    target, printed = folder / "result.json", folder / "printed"
    options = ["--metric", "accuracy", "--quiet", "--json", str(target)]
    for kind in KINDS:
        arguments = ["score", str(folder / f"preds.{kind}"), *options]
        for room in rooms:
            target.write_text("old")
            printed.write_text("")
            code = limited(room, arguments, printed)
            parts = [path.name for path in folder.iterdir() if path.suffix == ".part"]
            found = [kind, room, code, target.read_text(), printed.read_text(), parts]
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    run(Path(sys.argv[1]), [int(room) for room in sys.argv[2:]])
