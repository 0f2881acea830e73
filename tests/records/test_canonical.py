"""The one form of JSON, as RFC 8785 has it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like.records.canonical import canonical
from tests.helpers.examples import examples
from tests.helpers.optional import requires

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(VALUES)
@settings(max_examples=examples(40), deadline=None)
def test_it_is_that_of_another_library(value: Any) -> None:
    """Whatever a record may hold is written as the package rfc8785 writes it."""
    rfc8785 = requires("rfc8785")

    assert canonical(value) == rfc8785.dumps(value)


def test_what_readers_would_round_is_refused() -> None:
    """Floats and large integers must be texts."""
    with pytest.raises(ValueError, match="below 2\\^53"):
        canonical([2**53])
    with pytest.raises(TypeError, match="records cannot contain float"):
        canonical({"value": 0.5})
