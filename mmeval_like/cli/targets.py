"""A check that a command does not overwrite its inputs or other outputs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from mmeval_like.cli.errors import InputError

__all__ = ["check_targets"]


def check_targets(targets: Mapping[str, str | None], read: Mapping[str, str]) -> None:
    """Raise InputError if writing would overwrite an input or another output.

    Args:
        targets: The files to write, by option. None, "-", pipes and devices overwrite nothing.
        read: The files that are read: a description of each, by path.
    """
    taken = {os.path.realpath(path): what for path, what in read.items()}
    for name, target in targets.items():
        if (
            target is None
            or target == "-"
            or (Path(target).exists() and not Path(target).is_file())
        ):
            continue
        place = os.path.realpath(target)
        if place in taken:
            raise InputError(f"{name} {target}: is {taken[place]}, which would be overwritten")
        taken[place] = f"the file of {name}"
