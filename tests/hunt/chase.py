"""Runs trials: the value against the oracle, then a few ways against the value."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mmeval_like.testing.same import close, same
from tests.hunt import (
    accuracies,
    aggregates,
    boxes,
    cases,
    classes,
    hostile,
    interleaved,
    joints,
    numbers,
    pixels,
    scores,
    texts,
)
from tests.hunt.trial import Generator, Trial
from tests.hunt.ways import FOR_ANY_ORDER, WAYS, alone

__all__ = ["HUNTS", "Done", "chase", "one"]

HUNTS: dict[str, Callable[[Generator], Trial]] = {
    "classes": classes.draw,
    "scores": scores.draw,
    "numbers": numbers.draw,
    "accuracies": accuracies.draw,
    "aggregates": aggregates.draw,
    "texts": texts.draw,
    "interleaved": interleaved.draw,
    "cases": cases.draw,
    "hostile": hostile.draw,
    "boxes": boxes.draw,
    "joints": joints.draw,
    "pixels": pixels.draw,
}


@dataclass
class Done:
    """What a round did."""

    trials: int = 0
    comparisons: int = 0
    found: list[str] = field(default_factory=list)


def chase(names: Sequence[str], seed: int, until: float, say: Callable[[str], Any]) -> Done:
    """Run trials of these hunts in turn until a time of `time.monotonic`."""
    done, trial = Done(), 0
    while time.monotonic() < until:
        for name in names:
            found = one(name, seed, trial, done)
            if found:
                done.found.append(found)
                say(found)
        trial += 1
    return done


def one(name: str, seed: int, number: int, done: Done | None = None) -> str | None:
    """Return what a trial found and how to see it again, or None."""
    done = Done() if done is None else done
    done.trials += 1
    rng = np.random.default_rng([seed, sum(map(ord, name)), number])
    trial = None
    how = "while it was drawn"
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            trial = HUNTS[name](rng)
            how = "against the oracle"
            value = alone(trial)
            for key, wanted in (trial.expected or {}).items():
                done.comparisons += 1
                if key not in value or not close(value[key], wanted, trial.tolerance):
                    raise AssertionError(f"{key} is {value.get(key)!r}, expected {wanted!r}")
            for how in rng.choice(sorted(WAYS), 3, replace=False).tolist():
                if trial.order_matters and how in FOR_ANY_ORDER:
                    continue
                for found in WAYS[how](trial, rng):
                    done.comparisons += 1
                    if not same(found, value):
                        raise AssertionError(f"{found!r}, at once {value!r}")
    except Exception as error:
        last = "".join(traceback.format_exception(error)[-3:])[-4000:]
        called = getattr(trial.metric, "__name__", trial.metric) if trial else "?"
        made = trial and f"{called}({dict(trial.options)})"
        again = f"python -m tests.hunt --hunt {name} --seed {seed} --trial {number}"
        return f"{how}: {made}, {trial and trial.count} samples\n{last}see it again: {again}\n"
    return None
