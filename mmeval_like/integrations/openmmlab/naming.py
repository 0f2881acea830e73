"""What a config's `type` becomes: our adapter, or OpenMMLab's own evaluator and why."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from mmengine.evaluator import Evaluator
from mmengine.logging import print_log
from mmengine.registry import EVALUATOR, METRICS, Registry

from mmeval_like.integrations.openmmlab.adapter import Adapter, Unsupported
from mmeval_like.integrations.openmmlab.checked import Checked
from mmeval_like.integrations.openmmlab.several_datasets import SeveralDatasets

__all__ = ["restore", "take_over"]

PACKAGES = ("mmaction", "mmdet", "mmdet3d", "mmocr", "mmpose", "mmpretrain", "mmrotate", "mmseg")

_original: Callable[..., Any] = METRICS.build_func
_original_evaluators: Callable[..., Any] = EVALUATOR.build_func


def take_over(check: bool = False) -> None:
    """Let registries of metrics build our adapters; importing `openmmlab` does it.

    Args:
        check: Whether each evaluator is computed by both: the values are ours, and the log warns of
            every value that differs from OpenMMLab's. The environment variable
            MMEVAL_LIKE_CHECK=1 does the same for configs.
    """

    def build(cfg: Any, *args: Any, registry: Registry, **options: Any) -> Any:
        made, why = _adapter(cfg, registry) if not (args or options) else (None, "")
        if why:
            print_log(why, logger="current")
        if made is None:
            return _original(cfg, *args, registry=registry, **options)
        return Checked(made, _original(cfg, registry=registry)) if check else made

    def build_evaluator(cfg: Any, *args: Any, registry: Registry, **options: Any) -> Any:
        with registry.switch_scope_and_registry(cfg.get("_scope_")) as scoped:
            named = cfg.get("type")
            found = scoped.get(named) if isinstance(named, str) else named
        if found is Evaluator:
            return _original_evaluators(cfg, *args, registry=registry, **options)
        name = getattr(found, "__name__", named)
        several, why = (None, "they are not compared") if check else _several(found, cfg)
        if several is not None:
            print_log(f"{name} and its metrics are by mmeval_like", logger="current")
            return several
        # It may collect the results of its metrics itself.
        print_log(f"{name}: its metrics are not by mmeval_like: {why}", logger="current")
        _set_build_func(METRICS, _original)
        try:
            return _original_evaluators(cfg, *args, registry=registry, **options)
        finally:
            _set_build_func(METRICS, build)

    _set_build_func(METRICS, build)
    _set_build_func(EVALUATOR, build_evaluator)


def restore() -> None:
    """Let registries of metrics build OpenMMLab's evaluators again."""
    _set_build_func(METRICS, _original)
    _set_build_func(EVALUATOR, _original_evaluators)


def _set_build_func(root: Registry, build: Callable[..., Any]) -> None:
    """Set it in the registry and in its children, unless a child has another one of its own."""
    before = root.build_func
    for registry in (root, *root.children.values()):  # later children take their parent's
        if registry.build_func is before:
            registry.build_func = build


def module_of(package: str) -> ModuleType:
    """Return the module with the adapters of one of `PACKAGES`; its `__all__` names them."""
    return importlib.import_module(f"{__package__}.{package}")


def _several(found: Any, cfg: Any) -> tuple[SeveralDatasets | None, str]:
    """Return our evaluator of several data sets, or None, and why not."""
    package = str(getattr(found, "__module__", "")).partition(".")[0]
    if package not in ("mmdet", "mmocr") or found.__name__ != "MultiDatasetsEvaluator":
        return None, "it may collect their results itself"
    metrics, prefixes = cfg["metrics"], cfg["dataset_prefixes"]
    made = []
    for one in [metrics] if isinstance(metrics, Mapping) else metrics:
        adapter, why = _adapter(one, METRICS) if isinstance(one, Mapping) else (None, "it is made")
        if adapter is None:
            return None, why or f"{one['type']} is not OpenMMLab's"
        made.append(adapter)
    if package == "mmdet" and len(made) != len(prefixes):
        return None, f"{len(made)} metrics, {len(prefixes)} data sets"
    return SeveralDatasets(made, prefixes, crossed=package == "mmocr"), ""


def _adapter(cfg: Any, registry: Registry) -> tuple[Adapter | None, str]:
    """Return our adapter, or None, and the line for the log."""
    options = dict(cfg)
    # The class that the config names is found as MMEngine finds it: a class of the user's own with
    # one of our names is not ours to replace.
    with registry.switch_scope_and_registry(options.pop("_scope_", None)) as scoped:
        named = options.pop("type", None)
        found = scoped.get(named) if isinstance(named, str) else named
    package = str(getattr(found, "__module__", "")).partition(".")[0]
    name = getattr(found, "__name__", "")
    if package not in PACKAGES:
        return None, ""
    module = module_of(package)
    if name not in module.__all__:
        return None, f"{name} by {package}: mmeval_like has no adapter for it"
    make = getattr(module, name)
    try:
        inspect.signature(make).bind(**options)
        made = make(**options)
    except Unsupported as reason:
        return None, f"{name} by {package}: mmeval_like does not have {reason}"
    except TypeError as error:
        return None, f"{name} by {package}: {error}"
    return made, f"{name} of {package} is computed by mmeval_like"
