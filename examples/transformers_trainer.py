"""Evaluate with Hugging Face's Trainer: a tiny BERT with random weights.

python examples/transformers_trainer.py
torchrun --nproc-per-node 2 examples/transformers_trainer.py
"""

import tempfile

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

import mmeval_like as mm

torch.manual_seed(0)  # the same data and model on every rank
texts = torch.randint(32, (13, 5))
dataset = [{"input_ids": text, "labels": i % 3} for i, text in enumerate(texts)]
config = BertConfig(
    vocab_size=32, hidden_size=8, num_hidden_layers=1, num_attention_heads=1,
    intermediate_size=8, num_labels=3,
)  # fmt: skip
metrics = mm.MetricCollection({"acc": mm.Accuracy(thrs=None), "all": mm.ConfusionMatrix(3)})

with tempfile.TemporaryDirectory() as folder:
    trainer = Trainer(
        BertForSequenceClassification(config),
        TrainingArguments(folder, per_device_eval_batch_size=2, use_cpu=True, report_to=[]),
        eval_dataset=dataset,
        compute_metrics=mm.integrations.trainer(metrics),
    )
    found = trainer.evaluate()

counts = [value for name, value in found.items() if name.startswith("eval_all_")]
print({"eval_acc_top1": found["eval_acc_top1"], "samples": sum(counts)}, flush=True)
if torch.distributed.is_initialized():
    torch.distributed.destroy_process_group()
