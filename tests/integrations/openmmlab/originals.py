"""OpenMMLab's own evaluators, imported without the compiled operations that they do not use.

`mmcv.ops` needs a compiler and CUDA, and some packages import others that only their models use.
Those are replaced by stubs, of which any call is an error. What an evaluator does call of them, the
overlap of rotated boxes, is computed by shapely. MMOCR refuses the versions of MMCV and MMDetection
that the others need, so they say others while it is imported. Of MMDetection3D, only the files of
one evaluator are.
"""

import importlib
import importlib.util
import os
import sys
import types
from functools import cache
from multiprocessing.pool import ThreadPool
from pathlib import Path

import numpy as np

from tests.helpers import stubs
from tests.helpers.optional import require_installed

# Nothing else is replaced, and of these only what is not installed: a stub, and what it needs.
STUBS = {
    "einops": "einops",
    "faster_coco_eval": "faster_coco_eval",
    "ftfy": "ftfy",
    "mat4py": "mat4py",
    "mmaction.models": "mmcv._ext",  # of which a part is missing in the package
    "mmcv.ops": "mmcv._ext",
    "mmocr.datasets": "imgaug",
    "mmpose.apis": "pkg_resources",
    "modelindex": "modelindex",
    "torchvision": "torchvision",
}


_NEEDED = {"LVISMetric": ("lvis",)}  # what an evaluator takes from another package


def original(package: str, name: str) -> type:
    """Return the evaluator of a package, or skip the test if the package is not installed."""
    require_installed("torch", "mmengine", package, *_NEEDED.get(name, ()))
    stubs.install(*_missing())
    if package not in sys.modules and package in _PREPARED:
        _PREPARED[package]()
    found: type = getattr(importlib.import_module(f"{package}.evaluation"), name)
    assert not issubclass(found, stubs.Never)
    return found


def _prepare_mmaction():
    # Numpy's old name of nan, one process in place of 32, and a file of each process.
    utils = importlib.import_module("mmaction.evaluation.functional.ava_utils")
    utils.metrics.np = types.SimpleNamespace(**vars(np), NAN=np.nan)
    utils.multiprocessing = types.SimpleNamespace(Pool=lambda size: _Here)
    time = types.SimpleNamespace(strftime=lambda form: f"of_{os.getpid()}")
    metric = importlib.import_module("mmaction.evaluation.metrics.ava_metric")
    metric.datetime = types.SimpleNamespace(now=lambda: time)


class _Here:
    @staticmethod
    def map(function, values):
        return [*map(function, values)]


def _prepare_mmocr():
    import mmcv
    import mmdet

    known = mmcv.__version__, mmdet.__version__
    mmcv.__version__, mmdet.__version__ = "2.0.1", "3.1.0"
    importlib.import_module("mmocr")
    mmcv.__version__, mmdet.__version__ = known


def _prepare_mmrotate():
    import mmdet.evaluation

    # Of a fork of MMDetection, which another evaluator inherits from.
    mmdet.evaluation.FasterCocoMetric = type("FasterCocoMetric", (stubs.Never,), {})
    module = importlib.import_module("mmrotate.evaluation.functional.mean_ap")
    module.box_iou_rotated = _overlaps_by_shapely
    module.get_context = lambda kind: types.SimpleNamespace(Pool=ThreadPool)


def _prepare_mmdet():
    if _installed("lvis"):
        # It takes numpy's old name of float.
        module = importlib.import_module("lvis.eval")
        module.np = types.SimpleNamespace(**vars(np), float=float)
    module = importlib.import_module("mmdet.evaluation.functional.mean_ap")
    module.Pool = ThreadPool  # quicker than processes


def _prepare_mmdet3d():
    # Only the two files of one evaluator: the others need the development kits of data sets.
    [folder] = importlib.util.find_spec("mmdet3d").submodule_search_locations
    for name in ("", ".evaluation", ".evaluation.functional", ".evaluation.metrics"):
        module = types.ModuleType(f"mmdet3d{name}")
        module.__path__ = [str(Path(folder, *name.split(".")[1:]))]
        module.__spec__ = importlib.machinery.ModuleSpec(module.__name__, None, is_package=True)
        sys.modules[module.__name__] = module
    # What MMEngine's registries import to look for other classes.
    others = ("datasets", "engine", "models", "structures", "visualization")
    stubs.install(*(f"mmdet3d.{name}" for name in others))
    evaluation = sys.modules["mmdet3d.evaluation"]
    one = importlib.import_module("mmdet3d.evaluation.functional.seg_eval")
    evaluation.seg_eval = one.seg_eval
    two = importlib.import_module("mmdet3d.evaluation.metrics.seg_metric")
    evaluation.SegMetric = two.SegMetric


_PREPARED = {
    "mmaction": _prepare_mmaction,
    "mmdet": _prepare_mmdet,
    "mmdet3d": _prepare_mmdet3d,
    "mmocr": _prepare_mmocr,
    "mmrotate": _prepare_mmrotate,
}


def _overlaps_by_shapely(ours, theirs):
    """The intersection over union of all pairs of boxes of center, size and angle."""
    import shapely
    import torch
    from shapely import affinity

    def polygons(boxes):
        made = []
        for x, y, w, h, angle in boxes[:, :5].double().tolist():
            straight = shapely.box(x - w / 2, y - h / 2, x + w / 2, y + h / 2)
            made.append(affinity.rotate(straight, angle, origin=(x, y), use_radians=True))
        return np.array(made, object)

    ours, theirs = polygons(ours)[:, None], polygons(theirs)[None]
    common = shapely.area(shapely.intersection(ours, theirs))
    overlaps = common / (shapely.area(ours) + shapely.area(theirs) - common)
    return torch.from_numpy(overlaps.reshape(ours.size, theirs.size))


@cache
def _missing() -> list[str]:  # before there are stubs
    return [one for one, needed in STUBS.items() if not _installed(needed)]


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
