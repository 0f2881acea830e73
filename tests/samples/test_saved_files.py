"""Saved files that were changed, linked, nested or lost give an error, never another number."""

import os
import struct

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state
from mmeval_like._samples import checkpoint
from mmeval_like.errors import RemoteError
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same


class Kept(mm.BaseMetric):
    """A sum, complex rows and objects."""

    total = state.sum(int)
    waves = state.cat(np.complex64)
    things = state.objects()

    def rows(self, values):
        """The values."""
        values = np.asarray(values)
        things = [(int(v), [1.5, None]) for v in values]
        return {"total": values, "waves": values * 1j, "things": things}

    def compute_metric(self, results):
        """All of it."""
        return {"total": results.total, "waves": results.waves, "things": results.things}


def saved(path):
    """A metric, which was saved there."""
    metric = Kept(dist_backend="non_dist")
    metric.add([3, 1, 4])
    metric.save(path)
    return metric


@pytest.mark.parametrize("name", ["x" * 234, "x" * 255, "ä" * 127])
def test_every_name_that_a_file_can_have_is_saved(tmp_path, name):
    """The name of the file beside it, which is there for a moment, is not too long either."""
    expected = saved(tmp_path / name).compute()
    fresh = Kept(dist_backend="non_dist")
    fresh.load(tmp_path / name)
    assert same(fresh.compute(), expected)
    assert len([*tmp_path.iterdir()]) == 1


def test_every_flipped_bit_is_found(tmp_path):
    """One bit of the file changed: an error, or a byte that means nothing and the same result."""
    path = tmp_path / "part"
    expected = saved(path).compute()
    good = path.read_bytes()
    for bit in range(8 * len(good)):
        changed = bytearray(good)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        fresh = Kept(dist_backend="non_dist")
        try:
            fresh.load(path)
        except ValueError as error:
            assert "part" in str(error)  # noqa: PT017 both outcomes are allowed
        else:
            assert same(fresh.compute(), expected)


def test_a_link_at_the_temporary_name_is_not_followed(tmp_path):
    """Nobody can foresee where a file is written first; and links there are refused."""
    victim = tmp_path / "victim"
    victim.write_text("keep me")
    names = [f"part.{os.getpid()}.part", f".part.{os.getpid()}.part", ".part.part", "part.part"]
    for name in names:
        (tmp_path / name).symlink_to(victim)

    saved(tmp_path / "part")

    assert victim.read_text() == "keep me"
    assert not (tmp_path / "part").is_symlink()
    assert sorted(os.listdir(tmp_path)) == sorted(["part", "victim", *names])


def test_the_file_has_the_usual_permissions(tmp_path):
    """Others may read it as any file that this program writes."""
    saved(tmp_path / "part")
    (tmp_path / "plain").write_text("")

    assert (tmp_path / "part").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_deep_nesting_is_an_error_that_names_the_file(tmp_path):
    """Also where the metadata was made to end the parser; and an object that contains itself."""
    path = tmp_path / "part"
    deep = "[" * 200_000
    tensors = {}
    digest = checkpoint._digest(deep, tensors)
    head = f'{{"__metadata__":{{"mmeval_like":"{deep}","digest":"{digest}"}}}}'.encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head)
    with pytest.raises(ValueError, match="part is truncated or not a saved metric"):
        Kept(dist_backend="non_dist").load(path)

    class Things(mm.BaseMetric):
        things = state.objects()

        def rows(self, things):
            return {"things": things}

        def compute_metric(self, results):
            return {}

    metric = Things(dist_backend="non_dist")
    nested = []
    for _ in range(300):
        nested = [nested]
    metric.add([nested])
    metric.save(path)
    again = Things(dist_backend="non_dist")
    again.load(path)
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="contain"):
        metric.add([endless])


@pytest.mark.parametrize("members_only", [False, True])
def test_a_file_that_one_rank_could_not_load_fails_on_all(tmp_path, members_only):
    """The rank that caught the error and goes on tells the others at the next compute."""
    paths = [tmp_path / str(rank) for rank in range(3)]
    for path in paths:
        saved(path)
    paths[1].write_bytes(b"damaged")

    def resume(backend):
        metric = Kept(dist_backend=backend)
        try:
            metric.load(paths)
        except ValueError:
            assert backend.rank == 1
        found = []
        for repair in (False, True):
            if repair:
                metric.reset()
                metric.add([backend.rank])
            try:
                found.append(metric.compute()["total"])
            except Exception as error:
                found.append(error)
        return found

    values = LocalWorld(3, members_only=members_only).run(resume)
    assert [found[1] for found in values] == [3, 3, 3]
    assert isinstance(values[1][0], RuntimeError)
    assert "load() failed" in str(values[1][0])
    for rank in (0, 2):
        assert isinstance(values[rank][0], RemoteError)
        assert "load() failed on this rank" in str(values[rank][0])


@pytest.mark.parametrize("found", [None, [], "text"])
def test_what_is_no_dict_is_refused(found):
    """With an error that says what is wanted, and without a loss."""
    metric = mm.Accuracy(dist_backend="non_dist")
    metric.add([1], [1])

    with pytest.raises(ValueError, match="state_dict"):
        metric.load_state_dict(found)

    assert metric.compute() == {"top1": 1.0}


def test_a_folder_that_is_not_there_is_named(tmp_path):
    """The error has the path that was given, not that of a temporary file."""
    metric = mm.Accuracy(dist_backend="non_dist")

    with pytest.raises(FileNotFoundError, match=r"there is no folder .*missing$"):
        metric.save(tmp_path / "missing" / "rank-0.safetensors")
