"""Every law on every backend, in real processes."""

import pytest

from tests.distributed.suites import all_laws
from tests.distributed.worlds import WORLDS, World, run_world
from tests.helpers import require_installed
from tests.helpers.results import FAILED, PASSED, UNSUPPORTED, record

CELLS = [
    pytest.param(world, size, law, id=f"{world.backend}-{world.launcher}-{size}-{law}")
    for world in WORLDS
    for size in world.sizes
    for law in all_laws()
]


@pytest.mark.parametrize(("world", "size", "law"), CELLS)
def test_law_holds_on_every_rank(world: World, size: int, law: str) -> None:
    """All ranks of a world reach the law and pass it, or all say why it cannot hold here."""
    require_installed(*world.packages)
    report = run_world(world, size)

    outcomes = report.laws.get(law, [])
    reasons = [f"rank {rank}: {reason}" for rank, (_, reason) in enumerate(outcomes) if reason]
    column = f"{size} rank{'s' if size > 1 else ''}"
    if len(outcomes) == size and len(set(outcomes)) == 1 and outcomes[0][0] != FAILED:
        outcome, reason = outcomes[0]
        record(world.title(report.variant), law, column, outcome, reason)
        if outcome == UNSUPPORTED:
            pytest.skip(f"not supported: {reason}")
        assert outcome == PASSED
    else:
        record(world.title(report.variant), law, column, FAILED)
        reached = f"{len(outcomes)} of {size} ranks finished it"
        pytest.fail("\n".join([reached, *reasons, report.crash]), pytrace=False)
