"""One process of trainings and tests by MMEngine's Runner, with configs that the packages ship.

A config inherits from the shipped one, as a user's does, and has our line of `custom_imports`. Its
evaluators and hooks stay as they are; its model returns the random data samples of a case, and its
schedule is one epoch. Without our line, the same config has OpenMMLab's values, and comes first.

The argument is the working folder, in which each rank writes its results.
"""

import importlib
import importlib.util
import json
import os
import shutil
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from mmengine.config import Config
from mmengine.model import BaseModel
from mmengine.registry import DATASETS, MODELS
from mmengine.runner import Runner
from mmengine.structures import BaseDataElement

from tests.integrations.openmmlab.cases import CASES
from tests.integrations.openmmlab.originals import original


@dataclass(frozen=True)
class Shipped:
    """A config of a package, and what to try it with.

    Args:
        file: The config among those of its package.
        name: The evaluator in it, whose case has the data samples.
        annotations: What the case calls the annotation file of the config.
        save_best: The number for the best checkpoint, if the config does not say it.
        datasets: The number of data sets, one after the other.
    """

    file: str
    name: str
    annotations: str | None = None
    save_best: str = "auto"
    datasets: int = 1


SHIPPED = (
    Shipped(
        "recognition/tsn/tsn_imagenet-pretrained-r50_8xb32-1x1x3-100e_kinetics400-rgb.py",
        "mmaction.AccMetric",
    ),
    Shipped("faster_rcnn/faster-rcnn_r50_fpn_1x_coco.py", "mmdet.CocoMetric", "truths.json"),
    Shipped(
        "pointnet2/pointnet2_ssg_2xb16-cosine-50e_s3dis-seg.py",
        "mmdet3d.SegMetric",
        save_best="miou",
    ),
    Shipped("textdet/dbnet/dbnet_resnet18_fpnc_1200e_icdar2015.py", "mmocr.HmeanIOUMetric"),
    Shipped(
        "textrecog/crnn/crnn_mini-vgg_5e_mj.py",
        "mmocr.WordMetric",
        save_best="IIIT5K/recog/word_acc",
        datasets=6,
    ),
    Shipped(
        "body_2d_keypoint/topdown_heatmap/coco/td-hm_hrnet-w32_8xb64-210e_coco-256x192.py",
        "mmpose.CocoMetric",
        "persons.json",
    ),
    Shipped("resnet/resnet50_8xb32_in1k.py", "mmpretrain.Accuracy"),
    Shipped(
        "rotated_faster_rcnn/rotated-faster-rcnn-le90_r50_fpn_1x_dota.py", "mmrotate.DOTAMetric"
    ),
    Shipped("fcn/fcn_r50-d8_4xb2-40k_cityscapes-512x1024.py", "mmseg.IoUMetric", save_best="mIoU"),
)
LINE = 'custom_imports = dict(imports=["mmeval_like.integrations.openmmlab"])\n'


@DATASETS.register_module()
class CaseDataset:
    """The data samples of a case, and the facts of its dataset; or of several, concatenated."""

    def __init__(self, case, datasets):
        self.samples, ends = [], []
        for seed in range(datasets):
            with tempfile.TemporaryDirectory() as folder:
                meta, samples = CASES[case](np.random.default_rng(5 + seed), Path(folder))
            self.samples += [element(one) for one in samples[seed:]]  # some are of odd length
            ends.append(len(self.samples))
        self.metainfo = meta | ({"cumulative_sizes": ends} if datasets > 1 else {})

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, place):
        return {"inputs": torch.zeros(1), "data_samples": self.samples[place]}


@MODELS.register_module()
class GivenModel(BaseModel):
    """A model of one weight, whose predictions are in the data samples."""

    def __init__(self, data_preprocessor=None):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))

    def forward(self, inputs, data_samples, mode="tensor"):
        """Return a loss, or the data samples."""
        return {"loss": self.weight.sum()} if mode == "loss" else data_samples


def element(value):
    """A data sample as a structure of MMEngine, which a model returns."""
    if not isinstance(value, dict):
        return value
    return BaseDataElement(**{key: element(one) for key, one in value.items()})


def configured(shipped, folder, line):
    """The config that inherits from the shipped one, with the line or without."""
    package = shipped.name.partition(".")[0]
    [root] = importlib.import_module(package).__path__
    file = Path(root, ".mim", "configs", shipped.file)
    (folder / "config.py").write_text(f"_base_ = {str(file)!r}\n{line}")
    config = Config.fromfile(folder / "config.py")
    loader = {
        "batch_size": 2,
        "num_workers": 0,
        "dataset": {
            "type": "mmengine.CaseDataset",
            "case": shipped.name,
            "datasets": shipped.datasets,
        },
        "sampler": {"type": "DefaultSampler", "shuffle": False},
        "collate_fn": {"type": "pseudo_collate"},
    }
    config.train_dataloader = config.val_dataloader = config.test_dataloader = loader
    config.model = {"type": "mmengine.GivenModel"}
    config.model_wrapper_cfg = {"type": "MMDistributedDataParallel", "device_ids": None}
    config.train_cfg = {"by_epoch": True, "max_epochs": 1}
    config.val_cfg, config.test_cfg = {}, {}
    config.optim_wrapper = {"optimizer": {"type": "SGD", "lr": 0.1}}
    config.param_scheduler = config.auto_scale_lr = config.visualizer = config.custom_hooks = None
    config.default_hooks.pop("visualization", None)  # of images, of which there are none
    config.default_hooks.checkpoint.setdefault("save_best", shipped.save_best)
    config.work_dir, config.experiment_name = str(folder), f"{package} {bool(line)}"
    config.launcher = "pytorch" if dist.is_initialized() else "none"
    if shipped.annotations is not None:
        CASES[shipped.name](np.random.default_rng(5), folder)
        place = Path(config.val_evaluator.ann_file)  # below the working folder of this process
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / shipped.annotations, place)
    return config


def run(shipped, line=""):
    """Train, validate and test: who computed, the values, and the best checkpoint."""
    original(*shipped.name.split("."))
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner.from_cfg(configured(shipped, Path(folder), line))
        runner.train()
        validated, tested = runner.val(), runner.test()
        by = {type(one).__module__.partition(".")[0] for one in runner.test_evaluator.metrics}
        best = runner.message_hub.get_info("best_ckpt"), runner.message_hub.get_info("best_score")
    return {
        "by": "+".join(by),
        "val": validated,
        "test": tested,
        "checkpoint": Path(best[0]).name,
        "score": float(best[1]),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    os.chdir(sys.argv[1])  # where configs look for data/
    if int(os.environ["WORLD_SIZE"]) > 1:
        dist.init_process_group("gloo")
    tried = [one for one in SHIPPED if importlib.util.find_spec(one.name.partition(".")[0])]
    theirs = {one.name: run(one) for one in tried}
    assert "mmeval_like.integrations.openmmlab" not in sys.modules  # so that a config imports it
    ours = {one.name: run(one, LINE) for one in tried}
    results = Path("{WORLD_SIZE}-{RANK}.json".format(**os.environ))
    results.write_text(json.dumps({"theirs": theirs, "ours": ours}, default=float))
