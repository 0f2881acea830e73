"""Metrics as the command line names them: `accuracy:topk=1,5`."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Sequence
from typing import Any

from mmeval_like import metrics
from mmeval_like._base.names import EVERYDAY, Listing, did_you_mean
from mmeval_like._core.metric import BaseMetric
from mmeval_like.cli.errors import InputError

__all__ = [
    "Spec",
    "arguments_of",
    "metric_class",
    "metric_names",
    "name_on_the_line",
    "parse_spec",
]

# The constructor's arguments that have options of the command line, or make no sense there.
_NOT_HERE = {
    *("self", "dataset_meta", "dist_collect_mode", "dist_backend", "logger", "max_padding"),
    "name",
    "classes",
    "unscored",
}


class Spec:
    """One metric to compute.

    Args:
        text: The metric as the user wrote it; also its name in the result.
        cls: The class.
        arguments: The arguments of its constructor.
    """

    def __init__(self, text: str, cls: type[BaseMetric], arguments: dict[str, Any]) -> None:
        self.text, self.cls, self.arguments = text, cls, arguments

    @property
    def remark(self) -> str | None:
        """A remark if the metric's name may be meant for another metric."""
        if self.cls is not metrics.F1Score:
            return None
        name = self.text.partition(":")[0]
        return f"{name} is the F1 of tokens in sequences; the F1 of classes is fbeta_score"

    def annotated(self, path: str) -> Spec:
        """Return this metric with the ground truths of a COCO file, if it can have them."""
        given = {"ann_file": path, "print_results": False}
        known = {key: value for key, value in given.items() if key in arguments_of(self.cls)}
        return Spec(self.text, self.cls, known | self.arguments)

    def make(
        self,
        dataset_meta: dict[str, Any] | None,
        interval: float | None = None,
        unscored: float | str | None = None,
    ) -> BaseMetric:
        """Return a new instance.

        Args:
            dataset_meta: The metric's `dataset_meta`.
            interval: The level of its intervals; None: no intervals.
            unscored: What samples without a score count as; None: they are refused.

        Raises:
            InputError: The constructor rejects the arguments, or the metric needs classes.
        """
        shared = {"interval": interval, "unscored": unscored}
        arguments = self.arguments | {k: v for k, v in shared.items() if v is not None}
        try:
            metric: BaseMetric = self.cls(**arguments, dataset_meta=dataset_meta or None)
            metric.statistic.states()  # some metrics say only now that they need classes
        except (TypeError, ValueError, KeyError, ImportError, OSError, RuntimeError) as error:
            text = error.args[0] if isinstance(error, KeyError) else error  # its text is a repr
            raise InputError(f"--metric {self.text}: {self.spelt(str(text))}") from error
        return metric

    def spelt(self, text: str) -> str:
        """Return the text of an error, with the arguments to pass as the command line writes them.

        Example:
            >>> parse_spec("recall:top_k=1").spelt('for more classes pass task="multiclass"')
            'for more classes pass task="multiclass", here --metric recall:top_k=1,task=multiclass'
        """
        text = text.replace('unscored="drop"', "--unscored drop")
        _, wanted, cure = text.partition("pass ")
        known = arguments_of(self.cls)
        passed = [pair for pair in re.findall(r'(\w+)="?([\w.-]+)', cure) if pair[0] in known]
        if not wanted or not passed:
            return text
        name, _, rest = self.text.partition(":")
        written = dict(_assignments(rest, self.text))
        options = written | dict(reversed(passed))  # the first of several values of one argument
        return f"{text}, here --metric {name}:" + ",".join(f"{k}={v}" for k, v in options.items())


def metric_names() -> dict[str, type[BaseMetric]]:
    """Return all metrics by their names on the command line.

    Example:
        >>> "mean_iou" in metric_names(), "voc_mean_ap" in metric_names()
        (True, True)
    """
    names = Listing(metrics.__name__).modules
    return dict(sorted((name_on_the_line(name), getattr(metrics, name)) for name in names))


