"""Configs that the packages ship train and test by MMEngine's Runner with our line, as without."""

import json

import pytest

from tests.helpers.launch import run_ranks
from tests.helpers.optional import requires
from tests.integrations.openmmlab.originals import original

pytestmark = pytest.mark.filterwarnings("ignore")
requires("torch")
requires("mmengine")

from mmeval_like.integrations.openmmlab import naming  # noqa: E402
from mmeval_like.integrations.openmmlab.checked import differences  # noqa: E402
from tests.integrations.openmmlab.runner_program import SHIPPED  # noqa: E402

PROGRAM = ("-m", "tests.integrations.openmmlab.runner_program")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What a process alone has found, and what the two of a gloo job have."""
    folder = tmp_path_factory.mktemp("runner")
    run_ranks("plain", 1, *PROGRAM, folder, timeout=200)
    run_ranks("torchrun", 2, *PROGRAM, folder, timeout=200)
    return [json.loads((folder / f"{name}.json").read_text()) for name in ("1-0", "2-0", "2-1")]


@pytest.mark.parametrize("shipped", SHIPPED, ids=lambda one: one.name)
def test_a_shipped_config_has_the_same_history_with_our_line(shipped, results):
    """Values of validation and test, and the best checkpoint: on one process and on two."""
    package, _, kind = shipped.name.partition(".")
    original(package, kind)
    digits = getattr(naming.module_of(package), kind).digits
    alone = results[0]["ours"][shipped.name]
    for found in results:
        ours, theirs = (found[side][shipped.name] for side in ("ours", "theirs"))
        assert (ours["by"], theirs["by"]) == ("mmeval_like", package)
        assert ours["val"]
        for stage in ("val", "test"):
            assert differences(ours[stage], theirs[stage], digits) == []
        assert json.dumps(ours["test"]) == json.dumps(ours["val"])  # nothing is counted again
        assert json.dumps(ours["val"]) == json.dumps(alone["val"])  # to the bit
        assert ours["score"] in ours["val"].values()
        assert ours["score"] == pytest.approx(theirs["score"], rel=1e-5)
        assert ours["checkpoint"] == theirs["checkpoint"]
        names = [f"best_{name.replace('/', '_')}_" for name in ours["val"]]
        assert ours["checkpoint"].startswith(tuple(names))
