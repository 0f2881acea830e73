"""Two systems slice by slice."""

from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing.local_world import LocalWorld
from tests.helpers.paired import compared, sliced_pair, systems

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:.*no samples")


def test_a_slice_is_compared_as_if_it_were_all() -> None:
    """Every slice, and the whole, to the last bit; p-values of slices are corrected beside that."""
    a, b, labels = systems(200)
    languages = np.random.default_rng(0).choice(["de", "en", "fr"], 200)
    pair = sliced_pair(a, b, labels, languages)
    found = pair.compute()
    assert list(found) == ["all", "language=de", "language=en", "language=fr"]
    assert found["all"] == compared(mm.Accuracy(), a, b, labels).compute()
    p_values = []
    for name in ("de", "en", "fr"):
        mine = languages == name
        values = dict(found[f"language={name}"])
        p_values.append((values["top1_p"], values.pop("top1_p_adjusted")))
        assert values == compared(mm.Accuracy(), a[mine], b[mine], labels[mine]).compute()
    small, middle, large = sorted(p_values)
    assert small[1] == min(1, 3 * small[0])
    assert middle[1] == min(1, max(small[1], 2 * middle[0]))
    assert large[1] == max(middle[1], large[0])
    plain = sliced_pair(a, b, labels, languages, correction=None).compute()["language=de"]
    assert plain["top1_p_adjusted"] == plain["top1_p"]


def test_slices_on_any_ranks() -> None:
    """Any shards and another order for each system give the bits of one process."""
    a, b, labels = systems(60)
    languages = np.array(["de", "en"])[np.arange(60) % 2]
    expected = sliced_pair(a, b, labels, languages, list_flips=True).compute()
    rng = np.random.default_rng(0)
    orders = [rng.permutation(60), rng.permutation(60)]

    def evaluate(backend: Any) -> Any:
        metric = mm.Sliced(mm.Accuracy(), by="language")
        pair = mm.Paired(metric, list_flips=True, dist_backend=backend)
        for side, predictions, order in zip((pair.a, pair.b), (a, b), orders, strict=True):
            for batch in np.array_split(order[backend.rank :: backend.world_size], 2):
                by = {"language": languages[batch]}
                side.add(predictions[batch], labels[batch], ids=batch, by=by)
        return pair.compute()

    for result in LocalWorld(3).run(evaluate):
        assert repr(result) == repr(expected)
    hits = [predictions == labels for predictions in (a, b)]
    assert expected["all"]["flips_up_ids"] == np.flatnonzero(~hits[0] & hits[1]).tolist()
    assert expected["all"]["flips_down_ids"] == np.flatnonzero(hits[0] & ~hits[1]).tolist()


def test_the_last_samples_have_the_slices_that_they_have_alone() -> None:
    """A slice without any of the last samples is in neither result, with and without a policy."""
    for policy in (None, "drop", "bounds"):
        metric = mm.Running(mm.Sliced(mm.Accuracy(unscored=policy), by="language"), 2)
        pair = mm.Paired(metric)
        for one in (metric, pair.a, pair.b):
            by = {"language": ["de", "de", "en", "fr"]}
            one.add([1, 1, 0, 1], [1, 1, 1, 1], ids=range(4), by=by)
        shown = ["all", "language=en", "language=fr"]
        assert list(pair.compute()) == list(metric.compute()) == shown


def test_slices_must_be_the_same_in_both() -> None:
    """A sample that is in other slices for the other system is named; so is what cannot be."""
    pair = mm.Paired(mm.Sliced(mm.Accuracy(), by="language"))
    pair.a.add([1, 1], [1, 0], ids=[3, 7], by={"language": ["de", "en"]})
    pair.b.add([1, 1], [1, 0], ids=[3, 7], by={"language": ["de", "fr"]})
    with pytest.raises(ValueError, match=r"the ids \[7\] are in different ones"):
        pair.compute()
    with pytest.raises(ValueError, match="correction must be one of"):
        mm.Paired(mm.Accuracy(), correction="sidak")
    for options in ({"anytime": True}, {"planned": 100}, {"anytime": False, "planned": 5}):
        with pytest.raises(TypeError, match="go together"):
            mm.Paired(mm.Accuracy(), **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="planned must be at least 1"):
        mm.Paired(mm.Accuracy(), anytime=True, planned=0)
