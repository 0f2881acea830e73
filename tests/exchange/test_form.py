"""The form of a message, as a table of the facts that decide it."""

import pytest

from mmeval_like._exchange.envelope import fits
from mmeval_like._exchange.form import Facts, Form, form

ROOM = 4096
LONGEST = max(length for length in range(0, ROOM + 8, 8) if fits(length, ROOM))
SUMS = Facts(additive=True, alike=True, tail=0, length=16, ranks=2, room=ROOM)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, Form.SLOT),
        ({"length": 0}, Form.SLOT),
        ({"length": LONGEST}, Form.SLOT),
        ({"length": LONGEST, "ranks": 10_000}, Form.SLOT),
        # What is packed may be shorter.
        ({"length": LONGEST + 8}, Form.PARTS),
        ({"length": 20 * ROOM}, Form.PARTS),
        ({"length": 20 * ROOM, "ranks": 16}, Form.PARTS),
        ({"length": 20 * ROOM, "packed": LONGEST}, Form.PARTS),
        ({"length": 20 * ROOM, "packed": LONGEST + 8}, Form.VECTOR),
        # It is too long, or takes too long to merge.
        ({"length": 20 * ROOM + 8}, Form.VECTOR),
        ({"length": LONGEST + 8, "ranks": 17}, Form.VECTOR),
        # No vector of this rank's rows can be added to the others.
        ({"room": None}, Form.PARTS),
        ({"additive": False, "length": 0}, Form.PARTS),
        ({"alike": False}, Form.PARTS),
        ({"tail": None}, Form.PARTS),
        ({"tail": 3}, Form.PARTS),
        *(
            ({name: value, "length": 10**6, "packed": 10**6}, Form.PARTS)
            for name, value in {"alike": False, "tail": 1, "additive": False, "room": None}.items()
        ),
    ],
)
def test_the_form_follows_from_the_facts(changed: dict[str, object], expected: Form) -> None:
    """Sums travel in the slot, or as a vector if no form of theirs fits; all others as parts."""
    assert form(SUMS._replace(**changed)) is expected  # type: ignore[arg-type]
