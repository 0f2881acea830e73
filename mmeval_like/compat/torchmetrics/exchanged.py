"""The base of all classes: torchmetrics' interface, with the samples in a metric of ours."""

from __future__ import annotations

import contextlib
import functools
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torchmetrics import Metric

from mmeval_like._core.evaluation import emptied

__all__ = ["Exchanged", "fitting", "named", "refuse"]


class Exchanged(Metric):  # type: ignore[misc]  # the base is Any without torchmetrics
    """A class of torchmetrics whose samples are in a metric of this package.

    It stands before the original among the bases of a class: the original reads the options, and
    says why options or a batch are wrong. Nothing else of the original runs.

    Attributes:
        engine: The metric that has the samples; it can do all that others can.
    """

    engine: Any
    original: type[Metric]
    sync_on_compute: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._given = args, kwargs
        self._own_updates = 0
        self.engine = self._engine(dist_backend=self._backend(), dist_collect_mode="cat")

    @abstractmethod
    def _engine(self, **options: Any) -> Any:
        """Return the metric that has the samples."""

    @abstractmethod
    def _read(self, *args: Any, **kwargs: Any) -> Any:
        """Return the arguments of the engine's `add`; see `refuse`."""

    def _value(self, result: Mapping[str, Any]) -> Any:
        """Return the value, or values, from the engine's result: by default its only entry."""
        [value] = result.values()
        return np.asarray(value)

    def _backend(self) -> Any:
        if self.dist_sync_fn is not None:
            raise TypeError("dist_sync_fn must be None: the exchange is mmeval_like's own")
        if self._given[1].get("distributed_available_fn") is not None:
            raise TypeError(
                "distributed_available_fn must be None: mmeval_like finds the process group; to "
                "compute without an exchange, pass sync_on_compute=False"
            )
        if self.process_group is None:
            return None
        from mmeval_like.backends.torch import TorchDist

        return TorchDist(self.process_group)

    def add_state(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the engine has the samples, and torchmetrics must not gather them."""

    def _wrap_update(self, update: Callable[..., None]) -> Callable[..., None]:
        """Count the calls, which are fewer than torchmetrics' count in a `compute_groups=` list."""
        wrapped = super()._wrap_update(update)

        @functools.wraps(wrapped)
        def counted(*args: Any, **kwargs: Any) -> None:
            self._own_updates += 1
            wrapped(*args, **kwargs)

        return counted

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Add a batch; the arguments and the errors are torchmetrics'."""
        try:
            self.engine.add(*self._read(*args, **kwargs))
        except (TypeError, ValueError) as error:
            given, options = self._given
            self.original(*given, **options).update(*args, **kwargs)  # says what is wrong
            if not isinstance(error, _RefusedError):
                raise
            inputs = [*map(_described, (*args, *kwargs.values()))]
            raise ValueError(
                f"{type(self).__name__} needs preds and target that fit its options, got "
                f"{' and '.join(inputs)}"
            ) from None

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch, and return its own value; with `dist_sync_on_step` that of all ranks."""
        every, exchanges = self.engine, self.sync_on_compute
        self.engine, self.sync_on_compute = emptied(every), self.dist_sync_on_step
        try:
            self.update(*args, **kwargs)
            every.merge(self.engine)
            self._forward_cache = self.compute()  # where Lightning reads it
        finally:
            self.engine, self.sync_on_compute = every, exchanges
            self._computed = None
        return self._forward_cache

    def compute(self) -> Any:
        """Return the value of all samples of all ranks; with `sync_on_compute=False` of this."""
        if self._own_updates < self._update_count:
            raise TypeError(
                f"{type(self).__name__} of mmeval_like has no states that other metrics could "
                "share: MetricCollection(compute_groups=) must be True or False, got a list"
            )
        engine = self.engine
        result = engine.compute() if self.sync_on_compute else engine.compute_local()
        return self._tensor(self._value(result))

    def reset(self) -> None:
        """Forget the samples."""
        super().reset()
        self.engine.reset()
        self._own_updates = 0

    def merge_state(self, incoming_state: Any) -> None:
        """Add the samples of another metric of the same class and options."""
        if not isinstance(incoming_state, type(self)):
            raise ValueError(
                f"incoming_state must be a {type(self).__name__} of mmeval_like, got "
                f"{type(incoming_state).__name__}"
            )
        self.engine.merge(incoming_state.engine)
        self._update_count += incoming_state._update_count
        self._own_updates += incoming_state._own_updates
        self._computed = None

    def _reduce_states(self, *args: Any, **kwargs: Any) -> None:
        """Refuse wrappers that add up states, of which this class has none, such as `Running`."""
        raise TypeError(
            f"{type(self).__name__} of mmeval_like has no states that a wrapper could add up, as "
            "torchmetrics.wrappers.Running does; give the wrapper torchmetrics' own class"
        )

    @contextlib.contextmanager
    def sync_context(self, *args: Any, **kwargs: Any) -> Iterator[None]:
        """Do nothing: `compute` exchanges."""
        yield

    def _tensor(self, value: Any) -> Any:
        """Return int64, or float32, after `set_dtype(torch.float64)` float64, on the device.

        A single number has no dimension, as in torchmetrics; tuples, lists and dicts stay.
        """
        if isinstance(value, dict):
            return {name: self._tensor(one) for name, one in value.items()}
        if isinstance(value, tuple | list):
            return type(value)(map(self._tensor, value))
        array = np.array(value, order="C")
        integers = array.dtype.kind == "i"
        dtype = torch.int64 if integers else torch.promote_types(self.dtype, torch.float32)
        found = torch.as_tensor(array, dtype=dtype, device=self.device)
        return found.squeeze() if found.numel() == 1 else found


def fitting(original: type[Metric], *bases: type, **attributes: Any) -> type[Metric]:
    """Return our class of the original's name and signature, with these bases before it."""

    @functools.wraps(original.__init__)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        super(made, self).__init__(*args, **kwargs)

    @functools.wraps(original.update)
    def update(self: Any, *args: Any, **kwargs: Any) -> None:
        super(made, self).update(*args, **kwargs)  # by its names collections choose arguments

    said = f"`torchmetrics.{original.__name__}`, whose samples are in a metric of mmeval_like."
    attributes |= {"__init__": init, "update": update, "original": original, "__doc__": said}
    made: Any = type(original.__name__, (*bases, original), attributes)
    found: type[Metric] = made
    return found


def named(module: str, classes: Iterable[type[Metric]]) -> dict[str, type[Metric]]:
    """Return classes by name, as classes of a module, where pickle finds them."""
    found = {one.__name__: one for one in classes}
    for one in found.values():
        one.__module__ = module
    return found


class _RefusedError(ValueError):
    """A batch that does not fit, before torchmetrics or `update` says why."""


def refuse(wrong: bool) -> None:
    """Raise an error if a batch is wrong; `update` then asks torchmetrics for its message."""
    if wrong:
        raise _RefusedError


def _described(given: Any) -> str:
    if not isinstance(given, torch.Tensor):
        return repr(given)
    return f"{str(given.dtype).removeprefix('torch.')} of shape {tuple(given.shape)}"
