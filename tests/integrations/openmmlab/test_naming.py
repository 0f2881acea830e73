"""What a config's name becomes: our adapter, the original with a reason, or both."""

import copy
import json
import logging
import sys

import numpy as np
import pytest

from tests.helpers.launch import ROOT
from tests.helpers.optional import requires
from tests.integrations.openmmlab.originals import original

pytestmark = pytest.mark.filterwarnings("ignore")
requires("torch")
configs = requires("mmengine.config")
evaluator = requires("mmengine.evaluator")
registry = requires("mmengine.registry")

from mmeval_like import integrations  # noqa: E402
from mmeval_like.integrations import openmmlab  # noqa: E402
from mmeval_like.integrations.openmmlab import naming  # noqa: E402
from mmeval_like.integrations.openmmlab.adapter import Adapter  # noqa: E402
from mmeval_like.integrations.openmmlab.checked import Checked, differences  # noqa: E402
from tests.integrations.openmmlab.cases import CASES, CONFIGS, filled  # noqa: E402


@pytest.fixture
def logged(monkeypatch):
    """The lines that naming and checks log."""
    lines = []

    def keep(text, logger=None, level=logging.INFO):
        lines.append((level, text))

    monkeypatch.setattr(naming, "print_log", keep)
    monkeypatch.setattr("mmeval_like.integrations.openmmlab.checked.print_log", keep)
    return lines


@pytest.fixture(autouse=True)
def taken_over():
    """The names are ours at the start of a test, and at its end."""
    openmmlab.take_over()
    yield
    openmmlab.take_over()


def built(config):
    """The metric of an MMEngine evaluator with this config."""
    [metric] = evaluator.Evaluator([config]).metrics
    return metric


def test_names_are_ours_by_scope_prefix_and_class(logged):
    """As configs give them: `_scope_`, "mmseg.IoUMetric", or the class itself."""
    theirs = original("mmseg", "IoUMetric")
    for config in (
        {"type": "IoUMetric", "_scope_": "mmseg"},
        {"type": "mmseg.IoUMetric", "iou_metrics": ["mDice"]},
        {"type": theirs},
    ):
        made = built(config)
        assert isinstance(made, Adapter)
        assert type(made).__name__ == "IoUMetric"
    assert {text for _, text in logged} == {"IoUMetric of mmseg is computed by mmeval_like"}


def test_a_config_of_classes_needs_the_line_of_the_page(monkeypatch, tmp_path):
    """MMEngine reads `custom_imports` only where types are names; `__import__` is run as it is."""
    original("mmseg", "IoUMetric")
    monkeypatch.setattr(integrations, "openmmlab", openmmlab)  # importing again sets another
    line = '__import__("mmeval_like.integrations.openmmlab")'
    base = "from mmseg.evaluation import IoUMetric\nval_evaluator = dict(type=IoUMetric)\n"
    (tmp_path / "base.py").write_text(base)
    unread = 'custom_imports = dict(imports=["mmeval_like.integrations.openmmlab"])'
    for written, ours in ((unread, False), (line, True)):
        openmmlab.restore()
        monkeypatch.delitem(sys.modules, openmmlab.__name__, raising=False)
        start = "from mmengine.config import read_base\nwith read_base(): from .base import *\n"
        (tmp_path / "config.py").write_text(f"{start}{written}\n")
        config = configs.Config.fromfile(tmp_path / "config.py")
        assert isinstance(built(config.val_evaluator), Adapter) is ours
    assert line in (ROOT / "docs/openmmlab.md").read_text()


