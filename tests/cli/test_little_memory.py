"""Commands under a real limit of memory."""

import errno
import json
import os
import subprocess
import sys
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest

from mmeval_like._base.threads import start
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import blaming
from mmeval_like.logs import LogError
from mmeval_like.logs.files import reading
from tests.cli.files import write
from tests.distributed.memory_program import limit_memory
from tests.helpers.launch import ROOT
from tests.helpers.optional import requires
from tests.helpers.pace import patient

requires("pyarrow")
PROGRAM = "tests.cli.memory_program"
ROWS = 150_000

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux's")


@LINUX
def test_score_with_little_memory(tmp_path):
    """The result is right, or one line says that memory ran out, and no file has changed."""
    labels = np.arange(ROWS) % 7
    table = {"predictions": np.where(np.arange(ROWS) % 5, labels, 0), "labels": labels}
    for kind in ("csv", "npz"):
        write(tmp_path, kind, table)
    expected = float(np.mean(table["predictions"] == labels))
    # Freed memory goes back to the system, so that the limit is the same for every command.
    thrifty = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    command = [sys.executable, "-m", PROGRAM, str(tmp_path), "24", "200"]
    found = subprocess.run(
        command, env=os.environ | thrifty, cwd=ROOT, capture_output=True, text=True,
        timeout=patient(60), check=True,
    )  # fmt: skip

    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert len(lines) == 4
    for kind, room, code, text, printed, parts in lines:
        said = kind, room, printed
        assert parts == [], said
        if code == 0:
            assert json.loads(text)["accuracy"] == {"top1": expected}, said
            continue
        assert code in (1, 2), said
        assert room < 200, said
        assert text == "old", said
        [line] = printed.splitlines()
        assert "memory" in line, said
        assert code == 1 or f"preds.{kind}: " in line, said
    assert lines[0][2] == 2


def no_map():
    """What Arrow raises if it cannot map a file."""
    raise OSError("Memory mapping file failed: Cannot allocate memory")


def no_array():
    """What numpy raises if it cannot map a file."""
    raise OSError(errno.ENOMEM, "Cannot allocate memory")


def no_conversion():
    """What a library may raise while it handles a lack of memory."""
    try:
        raise MemoryError
    except MemoryError:
        raise TypeError("unexpected type of an argument")  # noqa: B904


def no_window():
    """What zlib raises if it cannot keep what it has unpacked."""
    raise zlib.error("Error -4 while decompressing data")


@pytest.mark.parametrize("parse", [no_map, no_array, no_conversion, no_window])
def test_libraries_without_memory(parse):
    """Whatever a library raises when memory runs out, the file is not called damaged alone."""
    said = r"^a\.feather: needs more memory than there is"
    with pytest.raises(InputError, match=said), blaming("a.feather"):
        parse()
    with pytest.raises(LogError, match=said), reading(Path("a.feather")):
        parse()


@LINUX
@pytest.mark.parametrize(("room", "code"), [(4, 1), (100, 0)])
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_thread_with_little_memory(room, code):
    """A thread runs, or `start` raises: it does not wait for a thread that could not begin."""
    child = os.fork()
    if child == 0:
        limit_memory(room << 20)
        thread = threading.Thread(target=len, args=("",))
        try:
            start(thread)
            thread.join()
        except MemoryError:
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == code
