"""Names that people type lead to the metric that they mean."""

import pytest

import mmeval_like as mm
from mmeval_like._base.names import EVERYDAY
from mmeval_like.cli.specs import parse_spec


@pytest.mark.parametrize("name", [*EVERYDAY, "F1", "mAP", "IoU"])
def test_everyday_names(name: str) -> None:
    """The command line takes them in any case; Python's error names the class and no other."""
    meant = EVERYDAY[name.lower()]

    assert parse_spec(name if meant != "MeanIoU" else f"{name}:num_classes=2").cls is getattr(
        mm, meant
    )
    with pytest.raises(AttributeError, match=rf"did you mean {meant}\?$"):
        getattr(mm, name)


def test_f1_score_keeps_its_meaning() -> None:
    """On the command line it is MMEval's class; Python's error names the F1 of classes."""
    assert parse_spec("f1_score:num_classes=3").cls is mm.F1Score
    with pytest.raises(AttributeError, match=r"did you mean FBetaScore\?$"):
        mm.f1_score  # noqa: B018
