"""What the last release had is still there, or warns first: see "Deprecations" in CONTRIBUTING.md.

`python -m tools.public_names` writes the list of a release.
"""

import importlib
import json
import re
import warnings
from types import SimpleNamespace

import pytest

from tools.public_names import LIST, arguments

RELEASED: dict[str, list[str]] = json.loads(LIST.read_text(encoding="utf-8"))
CHANGELOG = (LIST.parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")


def broken(name: str, had: list[str], changelog: str) -> str:
    """What is wrong with a public name of the last release; nothing if this is empty."""
    module, _, attribute = name.rpartition(".")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = getattr(importlib.import_module(module), attribute)
        except AttributeError:
            return f"{name} is gone: deprecate it first"
    for warning in said:
        if not issubclass(warning.category, DeprecationWarning):
            return f"{name} warns by a {warning.category.__name__}, and no DeprecationWarning"
        deprecated = "".join(re.findall(r"### Deprecated\n(.*?)(?=\n##|\Z)", changelog, re.DOTALL))
        if f"`{attribute}`" not in deprecated:
            return f"{name} is deprecated, but CHANGELOG.md does not name it under Deprecated"
    if missing := [one for one in had if one not in arguments(found)]:
        return f"{name} no longer takes {', '.join(missing)}: deprecate the argument first"
    return ""


def test_public_names_and_arguments_are_kept() -> None:
    """Whoever used the last release can use this one: all names are there, with their arguments."""
    found = [broken(name, had, CHANGELOG) for name, had in RELEASED.items()]

    assert [text for text in found if text] == []


def test_the_list_has_the_names_that_users_type() -> None:
    """It is no empty list."""
    assert {"mmeval_like.Accuracy", "mmeval_like.merge", "mmeval_like.state.sum"} <= set(RELEASED)


@pytest.mark.parametrize(
    ("had", "changelog", "said"),
    [
        ([], "### Deprecated\n- `old`: say `new`\n", ""),
        (["size"], "### Deprecated\n- `old`: say `new`\n", ""),
        (["length"], "### Deprecated\n- `old`: say `new`\n", "no longer takes length"),
        ([], "### Deprecated\n- `other`\n\n### Fixed\n- `old`\n", "CHANGELOG.md"),
    ],
)
def test_a_deprecated_name_is_listed(
    monkeypatch: pytest.MonkeyPatch, had: list[str], changelog: str, said: str
) -> None:
    """A name may warn if the changelog says so, and it works until it goes."""

    class Module(SimpleNamespace):
        def __getattr__(self, name: str) -> object:
            if name != "old":
                raise AttributeError(name)
            warnings.warn("old: say new", DeprecationWarning, stacklevel=2)
            return lambda size: size

    monkeypatch.setattr(importlib, "import_module", lambda name: Module())

    assert said in broken("module.old", had, changelog)
    assert bool(said) == bool(broken("module.old", had, changelog))
    assert "is gone" in broken("module.never", had, changelog)
