"""Hugging Face's own Trainer, with a model of one layer; TRL's is in test_trl.py."""

import itertools
from types import SimpleNamespace

import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import requires

torch = requires("torch")
transformers = requires("transformers")
requires("accelerate")


class Model(torch.nn.Module):
    """Scores are the inputs."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))

    def forward(self, x, labels):
        logits = x * self.weight
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("by_batch", [False, True])
def test_trainer(tmp_path, by_batch):
    """The same numbers by batch and at once, twice in a row, and flat for its loggers."""
    scores = torch.rand(9, 3, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([0, 1, 2] * 3)
    data = [{"x": x, "labels": y} for x, y in zip(scores, labels, strict=True)]
    members = {"acc": mm.Accuracy(thrs=None), "matrix": mm.ConfusionMatrix(num_classes=3)}
    metrics = mm.MetricCollection(members)
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path), per_device_eval_batch_size=4, batch_eval_metrics=by_batch,
        report_to=[], use_cpu=True,
    )  # fmt: skip

    trainer = transformers.Trainer(
        Model(), arguments, eval_dataset=data, compute_metrics=mm.integrations.trainer(members)
    )

    expected = metrics(scores, labels).flat("eval_")
    for _ in range(2):
        found = trainer.evaluate()
        assert {name: found[name] for name in expected} == expected
    assert sum(value for name, value in expected.items() if "confusion" in name) == 9


def out_of_memory(*_):
    """What a model or a metric may meet."""
    raise MemoryError


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("by_batch", [False, True])
@pytest.mark.parametrize("fails", ["the loop", "compute"])
def test_an_evaluation_that_failed_leaves_nothing(tmp_path, monkeypatch, by_batch, fails):
    """The next evaluation has the numbers of its own samples, as a new metric computes them.

    Where the loop fails between two batches, nothing tells the function: a new one is needed.
    """
    scores = torch.rand(9, 3, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([0, 1, 2] * 3)
    data = [{"x": x, "labels": y} for x, y in zip(scores, labels, strict=True)]
    metric = mm.ConfusionMatrix(num_classes=3)
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path), per_device_eval_batch_size=4, batch_eval_metrics=by_batch,
        report_to=[], use_cpu=True,
    )  # fmt: skip
    trainer = transformers.Trainer(
        Model(), arguments, eval_dataset=data, compute_metrics=mm.integrations.trainer(metric)
    )
    steps = itertools.count(1)

    class FailsOnce(transformers.TrainerCallback):
        def on_prediction_step(self, *_, **__):
            if next(steps) == 2:
                out_of_memory()

    with monkeypatch.context() as broken:
        if fails == "the loop":
            trainer.add_callback(FailsOnce())
        else:
            broken.setattr(mm.ConfusionMatrix, "compute_metric", out_of_memory)
        with pytest.raises(MemoryError):
            trainer.evaluate()
    if by_batch and fails == "the loop":
        trainer.compute_metrics = mm.integrations.trainer(metric)
    found = trainer.evaluate()

    expected = metric(scores, labels).flat("eval_")
    assert {name: found[name] for name in expected} == expected
    assert sum(expected.values()) == 9


def test_inputs_of_another_form():
    """What a function makes of the prediction is added, in place of predictions and labels."""
    prediction = transformers.EvalPrediction([[0.1, 0.9], [0.8, 0.2]], [1, 1], inputs=[0, 0])
    compute = mm.integrations.trainer(
        mm.Accuracy(), inputs=lambda one: (one.predictions, one.inputs)
    )

    assert compute(prediction) == mm.Accuracy()(prediction.predictions, [0, 0]).flat()


def test_what_trainer_gathered_counts_once():
    """Each rank is given the predictions of all, and asks no other rank."""
    prediction = transformers.EvalPrediction([[0.1, 0.9], [0.8, 0.2], [0.7, 0.3]], [1, 1, 0])

    def rank(backend):
        metric = mm.ConfusionMatrix(num_classes=2, dist_backend=backend)
        return mm.integrations.trainer(metric)(prediction)

    expected = mm.ConfusionMatrix(num_classes=2)(prediction.predictions, prediction.label_ids)
    assert LocalWorld(2).run(rank) == [expected.flat()] * 2
    assert sum(expected.flat().values()) == 3


def stand_in(monkeypatch, score):
    """A trainer with two questions of two attempts, how to evaluate it, and what it has logged."""
    logs = []
    monkeypatch.setattr(transformers.Trainer, "log", lambda trainer, found: logs.append(found))
    handler, model = SimpleNamespace(callbacks=[]), SimpleNamespace(training=True)
    trainer = SimpleNamespace(
        reward_funcs=[score], num_generations_eval=2, model=model, callback_handler=handler
    )

    class Loader(list):
        dataset = range(2)

    def evaluate(*batches):
        trainer.model.training = False
        for batch in batches:
            trainer.reward_funcs[0](batch)
        trainer.model.training = True
        metrics = {"eval_runtime": 1.0}
        [callback] = handler.callbacks
        callback.on_evaluate(
            None, None, None, metrics=metrics, eval_dataloader=Loader(range(2)), model=None
        )
        return metrics

    return trainer, evaluate, logs


def test_training_and_an_evaluation_that_failed_leave_nothing(monkeypatch):
    """The next evaluation counts its own batches."""
    trainer, evaluate, logs = stand_in(monkeypatch, lambda rewards: rewards)
    mm.integrations.attach_attempts(mm.PassAtK(), trainer)

    trainer.reward_funcs[0]([1, 1])
    trainer.model.training = False
    trainer.reward_funcs[0]([1, 1])  # and then the model fails
    for _ in range(2):
        found = evaluate([0, 0], [1, 0])
        assert found == {"eval_runtime": 1.0, "eval_pass@1": 0.25, "eval_mean": 0.25}
    assert logs == [{"eval_pass@1": 0.25, "eval_mean": 0.25}] * 2


def test_rewards_that_are_not_counts_of_right_attempts(monkeypatch):
    """A function makes of them what `add` takes."""
    trainer, evaluate, _ = stand_in(monkeypatch, lambda rewards: rewards)
    mm.integrations.attach_attempts(
        mm.Mean(), trainer, lambda prompts: ([max(rewards) for rewards in prompts],)
    )

    assert evaluate([0.5, 2.5], [1.5, 0.0])["eval_mean"] == 2.0


def test_a_loader_that_drops_attempts(monkeypatch):
    """Its last question would have fewer attempts, or none."""
    trainer, evaluate, _ = stand_in(monkeypatch, lambda rewards: rewards)
    mm.integrations.attach_attempts(mm.PassAtK(), trainer)

    with pytest.raises(ValueError, match=r"has 3 of its 4 attempts: set dataloader_drop_last=Fal"):
        evaluate([1, 0], [1])
    assert evaluate([1, 0], [1, 1])["eval_pass@1"] == 0.75


@pytest.mark.parametrize("score", [object(), len])
def test_a_reward_that_is_no_function(monkeypatch, score):
    """Such as a model, whose rewards TRL computes elsewhere."""
    trainer, _, _ = stand_in(monkeypatch, score)

    with pytest.raises(TypeError, match=r"reward_funcs\[0\] must be a function that is not async"):
        mm.integrations.attach_attempts(mm.PassAtK(), trainer)


def test_an_async_reward(monkeypatch):
    """TRL runs it in another thread, with the others."""

    async def score(completions):
        return [1.0] * len(completions)

    trainer, _, _ = stand_in(monkeypatch, score)
    with pytest.raises(TypeError, match="not async"):
        mm.integrations.attach_attempts(mm.PassAtK(), trainer)
