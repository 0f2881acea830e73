"""What an author is told: signatures, what an object is, what a wrong name may mean."""

import copy
import inspect
import pickle
import re
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import BaseMetric, MetricCollection, Results, state

# Its constructor makes one of other metrics.
MAKES_OTHERS = {"PrecisionRecallF1score"}


class Share(BaseMetric):
    """A metric of a user's own."""

    positive = state.sum(int)

    def __init__(self, threshold: float = 0.5, weights: Any = None, **options: Any) -> None:
        super().__init__(**options)
        self.threshold, self.weights = threshold, weights

    def rows(self, values: Any, *, scale: float = 1.0) -> dict[str, Any]:
        """Return one row per sample.

        Args:
            values: Numbers (n,).
            scale: What they are multiplied by.

        Raises:
            ValueError: Never.
        """
        return {"positive": np.asarray(values) * scale > self.threshold}

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """The share."""
        return {"share": results.positive / max(len(results), 1)}


class MMEvalsWay(BaseMetric):
    """With an `add` of its own."""

    def add(self, values: Any) -> None:
        """Append."""
        self._results.extend(values)

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Their number."""
        return {"count": len(results)}


def test_a_metric_shows_its_options_and_its_samples() -> None:
    """Options that were left at their defaults are not shown; long values are shortened."""
    metric = Share(0.25, dist_backend="non_dist")
    metric.add([1.0, 2.0, 3.0])
    assert repr(metric) == "<Share(threshold=0.25): 3 samples>"
    assert repr(mm.Accuracy(topk=(1, 5))) == "<Accuracy(topk=(1, 5)): 0 samples>"
    assert len(repr(Share(weights=list(range(1000))))) < 80

    listed = MMEvalsWay()
    listed.add([1, 2])
    assert repr(listed) == "<MMEvalsWay(): 2 samples>"


@pytest.mark.parametrize("name", mm.metrics.__all__)
def test_every_metric_can_be_shown(name: str) -> None:
    """Also before its constructor has ended, as in a debugger."""
    cls = getattr(mm, name)
    assert cls.__name__ in repr(object.__new__(cls))


def test_results_show_their_states() -> None:
    """And name them when another is asked for."""
    results = Results({"correct": 3, "matrix": np.zeros((100, 100))}, 4)

    assert repr(results).startswith("<Results(correct=3, matrix=array(")
    assert repr(results).endswith("): 4 samples>")
    assert len(repr(results)) < 120
    with pytest.raises(AttributeError, match=r"no state 'wrong'; the states are \['correct', 'ma"):
        results.wrong  # noqa: B018


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: mm.Accuracy(top_k=5), r"^Accuracy\(\) got .* 'top_k'; did you mean topk\?$"),
        (lambda: mm.Accuracy(intervall=0.9), r"^Accuracy\(\) got .* 'intervall'; did you mean int"),
        (lambda: mm.Mean(zzz=1), "'zzz'; it takes bounds, classes, "),
        (lambda: mm.Accuracy()([0.2, 0.7], [0, 1]), "0.2 at index 0; if these are scores of class"),
        (
            lambda: mm.Accuracy().add([1]),
            r"^Accuracy.add\(\) takes predictions, labels, .*'labels'$",
        ),
        (
            lambda: mm.Accuracy()([1], [1], id=[0]),
            r"^Accuracy.add\(\) got .* 'id'; did you mean ids",
        ),
        (
            lambda: Share().add([1], [1], target=[1]),
            r"^Share.add\(\) got .*'target'; it takes values",
        ),
        (
            lambda: MetricCollection([mm.Accuracy()]).add([1]),
            r"^Accuracy.add\(\) takes .*in member",
        ),
    ],
)
def test_a_wrong_argument_is_told_what_may_be_meant(call: Any, expected: str) -> None:
    """An unknown option its nearest name, scores in place of classes what to do with them."""
    with pytest.raises(TypeError, match=expected):
        call()


def test_short_names_of_metrics_are_told_the_long_ones() -> None:
    """Also those of two letters."""
    with pytest.raises(AttributeError, match="did you mean FBetaScore"):
        mm.F1  # noqa: B018


def test_add_is_described_as_rows() -> None:
    """Its signature and its docstring are those of `rows`, and `ids=`."""
    names = ["values", "scale", "ids", "clusters", "unscored"]
    assert [*inspect.signature(Share().add).parameters] == names
    text = inspect.getdoc(Share.add) or ""
    assert "Accumulate a batch" in text
    assert text.index("values: Numbers (n,).") < text.index("ids: ") < text.index("Raises:")
    assert "Return" not in text

    metric = Share(0.5)
    metric.add([1.0, 0.0], ids=[0, 1], scale=2.0)
    assert metric.compute() == {"share": 0.5}


def test_add_of_a_mean_is_described_as_scores() -> None:
    """The inputs are those of `scores`; the weights, and what they are, come from the base."""
    parameters = {"predictions", "labels", "sample_weight", "ids", "clusters", "unscored"}
    assert set(inspect.signature(mm.LogLoss().add).parameters) == parameters
    text = inspect.getdoc(mm.LogLoss.add) or ""
    assert text.count("sample_weight: The weight of") == text.count("labels: Class indices") == 1


# One makes a metric of another class; the other takes outcomes alone, or players and outcomes.
SEVERAL_SIGNATURES = {"PrecisionRecallF1score", "WinRate"}


@pytest.mark.parametrize("name", sorted(set(mm.metrics.__all__) - SEVERAL_SIGNATURES))
def test_every_metric_says_what_add_takes(name: str) -> None:
    """By names of its own and `ids`, which its description has as well; no *batch, no **named."""
    add = getattr(mm, name).add
    parameters = inspect.signature(add).parameters
    text = inspect.getdoc(add) or ""

    kinds = {parameter.kind for parameter in parameters.values()}
    assert not kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    assert len(parameters) >= 3  # self, an input, ids
    assert (
        {"ids"} <= {one for one in parameters if f"{one}: " in text} == set(parameters) - {"self"}
    )


def test_an_add_of_ones_own_stays() -> None:
    """Of the class or of a base: a subclass with other rows does not lose it."""

    class Doubled(Share):
        def add(self, *batch: Any, **named: Any) -> None:
            super().add(*batch, **named)
            super().add(*batch, **named)

    class Other(Doubled):
        def rows(self, values: Any) -> dict[str, Any]:  # type: ignore[override]
            return {"positive": np.asarray(values) < 0}

    metric = Other()
    metric.add([1.0])
    assert repr(metric) == "<Other(): 2 samples>"


@pytest.mark.parametrize(
    ("make", "wrong", "right"),
    [
        (Share, "update", "add"),
        (Share, "evaluate", "compute"),
        (Share, "compte", "compute"),
        (lambda: MetricCollection({"share": Share()}), "update", "add"),
    ],
)
def test_a_method_of_another_library_is_answered(make: Any, wrong: str, right: str) -> None:
    """With the name of ours that does it."""
    with pytest.raises(AttributeError, match=f"no attribute '{wrong}'; did you mean .*{right}"):
        getattr(make(), wrong)


def test_a_pair_says_who_adds_the_samples() -> None:
    """And does not name what it has not."""
    with pytest.raises(AttributeError, match=r"no attribute 'add'; .*\.a\.add\(\.\.\.\) and"):
        mm.Paired(mm.Accuracy()).add([1], [1])  # type: ignore[attr-defined]


def test_an_error_within_rows_is_its_own() -> None:
    """What `add` takes and `rows` fails at is not taken for a wrong call."""

    class Broken(BaseMetric):
        total = state.sum()

        def rows(self, values: Any) -> Any:
            return {"total": values + None}

        def compute_metric(self, results: Any) -> dict[str, Any]:
            return {}

    with pytest.raises(TypeError, match="unsupported operand"):
        Broken().add(1)


def test_hints_do_not_hide_errors() -> None:
    """A property that fails shows its own error; copies and pickles work."""

    class Broken(Share):
        @property
        def broken(self) -> int:
            return self.missing  # type: ignore[attr-defined, no-any-return]

    with pytest.raises(AttributeError, match="no attribute 'missing'"):
        Broken().broken  # noqa: B018
    assert not hasattr(Share(), "__array__")
    assert copy.deepcopy(Share(0.1)).threshold == 0.1
    assert pickle.loads(pickle.dumps(Share(0.1))).threshold == 0.1


def test_a_state_without_parentheses_is_refused() -> None:
    """When the class is defined, with what to write."""
    with pytest.raises(TypeError, match=r"Forgot.total is a function.*write total = state.sum\(\)"):

        class Forgot(BaseMetric):
            total = state.sum


def documented(text: str) -> list[str]:
    """The names of the entries under Args, as often as they are there."""
    section = text.partition("\nArgs:\n")[2].partition("\n\n")[0]
    return re.findall(r"^    (\w+):", section, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(mm.metrics.__all__))
def test_help_is_whole(name: str) -> None:
    """Every option of a metric's constructor is described once, also what its family declares."""
    cls = getattr(mm, name)
    text = inspect.getdoc(cls) or ""
    common = {*inspect.signature(BaseMetric).parameters, "options"}
    options = {*inspect.signature(cls).parameters} - common

    assert sorted(documented(text)) == sorted(options)
    assert "**options: As for `BaseMetric`" in text or not options or name in MAKES_OTHERS


def test_a_metric_without_a_digest_says_who_has_records() -> None:
    """Not a metric alone, whose first samples nobody hashed; `Recorded` has them."""
    for metric in (mm.Accuracy(), MetricCollection(a=mm.Accuracy()), mm.Sliced(mm.Accuracy(), "x")):
        with pytest.raises(AttributeError, match=r"add them to Recorded\(metric\), which has it"):
            metric.record()  # type: ignore[union-attr]
    assert callable(mm.Recorded(mm.Accuracy()).record)
