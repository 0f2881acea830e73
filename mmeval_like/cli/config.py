"""A TOML file with the options of `score`, under the same names as on the command line."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from mmeval_like._base.names import did_you_mean
from mmeval_like.cli.errors import InputError

__all__ = ["read_config"]

_NOT_HERE = {"help", "config"}
_LARGEST = 1 << 20


def read_config(path: str, parser: argparse.ArgumentParser) -> dict[str, Any]:
    """Return the options in a file, by the name of the parser's attribute.

    An option that may be repeated is a list, a switch is true or false, and `files` has the files.
    An option whose value may be left out, such as `interval`, is true without it.
    Options of the command line take precedence: they are added to lists, and replace other values.
    Its files replace those of the file.

    Args:
        path: The file.
        parser: The parser of the command, which has the names of the options.

    Raises:
        InputError: The file does not exist, or is not TOML; the name of an option is unknown, or a
            value has a wrong type.
    """
    known = {_word(action): action for action in parser._actions if action.dest not in _NOT_HERE}
    values: dict[str, Any] = {}
    for word, value in _read(path).items():
        if word not in known:
            raise InputError(f"{path}: unknown option {word!r}{did_you_mean(word, known)}")
        action = known[word]
        try:
            values[action.dest] = _value(action, value)
        except (TypeError, ValueError, argparse.ArgumentTypeError) as error:
            raise InputError(f"{path}: {word}: {error}") from error
    return values


def _word(action: argparse.Action) -> str:
    long = [option[2:] for option in action.option_strings if option.startswith("--")]
    return long[0] if long else action.dest


def _value(action: argparse.Action, value: Any) -> Any:
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise TypeError(f"must be true or false, got {value!r}")
        return value
    if isinstance(action.default, list) or action.nargs == "*":  # it may be repeated
        return [_one(action, entry) for entry in (value if isinstance(value, list) else [value])]
    if action.nargs == "?" and value is True:
        return action.const
    return _one(action, value)


def _one(action: argparse.Action, value: Any) -> Any:
    known = str | int if action.type is None else str | int | float
    if isinstance(value, bool) or not isinstance(value, known):
        kinds = "a string or an integer" if action.type is None else "a string or a number"
        raise TypeError(f"must be {kinds}, got {value!r}")
    converted = action.type(str(value)) if callable(action.type) else str(value)
    if action.choices is not None and converted not in action.choices:
        raise ValueError(f"must be one of {', '.join(action.choices)}, got {value!r}")
    return converted


def _read(path: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        try:
            import tomli as tomllib
        except ImportError as error:
            text = f"--config: {error}; install: pip install 'mmeval-like[cli]'"
            raise InputError(text) from error
    try:
        with open(path, "rb") as file:
            text = file.read(_LARGEST + 1)
        if len(text) > _LARGEST:
            raise InputError(f"{path}: larger than {_LARGEST} bytes, the limit for an options file")
        return tomllib.loads(text.decode())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:  # not TOML, or not UTF-8
        raise InputError(f"{path}: not TOML ({error})") from error