def parse_spec(text: str) -> Spec:
    """Return the metric that `name:argument=value,argument=value` describes.

    A value with commas is a sequence. Values are checked against the types of the constructor.
    "none" is None; if None is the default, it is a name, such as that of BLEU's tokenizer.

    Raises:
        InputError: A name or an argument is unknown (the error suggests a similar one), an argument
            is missing, or a value has the wrong type.

    Example:
        >>> parse_spec("accuracy:topk=1,5,thrs=none").arguments
        {'topk': (1, 5), 'thrs': None}
        >>> parse_spec("bleu:tokenizer_fn=none").arguments
        {'tokenizer_fn': 'none'}
    """
    name, _, rest = text.partition(":")
    cls = metric_class(name)
    parameters = arguments_of(cls)
    arguments: dict[str, Any] = {}
    for key, value in _assignments(rest, text):
        if key not in parameters:
            hint = did_you_mean(key, parameters) or f"; it has {', '.join(parameters) or 'none'}"
            raise InputError(f"{name} has no argument {key!r}{hint}")
        wanted_type, default = parameters[key]
        named = value == "none" and default is None and str in typing.get_args(wanted_type)
        try:
            arguments[key] = value if named else _convert(value, wanted_type)
        except ValueError:
            wanted = inspect.formatannotation(wanted_type).replace("collections.abc.", "")
            raise InputError(f"--metric {text}: {key} must be {wanted}, got {value!r}") from None
    missing = [
        key
        for key, (_, default) in parameters.items()
        if default is inspect.Parameter.empty and key not in arguments
    ]
    if missing:
        needed = f"--metric {name} needs {', '.join(f'{key}=...' for key in missing)}"
        raise InputError("; ".join(filter(None, (needed, Spec(text, cls, arguments).remark))))
    return Spec(text, cls, arguments)


def metric_class(name: str) -> type[BaseMetric]:
    """Return the metric with a name of the command line, or with an everyday name.

    Raises:
        InputError: No metric has this name; the error suggests similar names.
    """
    known = metric_names()
    if name not in known and name.lower() in EVERYDAY:
        name = name_on_the_line(EVERYDAY[name.lower()])
    if name not in known:
        meant = ", ".join(map(name_on_the_line, Listing(metrics.__name__).meant(name)))
        hint = f"did you mean {meant}?" if meant else "`mmeval_like list` shows all"
        raise InputError(f"unknown metric {name!r}; {hint}")
    return known[name]


def arguments_of(cls: type[BaseMetric]) -> dict[str, tuple[Any, Any]]:
    """Return the type and the default of every argument that the command line can give."""
    name = "__new__" if cls.__init__ is object.__init__ else "__init__"
    function = getattr(cls, name)
    # A base class may declare an option; its module then resolves the names in the annotation.
    bases = [base for base in cls.__mro__ if name in vars(base)]
    functions = [inspect.unwrap(getattr(base, name)) for base in bases]
    modules = [getattr(one, "__globals__", {}) for one in functions]
    return {
        name: (_hint(modules, parameter.annotation), parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in _NOT_HERE
        and name != "cls"
        and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }


def _hint(modules: Sequence[dict[str, Any]], annotation: Any) -> Any:
    """Return the type that an annotation has in one of the modules; Any if it has none."""
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    for names in modules:
        try:
            return typing.get_type_hints(holder, names)["it"]
        except (NameError, TypeError):
            continue
    return Any


def _assignments(rest: str, text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for piece in rest.split(",") if rest else ():
        key, equals, value = piece.partition("=")
        if equals:
            found.append((key.strip(), value))
        elif found:  # a further element of a sequence
            found[-1] = (found[-1][0], f"{found[-1][1]},{piece}")
        else:
            raise InputError(f"--metric {text}: expected argument=value, got {piece!r}")
    return found


def _convert(text: str, hint: Any) -> Any:
    """Convert a string to the type of an annotation.

    Raises:
        ValueError: The string does not have this type.
    """
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        for choice in sorted(typing.get_args(hint), key=_order):
            try:
                return _convert(text, choice)
            except ValueError:
                continue
        raise ValueError(text)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        element = next(iter(typing.get_args(hint)), str)
        return tuple(_convert(part.strip(), element) for part in text.split(",") if part.strip())
    if hint is None or hint is type(None):
        if text.lower() != "none":
            raise ValueError(text)
        return None
    if hint is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(text)
        return text.lower() == "true"
    if hint in (int, float):
        return hint(text)
    if hint is Any:
        return _convert(text, None | bool | int | float | Sequence[str] | str)
    if hint is str:
        if "," in text:
            raise ValueError(text)
        return text
    raise ValueError(text)  # for instance a function, which the command line cannot give


def _order(hint: Any) -> int:
    # The strictest type comes first: "1" becomes an int rather than a str, and "none" becomes None.
    kinds = [type(None), bool, int, float, "a sequence", str]
    return kinds.index(hint if hint in kinds else "a sequence")


def name_on_the_line(name: str) -> str:
    """Return the name of a class on the command line.

    Example:
        >>> name_on_the_line("MeanIoU")
        'mean_iou'
    """
    name = name.replace("IoU", "Iou").replace("SQuAD", "Squad").replace("CIDEr", "Cider")
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()