def test_what_has_no_adapter_stays_the_original_and_the_log_says_why(logged, tmp_path):
    """An option, an argument of another version, an evaluator: each with its reason."""
    theirs = original("mmdet", "CocoMetric")
    original("mmseg", "IoUMetric")
    CASES["mmdet.CocoMetric"](np.random.default_rng(0), tmp_path)
    file = str(tmp_path / "truths.json")
    made = built({"type": "mmdet.CocoMetric", "ann_file": file, "metric": "proposal_fast"})
    assert type(made) is theirs
    assert "CocoMetric by mmdet: mmeval_like does not have metric='proposal_fast'" in logged[-1][1]
    with pytest.raises(TypeError, match="no_such"):
        built({"type": "mmdet.CocoMetric", "no_such": 1})
    assert "CocoMetric by mmdet: got an unexpected keyword argument 'no_such'" in logged[-1][1]
    made = built({"type": "mmseg.DepthMetric"})
    assert type(made) is original("mmseg", "DepthMetric")
    assert logged[-1][1] == "DepthMetric by mmseg: mmeval_like has no adapter for it"


def test_a_class_of_the_users_own_is_not_replaced(logged):
    """Neither one with the name of an original, nor one that inherits from it."""

    class IoUMetric(original("mmseg", "IoUMetric")):
        """The user's own."""

    made = built({"type": IoUMetric})
    assert type(made) is IoUMetric
    assert not isinstance(
        built({"type": "mmengine.DumpResults", "out_file_path": "a.pkl"}), Adapter
    )
    assert logged == []


def test_restored_names_are_the_originals():
    """`restore` undoes the import."""
    theirs = original("mmseg", "IoUMetric")
    openmmlab.restore()
    assert type(built({"type": "mmseg.IoUMetric"})) is theirs


def test_check_computes_both_and_warns_of_what_differs(logged):
    """The values are ours; a wrong value is named, with both numbers."""
    original("mmseg", "IoUMetric")
    openmmlab.take_over(check=True)
    found = evaluator.Evaluator([{"type": "mmseg.IoUMetric"}])
    [metric] = found.metrics
    assert isinstance(metric, Checked)
    meta, samples = CASES["mmseg.IoUMetric"](np.random.default_rng(0), None)
    found.dataset_meta = meta
    found.process(samples)
    values = found.evaluate(len(samples))
    level, text = logged[-1]
    assert (level, text) == (logging.INFO, "IoUMetric by mmeval_like: 3 values as by OpenMMLab")

    numbers = metric.ours.numbers
    metric.ours.numbers = lambda result: numbers(result) | {"mIoU": 12.34}
    found.process(samples)
    assert found.evaluate(len(samples)) == {**values, "mIoU": 12.34}
    level, text = logged[-1]
    assert level == logging.WARNING
    start = f"IoUMetric by mmeval_like: mIoU is 12.34, {values['mIoU']}"
    assert text.startswith(start[:-1])  # a float32 there


def several(metrics, prefixes=("a", "b")):
    """MMDetection's evaluator of several data sets."""
    config = {"type": "mmdet.MultiDatasetsEvaluator", "metrics": metrics}
    return registry.EVALUATOR.build(config | {"dataset_prefixes": [*prefixes]})


def test_metrics_of_several_datasets_stay_the_originals_if_one_has_no_adapter(logged):
    """`MultiDatasetsEvaluator` collects the results of its metrics, which adapters do not have."""
    theirs = original("mmdet", "CocoMetric")
    metric = {"type": "mmdet.CocoMetric"}
    start = "MultiDatasetsEvaluator: its metrics are not by mmeval_like: "
    for metrics, why in (
        ([metric, metric | {"metric": "proposal_fast"}], "CocoMetric by mmdet: mmeval_like does"),
        ([metric], "1 metrics, 2 data sets"),
        ([metric, theirs()], "it is made"),
    ):
        assert {type(one) for one in several(metrics).metrics} == {theirs}
        assert logged[-1][1].startswith(start + why)
    openmmlab.take_over(check=True)
    assert {type(one) for one in several([metric, metric]).metrics} == {theirs}
    assert logged[-1][1] == start + "they are not compared"
    openmmlab.take_over()
    assert all(isinstance(one, Adapter) for one in several([metric, metric]).metrics)
    assert logged[-1][1] == "MultiDatasetsEvaluator and its metrics are by mmeval_like"
    [one] = registry.EVALUATOR.build({"type": "Evaluator", "metrics": [metric]}).metrics
    assert isinstance(one, Adapter)


