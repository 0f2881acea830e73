"""What readers search for, by the page that the site's search then finds first.

A title finds its page without being listed here. A metric is found by what docs/metrics/README.md
says that it is also called, by the names that Python and the command line take as hints, and by
torchmetrics' classes of one task, such as MulticlassF1Score, which other pages do not spell out.
"""

from mmeval_like import metrics
from mmeval_like._base.names import EVERYDAY, Listing
from tools.coverage import read
from tools.metrics_index import also_called

PAGES = {
    "accelerators": "GPU, CUDA, NCCL, GPU tensors, device",
    "api": "reference, public names, functions, classes, signatures",
    "backends/oneflow": "OneFlow backend",
    "backends/paddle": "Paddle backend, PaddlePaddle",
    "backends/zmq": "ZeroMQ, sockets, TCP, no MPI",
    "benchmarks": "speed, performance, overhead, how fast",
    "changelog": "release notes, what is new, breaking changes",
    "ci": "gate, regression test, continuous integration, quality gate, threshold in CI",
    "cli": "command line interface, score a file, compare two models, terminal, doctor",
    "compat-torchmetrics": "drop-in torchmetrics, unchanged programs, import torchmetrics, "
    "torchmetrics.classification, torchmetrics.regression",
    "concepts": "glossary, how it works, rank, shard, padding",
    "cost-model": "scaling, communication cost, network traffic, bandwidth",
    "coverage": "scikit-learn, sklearn, torcheval, names in other libraries, y_true and y_pred",
    "design": "architecture, internals, contributing",
    "dist": "all-reduce, allreduce, all-gather, gather, scatter, broadcast, barrier",
    "evaluation-loop": "multi-GPU, multi-node, DDP, DistributedSampler, torchrun, mpiexec, "
    "DistributedSampler duplicates, MPI, distributed evaluation, data loader, validation loop",
    "faq": "hangs, deadlock, timeout, nan, logits, troubleshooting, error messages, "
    "resume, checkpoint, memory, out of memory, ignore index, ignore labels, ignored labels",
    "from-evaluate": "Hugging Face evaluate, huggingface, evaluate.load, add_batch",
    "from-mmeval": "MMEval, OpenMMLab, BaseMetric of MMEval",
    "from-torchmetrics": "torchmetrics, forward, update, migrate",
    "guarantees": "bitwise, deterministic, reproducible, exact, promises, tests",
    "engines": "Ray, Dask, Daft, Spark, Beam, Kubernetes, job arrays, map reduce, big data",
    "how-sure": "how sure is this number, intervals, bootstrap, error bar, standard error, "
    "significance, confidence interval, p-value, paired test, clusters, sample size, uncertainty",
    "install": "pip install, requirements, extras, dependencies, Python version, conda, MPICH, "
    "Windows, macOS, supported versions, platforms, Python 3.13, operating systems",
    "integrations": "PyTorch Lightning, accelerate, transformers, Trainer, MMEngine, Keras, JAX, "
    "ignite, Slurm, MLflow, Weights & Biases",
    "interval-study": "coverage of intervals, simulation, calibrated intervals, "
    "how often the intervals are right",
    "llm-logs": "lm-eval, lm-evaluation-harness, Inspect, lighteval, HELM, LLM evaluation",
    "metrics/README": "list of metrics, all metrics, which metric",
    "metrics/intervals": "interval methods, Wilson, DeLong, jackknife, which interval",
    "openmmlab": "MMDetection, MMSegmentation, MMPose, MMAction2, MMPretrain, MMOCR, MMRotate, "
    "mmdet, mmseg, val_evaluator, custom_imports",
    "plots": "plot, matplotlib, draw, visualise, visualize, pictures, figures, gallery",
    "records": "verify, audit, reproducibility, digest, proof of a result",
    "report": "HTML report, share results, summary page, Jupyter notebook, notebook",
    "saved-states": "seal, serialize, serialise, to_bytes, binary column, file format, "
    "safetensors, rollup",
    "train-language-models": "TRL, GRPO, GRPOTrainer, SFT, SFTTrainer, RLOO, verl, RLHF, "
    "fine-tuning, reinforcement learning, attempts",
    "slices": "subgroups, per group, group by, by language, per domain, fairness by group",
    "support-matrix": "tested environments, test results, what was tested",
    "unscored": "errors, timeouts, refusals, failed samples, missing scores, unparseable answers, "
    "worst case, bounds, retry",
    "writing-a-backend": "custom backend, own backend, communication library",
    "writing-a-metric": "custom metric, own metric, new metric, add a metric, subclass, define",
    "writing-a-state": "custom state, own state, merge, associative",
    "zh/cli": "命令行工具",
    "zh/engines": "大数据, 集群, 作业",
    "zh/evaluation-loop": "多卡, 多机, 分布式评测",
    "zh/faq": "卡住, 死锁, 超时, 报错",
    "zh/install": "依赖, 安装方法",
    "zh/integrations": "框架",
    "zh/openmmlab": "评测器, 配置文件",
    "zh/saved-states": "状态的字节, 二进制列, 汇总",
    "zh/train-language-models": "强化学习, 微调, 大模型训练",
    "zh/unscored": "没有得分, 失败的样本, 拒答",
    "zh/writing-a-metric": "自定义指标",
}


def search_words() -> dict[str, list[str]]:
    """The words of every page that has some, by its name in the site, in small letters."""
    listed = {page: words.split(", ") for page, words in PAGES.items()}
    named = Listing(metrics.__name__).deprecated.items() | EVERYDAY.items()
    for name, others in also_called().items():
        listed[f"metrics/{name}"] = others
    for other, name in sorted(named):
        listed.setdefault(f"metrics/{name}", []).append(other)
    for name, theirs in _of_one_task():
        listed.setdefault(f"metrics/{name}", []).append(theirs)
    return {f"{page}.md": _spelled(words) for page, words in listed.items()}


def _of_one_task() -> list[tuple[str, str]]:
    """Our metrics of classes and their scores, and torchmetrics' names of these for each task."""
    families = tuple(f"{metrics.__name__}.{family}." for family in ("classification", "curves"))
    modules = Listing(metrics.__name__).modules
    return [
        (row.names[0], f"{task}{row.theirs}")
        for row in read()["torchmetrics"]
        if row.names and modules.get(row.names[0], "").startswith(families)
        for task in ("Binary", "Multiclass", "Multilabel")
    ]


def _spelled(words: list[str]) -> list[str]:
    """Each word in small letters: as it is, as words with spaces, and as one name."""
    small = [word.lower() for word in words]
    apart = [word.replace("-", " ").replace("_", " ") for word in small]
    return list(dict.fromkeys([*small, *apart, *(word.replace(" ", "_") for word in apart)]))
