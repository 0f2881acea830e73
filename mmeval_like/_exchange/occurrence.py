"""Occurrence: the number of a metric among equal metrics, so that parts of two are never merged."""

from __future__ import annotations

import copy
import itertools
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from mmeval_like._base.at_fork import at_fork
from mmeval_like._exchange.envelope import UNKNOWN
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._exchange.handle import Handle
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.backends.registry import find_initialized
from mmeval_like.errors import DisagreementError

__all__ = ["Constructed", "Occurrence", "distrust", "group_in_use", "this_rank"]

Constructed = tuple[bytes, dict[bytes, int]]
"""A rank's report about a metric: its digest, and the number of metrics of each digest."""

this_rank: ContextVar[object | None] = ContextVar("this_rank", default=None)
"""The group in which this thread constructs metrics, if ranks are threads of one process."""

_lock = threading.RLock()
at_fork(  # a fork waits until no thread holds it
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)
# The number of equal metrics constructed before the group existed, and in each group.
_before: Counter[str] = Counter()
_in_group: WeakKeyDictionary[object, Counter[str]] = WeakKeyDictionary()
# For each group, the digests of metrics that some ranks constructed more often than others.
_uneven: WeakKeyDictionary[object, set[bytes]] = WeakKeyDictionary()
# By token, and rank if ranks are threads: what was pickled here, or came as a pickle.
_living: WeakValueDictionary[tuple[str, object], Occurrence] = WeakValueDictionary()
at_fork(after_in_child=_living.clear)  # the child gets what the parent sends it instead
_making = itertools.count()
_UNNUMBERED = 1 << 31
_OF_PROCESS = {"_families", "_settled_of", "_siblings"}  # attributes that pickles leave out
_LONG = 100  # characters of a way of making; a longer one is replaced by its hash