@pytest.mark.parametrize("each", [False, True])
def test_several_datasets_have_the_values_of_the_original(each, tmp_path):
    """Of MMDetection: the facts are of all together or of each, and metrics differ."""
    original("mmdet", "CocoMetric")
    original("mmdet", "VOCMetric")
    meta, first = CASES["mmdet.CocoMetric"](np.random.default_rng(3), tmp_path)
    _, second = CASES["mmdet.VOCMetric"](np.random.default_rng(4), tmp_path)
    samples = [*first, *(first[2:7] if each else second)]
    # The original's metric of one data set also gets the samples of the other.
    samples = [first[0] | second[0] | one for one in samples]
    facts = meta | {"cumulative_sizes": [len(first), len(samples)]}
    configs = [{"type": "mmdet.CocoMetric", "ann_file": str(tmp_path / "truths.json")}]
    # With facts of each data set, the original's VOCMetric raises in `process`.
    configs.append(configs[0] if each else {"type": "mmdet.VOCMetric"})

    def values():
        found = several(configs)
        found.dataset_meta = [facts, facts] if each else facts
        evaluated = []
        for _ in range(2):  # the second time without the samples of the first
            for start in range(0, len(samples), 4):
                found.process(copy.deepcopy(samples[start : start + 4]))
            evaluated.append(found.evaluate(len(samples)))
        assert evaluated[0] == evaluated[1]
        return evaluated[0]

    ours = values()
    openmmlab.restore()
    assert differences(ours, values(), None) == []


def test_a_name_for_each_dataset_is_needed():
    """A data set without a name would have no values."""
    original("mmdet", "CocoMetric")
    found = several([{"type": "mmdet.CocoMetric"}] * 2)
    with pytest.raises(ValueError, match="dataset_prefixes must have one entry per data set, 3"):
        found.dataset_meta = {"classes": ("a",), "cumulative_sizes": [1, 2, 3]}


def test_an_evaluator_that_collects_results_itself_is_refused_on_every_rank():
    """As `MultiDatasetsEvaluator` does; nothing is computed from an empty list."""
    for make in (naming.module_of("mmpretrain").Accuracy, naming.module_of("mmpose").EPE):
        with pytest.raises(RuntimeError, match="no results to collect: it exchanges states"):
            _ = make().results
        with pytest.raises(RuntimeError, match="Leave mmeval_like"):
            make().compute_metrics([])


