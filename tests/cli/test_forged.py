"""Logs, records, locks and saved states in which something is another thing: the file is named."""

import gzip
import json
import resource
import shutil
import subprocess
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from mmeval_like._samples import checkpoint
from mmeval_like.cli import main
from mmeval_like.records.claim import record_of
from tests.cli.files import command, environment
from tests.helpers.examples import examples
from tests.helpers.optional import requires
from tests.logs.damage import forged

requires("pyarrow")
TIMES = examples(6)
LOGS = Path(__file__).parents[1] / "logs"
# By format: the folder of a log, the file that is given, and those that are damaged.
HARNESSES = {
    "lm-eval": (LOGS / "lm_eval", "results_*.json", ("results_*.json", "samples_yes_no_*.jsonl")),
    "helm": (LOGS / "helm", "stats.json.gz", ("per_*.gz", "stats.json.gz", "run_spec.json.gz")),
    "inspect": (LOGS / "inspect", "numbers.json.gz", ("numbers.json.gz",)),
    "lighteval": (LOGS / "lighteval", "results/**/*.json", ("results/**/*.json",)),
    "trainer": (LOGS / "trainer" / "classes", "*.npz", ("*_results.json",)),
}


def said_of(capsys, path, codes, *arguments):
    """Run the command: one of these exit codes, and one line that names the file where it is 2."""
    code = main([*map(str, arguments), "-q"] if "--to" not in arguments else [*map(str, arguments)])
    said = capsys.readouterr().err
    assert code in codes, (code, said, path.read_bytes()[-4000:])
    if code == 2:
        complaints = [line for line in said.splitlines() if "warning:" not in line]
        assert len(complaints) == 1, said
        assert path.name in complaints[0], said


