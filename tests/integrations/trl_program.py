"""What every rank of test_trl.py runs, so that torch and TRL are imported once: the recipes.

It keeps the rewards that TRL itself sees. Each rank prints one dict at the end.
"""

import logging
import runpy
import sys

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import TrainerCallback
from trl import GRPOTrainer, RLOOConfig, RLOOTrainer

import mmeval_like as mm

batches = []  # of every evaluation batch: the rewards of all ranks, and this rank's prompts
earlier = []  # what a callback found that was there before


def keeping(score):
    """TRL's own method, which gathers the rewards."""

    def kept(trainer, inputs, prompts, *others):
        rewards = score(trainer, inputs, prompts, *others)
        if not trainer.model.training:
            batches.append((rewards[:, 0].tolist(), prompts))
        return rewards

    return kept


def tokens_of(trainer):
    """The hits and the number of tokens of every sample, one sample at a time, without padding."""
    model = trainer.accelerator.unwrap_model(trainer.model)
    counted = []
    for sample in trainer.eval_dataset:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([sample["input_ids"]])).logits[0]
        found, labels = logits[:-1].argmax(-1).tolist(), sample["labels"][1:]
        hits = [one == label for one, label in zip(found, labels, strict=True) if label != -100]
        counted.append((sum(hits), len(hits)))
    return counted


def evaluated(trainer, **options):
    """The numbers of an evaluation, and its batches."""
    batches.clear()
    found = trainer.evaluate(**options)
    return {name: value for name, value in found.items() if "pass@" in name}, batches[:]


class Earlier(TrainerCallback):
    """A callback that the trainer was constructed with, as EarlyStoppingCallback."""

    def on_evaluate(self, *states, metrics, **others):
        earlier.append(metrics.get("eval_pass@1"))


def main(examples):
    """Run the recipes, and print what they found."""
    for kind in (GRPOTrainer, RLOOTrainer):
        kind._calculate_rewards = keeping(kind._calculate_rewards)
    # The recipes end the group, which the next one needs.
    end, torch.distributed.destroy_process_group = (
        torch.distributed.destroy_process_group,
        lambda: None,
    )
    logging.disable(logging.WARNING)

    said = {"verl": runpy.run_path(f"{examples}/verl_validation.py")["numbers"]}

    recipe = runpy.run_path(f"{examples}/trl_sft.py")
    names = ("eval_tokens_top1", "eval_mean_token_accuracy")
    said["sft"] = {name: recipe["found"][name] for name in names}
    said["sft"] |= {"tokens": sum(recipe["counts"]), "samples": tokens_of(recipe["trainer"])}

    recipe = runpy.run_path(f"{examples}/trl_grpo.py")
    found = {name: value for name, value in recipe["found"].items() if "pass@" in name}
    said["grpo"] = (found, batches[:])
    said["theirs"] = recipe["found"]["eval_reward"]
    said["again"] = evaluated(recipe["trainer"], metric_key_prefix="eval_again")
    said["logged"] = [
        {name: value for name, value in logs.items() if "pass@" in name}
        for logs in recipe["trainer"].state.log_history
    ]

    given = recipe["settings"]
    settings = {
        name: getattr(given, name)
        for name in ("num_generations", "max_completion_length", "per_device_eval_batch_size")
    }
    settings |= {"per_device_train_batch_size": 4, "use_cpu": True, "bf16": False, "report_to": []}
    settings["beta"] = 0.0  # else it loads the reference model by its name
    best = {"metric_for_best_model": "eval_pass@1", "eval_strategy": "steps", "save_strategy": "no"}
    settings |= best | {"max_steps": 1, "eval_steps": 1}
    trainer = RLOOTrainer(
        recipe["trainer"].model,
        recipe["has_one"],
        args=RLOOConfig(given.output_dir, **settings),
        train_dataset=recipe["questions"],
        eval_dataset=recipe["questions"],
        processing_class=recipe["tokenizer"],
        callbacks=[Earlier()],
    )
    mm.integrations.attach_attempts(mm.PassAtK(k=(1, 2)), trainer)
    said["rloo"] = evaluated(trainer)
    batches.clear()
    trainer.train()
    said["best"] = (trainer.state.best_metric, batches[:])
    said["earlier"] = earlier

    # The nine examples of issue 7010 have the values 0 to 8; each of 2 ranks gets a batch of five.
    accelerator, mean = Accelerator(cpu=True), mm.Mean()
    loader = accelerator.prepare(DataLoader(mm.Indexed(torch.arange(9.0)), batch_size=5))
    [(ids, values)] = loader
    mean.add(values, ids=ids)
    said["7010"] = (
        accelerator.gather_for_metrics(values.mean()).mean().item(),
        mean.compute(9)["mean"],
    )

    print(said, flush=True)
    end()


if __name__ == "__main__":
    main(sys.argv[1])
