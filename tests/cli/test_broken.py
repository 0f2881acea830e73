"""`gate --broken`: samples that all earlier versions get right, and the new one gets wrong."""

import json

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from tests.cli.files import run
from tests.helpers.optional import requires

requires("pyarrow")
pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")
ROWS = 120
NAMES = [f"a sample with a long name, {i}" for i in range(ROWS)]


@pytest.fixture
def versions(tmp_path):
    """Files of four versions by how right they are, and which samples each gets right."""
    rng, paths, right = np.random.default_rng(4), [], []
    for number in range(4):
        right.append(rng.random(ROWS) < 0.85)
        lines = [f"{name},{int(hit)},1" for name, hit in zip(NAMES, right[-1], strict=True)]
        path = tmp_path / f"v{number}.csv"
        quoted = [f'"{line.rpartition(",")[0].rpartition(",")[0]}",{line[-3:]}' for line in lines]
        path.write_text("\n".join(["name,predictions,labels", *quoted]) + "\n")
        paths.append(str(path))
    return paths, np.array(right)


@pytest.mark.parametrize("earlier", [1, 2, 3])
def test_broken_samples_are_counted_and_named(versions, tmp_path, earlier):
    """Those that a loop over the files finds; the gate fails with one fewer allowed."""
    paths, right = versions
    wanted = {NAMES[i] for i in np.flatnonzero(right[:earlier].all(axis=0) & ~right[3])}
    assert wanted
    sides = [word for path in paths[:earlier] for word in (path, "--")]
    target = tmp_path / "found.json"
    asked = ["gate", *sides, paths[3], "--metric", "accuracy", "--ids", "name", "--margin", "0.5",
             "--json", str(target), "-q"]  # fmt: skip
    assert main([*asked, "--broken", str(len(wanted))]) == 0
    found = json.loads(target.read_text())
    assert (set(found["broken"]), found["outcome"]) == (wanted, "pass")
    assert main([*asked, "--broken", str(len(wanted) - 1)]) == 1
    assert json.loads(target.read_text())["outcome"] == "fail"


def test_the_line_names_ten(versions, capsys):
    """Without ids, they are numbers of rows."""
    paths, right = versions
    wanted = np.flatnonzero(right[0] & ~right[3]).tolist()
    assert len(wanted) > 10
    words = [paths[0], "--", paths[3], "--metric", "accuracy", "--margin", "0.5", "--broken", "0"]
    assert main(["gate", *words]) == 1
    said = capsys.readouterr().out
    named = ", ".join(map(str, wanted[:10]))
    assert said.startswith("FAIL accuracy.top1")
    assert said.endswith(f"; {len(wanted)} broken (at most 0): rows {named}, ...\n")
    assert main(["gate", *words[:-1], "500"]) == 0


def test_ranks_agree(versions):
    """Long names come from whichever rank read them."""
    requires("zmq")
    paths, _ = versions
    asked = [paths[0], "--", paths[1], "--", paths[3], "--metric", "accuracy", "--ids", "name",
             "--margin", "0.5", "--broken", "0"]  # fmt: skip
    one, two = run("gate", *asked), run("gate", *asked, "-n", "2")
    assert one.returncode == two.returncode == 1, two.stderr
    assert one.stdout == two.stdout
    assert "a sample with a long name" in one.stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["V", "--at-least", "0.5", "--broken", "0"], "--broken needs an earlier version"),
        (["V", "--", "V", "--", "V", "--margin", "0.1"], "only --broken takes versions before A"),
        (["V", "--", "V", "--margin", "0.1", "--broken", "-1"], "must be an integer of at least 0"),
        (
            ["V", "--", "V", "--margin", "0.1", "--broken", "1", "--metric", "mse"],
            "--broken needs a metric that scores each sample right or wrong",
        ),
    ],
)
def test_misuse(versions, capsys, words, text):
    """Errors that say what to do."""
    path = versions[0][0]
    given = [path if word == "V" else word for word in words]
    given += [] if "--metric" in given else ["--metric", "accuracy"]
    try:
        code = main(["gate", *given])
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert text in capsys.readouterr().err


def test_broken_in_python():
    """The intersection, in order; results without lists are refused."""
    rng, found = np.random.default_rng(6), []
    new, earlier = rng.random(50) < 0.7, rng.random((3, 50)) < 0.8
    for one in earlier:
        pair = mm.Paired(mm.Accuracy(), list_flips=True)
        pair.a.add(one.astype(int), np.ones(50, int), ids=range(50))
        pair.b.add(new.astype(int), np.ones(50, int), ids=range(50))
        found.append(pair.compute())
    assert mm.broken(*found) == tuple(np.flatnonzero(earlier.all(axis=0) & ~new).tolist())
    with pytest.raises(ValueError, match="list_flips=True"):
        mm.broken({"top1_difference": 0.1})
    with pytest.raises(TypeError, match="at least one earlier version"):
        mm.broken()
