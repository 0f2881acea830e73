"""The text of mmeval_like/metrics/__init__.pyi: how each metric is called, for type checkers.

A checker learns from `rows` what `add` takes, but the `ids=` beside it cannot be said of every
class at once (PEP 612). So `python -m tools.generated` writes down the signatures that the
classes have at run time, those of each way to call metrics once, in a base class. The choices of
an option are those that its error lists.
"""

import ast
import inspect
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mmeval_like import BaseMetric, RatioOfSums, SampleMean, metrics
from mmeval_like._base.hints import SKLEARN_NAMES
from mmeval_like._base.names import Listing

STUB = Path(metrics.__file__).with_suffix(".pyi")
HEAD = '''\
"""The metrics as type checkers see them: each with what its `add` takes.

Written by `python -m tools.generated`, from the classes.
"""

# mypy: disable-error-code="override"

from abc import ABCMeta
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, overload

from mmeval_like._core.metric import BaseMetric
from mmeval_like._core.options import MetricOptions, Unpack
from mmeval_like._core.result import Result

'''
PLAIN = ("Any", "str | None")  # other annotations would need imports
NAMES = {
    *("str", "int", "float", "bool", "tuple", "None", "Any", "Callable", "Mapping", "Sequence")
}
TASKS = ("binary", "multiclass", "multilabel")
WRONG = "?"
_QUOTED = r"""(?:['"]\w+['"](?:, | or )?)"""
# The keywords of `add` that every metric has.
EVERY = [
    parameter.name
    for parameter in inspect.signature(BaseMetric.add).parameters.values()
    if parameter.kind is parameter.KEYWORD_ONLY
]


def stub() -> str:
    """The whole file."""
    listing = Listing(metrics.__name__)
    calls: dict[tuple[str, ...], str] = {}
    names = sorted(listing.modules, key=lambda name: (listing.modules[name], name))
    own = [line for name in names for line in entry(name, calls)]
    lines = [f"from . import {family} as {family}" for family in sorted(listing.families)]
    lines.append("")
    for methods, called in calls.items():
        lines += [f"class {called}(BaseMetric, metaclass=ABCMeta):", *methods]
    lines += own
    lines += [f"{old} = {new}" for old, new in listing.deprecated.items()]
    return HEAD + "\n".join(lines) + "\n"


def entry(name: str, calls: dict[tuple[str, ...], str]) -> list[str]:
    """The lines of one name: a metric, or a class that makes one.

    Args:
        name: The name.
        calls: The base classes, by the lines of their methods; one that is new is added.
    """
    metric = getattr(metrics, name)
    family = metric.__module__.split(".")[2]
    whole = f"{name} = {family}.{name}"
    if not inspect.isclass(metric) or not issubclass(metric, BaseMetric):
        return [whole]
    kinds = {one.kind for one in inspect.signature(metric.add).parameters.values()}
    if inspect.Parameter.VAR_POSITIONAL in kinds:  # it takes anything
        return [whole]
    inputs, options = arguments(metric)
    more = [f"{name}: Any = ..." for name in EVERY]
    ways = [(inputs, options)]
    if names := sklearn_names(inputs):
        ways.append(([], [*names, *inputs[2:], *options]))
    methods = (
        *method("add", "None", [(given, [*named, *more]) for given, named in ways]),
        *method("__call__", "Result", ways),
        *method("per_sample", "dict[str, Any]", ways),
    )
    called = calls.setdefault(methods, f"_Calls{len(calls)}")
    begin = f"class {name}({called}, {family}.{name}):"
    return [begin, *made] if (made := constructor(metric)) else [f"{begin} ..."]


def constructor(metric: type[BaseMetric]) -> list[str]:
    """The line of the constructor; none if it says no more than the class does."""
    parameters = inspect.signature(metric).parameters
    if "options" not in parameters:
        return []
    written, marked = ["self"], False
    for name, parameter in parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            written.append("**options: Unpack[MetricOptions]")
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not marked:
            written, marked = [*written, "*"], True
        kind = str(parameter.annotation)
        if kind in ("str", "str | None") and (found := choices(metric, name)):
            kind = f"Literal[{', '.join(map(repr, found))}]"
            kind += " | None" * (parameter.default is None and None not in found)
        elif not {*re.findall(r"[A-Za-z.]+", kind)} <= NAMES:
            kind = "Any"
        written.append(f"{name}: {kind}" + " = ..." * (parameter.default is not parameter.empty))
    own = str(inspect.signature(metric.__init__))
    if "Unpack[MetricOptions]" in own and not any("Literal[" in one for one in written):
        return []  # a checker reads the same from the class
    return [f"    def __init__({', '.join(written)}) -> None: ..."]


def choices(metric: type[BaseMetric], option: str) -> list[Any]:
    """The values that an option may have, as the error for a wrong one lists them, or nothing."""
    parameters = inspect.signature(metric).parameters
    needed = {n: 2 for n, p in parameters.items() if p.default is p.empty and n != "options"}
    needed |= {"num_classes": 2} if "num_classes" in parameters else {}
    found: list[Any] = []
    for task in TASKS if "task" in parameters and option != "task" else ("",):
        given = needed | ({"task": task} if task else {})
        text = refusal(metric, {**given, option: WRONG})
        listed = re.search(rf"{option} must be (?:None or )?one of ([\[(].*[\])]), got", text)
        if listed:
            found += ast.literal_eval(listed[1])
        elif pair := re.search(rf"{option} must be (?:None, )?({_QUOTED}+), got", text):
            found += re.findall(r"\w+", pair[1].replace(" or ", " "))
        if found and not refusal(metric, {**given, option: "none"}):
            found.append("none")
    if not all(isinstance(one, str | None) for one in found):
        return []
    return list(dict.fromkeys(found))


def refusal(metric: type[BaseMetric], options: Mapping[str, Any]) -> str:
    """The text of the error of a constructor; nothing if it accepts the options."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            metric(**options)
        except (TypeError, ValueError, OSError, ImportError) as error:
            return str(error) or WRONG
    return ""


def method(name: str, returns: str, ways: list[tuple[list[str], list[str]]]) -> list[str]:
    """The lines of a method: for each way to call it, what it takes by position, and by name."""
    lines = []
    for given, named in ways:
        takes = ", ".join(["self", *given, *(["*", *named] if named else [])])
        lines += ["    @overload"] * (len(ways) > 1)
        lines.append(f"    def {name}({takes}) -> {returns}: ...")
    return lines


def sklearn_names(inputs: list[str]) -> list[str]:
    """What scikit-learn calls the first two inputs, as in a signature; none for other inputs."""
    if inputs[:2] != ["predictions: Any", "labels: Any"]:
        return []
    scores = [name for name, own in SKLEARN_NAMES.items() if own == "predictions"]
    return ["y_true: Any", *(f"{name}: Any = ..." for name in scores)]


def arguments(metric: type[BaseMetric]) -> tuple[list[str], list[str]]:
    """What `add` takes, as it is written in a signature: by position, and by name only."""
    [_, *parameters] = inspect.signature(metric.add).parameters.values()
    weighted = issubclass(metric, SampleMean | RatioOfSums)  # weights may be given by position
    found: tuple[list[str], list[str]] = [], []
    for parameter in parameters:
        kind = parameter.annotation if parameter.annotation in PLAIN else "Any"
        default = "" if parameter.default is parameter.empty else " = ..."
        if parameter.name not in EVERY:
            named = parameter.kind is parameter.KEYWORD_ONLY and not weighted
            found[named].append(f"{parameter.name}: {kind}{default}")
    return found