class Occurrence:
    """One metric among the equal metrics of this process.

    All ranks run one program. The n-th of equal metrics on this rank is therefore the n-th on every
    rank, and was reset equally often since the ranks last computed it together. Ranks that differ
    in either number are not computing the same metric.

    Who has which number:

    - What a constructor, `clone` or `copy.deepcopy` makes owns the next number, and so does every
      metric that a collection, slices, a pair or a window keeps: all ranks must make it.
    - What is made from another evaluation (`Derived`) has a number that says from which one, how,
      and as which of several: a sum, a copy, `from_bytes`, a member of a collection. It gets the
      number when the ranks first compute it; one rank alone may make any number of them for itself.
    - A pickle keeps its number in another process, where it stands for the same metric. In a
      process that has this metric already, it is made from it.
    - `merge`, `load`, `load_state_dict` and `reset` change nothing about the number.

    Who remembers that the ranks computed it together: an evaluation that has these samples. That is
    the evaluation itself, its copies and members, the two sides of a pair, and what any of these is
    merged into; but not an empty copy, and not samples that come as bytes or from a file.

    Args:
        text: The text that equal metrics share.
        group: The group of ranks in which the metric is constructed; None if it does not exist yet.
        given: Whether the program passed a backend instance, which determines the group.

    Attributes:
        number: The number of equal metrics that were constructed before this one.
        resets: The number of resets so far.
        pending: Returns the handle of the last `compute_async`, or None once it is finished; None
            before the first one.
        met: Whether this process has computed samples of the metric together with other ranks.
        owner: The occurrence of the evaluation of which this one is a part with samples of its own,
            such as a side of a pair; or None.
    """

    def __init__(self, text: str, group: object | None, given: bool) -> None:
        self._text, self._given = text, given
        self._group = None if group is None else weakref.ref(group)
        self.resets, self._settled, self._begun, self.met = 0, 0, 0, False
        self.pending: Callable[[], Handle | None] | None = None
        self._sent: int | None = None
        self.owner: Occurrence | None = None
        self._token = ""
        self._open()
        with _lock:
            counter = _before if group is None else _counter(group, given)
            self.number = counter[text]
            counter[text] += 1

    def _open(self) -> None:
        # By the way of making: the occurrences of each family, as long as one of them exists; and
        # the number of those that the ranks have computed together.
        self._families: WeakValueDictionary[str, WeakSet[Derived]] = WeakValueDictionary()
        self._settled_of: dict[str, int] = {}

    @property
    def together(self) -> bool:
        """Whether the ranks have computed this, or what it is a part of, together."""
        if self.met or self._sending is not None:
            return True
        return self.owner is not None and self.owner.together

    @property
    def _sending(self) -> int | None:
        """The number of resets before a `compute_async` of several ranks, until it is finished."""
        handle = None if self.pending is None else self.pending()
        return None if handle is None or handle.done() else self._sent

    @property
    def _counts_from(self) -> int:
        """The number of resets before the last compute, whether or not it is finished here.

        An exchange in the background is finished earlier on some ranks than on others: what is made
        meanwhile must have the same number on all of them.
        """
        sent = self._sending
        return self._settled if sent is None else max(self._settled, sent)

    @property
    def described(self) -> str:
        """The number, for error messages."""
        return f"number {self.number + 1} of the equal metrics that were constructed"

    def derived(self, how: str, text: str | None = None, met: bool = False) -> Derived:
        """Return the occurrence of an evaluation that is made from this one.

        Args:
            how: How it is made, for instance "+".
            text: The text of its identity; None: the same.
            met: Whether it has samples that the ranks computed together.
        """
        found = Derived._make(self._source(), how, self._text if text is None else text)
        found._group, found._given, found.met = self._group, self._given, met
        found.resets, found._settled = self.resets, self._counts_from
        found._born = self.resets, found._root._begun
        found._join()
        return found

    def alone(self) -> None:
        """Note that this rank computes a value for itself."""

    def resets_in(self, group: object, resets: int) -> int:
        """Return the number of resets since the last compute, which the ranks of a group compare.

        It is `UNKNOWN` when the metric was last computed in another group, for instance before a
        lost process was replaced: the new process cannot know what happened before it.

        Args:
            group: The group.
            resets: The number of resets before the samples were taken.

        Raises:
            DisagreementError: The ranks of this group constructed unequal numbers of these metrics.
        """
        if _uneven and Identity.of(self._text).digest in _uneven.get(group, ()):
            raise DisagreementError(
                "the ranks constructed different numbers of metrics that are equal to this one, as "
                "they found when they disagreed before: it is unknown which ones belong "
                "together. Construct the same metrics on every rank, and give those of some ranks "
                f"alone, or all of these, a name=. The metric is {self._text}"
            )
        if self._group is not None and self._group() is group:
            return resets - self._settled
        with _lock:
            _counter(group, self._given)
        return resets - self._settled if self._group is None else UNKNOWN

    def constructed(self, group: object) -> Constructed:
        """Return what the other ranks need to find uneven numbers of equal metrics."""
        with _lock:
            counts = dict(_counter(group, self._given))
        return Identity.of(self._text).digest, {Identity.of(t).digest: n for t, n in counts.items()}

    def settle(self, group: object, resets: int) -> None:
        """Count resets from this compute on, in which all ranks of the group took part."""
        self._group, self._settled, self.met = weakref.ref(group), resets, True

    def begin(self, handle: Handle, ranks: int) -> None:
        """Note a `compute_async`, and whether several ranks take part."""
        self.pending = weakref.ref(handle)
        self._sent = self.resets if ranks > 1 else None

    def wait(self) -> None:
        """Wait for an unfinished `compute_async`, so that all ranks keep the same order."""
        if self.pending is not None and (pending := self.pending()) is not None:
            pending.wait()

    def enter(self, dist_backend: str | BaseDistBackend | None, ranks: int) -> None:
        """Begin a compute of all ranks.

        Args:
            dist_backend: The metric's option; "non_dist" means only this rank.
            ranks: The number of ranks: several of them have a group.

        Raises:
            RuntimeError: The ranks computed this metric together, and their group is gone: a result
                would have only the samples of this rank.
        """
        self._begun += 1
        if ranks == 1 and (self.met or self.owner is not None) and self.together:
            check_group(dist_backend)

    def _source(self) -> tuple[Occurrence, str]:
        """Return the occurrence that was constructed, and how this one was made from it."""
        return self, ""

    def __deepcopy__(self, memo: dict[int, Any]) -> Occurrence:
        # A copy counts as a different metric.
        copied = Occurrence(self._text, self._group and self._group(), self._given)
        copied.met, copied.owner = self.met, copy.deepcopy(self.owner, memo)
        return copied

    def __reduce__(self) -> Any:
        return _unpickled, (Occurrence, self._state())

    def _state(self) -> dict[str, Any]:
        """Return what another process needs; it is the metric there, unless it has it already."""
        with _lock:
            if not self._token:
                self._token = uuid4().hex
            _living[self._token, this_rank.get()] = self
        # The group is another object in another process; the ranks compare only the number.
        replaced: dict[str, Any] = {
            "_group": None,
            "met": False,
            "pending": None,
            "_settled": self._counts_from,
        }
        state = {**vars(self), **replaced}
        return {name: value for name, value in state.items() if name not in _OF_PROCESS}


