"""Evaluate with TRL's SFTTrainer: the accuracy of the next token, of a tiny Llama.

python examples/trl_sft.py
torchrun --nproc-per-node 2 examples/trl_sft.py
"""

import tempfile

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

import mmeval_like as mm

# A tokenizer and a model with random weights, in place of yours.
torch.manual_seed(0)
words = {word: i for i, word in enumerate(["<pad>", "<eos>", "count", "one", "two", "three"])}
split = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
split.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=split,
    pad_token="<pad>",
    eos_token="<eos>",
    model_input_names=["input_ids", "attention_mask"],
)
config = LlamaConfig(
    vocab_size=6, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1,
    pad_token_id=0, eos_token_id=1, bos_token_id=1,
)  # fmt: skip
texts = ["one", "one two", "one two three"] * 3
dataset = Dataset.from_dict({"prompt": ["count "] * 9, "completion": texts})


def next_tokens(found):
    """Return the token predicted at each place, and the one that comes; -100 is not scored."""
    return found.predictions[:, :-1].ravel(), found.label_ids[:, 1:].ravel()


metrics = {
    "tokens": mm.Accuracy(ignore_index=-100, num_classes=6),
    "all": mm.ConfusionMatrix(num_classes=6, ignore_index=-100),
}
with tempfile.TemporaryDirectory() as folder:
    trainer = SFTTrainer(
        LlamaForCausalLM(config),
        SFTConfig(folder, per_device_eval_batch_size=2, use_cpu=True, bf16=False, report_to=[]),
        train_dataset=dataset,
        eval_dataset=dataset,
        processing_class=tokenizer,
        compute_metrics=mm.integrations.trainer(metrics, next_tokens),
        preprocess_logits_for_metrics=lambda logits, labels: logits.argmax(-1),
    )
    found = trainer.evaluate()

counts = [value for name, value in found.items() if name.startswith("eval_all_")]
names = ("eval_tokens_top1", "eval_mean_token_accuracy")
print({**{name: found[name] for name in names}, "tokens": sum(counts)}, flush=True)
if torch.distributed.is_initialized():
    torch.distributed.destroy_process_group()
