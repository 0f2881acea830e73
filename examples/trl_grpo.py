"""Evaluate with TRL's GRPOTrainer: four attempts at each of five questions, by a tiny Llama.

python examples/trl_grpo.py
torchrun --nproc-per-node 2 examples/trl_grpo.py
"""

import os
import tempfile

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

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
questions = Dataset.from_dict({"prompt": ["one", "two", "three", "count one", "count two"]})


def has_one(completions, **columns):
    """Return 1 for a completion with the word "one", else 0."""
    return [int("one" in text.split()) for text in completions]


ranks = int(os.environ.get("WORLD_SIZE", 1))
with tempfile.TemporaryDirectory() as folder:
    settings = GRPOConfig(
        folder,
        num_generations=4,
        max_completion_length=3,
        per_device_train_batch_size=4,
        per_device_eval_batch_size=12 // ranks,  # 2 ranks share the attempts at a question
        use_cpu=True,
        bf16=False,
        report_to=[],
    )
    trainer = GRPOTrainer(
        LlamaForCausalLM(config),
        has_one,
        args=settings,
        train_dataset=questions,
        eval_dataset=questions,
        processing_class=tokenizer,
    )
    mm.integrations.attach_attempts(mm.PassAtK(k=(1, 2)), trainer)
    found = trainer.evaluate()

print({name: found[name] for name in ("eval_pass@1", "eval_pass@2", "eval_reward")}, flush=True)
if torch.distributed.is_initialized():
    torch.distributed.destroy_process_group()
