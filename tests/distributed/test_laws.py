"""Every law on every backend, in real processes."""

import pytest

from tests.distributed.suites import all_laws
from tests.distributed.worlds import WORLDS, Report, World, run_world
from tests.helpers import require_installed
from tests.helpers.results import FAILED, PASSED, UNSUPPORTED, record

CELLS = [
    pytest.param(
        world,
        size,
        law,
        id=f"{world.backend}-{world.launcher}-{size}-{law}",
        marks=[pytest.mark.mpi] if world.launcher == "mpiexec" else [],
    )
    for world in WORLDS
    for size in world.sizes
    for law in all_laws()
]


@pytest.mark.parametrize(("world", "size", "law"), CELLS)
def test_law_holds_on_every_rank(world: World, size: int, law: str) -> None:
    """All ranks of a world reach the law and pass it, or all say why it cannot hold here."""
    require_installed(*world.packages)
    report = run_world(world, size)

    section, column = world.title(report.variant), world.column(size)
    if not agreed(report, size, law):
        record(section, law, column, FAILED)
        pytest.fail(explain(report, size, law), pytrace=False)
    outcome, reason = report.laws[law][0]
    record(section, law, column, outcome, reason)
    if outcome == UNSUPPORTED:
        pytest.skip(f"not supported: {reason}")
    assert outcome == PASSED


def agreed(report: Report, size: int, law: str) -> bool:
    """Whether every rank finished the law, with the same outcome, and it was no failure."""
    outcomes = report.laws.get(law, [])
    return len(outcomes) == size and len(set(outcomes)) == 1 and outcomes[0][0] != FAILED


def explain(report: Report, size: int, law: str) -> str:
    """What every rank said; all that was printed only for the law that ended the world."""
    outcomes = report.laws.get(law, [])
    parts = [f"{len(outcomes)} of {size} ranks finished this law"]
    parts += [f"a rank said: {outcome}\n{reason}" for outcome, reason in outcomes]
    first = next(law for law in all_laws() if not agreed(report, size, law))
    parts.append(report.crash if law == first else f"the world ended in the law {first!r}")
    return "\n".join(parts)
