"""Two ranks that should disagree, with a backend of bytes or of the five members only."""

import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld

RANKS = 2


kinds = pytest.mark.parametrize("members_only", [False, True])


def outcomes(members_only, function):
    """What the function returned or raised, by rank."""
    found = {}

    def run(backend):
        try:
            found[backend.rank] = function(backend)
        except Exception as error:
            found[backend.rank] = error

    LocalWorld(RANKS, members_only=members_only, timeout=10).run(run)
    return [found[rank] for rank in range(RANKS)]


def expect_disagreement(members_only, function):
    """All ranks raise the same error, which tells what to do."""
    found = outcomes(members_only, function)
    assert {type(error) for error in found} == {mm.DisagreementError}, found
    assert len({str(error) for error in found}) == 1
    return str(found[0])
