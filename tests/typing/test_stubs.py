"""What type checkers read of the metrics is what the classes are."""

from tools.stubs import STUB, stub


def test_the_stub_has_the_signatures_of_the_classes() -> None:
    """Every listed metric with its inputs; tests/typing/api.py has what checkers say of it."""
    assert stub() == STUB.read_text(), "run: python -m tools.generated"
