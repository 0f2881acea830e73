"""Settings that hold for the whole suite."""

import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from tests.helpers.examples import examples

# Of Keras's backends, one that is installed, for whatever imports Keras first.
os.environ.setdefault("KERAS_BACKEND", "jax")

# No deadlines: the machine may be shared. A failing example is printed so that it can be replayed.
settings.register_profile(
    "mmeval_like",
    max_examples=examples(100),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("mmeval_like")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Divide long files among the workers where whole files were asked for."""
    if config.getvalue("dist") != "loadfile":
        return None
    from tests.helpers.schedule import PartsScheduling

    return PartsScheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """With `--doctest-modules`, look for examples in the package alone.

    Tests have none, and every worker would import the programs beside them: trainers, loggers.
    """
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


@pytest.fixture(autouse=True)
def accelerate_is_forgotten() -> Iterator[None]:
    """A test that used accelerate leaves nothing behind by which `compute(size=)` would see it."""
    yield
    module = sys.modules.get("accelerate.state")
    if module is not None:
        module.AcceleratorState._reset_state(True)
        module.GradientState._reset_state()
