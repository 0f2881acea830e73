"""References of texts: a list for each prediction, or a text."""

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mmeval_like as mm
from tests.helpers.optional import requires

TEXT = st.text("ab 北", max_size=6)


@pytest.mark.filterwarnings("ignore")  # of no samples, and of texts without tokens
@pytest.mark.parametrize(
    "make", [partial(mm.BLEU, smooth=True), mm.ROUGE, mm.CHRFScore, mm.GoogleBLEU, mm.ExactMatch]
)
@given(st.lists(st.tuples(TEXT, TEXT | st.lists(TEXT, min_size=1, max_size=2)), max_size=4))
def test_a_text_is_the_only_reference(make: Any, samples: list[tuple[str, Any]]) -> None:
    """A text counts as a list of one, beside lists of others: a column of texts will do."""
    predictions, references = [p for p, _ in samples], [r for _, r in samples]
    listed = [[r] if isinstance(r, str) else r for r in references]
    assert repr(make()(predictions, references)) == repr(make()(predictions, listed))


@pytest.mark.parametrize("make", [partial(mm.BLEU, smooth=True), mm.WordErrorRate])
def test_columns_of_arrow_are_lists(make: Any) -> None:
    """Texts, and lists of them, count in any form of an Arrow column as in a list."""
    pa: Any = requires("pyarrow")
    predictions, references = ["a b", "c"], [["a", "a b"], ["d"]]
    if make is mm.WordErrorRate:
        references = ["a", "d"]  # type: ignore[list-item]
    expected = repr(make()(predictions, references))
    assert repr(make()(pa.array(predictions), pa.array(references))) == expected
    chunked = pa.chunked_array([predictions[:1], predictions[1:]]), pa.chunked_array([references])
    assert repr(make()(*chunked)) == expected
