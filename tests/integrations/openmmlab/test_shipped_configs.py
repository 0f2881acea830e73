"""Evaluators of configs that the packages ship: ours by name, or the original and why."""

import importlib
import json
import logging
import re
from contextlib import suppress
from pathlib import Path

import pytest

from tests.helpers.optional import requires
from tests.integrations.openmmlab.originals import original

pytestmark = pytest.mark.filterwarnings("ignore")
requires("torch")
Config = requires("mmengine.config").Config
registry = requires("mmengine.registry")

from mmeval_like.integrations import openmmlab  # noqa: E402
from mmeval_like.integrations.openmmlab import naming  # noqa: E402
from mmeval_like.integrations.openmmlab.adapter import Adapter  # noqa: E402

# An evaluator with an adapter, by which a package is imported.
PACKAGES = {
    "mmaction": "AccMetric",
    "mmdet": "CocoMetric",
    "mmdet3d": "SegMetric",
    "mmocr": "WordMetric",
    "mmpose": "CocoMetric",
    "mmpretrain": "Accuracy",
    "mmrotate": "DOTAMetric",
    "mmseg": "IoUMetric",
}
EVERY = 10  # of their configs, one in ten is tried
# What adapters do not have, of what these configs ask for.
KEPT = (
    r"metric='proposal_fast'|proposal_nums=\[300\]|iou_type='keypoints_crowd'|nms_mode='\w+'"
    "|predict_box_type='qbox'|outfile_prefix=|sort_categories=True"
)


@pytest.fixture
def logged(monkeypatch):
    """The lines of the log; what stays the original is not constructed."""
    lines = []

    def keep(text, logger=None, level=logging.INFO):
        lines.append(text)

    monkeypatch.setattr(naming, "print_log", keep)
    monkeypatch.setattr(naming, "_original", lambda cfg, registry: None)
    openmmlab.take_over()
    yield lines
    monkeypatch.undo()
    openmmlab.take_over()


def shipped(package):
    """Configs of the package, without those that MMEngine cannot load here."""
    [root] = importlib.import_module(package).__path__
    files = sorted(Path(root, ".mim", "configs").rglob("*.py"))
    files = [file for file in files if "_base_" not in str(file) and file.name != "__init__.py"]
    loaded = []
    for file in files[::EVERY]:
        with suppress(AttributeError, FileNotFoundError, ImportError, KeyError, RuntimeError):
            loaded.append(Config.fromfile(file, import_custom_modules=False))
    assert len(loaded) > 0.9 * len(files) // EVERY, f"{len(loaded)} of {len(files) // EVERY}"
    return loaded


def evaluators(config, scope):
    """Those of a config that are imported, without those of several data sets."""
    for which in ("val_evaluator", "test_evaluator"):
        given = config.get(which) or []
        for one in given if isinstance(given, list | tuple) else [given]:
            if "metrics" not in one and one["type"] in registry.METRICS.children[scope]:
                yield {"_scope_": scope, **one}


@pytest.fixture
def files(tmp_path):
    """What stands for the files that evaluators read, and where the others write."""
    truths = {"images": [], "annotations": [], "categories": [{"id": 1, "name": "person"}]}
    (tmp_path / "truths.json").write_text(json.dumps(truths))
    (tmp_path / "labels.pbtxt").write_text('item {\n  name: "stand"\n  id: 1\n}\n')
    (tmp_path / "rows.csv").write_text("")
    read = {"label_file": "labels.pbtxt", "exclude_file": "rows.csv"}

    def in_place(options):
        given = {name: value for name, value in options.items() if value is not None}
        video = {"ann_file": "rows.csv"} if "label_file" in given else {"ann_file": "truths.json"}
        for name, file in {**read, **video, "output_dir": ""}.items():
            if name in given:
                given[name] = str(tmp_path / file)
        return given

    return in_place


@pytest.mark.parametrize("package", PACKAGES)
def test_an_evaluator_with_an_adapter_is_ours(package, logged, files):
    """Unless its config asks for an option that it lacks; the log has a line for each other one."""
    original(package, PACKAGES[package])
    ours = others = 0
    for config in shipped(package):
        for one in evaluators(config, config.get("default_scope") or package):
            name = one["type"]
            logged.clear()
            made = registry.METRICS.build(files(one))
            [line] = logged
            if isinstance(made, Adapter):
                assert line == f"{name} of {package} is computed by mmeval_like"
                ours += 1
            elif name in naming.module_of(package).__all__:
                reason = f"{name} by {package}: mmeval_like does not have (?:.*[ (])?(?:{KEPT})"
                assert re.match(reason, line), f"{config.filename}: {line}"
                others += 1
            else:
                assert line == f"{name} by {package}: mmeval_like has no adapter for it"
                others += 1
    assert ours > 2 * others, f"{ours} are ours, {others} are not"
