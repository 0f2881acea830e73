"""Names that people type lead to the metric that they mean."""

import builtins
import json
import re

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._base.names import EVERYDAY, Listing
from mmeval_like.cli import main
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.specs import name_on_the_line, parse_spec
from tools.coverage import read
from tools.metrics_index import also_called


@pytest.mark.parametrize("name", [*EVERYDAY, "F1", "mAP", "IoU"])
def test_everyday_names(name: str) -> None:
    """The command line takes them in any case; Python's error names the class and no other."""
    meant = EVERYDAY[name.lower()]

    assert parse_spec(name if meant != "MeanIoU" else f"{name}:num_classes=2").cls is getattr(
        mm, meant
    )
    with pytest.raises(AttributeError, match=rf"did you mean {meant}\?$"):
        getattr(mm, name)


KNOWN = {*mm.__all__, *Listing(mm.metrics.__name__).deprecated}
ABBREVIATIONS = {
    other: name
    for name, others in also_called().items()
    for other in others
    if other.isalnum() and len(other) <= 5 and other not in ("MAE", "HD95", "MOTP", "Dice")
}
ELSEWHERE = {
    row.theirs: set(row.names)
    for library in ("torchmetrics", "scikit-learn")
    for row in read()[library]
    if row.names and not hasattr(builtins, row.theirs)
}


@pytest.mark.parametrize("name", [name for name in ABBREVIATIONS if name not in KNOWN])
def test_abbreviations_that_the_page_of_metrics_names(name: str) -> None:
    """Python's error and that of the command line suggest the metric first."""
    meant = ABBREVIATIONS[name]
    with pytest.raises(AttributeError, match=rf"did you mean {meant}\b"):
        getattr(mm, name.lower())
    if name.lower() not in EVERYDAY:
        with pytest.raises(InputError, match=rf"did you mean {name_on_the_line(meant)}\b"):
            parse_spec(name.lower())


@pytest.mark.parametrize("name", [name for name in ELSEWHERE if name not in KNOWN])
def test_names_of_torchmetrics_and_scikit_learn(name: str) -> None:
    """The error suggests a metric that the page on coverage gives; an everyday name its own."""
    with pytest.raises(AttributeError) as caught:
        getattr(mm, name)
    suggested = re.findall(r"\w+", str(caught.value).partition("did you mean")[2])
    assert ELSEWHERE[name] & {*suggested} or name == "auc", suggested


@pytest.mark.parametrize("name", ["MulticlassF1Score", "BinaryF1Score", "macro_f1", "f1_weighted"])
def test_f1_of_a_task_or_an_average(name: str) -> None:
    """It is FBetaScore, never MMEval's F1Score."""
    with pytest.raises(AttributeError, match=r"did you mean FBetaScore\?$"):
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


@pytest.mark.filterwarnings("always")
def test_a_warning_is_printed_once(tmp_path, capsys) -> None:
    """However many metrics a command makes of an option: here of an average without effect."""
    path = tmp_path / "rows.npz"
    np.savez(path, predictions=[0, 1], labels=[0, 1])

    assert main(["score", str(path), "--metric", "f1:average=macro"]) == 0
    assert capsys.readouterr().err.count("average='macro' has no effect") == 1


@pytest.mark.parametrize("words", [[], ["--metric", "coco"], ["--metric", "coco_detection"]])
def test_annotations_mean_the_metric_of_boxes(tmp_path, capsys, words):
    """Without a name, or by an everyday name; a -1 is explained."""
    box = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 200, 200]}
    truth = {
        "images": [{"id": 1, "width": 500, "height": 500}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{**box, "id": 1, "area": 40000, "iscrowd": 0}],
    }
    (tmp_path / "gt.json").write_text(json.dumps(truth))
    (tmp_path / "dt.json").write_text(json.dumps([{**box, "score": 0.9}]))
    files = [str(tmp_path / "dt.json"), "--annotations", str(tmp_path / "gt.json")]
    assert main(["score", *files, *words, "--json", str(tmp_path / "out.json")]) == 0
    assert '"bbox_mAP": 1.0' in (tmp_path / "out.json").read_text()
    assert "bbox_mAP_m: the annotations have no such objects" in capsys.readouterr().err
