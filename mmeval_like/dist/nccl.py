"""NCCL's settings, which are environment variables that it reads when a group is created."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any

__all__ = ["NcclOptLevel", "set_nccl_opt_level"]


class NcclOptLevel(IntEnum):
    """The level of NCCL settings.

    Attributes:
        DISABLED: Nothing; settings of earlier calls are removed.
        AUTO: Settings that are safe on this machine: GPU Direct RDMA between a network card and a GPU on
            the same PCI switch, if there is InfiniBand.
        FULL: Settings that are usually fastest: GPU Direct RDMA at any distance, more channels,
            larger buffers. It needs more GPU memory, and conflicts with sub-groups.
        COVER_AUTO: AUTO, overridden by the custom settings.
        CUSTOM: The custom settings only.
    """

    DISABLED = 0
    AUTO = 1
    FULL = 3
    COVER_AUTO = 10
    CUSTOM = 101


_FULL = {"NCCL_NET_GDR_LEVEL": "SYS", "NCCL_MIN_NCHANNELS": "8", "NCCL_BUFFSIZE": "8388608"}
_CHOICES = {"NCCL_ALGO": {"Ring", "Tree"}, "NCCL_PROTO": {"LL", "LL128", "Simple"}}
_CHANNELS = {"MIN_NCHANNELS": "NCCL_MIN_NCHANNELS", "MAX_NCHANNELS": "NCCL_MAX_NCHANNELS"}

_set_here: set[str] = set()


def set_nccl_opt_level(
    level: NcclOptLevel | int = NcclOptLevel.DISABLED,
    custom_config: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """Set NCCL's environment variables, before the process group exists.

    The variables are described in NCCL's user guide, "Environment Variables":
    https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html

    Args:
        level: One of `NcclOptLevel`.
        custom_config: For COVER_AUTO and CUSTOM: "GRAPH_OPT" (the path of a topology graph),
            "NCCL_ALGO" ("Ring" or "Tree"), "NCCL_PROTO" ("LL", "LL128" or "Simple"), "GDR" (True
            forces GPU Direct RDMA, False forbids it), "MIN_NCHANNELS", "MAX_NCHANNELS" (numbers
            from 1, or strings of them).

    Returns:
        The variables that are set now.

    Raises:
        ValueError: A level, key or value is unknown; or `custom_config` is missing although the
            level needs it, or given although it does not. Nothing is changed then.
        RuntimeError: The process group already exists, so NCCL has read its settings.

    Example:
        >>> set_nccl_opt_level(NcclOptLevel.CUSTOM, {"NCCL_ALGO": "Ring", "MIN_NCHANNELS": "2"})
        {'NCCL_ALGO': 'Ring', 'NCCL_MIN_NCHANNELS': '2'}
        >>> set_nccl_opt_level(NcclOptLevel.DISABLED)
        {}
    """
    torch = sys.modules.get("torch.distributed")
    if torch is not None and torch.is_available() and torch.is_initialized():
        raise RuntimeError("set_nccl_opt_level must be called before the process group is created")
    if level not in [*NcclOptLevel]:
        names = ", ".join(level.name for level in NcclOptLevel)
        raise ValueError(f"level must be NcclOptLevel's {names}, got {level!r}")
    level = NcclOptLevel(level)
    custom = level in (NcclOptLevel.COVER_AUTO, NcclOptLevel.CUSTOM)
    if custom != (custom_config is not None):
        raise ValueError(f"custom_config is needed for COVER_AUTO and CUSTOM only, got {level!r}")
    settings: dict[str, str] = {}
    if level is NcclOptLevel.FULL:
        settings = dict(_FULL)
    elif level in (NcclOptLevel.AUTO, NcclOptLevel.COVER_AUTO) and _has_infiniband():
        settings = {"NCCL_NET_GDR_LEVEL": "PIX"}
    for key, value in (custom_config or {}).items():
        settings |= _custom(key, value)
    for name in _set_here:
        os.environ.pop(name, None)
    os.environ.update(settings)
    _set_here.clear()
    _set_here.update(settings)
    return settings


def _custom(key: str, value: Any) -> dict[str, str]:
    if key in _CHOICES and value in _CHOICES[key]:
        return {key: value}
    if key == "GDR" and isinstance(value, bool):
        return {"NCCL_NET_GDR_LEVEL": "SYS" if value else "LOC"}
    if key in _CHANNELS and str(value).isdecimal() and int(value) >= 1:
        return {_CHANNELS[key]: str(value)}
    if key == "GRAPH_OPT" and isinstance(value, str | os.PathLike):
        return {"NCCL_GRAPH_FILE": os.fspath(value)}
    known = ["GRAPH_OPT", "GDR", *_CHOICES, *_CHANNELS]
    if key not in known:
        raise ValueError(f"unknown key {key!r} in custom_config; supported keys are {known}")
    expected = sorted(_CHOICES.get(key, ())) or "True or False, a path, or a number from 1"
    raise ValueError(f"custom_config[{key!r}] must be {expected}, got {value!r}")


def _has_infiniband() -> bool:
    folder = Path("/sys/class/infiniband")
    return folder.is_dir() and any(folder.iterdir())
