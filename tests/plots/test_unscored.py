"""Pictures of results with samples that have no score: all of the account is said and drawn."""

import itertools

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.plots import THEMES, alternative
from tests.helpers import requires
from tests.plots.samples import added

requires("matplotlib")

PREDICTIONS, LABELS = [1, 0, 1, 1, 1, None, None], [1, 1, 1, 1, 0, 1, 0]
REASONS = [None] * 5 + ["error", "timeout"]
DAYS = ["mon", "tue", "mon", "tue", "mon", "tue", "mon"]
SAID = "5 of 7 scored; 1 error, 1 timeout"


def extremes(which):
    """The least and the greatest accuracy over all predictions of the samples without a score."""
    places = [at for at in which if REASONS[at] is not None]
    found = []
    for guess in itertools.product([0, 1], repeat=len(places)):
        filled = PREDICTIONS[:]
        for at, one in zip(places, guess, strict=True):
            filled[at] = one
        found.append(float(np.mean([filled[at] == LABELS[at] for at in which])))
    return min(found), max(found)


def pale(ax):
    """The ends of every lighter bar and line."""
    lines = [line for one in ax.collections if one.get_alpha() for line in one.get_segments()]
    bars = [one for one in ax.patches if one.get_alpha()]
    ends = [(one.get_x(), one.get_x() + one.get_width()) for one in bars]
    return [*ends, *((line[0][0], line[-1][0]) for line in lines)]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("interval", [None, 0.95])
def test_a_number_is_lighter_from_its_least_to_its_greatest_value(theme, interval):
    """As brute force has them; the numbers by reason are below the title and in the description."""
    metric = mm.Accuracy(unscored="bounds", interval=interval)
    figure = added(metric, PREDICTIONS, LABELS, unscored=REASONS).plot(theme=theme)

    [ax] = figure.axes
    assert np.allclose(pale(ax), [extremes(range(7))])
    assert ax.get_title(loc="left").split("\n")[-1] == SAID
    assert f"{SAID}." in alternative(figure)
    assert " from 0.4286 to 0.7143" in alternative(figure)


def test_slices_have_lighter_lines_of_their_own():
    """Every slice has its numbers by reason in the description, and its values are drawn."""
    metric = mm.Sliced(mm.Accuracy(unscored="bounds"), by="day")
    metric.add(PREDICTIONS, LABELS, unscored=REASONS, by={"day": DAYS})
    figure = metric.plot()

    [ax] = figure.axes
    own = [extremes([at for at in range(7) if DAYS[at] == day]) for day in ("tue", "mon")]
    assert np.allclose(sorted(pale(ax)), sorted(own))
    text = alternative(figure)
    assert f"{SAID}. day=mon: 3 of 4 scored; 1 timeout. day=tue: 2 of 3 scored; 1 error." in text


def test_bars_of_classes_end_lighter():
    """The bar is full up to the nearest possible value, with a mark at the value itself."""
    metric = mm.Recall(task="multiclass", num_classes=2, average=None, unscored="bounds")
    result = added(metric, PREDICTIONS, LABELS, unscored=REASONS).compute()
    figure = metric.plot(result)

    [ax] = figure.axes
    pairs = zip(*result.bounds["recall_classwise"], strict=True)
    bounds = [(min(pair), max(pair)) for pair in pairs]
    assert np.allclose(sorted(pale(ax)), sorted(bounds))
    full = [one.get_width() for one in ax.patches if not one.get_alpha()]
    assert np.allclose(sorted(full), sorted(least for least, _ in bounds))
    assert SAID in alternative(figure)


@pytest.mark.filterwarnings("ignore:.*no samples were added")
def test_a_value_that_is_unknown_has_its_possible_values():
    """Where no sample has a score, these are named below the others."""
    metric = mm.Sliced(mm.Accuracy(unscored="bounds"), by="day")
    metric.add([1, None], [1, 1], unscored=[None, "error"], by={"day": ["mon", "tue"]})

    assert " Not drawn: tue undefined from 0 to 1." in alternative(metric.plot())


def test_evaluations_over_time_say_which_ones_lack_scores():
    """The description names the evaluation; the others are as without the option."""
    metric = mm.Accuracy(unscored="bounds")
    bad = added(metric, PREDICTIONS, LABELS, unscored=REASONS).compute()
    good = mm.Accuracy()([1, 1], [1, 0])
    figure = metric.plot([good, bad])

    assert f"evaluation 2: {SAID}." in alternative(figure)
    assert "evaluation 1" not in alternative(figure)
    assert "with any scores at 2 from 0.4286 to 0.7143" in alternative(figure)


@pytest.mark.parametrize("rule", ["drop", "bounds", 0])
def test_where_all_samples_have_a_score_pictures_stay_as_they_were(rule):
    """The option alone changes no byte of them."""
    texts, drawn = [], []
    for options in ({}, {"unscored": rule}):
        figure = added(mm.Accuracy(**options), [1, 0, 1], [1, 1, 1]).plot()
        figure.canvas.draw()
        texts.append(alternative(figure))
        drawn.append(bytes(figure.canvas.buffer_rgba()))

    assert texts[0] == texts[1]
    assert drawn[0] == drawn[1]


def test_a_comparison_says_what_both_systems_lack():
    """The difference is lighter between its possible values."""
    pair = mm.Paired(mm.Accuracy(unscored="bounds"))
    pair.a.add([1] * 20, [1] * 12 + [0] * 8, ids=range(20))
    lost = [None] * 16 + ["error"] * 4
    pair.b.add([1] * 20, [1] * 12 + [0] * 8, ids=range(20), unscored=lost)
    result = pair.compute()
    figure = pair.plot(result)

    [ax] = figure.axes
    assert np.allclose(pale(ax), [sorted(result.bounds["top1_difference"])])
    assert "16 of 20 scored; 4 b: error." in alternative(figure)