def rewritten(path, change):
    """Change the JSON of a file, which may be compressed, and have one object in each line."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as file:
        lines = [json.loads(text) for text in (file if ".jsonl" in path.name else [file.read()])]
    found = change(lines if ".jsonl" in path.name else lines[0])
    texts = map(json.dumps, found if ".jsonl" in path.name else [found])
    with opened(path, "wt") as file:
        file.write("\n".join(texts))


@pytest.mark.parametrize("name", HARNESSES)
def test_a_forged_log_is_read_or_named(tmp_path, capsys, name):
    """Whatever stands where a harness writes its JSON: numbers, or a line that names the file."""
    rng = np.random.default_rng(len(name))
    source, given, targets = HARNESSES[name]
    for number in range(TIMES):
        folder = tmp_path / str(number)
        shutil.copytree(source, folder)
        target = min(folder.glob(targets[number % len(targets)]))
        (path,) = folder.glob(given)
        rewritten(target, lambda found: forged(found, rng))
        said_of(capsys, target, (0, 2), "score", path, "--format", name)


@pytest.fixture
def made(tmp_path, capsys):
    """Predictions with their record, their saved state and their lock."""
    path = tmp_path / "p.csv"
    rows = [f"{i % 3},{i % 2},{i},{'ab'[i % 2]}\n" for i in range(40)]
    path.write_text("predictions,labels,id,zone\n" + "".join(rows))
    asked = ["--metric", "accuracy", "--by", "zone", "--ids", "id", "--interval", "0.9", "-q"]
    assert main(["score", str(path), *asked, "--lock", str(tmp_path / "lock.json")]) == 0
    more = ["--metric", "mean_squared_error", "--record", str(tmp_path / "record.json")]
    more += ["--state", str(tmp_path / "state.safetensors")]
    assert main(["score", str(path), *asked, *more]) == 0
    capsys.readouterr()
    return path, *(tmp_path / name for name in ("record.json", "state.safetensors", "lock.json"))


def test_a_forged_record_is_read_or_named(tmp_path, capsys, made):
    """Also one whose id is the digest of its claim, and in every command that reads records."""
    predictions, record, state, _ = made
    rng = np.random.default_rng(2)
    whole, path = json.loads(record.read_text()), tmp_path / "forged.json"
    facts = [f"--set={name}=other" for name in ("model", "dataset", "organization")]
    for _ in range(2 * TIMES):
        found = forged(whole, rng)
        if rng.random() < 0.7:
            with suppress(KeyError, TypeError, ValueError):
                found = record_of(found["claim"], found["made"])
        path.write_text(json.dumps(found))
        said_of(capsys, path, (0, 1, 2), "verify", path, predictions)
        said_of(capsys, path, (0, 1, 2), "verify", path, state, "--json", tmp_path / "out")
        said_of(capsys, path, (0, 2), "log", record, path)
        relation = "--set=relationship=other"
        said_of(capsys, path, (0, 2), "record", path, "--to", "eee", *facts, relation)


def test_a_forged_lock_is_read_or_named(tmp_path, capsys, made):
    """Predictions that are held to a lock which says anything."""
    predictions, record, _, lock = made
    rng = np.random.default_rng(3)
    whole, path = json.loads(lock.read_text()), tmp_path / "forged.json"
    for _ in range(2 * TIMES):
        path.write_text(json.dumps(forged(whole, rng)))
        said_of(capsys, path, (0, 1, 2), "verify", record, predictions, "--locked", path)


def other_array(array, rng):
    """An array in which something is another thing."""
    ways = [
        lambda: array[:-1] if array.ndim else np.zeros(3),
        lambda: array.astype(np.float64),
        lambda: array[None],
        lambda: np.concatenate([array.ravel()] * 2),
        lambda: np.where(rng.random(array.shape) < 0.1, 77, array).astype(array.dtype),
    ]
    return ways[int(rng.integers(len(ways)))]()


def test_a_forged_state_is_read_or_named(tmp_path, capsys, made):
    """Its digest is right: what no `save` wrote is refused when it is loaded, or computed."""
    _, record, state, _ = made
    rng = np.random.default_rng(4)
    path, ids = tmp_path / "forged.safetensors", tmp_path / "ids"
    ids.write_text("3\n")
    for _ in range(5 * TIMES):
        found = checkpoint.read(state)
        key = sorted(found)[int(rng.integers(len(found)))]
        value = found.pop(key)
        if rng.random() < 0.8:
            isarray = isinstance(value, np.ndarray)
            found |= {key: other_array(value, rng)} if isarray else forged({key: value}, rng)
        checkpoint.write(path, found)
        said_of(capsys, path, (0, 1, 2), "verify", record, path)
        said_of(capsys, path, (0, 2), "rollup", path)
        said_of(capsys, path, (0, 2), "rollup", state, path)
        said_of(capsys, path, (0, 2), "retract", path, "--ids-file", ids)


def bomb(folder, kind):
    """A log of some hundred kilobytes that unpacks to 300 MB."""
    piece = b"[" + b"0," * (5 << 20)
    if kind == "inspect":
        path = folder / "bomb.eval"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("header.json", "w") as member:
                for _ in range(30):
                    member.write(piece)
            archive.writestr("samples/1.json", "{}")
        return path
    path = folder / ("samples_a_2026-01-01T00-00-00.jsonl.gz" if kind == "lm-eval" else "b.json.gz")
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(30):
            file.write(piece)
    return path


@pytest.mark.parametrize("kind", ["lm-eval", "inspect", "inspect.json"])
def test_what_unpacks_to_far_more_than_it_is_is_refused(tmp_path, capsys, kind):
    """No log is a thousandth of itself: what would only fill the memory is not unpacked."""
    path = bomb(tmp_path, kind)

    assert main(["score", str(path), "--format", kind.removesuffix(".json"), "-q"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(path) in line
    assert "more than 500 times its size" in line


@pytest.mark.parametrize("arguments", [["verify", "FILE", "x.csv"], ["log", "FILE"],
                                       ["score", "FILE", "--format", "inspect"]])  # fmt: skip
def test_a_file_that_memory_does_not_hold_is_named(tmp_path, arguments):
    """Under a limit of the system, not a number that a test made up."""
    path = tmp_path / "large.json"
    path.write_text('{"claim": [' + "[1.5]," * (8 << 20) + "1]}")

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (900 << 20, 900 << 20))

    done = subprocess.run(
        command(*[str(path) if word == "FILE" else word for word in arguments]),
        env=environment() | {"OPENBLAS_NUM_THREADS": "1"}, capture_output=True, text=True,
        preexec_fn=limit, timeout=100,
    )  # fmt: skip

    assert done.returncode == 2, done.stderr
    assert f"{path}: needs more memory than there is" in done.stderr


def test_the_depth_of_json_is_bounded(tmp_path, capsys):
    """A record of nested lists is named, and ends nothing."""
    path = tmp_path / "deep.json"
    path.write_text('{"claim": ' + "[" * 100_000 + "]" * 100_000 + "}")
    assert main(["log", str(path)]) == 2
    assert "deep.json" in capsys.readouterr().err