def test_the_order_of_names_is_compared():
    """`save_best="auto"` takes the first."""
    assert differences({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0}, None) == []
    [text] = differences({"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0}, None)
    assert text == "the names are a, b, by OpenMMLab b, a"
    assert differences({"a": 1.0}, {"a": 1.0001}, None) != []
    assert differences({"a": 0.501}, {"a": 0.5}, 3) == []


def test_files_are_those_of_the_original(tmp_path):
    """Detections in COCO's format, with `format_only`, and from a file without annotations."""
    theirs = original("mmdet", "CocoMetric")
    ours = naming.module_of("mmdet").CocoMetric
    meta, samples = CASES["mmdet.CocoMetric"](np.random.default_rng(3), tmp_path)
    content = json.loads((tmp_path / "truths.json").read_text())
    del content["annotations"]
    (tmp_path / "test.json").write_text(json.dumps(content))

    def written(make, name, **options):
        metric = make(outfile_prefix=str(tmp_path / name), metric=["bbox", "segm"], **options)
        metric.dataset_meta = meta
        metric.process({}, samples)
        values = metric.evaluate(len(samples))
        texts = [(tmp_path / f"{name}.{kind}.json").read_text() for kind in ("bbox", "segm")]
        boxes, masks = (
            sorted(json.loads(text), key=lambda one: (one["image_id"], one["score"]))
            for text in texts
        )
        for one in masks:
            one.pop("bbox", None)  # pycocotools would read them in place of the masks
        return values, boxes, masks

    for options in (
        {"ann_file": str(tmp_path / "test.json"), "format_only": True},
        {"ann_file": str(tmp_path / "truths.json")},
    ):
        expected, *files = written(theirs, "theirs", **options)
        found, *mine = written(ours, "ours", **options)
        assert differences(found, expected, 3) == []
        assert mine == files
        assert bool(found) is not options.get("format_only", False)


def test_pictures_are_those_of_the_original(tmp_path):
    """PNG files of predictions, with and without `format_only`, moved by one if labels are."""
    theirs = original("mmseg", "IoUMetric")
    ours = naming.module_of("mmseg").IoUMetric
    meta, samples = CASES["mmseg.IoUMetric"](np.random.default_rng(3), tmp_path)
    for format_only in (True, False):
        found = []
        for make in (theirs, ours):
            folder = tmp_path / f"{make.__module__}{format_only}"
            metric = make(output_dir=str(folder), format_only=format_only)
            metric.dataset_meta = meta
            metric.process({}, samples)
            values = metric.evaluate(len(samples)) if make is ours or not format_only else {}
            files = {file.name: file.read_bytes() for file in folder.iterdir()}
            found.append((files, values))
        assert found[0][0] == found[1][0]
        assert len(found[0][0]) == len(samples)
        assert differences(found[1][1], found[0][1], 2) == []


@pytest.mark.parametrize("name", ["CocoMetric", "LVISMetric"])
def test_no_detection_at_all_has_no_values(name, tmp_path):
    """As there, so that no checkpoint of an untrained model is the best one."""
    theirs = original("mmdet", name)
    meta, samples = CASES[f"mmdet.{name}"](np.random.default_rng(3), tmp_path)
    for one in samples:
        one["pred_instances"] = {key: v[:0] for key, v in one["pred_instances"].items()}
    for make in (theirs, getattr(naming.module_of("mmdet"), name)):
        metric = make(**filled(CONFIGS[f"mmdet.{name}"][1], tmp_path))
        metric.dataset_meta = meta
        metric.process({}, samples)
        assert metric.evaluate(len(samples)) == {}


def test_annotations_of_excluded_frames_do_not_count(tmp_path):
    """MMAction2 leaves out the detections there, but counts the annotations as missed."""
    theirs = original("mmaction", "AVAMetric")
    _, samples = CASES["mmaction.AVAMetric"](np.random.default_rng(1), tmp_path)
    options = filled(CONFIGS["mmaction.AVAMetric"][0], tmp_path)
    file, excluded = tmp_path / "actions.csv", "film1,0903"
    (tmp_path / "excluded.csv").write_text(f"{excluded}\n")
    lines = file.read_text().splitlines()

    def values(make, lines):
        file.write_text("\n".join(lines) + "\n")
        metric = make(**options)
        metric.dataset_meta = {}
        metric.process({}, samples)
        return metric.evaluate(len(samples))

    kept = [line for line in lines if not line.startswith(excluded)]
    assert len(kept) < len(lines)
    right = values(theirs, kept)
    assert differences(values(naming.module_of("mmaction").AVAMetric, lines), right, None) == []
    assert differences(values(theirs, lines), right, None) != []


def test_average_precisions_of_classes_have_the_names_of_the_classes(tmp_path):
    """Where the ids of a file's categories are not ascending, MMDetection permutes the names."""
    theirs = original("mmdet", "CocoMetric")
    meta, samples = CASES["mmdet.CocoMetric"](np.random.default_rng(1), tmp_path)

    def values(make, file):
        metric = make(ann_file=str(tmp_path / file), classwise=True)
        metric.dataset_meta = meta
        metric.process({}, samples)
        return metric.evaluate(len(samples))

    ours = naming.module_of("mmdet").CocoMetric
    right = values(theirs, "truths.json")  # the same objects, with ascending ids
    assert differences(values(ours, "truths.json"), right, 3) == []
    assert differences(values(ours, "descending.json"), right, 3) == []
    assert differences(values(theirs, "descending.json"), right, 3) != []
