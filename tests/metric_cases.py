"""The cases of all metrics, by name: every `CASES` of the files that test metrics."""

import importlib
import pkgutil

import tests.metrics
from mmeval_like.testing import MetricCase

CASES: dict[str, MetricCase] = {}
MISSING: dict[str, str] = {}
"""Of the cases whose metric cannot be made here, the package that is not installed."""

for _found in pkgutil.iter_modules(tests.metrics.__path__, "tests.metrics."):
    for _name, _case in getattr(importlib.import_module(_found.name), "CASES", {}).items():
        if CASES.setdefault(_name, _case) is not _case:
            raise ValueError(f"{_found.name}: another file has another case {_name!r}")
for _name, _case in list(CASES.items()):
    try:
        _case.make(dist_backend="non_dist")
    except ModuleNotFoundError as _error:
        MISSING[_name] = str(_error.name)
        del CASES[_name]
