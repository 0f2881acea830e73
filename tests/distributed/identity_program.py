"""Who computes what: ``identity_program.py``, on two torch processes.

The tables of `tests/exchange` again, on real ranks: whatever one rank sets late is told,
evaluations that came to be in any way are never mixed up, and those with samples of a group that
was destroyed refuse to compute. Every rank checks what it gets.
"""

import warnings
from typing import Any

import torch.distributed as dist

import mmeval_like as mm
from tests.exchange.late import LATE, WHEN, evaluated
from tests.exchange.ways import WAYS


def late() -> None:
    """One rank sets something after its construction, before a compute or after one."""
    backend = mm.get_dist_backend()
    for place, (case, change) in enumerate(LATE):
        when, which = WHEN[place % 2], place // 2 % 2
        expect_disagreement(lambda: evaluated(backend, case, change, when, (which,)), case, change)  # noqa: B023


def ways(rank: int) -> list[Any]:
    """Both orders; what was computed by both ranks is returned."""
    kept = []
    for name, way in WAYS.items():
        origin = way.make()
        if rank == 0 and way.one is not None:
            way.one(origin).compute_local()
        two = way.two(origin)
        assert [share(one.compute()) for one in two] == [1.0, 0.5], name
        mixed = way.two(origin)
        for one in mixed[::-1] if rank else mixed:
            expect_disagreement(one.compute, name)
        assert [share(one.compute()) for one in mixed] == [1.0, 0.5], name
        kept += [*two, *mixed]
        if way.remembers and way.one is not None and not isinstance(origin, mm.Paired):
            origin.compute()
            kept += [origin, way.one(origin)]
    return kept


def after(kept: list[Any]) -> None:
    """The group is gone."""
    for one in kept:
        text = ""
        try:
            text = str(one.compute())
        except RuntimeError as error:
            text = f"{error}"
        assert "their group is gone" in text, (one, text)


def share(result: Any) -> Any:
    """The one number in a result, however deep."""
    while isinstance(result, dict):
        result = next(iter(result.values()))
    return result


def expect_disagreement(compute: Any, *what: str) -> None:
    """This rank gets the error."""
    try:
        value = compute()
    except mm.DisagreementError:
        return
    raise AssertionError((what, value))


def main() -> None:
    """Join the other rank."""
    warnings.simplefilter("ignore")  # values of no samples, intervals of few
    dist.init_process_group("gloo")
    late()
    kept = ways(dist.get_rank())
    dist.destroy_process_group()
    after(kept)
    print("done", flush=True)


if __name__ == "__main__":
    main()
