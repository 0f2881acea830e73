"""`record`: a record in the formats of other programs."""

from __future__ import annotations

import argparse
import json

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import blaming
from mmeval_like.cli.records import read_json
from mmeval_like.cli.terminal import escaped, write_out
from mmeval_like.records.export import exported

__all__ = ["export"]


def export(options: argparse.Namespace) -> int:
    """Print a record in the format of another program; return the exit code.

    Raises:
        InputError: The file is not a record, or facts are missing.
    """
    facts = {}
    for text in options.set:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"--set must look like name=value, got {text!r}")
        if name in facts:
            raise InputError(f"--set: {name!r} is given twice")
        facts[name] = value
    with blaming(options.record_file):
        try:
            found = exported(read_json(options.record_file), options.to, facts)
        except ValueError as error:
            raise InputError(f"{options.record_file}, --to {options.to}: {error}") from error
    write_out(escaped(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)) + "\n")
    return 0
