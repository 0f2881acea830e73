"""What readers search for, by the page that the site's search then finds first.

A title finds its page without being listed here. A metric is found by what docs/metrics/README.md
says that it is also called, and by the names that Python and the command line take as hints.
"""

from mmeval_like import metrics
from mmeval_like._base.names import EVERYDAY, Listing
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
    "concepts": "glossary, how it works, rank, state, shard, padding",
    "cost-model": "scaling, communication cost, network traffic, memory, bandwidth",
    "coverage": "scikit-learn, sklearn, torcheval, names in other libraries, y_true and y_pred",
    "design": "architecture, internals, contributing",
    "dist": "all-reduce, allreduce, all-gather, gather, scatter, broadcast, barrier",
    "evaluation-loop": "multi-GPU, multi-node, DDP, DistributedSampler, torchrun, mpiexec, "
    "DistributedSampler duplicates, distributed evaluation, data loader, validation loop",
    "faq": "hangs, deadlock, timeout, nan, logits, troubleshooting, error messages",
    "from-evaluate": "Hugging Face evaluate, evaluate.load, add_batch",
    "from-mmeval": "MMEval, OpenMMLab, BaseMetric of MMEval",
    "from-torchmetrics": "torchmetrics, forward, update, migrate",
    "gallery": "pictures, figures, examples of plots",
    "guarantees": "bitwise, deterministic, reproducible, exact, promises, tests",
    "how-sure": "bootstrap, confidence interval, error bar, standard error, significance, "
    "p-value, paired test, clusters, sample size, uncertainty",
    "install": "pip install, requirements, extras, dependencies, Python version, conda, MPICH",
    "integrations": "PyTorch Lightning, accelerate, transformers, Trainer, MMEngine, Keras, JAX, "
    "Ray, Dask, Spark, ignite, Slurm, MLflow, Weights & Biases",
    "interval-study": "coverage of intervals, simulation, calibrated intervals",
    "llm-logs": "lm-eval, lm-evaluation-harness, Inspect, lighteval, HELM, LLM evaluation",
    "metrics/README": "list of metrics, all metrics, which metric",
    "metrics/intervals": "interval methods, Wilson, DeLong, jackknife, which interval",
    "plots": "plot, matplotlib, draw, visualise, visualize",
    "records": "verify, audit, reproducibility, digest, proof of a result",
    "report": "HTML report, share results, summary page",
    "slices": "subgroups, per group, group by, by language, per domain, fairness by group",
    "support-matrix": "supported versions, platforms, Python 3.13, operating systems",
    "writing-a-backend": "custom backend, own backend, communication library",
    "writing-a-metric": "custom metric, own metric, new metric, add a metric, subclass, define",
    "writing-a-state": "custom state, own state, merge, associative",
}


def search_words() -> dict[str, list[str]]:
    """The words of every page that has some, by its name in the site, in small letters."""
    listed = {page: words.split(", ") for page, words in PAGES.items()}
    named = Listing(metrics.__name__).deprecated.items() | EVERYDAY.items()
    for name, others in also_called().items():
        listed[f"metrics/{name}"] = others
    for other, name in sorted(named):
        listed.setdefault(f"metrics/{name}", []).append(other)
    return {f"{page}.md": _spelled(words) for page, words in listed.items()}


def _spelled(words: list[str]) -> list[str]:
    """Each word in small letters: as it is, as words with spaces, and as one name."""
    small = [word.lower() for word in words]
    apart = [word.replace("-", " ").replace("_", " ") for word in small]
    return list(dict.fromkeys([*small, *apart, *(word.replace(" ", "_") for word in apart)]))
