"""Names that people type lead to the metric that they mean."""

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._base.names import EVERYDAY
from mmeval_like.cli import main
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


def test_f1_score_says_which_f1_it_is(tmp_path, capsys) -> None:
    """A remark on the command line, and none of the F1 of classes; in Python the error of an option
    that the F1 of classes has.
    """
    path = tmp_path / "rows.npz"
    np.savez(path, predictions=[0, 1], labels=[0, 1])

    assert main(["score", str(path), "--metric", "f1_score:num_classes=2"]) == 0
    assert "the F1 of classes is fbeta_score" in capsys.readouterr().err
    assert main(["score", str(path), "--metric", "f1_score"]) == 2
    assert "num_classes=...; f1_score is the F1 of tokens" in capsys.readouterr().err
    assert main(["score", str(path), "--metric", "f1_score:num_classes=2", "-q"]) == 0
    assert main(["score", str(path), "--metric", "fbeta_score"]) == 0
    assert "F1 of classes" not in capsys.readouterr().err
    for option in ({"task": "multiclass"}, {"average": "macro"}):
        with pytest.raises(TypeError, match=r"F1 of classes use FBetaScore\("):
            mm.F1Score(num_classes=3, **option)
        with pytest.raises(TypeError, match=r"F1 of classes use FBetaScore\("):
            mm.F1Score(**option)