class Derived(Occurrence):
    """An evaluation that is made from another one.

    One rank may make more of them than another, for instance a member of a collection for a log on
    rank 0. So they are not counted when they are made. When the ranks first compute one of them,
    those that exist then, were made in the same way from the same metric, and since the same reset
    and the same compute of it, get the next numbers, in the order in which they were made; the
    number is kept once all ranks have taken part. Those of which a rank has computed a value for
    itself are not counted until they are computed together.

    Attributes:
        number: A hash of the number of the metric from which it was made, how, and as which; the
            highest bit of its 32 is set, unlike that of a number that was counted.
    """

    _root: Occurrence
    _how: str
    _born: tuple[int, int]  # the number of resets, and of computes of its root, when it was made
    _made: int  # a number that grows from one to the next
    _first: int
    _local: bool
    _place: int | None  # among those made in the same way, once all ranks have computed it
    _before: list[weakref.ref[Derived]]  # those that are counted with it, and come before it
    _siblings: WeakSet[Derived]  # those made in the same way, itself included

    @classmethod
    def _make(cls, source: tuple[Occurrence, str], how: str, text: str) -> Derived:
        found = object.__new__(cls)
        found._root, before = source
        # A total to which every epoch adds has a way of making as long as the number of epochs.
        earlier = before if len(before) <= _LONG else f"[{Identity.of(before).digest.hex()}], "
        found._how, found._text = f"{earlier}{how}", text
        found.number, found.owner, found.pending, found._sent = _UNNUMBERED, None, None, None
        found._token, found._given = "", False
        found.resets = found._settled = found._begun = found._first = 0
        found.met = found._local = False
        found._group = None
        found._place, found._before = None, []
        return found

    def _join(self) -> None:
        with _lock:
            self._made = next(_making)
            self._siblings = self._root._families.setdefault(self._how, WeakSet())
            self._siblings.add(self)

    @property
    def described(self) -> str:
        """The number, for error messages."""
        place = self._first + len(self._before) if self._place is None else self._place
        return f"number {place + 1} of those made by {self._how} from {self._root.described}"

    def alone(self) -> None:
        """Note that this rank computes a value for itself, so that it may be the only one."""
        self._local = self._place is None

    def enter(self, dist_backend: str | BaseDistBackend | None, ranks: int) -> None:
        """Begin a compute of all ranks: claim the number."""
        super().enter(dist_backend, ranks)
        if self._place is not None:
            return
        with _lock:
            self._local = False
            others = [
                one
                for one in self._siblings
                if one._place is None and not one._local and one._born == self._born
            ]
            others.sort(key=lambda one: one._made)
            self._before = [weakref.ref(one) for one in others[: others.index(self)]]
            self._first = self._root._settled_of.get(self._how, 0)
            self.number = self._numbered(self._first + len(self._before))

    def settle(self, group: object, resets: int) -> None:
        """Count resets from this compute on, and keep the number."""
        super().settle(group, resets)
        if self._place is not None:
            return
        with _lock:
            for place, known in enumerate([*self._before, weakref.ref(self)], self._first):
                if (one := known()) is not None and one._place is None:
                    one._place, one.number = place, one._numbered(place)
            settled = self._root._settled_of
            settled[self._how] = max(settled.get(self._how, 0), place + 1)
            self._before = []

    def _numbered(self, place: int) -> int:
        root = self._root
        text = f"{root._text}|{root.number}|{self._how}|{place}"
        return _UNNUMBERED | int.from_bytes(Identity.of(text).digest[:4], "little")

    def _source(self) -> tuple[Occurrence, str]:
        return self._root, f"{self._how}, "

    def __reduce__(self) -> Any:
        state = {**self._state(), "_before": [], "_root": self._root._state()}
        return _unpickled, (Derived, state)


