"""Log results to JSON, TensorBoard, MLflow and Weights & Biases (offline).

python examples/log_results.py FOLDER
"""

import json
import sys
from pathlib import Path

import mlflow
import wandb
from torch.utils.tensorboard import SummaryWriter

import mmeval_like as mm

folder = Path(sys.argv[1])
folder.mkdir(exist_ok=True)
meta = {"classes": ["cat", "dog"]}
metrics = mm.MetricCollection(
    {
        "acc": mm.Accuracy(interval=0.95),  # its ends are logged as val/acc_top1_low and _high
        "class": mm.Recall(task="multiclass", num_classes=2, average=None, dataset_meta=meta),
    }
)
metrics.add([0, 1, 1], [0, 0, 1])
result = metrics.compute()  # on every rank

if mm.dist.is_main_process():  # log on one
    numbers = result.flat("val/")
    print(numbers)

    (folder / "result.json").write_text(json.dumps(result.plain()))

    with SummaryWriter(folder / "tensorboard") as writer:
        for name, value in numbers.items():
            writer.add_scalar(name, value, global_step=1)

    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")  # or your server's address
    with mlflow.start_run():
        mlflow.log_metrics(mm.integrations.mlflow_names(numbers), step=1)

    with wandb.init(project="example", mode="offline", dir=folder) as run:
        run.log(numbers, step=1)
