"""Trainers of language models on 2 processes, and what five threads found in their numbers.

TRL's own trainers run once, in trl_program.py. The wrong numbers are computed as the code of the
thread does it.
"""

import ast
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from tests.helpers.launch import ROOT, run_ranks
from tests.helpers.optional import require_installed

PROGRAM = ROOT / "tests" / "integrations" / "trl_program.py"


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What each of the 2 ranks says; nothing is asked of the internet."""
    require_installed("torch", "trl", "transformers", "accelerate", "datasets")
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path_factory.mktemp("hub"))}
    done = run_ranks("torchrun", 2, PROGRAM, ROOT / "examples", timeout=280, env=offline)
    return [ast.literal_eval(text.splitlines()[-1]) for text in done.stdout]


def attempts(ranks):
    """The plain list of all (prompt, reward), in the order of the loader, without its repeats."""
    pairs = []
    for (rewards, first), (_, second) in zip(*ranks, strict=True):
        pairs += zip(first + second, rewards, strict=True)
    assert len(pairs) == 24
    return pairs[:20]


def pass_at(k, pairs):
    """The mean over prompts of the share of k of its attempts that have a right one."""
    prompts = {}
    for prompt, reward in pairs:
        prompts.setdefault(prompt, []).append(reward)
    assert [len(rewards) for rewards in prompts.values()] == [4] * 5
    return np.mean(
        [np.mean([any(few) for few in combinations(one, k)]) for one in prompts.values()]
    )


@pytest.mark.parametrize("kind", ["grpo", "again", "rloo"])
def test_pass_at_k_of_a_trainer_is_that_of_the_plain_list(said, kind):
    """Two ranks share the attempts at a prompt, and repeat four of 20; also in a second run."""
    (found, one), (other, two) = (rank[kind] for rank in said)
    pairs = attempts((one, two))

    assert found == other
    prefix = "eval_again" if kind == "again" else "eval"
    expected = {f"{prefix}_pass@{k}": pytest.approx(pass_at(k, pairs), abs=1e-15) for k in (1, 2)}
    assert found == expected
    assert not set(one[0][1]).isdisjoint(two[0][1])


def test_loggers_get_the_numbers_of_every_evaluation(said):
    """Once each, under the prefix of the evaluation."""
    for rank in said:
        assert [logs for logs in rank["logged"] if logs] == [rank["grpo"][0], rank["again"][0]]


def test_training_chooses_the_best_model_by_it(said):
    """After a step, whose own attempts do not count."""
    expected = pass_at(1, attempts([rank["best"][1] for rank in said]))
    assert [rank["best"][0] for rank in said] == [pytest.approx(expected, abs=1e-15)] * 2


def test_callbacks_of_the_constructor_find_the_numbers(said):
    """EarlyStoppingCallback is disabled by an evaluation without the number of the best model."""
    for rank in said:
        assert rank["earlier"] == [rank["rloo"][0]["eval_pass@1"], rank["best"][0]]


def test_it_names_what_is_no_trainer_and_no_reward():
    """Before the first evaluation."""
    require_installed("torch", "trl", "transformers", "accelerate", "datasets")
    with pytest.raises(TypeError, match="trainer must be a GRPOTrainer or RLOOTrainer"):
        mm.integrations.attach_attempts(mm.PassAtK(), object())
    trainer = SimpleNamespace(reward_funcs=[print, print])
    with pytest.raises(ValueError, match=r"reward must be in \[0, 2\), got 2"):
        mm.integrations.attach_attempts(mm.PassAtK(), trainer, reward=2)


def test_tokens_are_counted_once(said):
    """TRL's own number is the mean over batches, of the last one with the part of rank 0 alone.

    It reduces the counts of a rank before `gather_for_metrics`, which keeps as many of them as
    there are samples in that batch: one. And one sample of that part is there twice.
    """
    for rank in said:
        samples = rank["sft"]["samples"]
        hits, tokens = np.sum(samples, axis=0)
        batches = [samples[:4], samples[4:8], [samples[8], samples[0]]]
        theirs = np.mean([right / every for right, every in (np.sum(part, 0) for part in batches)])

        assert rank["sft"]["tokens"] == tokens == 27
        assert rank["sft"]["eval_tokens_top1"] == hits / tokens == 3 / 27
        assert rank["sft"]["eval_mean_token_accuracy"] == pytest.approx(theirs) != 3 / 27


@pytest.mark.parametrize("thread", ["5786", "5787"])
def test_trl_5786_and_5787_give_each_rank_its_own_part(said, thread):
    """`compute_metrics` of both had the local slice of the gathered rewards."""
    right = np.mean([reward for _, reward in attempts([rank["again"][1] for rank in said])])
    local = []
    for index, rank in enumerate(said):
        own = slice(6 * index, 6 * index + 6)  # process_slice
        local.append(np.mean([rewards[own] for rewards, _ in rank["again"][1]]))

    assert len({*local, right}) == 3
    assert [rank["again"][0]["eval_again_pass@1"] for rank in said] == [right, right]


def test_trl_5790_has_the_number_on_the_main_process_only(said):
    """On the others, `metric_for_best_model` finds none; and four attempts are there twice."""
    gathered = [one for rewards, _ in said[0]["grpo"][1] for one in rewards]
    right = np.mean([reward for _, reward in attempts([rank["grpo"][1] for rank in said])])
    metrics = [{"eval_accuracy": np.mean(gathered)}, {}]

    assert metrics[0]["eval_accuracy"] == pytest.approx(said[0]["theirs"]) != right
    with pytest.raises(KeyError, match="eval_accuracy"):
        metrics[1]["eval_accuracy"]
    assert [rank["grpo"][0]["eval_pass@1"] for rank in said] == [right, right]


def test_trl_7010_reduces_before_it_gathers(said):
    """`gather_for_metrics` cannot take a repeated example out of a mean: 18/5, and not 4."""
    for rank in said:
        theirs, ours = rank["7010"]
        assert theirs == pytest.approx(18 / 5)
        assert ours == np.mean(range(9)) == 4


def test_trl_7010_with_the_last_example_repeated():
    """The other line of the table of that issue: 22/5, and not 4."""
    parts = [[0, 1, 2, 3, 4], [5, 6, 7, 8, 8]]

    def evaluate(backend):
        metric = mm.Mean(dist_backend=backend)
        metric.add(np.array(parts[backend.rank], float), ids=parts[backend.rank])
        return metric.compute(size=9)["mean"]

    assert np.mean([np.mean(part) for part in parts]) == pytest.approx(22 / 5)
    assert LocalWorld(2).run(evaluate) == [4.0, 4.0]


def test_verl_agent_267_averages_the_rates_of_batches():
    """64.1 % where 28.8 % is right.

    Its validation keeps the success rate of every batch, and takes the mean of these. The thread
    has no counts; 125 episodes with 36 successes, the last one a batch of its own, give both.
    """
    batches = [np.arange(124) < 35, np.array([True])]
    world = LocalWorld(2)

    def evaluate(backend):
        metric, begin = mm.Mean(dist_backend=backend), 0
        for won in batches:
            # As pad_dataproto_to_divisor: the first again, so that both workers have equally many.
            places = [*range(len(won)), *range(-len(won) % world.size)]
            mine = np.split(np.array(places), world.size)[backend.rank]
            metric.add(won[mine].astype(float), ids=begin + mine)
            begin += len(won)
        return metric.compute(size=begin)["mean"]

    success_rate = [np.mean(won) for won in batches]
    assert f"{np.mean(success_rate):.1%}" == "64.1%"
    assert [f"{found:.1%}" for found in world.run(evaluate)] == ["28.8%"] * 2


def test_verl_validation_has_the_numbers_of_all_attempts(said):
    """On 2 workers, of which one gets a repeated attempt; their averages are wrong."""
    one, other = (rank["verl"] for rank in said)
    # Right attempts of three at each question, whether most votes are right.
    gsm8k, math = [(2, 1), (2, 1), (1, 0)], [(0, 0), (1, 1 / 3)]

    def numbers(name, questions):
        right, votes = np.transpose(questions)
        first = np.mean(right / 3)
        both = np.mean([1 - (3 - c) * (2 - c) / 6 for c in right])
        found = {"pass@1": first, "pass@2": both, "mean": first, "maj": np.mean(votes)}
        return {f"val/{name}_{key}": pytest.approx(value) for key, value in found.items()}

    expected = numbers("all", gsm8k + math)
    expected |= numbers("data_source=gsm8k", gsm8k) | numbers("data_source=math", math)
    assert one == other == expected
    # 4 of the first 8 attempts are right; of the other 7, and the first again, 3.
    assert one["val/all_pass@1"] == 6 / 15 != (4 / 8 + 3 / 8) / 2