def _unpickled(kind: type[Occurrence], state: dict[str, Any]) -> Occurrence:
    """Return the occurrence of an unpickled evaluation."""
    if kind is Occurrence:
        found, new = _original(state)
        if new:
            return found
        return _made_again(found.derived("pickle", met=False), state)
    root, new = _original(state["_root"])
    before, how = ("", state["_how"]) if new else (f"{state['_how']}, ", "pickle")
    derived = Derived._make((root, before), how, state["_text"])
    derived._group = root._group
    derived._join()
    return _made_again(derived, state)


def _original(state: dict[str, Any]) -> tuple[Occurrence, bool]:
    """Return the constructed occurrence with this state, and whether this process had none."""
    key = state["_token"], this_rank.get()
    with _lock:
        known = _living.get(key)
        if known is not None:
            return known, False
        found = object.__new__(Occurrence)
        found.__dict__.update(state)
        found._open()
        _living[key] = found
        return found, True


def _made_again(found: Derived, state: dict[str, Any]) -> Derived:
    """Give an unpickled occurrence the resets and the owner of the one that was pickled."""
    found.resets = state["resets"]
    found._born = found.resets, found._root._begun
    found._settled, found._given, found.owner = state["_settled"], state["_given"], state["owner"]
    return found


def distrust(group: object, told: Sequence[Constructed]) -> None:
    """Remember the metrics that the ranks constructed in different numbers.

    If the program continues after the error, two different metrics that happen to have the same
    number could exchange data. So from now on, every metric with such a digest raises an error on
    every rank.
    """
    met = {digest for digest, _ in told}
    uneven = {digest for digest in met if len({counts.get(digest, 0) for _, counts in told}) > 1}
    if uneven:
        _uneven.setdefault(group, set()).update(uneven)


def check_group(dist_backend: str | BaseDistBackend | None) -> None:
    """Refuse to compute only the samples of this rank instead of those of all ranks.

    Raises:
        RuntimeError: There is no group of ranks.
    """
    if group_in_use(dist_backend)[0] is None:
        raise RuntimeError(
            "the ranks computed this metric together before, but their group is gone: was it "
            "destroyed? Call compute() before that, or make a new group; compute_local() is the "
            "value of this rank's samples alone"
        )


def group_in_use(dist_backend: str | BaseDistBackend | None) -> tuple[object | None, bool]:
    """Return the group that a metric would use now, and whether the program passed its backend.

    Returns:
        The object that represents the group, or None if it does not exist yet; and whether the
        program passed a backend instance, rather than a name or nothing.
    """
    given = False
    try:
        if dist_backend is None or isinstance(dist_backend, str):
            if this_rank.get() is not None:
                return this_rank.get(), True
            backend = find_initialized(dist_backend)
        else:
            backend, given = dist_backend, True
        if backend is None or not (backend.is_initialized or isinstance(backend, NonDist)):
            return None, given
        return backend.group, given
    except Exception:  # a library that does not work raises its error when the metric is computed
        return None, given


def _counter(group: object, given: bool) -> Counter[str]:
    """Return the counter of a group, which begins with the metrics constructed before the group."""
    if group not in _in_group:
        _in_group[group] = Counter() if given else _before.copy()
        if not given:
            _before.clear()
    return _in_group[group]
