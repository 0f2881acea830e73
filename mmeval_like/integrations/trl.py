"""TRL: metrics of what its trainers generate while they evaluate, such as pass@k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import iscoroutinefunction, isfunction
from typing import Any

from accelerate.utils import gather_object
from transformers import Trainer, TrainerCallback

from mmeval_like._core.evaluation import emptied
from mmeval_like._core.given import Metrics, as_metrics

__all__ = ["attach_attempts"]


def attach_attempts(
    metrics: Metrics,
    trainer: Any,
    inputs: Callable[[list[list[Any]]], tuple[Any, ...]] | None = None,
    reward: int = 0,
) -> None:
    """Compute metrics of the rewards in every evaluation of TRL's `GRPOTrainer` or `RLOOTrainer`.

    An evaluation generates several completions for each prompt: its attempts. They may be on
    several ranks, and the loader repeats the first ones to fill the last batches. Each attempt
    is counted once, and those at a prompt come together. Every rank has the same numbers, and
    logs them; they are in what `trainer.evaluate()` returns, for `metric_for_best_model`. The
    names are those of `Result.flat`, with "eval_" before them, as the Trainer's own numbers.

    Args:
        metrics: A metric, a collection, or metrics by name; they are copied.
        trainer: The trainer. Its evaluation dataset must have a length.
        inputs: A function from the rewards of all prompts, a list of one list for each prompt, to
            the arguments of `add`. By default the list is the only argument, as `PassAtK` takes
            it.
        reward: The position of the reward function in `reward_funcs`.

    Raises:
        TypeError: The trainer has no `reward_funcs`, or the reward is no function: a model, an
            object, or an async function.
        ValueError: There is no reward at this position. In an evaluation: the loader drops the
            last batch.

    Example:
        >>> from mmeval_like import PassAtK
        >>> def attach(trainer):  # a GRPOTrainer
        ...     attach_attempts(PassAtK(k=(1, 4)), trainer)  # eval_pass@1, eval_pass@4
    """
    total = emptied(as_metrics(metrics))
    batches: list[list[Any]] = []
    functions = getattr(trainer, "reward_funcs", None)
    if functions is None:
        raise TypeError(f"trainer must be a GRPOTrainer or RLOOTrainer of TRL, got {trainer!r}")
    if reward not in range(len(functions)):
        raise ValueError(f"reward must be in [0, {len(functions)}), got {reward!r}")
    score = functions[reward]
    if not isfunction(score) or iscoroutinefunction(score):
        raise TypeError(
            f"reward_funcs[{reward}] must be a function that is not async, got {score!r}: write a "
            "function that returns its rewards"
        )

    @wraps(score)
    def kept(*args: Any, **kwargs: Any) -> Sequence[Any]:
        rewards: Sequence[Any] = score(*args, **kwargs)
        if not trainer.model.training:
            batches.append(list(rewards))
        return rewards

    class Attempts(TrainerCallback):  # type: ignore[misc]  # the base is Any without transformers
        def on_evaluate(
            self, *states: Any, metrics: dict[str, Any], eval_dataloader: Any, **others: Any
        ) -> None:
            # An evaluation that failed has left its batches before those of this one. The ranks
            # take batches in turn, and what is repeated comes last.
            ranks = gather_object([batches[-len(eval_dataloader) :]])
            batches.clear()
            rewards = [one for turn in zip(*ranks, strict=True) for batch in turn for one in batch]
            number = trainer.num_generations_eval
            size = len(eval_dataloader.dataset) * number
            if len(rewards) < size:
                raise ValueError(
                    f"the evaluation has {len(rewards)} of its {size} attempts: set "
                    "dataloader_drop_last=False"
                )
            groups = [rewards[first : first + number] for first in range(0, size, number)]
            total.add(*(inputs(groups) if inputs else (groups,)))
            [prefix] = {name[: -len("runtime")] for name in metrics if name.endswith("_runtime")}
            found = total.compute_local().flat(prefix)
            total.reset()
            metrics.update(found)
            Trainer.log(trainer, found)  # without the completions, which are logged already

    functions[reward] = kept
    # The first: others, such as EarlyStoppingCallback, look for the numbers in theirs.
    trainer.callback_handler.callbacks.insert(0, Attempts())
