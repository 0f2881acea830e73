"""Files that are written as a whole: they have either all of the data or their old contents."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from os import PathLike
from pathlib import Path

__all__ = ["put", "put_through"]

_NAMED = 40  # characters of the name kept in the temporary file's name: long names fail


def put(path: str | PathLike[str], data: bytes, new: bool = False) -> None:
    """Write a file atomically and durably: it has either all of the data or its old contents.

    Args:
        path: The file.
        data: What it will contain.
        new: Whether an existing file is an error, where the file system has hard links.

    A process that is killed meanwhile leaves a hidden file `.NAME.*.part` in the same folder, where
    NAME is the beginning of the file's name. It can be deleted.

    Raises:
        FileExistsError: There is a file already, and `new` is true.
        OSError: The file cannot be written; an earlier file at `path` is kept.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {path.parent}")
    if path.exists() and not path.is_file():  # a device would be replaced by a file
        raise OSError(f"{path} cannot be written: it is not a regular file")
    beside = path.with_name(f".{path.name[:_NAMED]}.{secrets.token_hex(8)}.part")
    try:
        with open(beside, "xb") as file:  # "x" makes a new file, and never follows a link
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if path.exists():
                os.chmod(beside, stat.S_IMODE(path.stat().st_mode))
        if not (new and _linked(beside, path)):
            os.replace(beside, path)
    except BaseException as error:
        with suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError) and error.filename is None:  # for instance a full disk
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    # The new name of the file survives a crash only once the folder is on the disk as well.
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def put_through(path: str | PathLike[str], data: bytes) -> None:
    """Write a file as `put` does, at the target of a link; to a pipe or a device, write directly.

    Raises:
        OSError: The file cannot be written; an earlier file at `path` is kept.
    """
    target = Path(path)
    if os.fspath(path).startswith("/dev/") or (target.exists() and not target.is_file()):
        target.write_bytes(data)
    else:
        put(os.path.realpath(path), data)


def _linked(beside: Path, path: Path) -> bool:
    """Give a file a new name, unless it exists; return False if the file system has no hard links.

    Raises:
        FileExistsError: The new name exists.
    """
    try:
        os.link(beside, path)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):
        return False
    beside.unlink()
    return True
