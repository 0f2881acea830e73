"""Saving and reading a metric under a real limit of memory."""

import os
import subprocess
import sys

import pytest

from tests.helpers.launch import ROOT
from tests.helpers.pace import patient


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux's")
def test_a_metric_with_little_memory(tmp_path):
    """`save`, `load` and the conversions to bytes are right, or raise and change nothing."""
    # Freed memory goes back to the system, so that the limit is the same for every call.
    thrifty = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    ended = subprocess.run(
        [sys.executable, "-m", "tests.samples.memory_program", str(tmp_path)],
        env=os.environ | thrifty, cwd=ROOT, capture_output=True, text=True, timeout=patient(60),
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert len(lines) == 4
    for line in lines:
        assert "[False, " in line, line
        assert line.endswith("] True"), line
