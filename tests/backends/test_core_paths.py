"""The paths of `mmeval.core`, which a program that used MMEval imports."""

import importlib

import pytest

import mmeval_like as mmeval
from mmeval_like.backends.non_dist import NonDist

BACKENDS = {
    "mpi4py": ("mpi4py", "MPI4PyDist"),
    "oneflow": ("oneflow_dist", "OneFlowDist"),
    "paddle": ("paddle_dist", "PaddleDist"),
    "torch": ("torch_cpu", "TorchCPUDist"),
}


def test_the_paths_of_core_are_the_names_of_the_package():
    """By attributes from the package, and by imports."""
    assert mmeval.core.BaseMetric is mmeval.core.base_metric.BaseMetric is mmeval.BaseMetric
    assert mmeval.core.dist.list_all_backends() == mmeval.list_all_backends()
    assert mmeval.core.set_default_dist_backend is mmeval.set_default_dist_backend
    assert mmeval.core.dist_backends.base_backend.BaseDistBackend is mmeval.BaseDistBackend
    assert mmeval.core.dist_backends.NonDist is NonDist


@pytest.mark.parametrize("library", BACKENDS)
def test_a_backend_has_the_module_that_it_had(library):
    """Its library is imported when its class is asked for."""
    pytest.importorskip(library)
    module, name = BACKENDS[library]

    found = getattr(importlib.import_module(f"mmeval_like.core.dist_backends.{module}"), name)

    assert found is getattr(mmeval.core.dist_backends, name)
    assert issubclass(found, mmeval.BaseDistBackend)
