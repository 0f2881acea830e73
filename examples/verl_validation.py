"""verl's validation without verl: workers get padded parts of all attempts, then lists come back.

python examples/verl_validation.py
torchrun --nproc-per-node 2 examples/verl_validation.py
"""

import os

import mmeval_like as mm


def validation_metrics(data_sources, sample_uids, infos):
    """Return the numbers of all questions and of every data source, from the lists of all attempts.

    The arguments are those of verl's `process_validation_metrics`. `infos` needs what a reward
    function returns beside its reward: "acc", "pred" and "answer".
    """
    questions = {}
    for place, uid in enumerate(sample_uids):
        questions.setdefault(uid, []).append(place)
    attempts = list(questions.values())
    sources = {"data_source": [data_sources[places[0]] for places in attempts]}

    passed = mm.Sliced(mm.PassAtK(k=(1, 2)), by="data_source")
    passed.add([[infos["acc"][place] for place in places] for places in attempts], by=sources)
    voted = mm.Sliced(mm.MajorityVote(), by="data_source")
    voted.add(
        [[infos["pred"][place] for place in places] for places in attempts],
        [infos["answer"][places[0]] for places in attempts],
        by=sources,
    )
    # Every process has the lists of all: nothing is exchanged.
    parts = passed.compute_local(), voted.compute_local()
    return {f"val/{name}": value for part in parts for name, value in part.flat().items()}


if "WORLD_SIZE" in os.environ:
    mm.dist.init_dist("pytorch", "gloo")
rank, workers = mm.dist.get_dist_info()

# Five questions with three attempts each: the uid, where it is from, the answer, what was tried.
questions = [
    ("a", "gsm8k", "7", ["7", "7", "3"]),
    ("b", "gsm8k", "5", ["4", "5", "5"]),
    ("c", "gsm8k", "2", ["1", "1", "2"]),
    ("d", "math", "9", ["8", "8", "8"]),
    ("e", "math", "6", ["6", "1", "2"]),
]
rows = [(uid, source, answer, tried) for uid, source, answer, texts in questions for tried in texts]

# As pad_dataproto_to_divisor: the first rows again, so that all workers have equally many.
padded = rows + rows[: -len(rows) % workers]
each = len(padded) // workers
mine = [(*row, int(row[2] == row[3])) for row in padded[rank * each : (rank + 1) * each]]

# What comes back from the workers, without the padding: as unpad_dataproto.
found = [row for part in mm.dist.all_gather_object(mine) for row in part][: len(rows)]
uids, sources, answers, tried, right = map(list, zip(*found, strict=True))
infos = {"acc": right, "pred": tried, "answer": answers}
numbers = validation_metrics(sources, uids, infos)
print(numbers, flush=True)
