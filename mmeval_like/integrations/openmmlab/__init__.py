"""OpenMMLab: the evaluators of its packages by their own names, in configs that stay as they are.

A config imports this module, and nothing else in it changes:

    custom_imports = dict(imports=["mmeval_like.integrations.openmmlab"])
    val_evaluator = dict(type="CocoMetric", ann_file="data/coco/annotations/instances_val2017.json")

From then on, a config's evaluator is computed here if its class has an adapter, which is in the
file of its package, such as `mmdet.py`. An evaluator without one, or with options that its adapter
does not have, stays OpenMMLab's own; the log says which, and why.

In a config whose types are classes, MMEngine does not read `custom_imports`. The line is there:

    __import__("mmeval_like.integrations.openmmlab")
"""

import os

from mmeval_like.integrations.openmmlab.naming import restore, take_over

__all__ = ["restore", "take_over"]

take_over(check=os.environ.get("MMEVAL_LIKE_CHECK", "0") not in ("", "0"))
