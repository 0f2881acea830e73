"""The memory of this process."""

from __future__ import annotations

from pathlib import Path

__all__ = ["memory_mib"]


def memory_mib(peak: bool) -> float:
    """Return it in MiB: now, from when on peaks count, or at its peak since then."""
    if not peak:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in lines)
    return int(status["VmHWM" if peak else "VmRSS"].split()[0]) / 1024
