"""Flags, scores and files of relations that Open Images' metric takes or refuses."""

from pathlib import Path

import numpy as np
import pytest

from mmeval_like.metrics.detection.oid_mean_ap import get_relation_matrix
from tests.metrics.test_oid_mean_ap import make

BOX = {"bboxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.3]}
ONE = {"bbox": [0, 0, 9, 9], "bbox_label": 1}
BAD = {
    "no instances": ({}, {"bboxes": []}, KeyError, "'instances'"),
    "no list": ({}, {"instances": ONE}, TypeError, "must be a list"),
    "no label": ({}, {"instances": [{"bbox": [0, 0, 1, 1]}]}, KeyError, "'bbox_label'"),
    "label": ({}, {"instances": [ONE | {"bbox_label": 4}]}, ValueError, r"in \[0, 4\)"),
    "level": ({}, {"instances": [], "image_level_labels": [9]}, ValueError, "image_level_labels"),
    "matrix": ({"class_relation_matrix": np.eye(3)}, {"instances": []}, ValueError, "shape"),
    "twos": ({"class_relation_matrix": 2 * np.eye(4)}, {"instances": []}, ValueError, "0 and 1"),
}


@pytest.mark.parametrize("flag", [2, -1, 0.5])
def test_a_flag_is_0_or_1(flag: float) -> None:
    """No other number is taken for a group."""
    with pytest.raises(ValueError, match=r"'is_group_of'\] must be 0 or 1"):
        make().add([BOX], [{"instances": [ONE | {"is_group_of": flag}]}])


def test_negative_scores_beside_groups() -> None:
    """A group that nobody found counts at score 0, which must not come before detections."""
    found = BOX | {"scores": [-0.5]}
    with pytest.raises(ValueError, match="must not be negative"):
        make().add([found], [{"instances": [ONE]}])
    alone = make(use_group_of=False, scale_ranges=None, class_relation_matrix=np.eye(4))

    assert alone([found], [{"instances": [ONE]}])["mAP"] == 1.0


def test_integers_among_floats_are_not_rounded() -> None:
    """Also where the integers of one image meet the floats, or the signed ones, of another."""
    large = np.array([[0, 0, 2**53 + 1, 9]])
    for other in (np.array([[0, 0, 9.5, 9]]), large.astype(np.uint64)):
        images = [BOX | {"bboxes": large}, BOX | {"bboxes": other}]
        with pytest.raises(ValueError, match="rounds integers"):
            make().add(images, [{"instances": [ONE]}] * 2)


def test_relation_files_of_other_kinds(tmp_path: Path) -> None:
    """A byte order mark and spaces are no part of a label; what has no label in common is named."""
    labels, hierarchy = tmp_path / "labels.csv", tmp_path / "tree.json"
    hierarchy.write_text('{"LabelName": "a", "Subcategory": [{"LabelName": "b"}]}')
    for text in ("\ufeffb,B\na,A\n", "\ufeffLabelName,Name\nb ,B\na,A\n"):
        labels.write_text(text, "utf-8")
        assert get_relation_matrix(hierarchy, labels).tolist() == [[1, 1], [0, 1]]
    for tree in ("{", "[]", '{"Subcategory": 3}', '{"LabelName": "x"}'):
        hierarchy.write_text(tree)
        with pytest.raises(ValueError, match=r"tree\.json"):
            get_relation_matrix(hierarchy, labels)


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    """What cannot be meant raises and names the argument."""
    options, truth, error, text = BAD[name]

    with pytest.raises(error, match=text):
        make(**options).add([BOX], [truth])


def test_bad_options_are_refused() -> None:
    """There are as many thresholds of one kind as of the other."""
    with pytest.raises(ValueError, match="iof_thrs and iou_thrs differ in length"):
        make(iof_thrs=0.5)
    with pytest.raises(TypeError, match="iof_thrs"):
        make(iof_thrs="0.5")
