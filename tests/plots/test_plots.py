"""Pictures: they show the numbers of the result."""

import math
import re
import subprocess
import sys

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.plots import alternative, draw, residuals
from mmeval_like.plots.choice import pictures
from mmeval_like.testing import LocalWorld
from tests.helpers import requires
from tests.plots.samples import CLASSES, LABELS, RNG, SCORES, added, lines_of

requires("matplotlib")
pyplot = requires("matplotlib.pyplot")

HOSTILE = ["bell \x07", "a $\\frac$ b $", "\ud800", "x" * 500]


def test_nothing_is_imported_before_it_is_called():
    """The library is loaded by the first picture, not by metrics and their results."""
    program = (
        "import sys, mmeval_like as mm, mmeval_like.plots; mm.Accuracy()([1], [1]);"
        "sys.exit('matplotlib' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


@pytest.mark.parametrize("kind", ["roc", "pr"])
def test_curves_and_their_areas_are_those_of_scikit_learn(kind):
    """Also several models on the same axes, which get lines and names of their own."""
    metrics = requires("sklearn.metrics")
    binary, scores = (LABELS == 0).astype(int), SCORES[:, 0]
    if kind == "roc":
        make, called, area = mm.ROC, "AUC", metrics.roc_auc_score(binary, scores)
        x, y, _ = metrics.roc_curve(binary, scores, drop_intermediate=False)
    else:
        make, called = mm.PrecisionRecallCurve, "AP"
        area = metrics.average_precision_score(binary, scores)
        y, x, _ = metrics.precision_recall_curve(binary, scores)

    figure, ax = pyplot.subplots()
    assert added(make(name="a"), scores, binary).plot(ax=ax) is figure
    assert added(make(name="b"), 1 - scores, binary).plot(ax=ax) is figure

    first, second = (line for line in ax.get_lines() if line.get_gid() == "curve")
    assert np.allclose(first.get_data(), [x, y])
    assert first.get_label() == f"a ({called} {area:.3f})"
    assert (first.get_color(), first.get_linestyle()) != (
        second.get_color(),
        second.get_linestyle(),
    )
    assert f"a: {called} {area:.3f}, " in alternative(figure)


def test_an_area_that_is_no_known_number_is_not_in_the_legend():
    """Part of a curve has neither AUC nor AP, nor has an error tradeoff; without samples: nan."""
    part = {"fpr": np.array([0, 0.5]), "tpr": np.array([0, 1.0]), "thresholds": np.array([2, 1])}
    recall = {"recall": np.array([0.5, 0]), "precision": np.ones(2), "thresholds": np.array([2])}
    point = {"fpr": np.array([math.nan]), "tpr": np.array([0.0]), "thresholds": np.array([2])}
    figures = [draw(one) for one in (part, recall, mm.DETCurve()(SCORES[:, 0], LABELS == 0), point)]

    lines = [[one for one in f.axes[0].get_lines() if one.get_gid() == "curve"] for f in figures]
    labels = [one.get_label() for [one] in lines]
    assert labels[:2] == ["curve", "curve"]
    assert "(" not in labels[2]
    assert labels[3] == "curve (AUC undefined)"
    assert "the curve: 2 points" in alternative(figures[0])


def test_long_curves_keep_their_shape():
    """A curve of 100,000 points is drawn with 400, from which no point is farther than a pixel."""
    scores = RNG.random(100_000)
    metric = added(mm.ROC(), scores, (RNG.random(100_000) < scores).astype(int))
    curve = metric.compute()

    figure = metric.plot(curve)

    [line] = [line for line in figure.axes[0].get_lines() if line.get_gid() == "curve"]
    x, y = line.get_data()
    assert len(x) <= 402
    every = np.transpose([curve["fpr"], curve["tpr"]])[::50]
    apart = np.abs(every[:, None] - np.transpose([x, y])).sum(axis=2).min(axis=1)
    assert apart.max() < 0.006


def test_few_points_are_drawn_as_they_are():
    """And the area under them is said to be near that of the whole curve; of bins as well."""
    scores = RNG.random(5000)
    labels = (RNG.random(5000) < scores / 20).astype(int)
    area = mm.AUROC()(scores, labels)["auroc"]
    for few in (mm.ROC(max_points=101), mm.ROC(bins=100)):
        curve = few(scores, labels)

        figure = few.plot(curve)

        [line] = [line for line in figure.axes[0].get_lines() if line.get_gid() == "curve"]
        assert np.array_equal(line.get_data(), [curve["fpr"], curve["tpr"]])
        shown = float(line.get_label().removeprefix("ROC (AUC ≈ ").rstrip(")"))
        assert abs(shown - area) < curve["error_bound"] / 2 + 0.0005
        assert "AUC ≈ " in alternative(figure)


def test_dots_lie_on_their_intervals():
    """Slices are drawn with the ends that the result has, the whole as a line."""
    by = {"language": RNG.choice(["en", "de", "fr"], 200).tolist()}
    metric = mm.Sliced(mm.Accuracy(interval=0.95), by="language")
    result = added(metric, SCORES, LABELS, by=by).compute()

    figure = metric.plot(result)

    [ax] = figure.axes
    whole, dots = lines_of(ax)
    ends = [line[:, 0].tolist() for line in ax.collections[-1].get_segments()]
    assert (whole[:, 0] == result["all"]["top1"]).all()
    slices = sorted((v for k, v in result.items() if k != "all"), key=lambda v: v["top1"])
    assert dots[:, 0].tolist() == [values["top1"] for values in slices]
    assert ends == [[values["top1_low"], values["top1_high"]] for values in slices]


def test_a_slice_whose_number_is_undefined_is_named():
    """In the picture below the others, and in words; of many the first, and how many more."""
    result = {"all": {"x": 0.5}, "a=1": {"x": float("nan")}, "a=2": {"x": 0.25}}
    many = {"all": {"x": 0.5}} | {f"a={i}": {"x": float("nan")} for i in range(30)}

    figure, crowd = draw(result), draw(many)

    [ax] = figure.axes
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["2", "1"]
    assert [(text.get_text(), text.get_position()[1]) for text in ax.texts] == [("undefined", 1)]
    assert alternative(figure) == "x by a. 2 0.25. Not drawn: 1 undefined. The whole is 0.5."
    assert [tick.get_text() for tick in crowd.axes[0].get_yticklabels()][-1] == "25 more"
    assert alternative(crowd) == (
        "x by a: no value is defined. Not drawn: 0 undefined; 1 undefined; "
        "2 undefined; 3 undefined; 4 undefined; 25 more. The whole is 0.5."
    )


def test_a_picture_of_slices_is_called_by_the_metric_and_the_column():
    """Of one metric with one number; slices of two columns keep their names."""
    metric = mm.Sliced(mm.Accuracy(), by="digit")
    metric.add([1, 0, 1, 1], [1, 0, 0, 1], by={"digit": [1, 0, 0, 1]})
    assert alternative(metric.plot()).startswith("Accuracy by digit. ")
    two = {"all": {"x": 0.5}, "a=1,b=2": {"x": 0.5}, "a=2,b=2": {"x": 0.25}}
    assert alternative(draw(two)).startswith("x by slice. a=2,b=2 0.25; ")


def test_a_class_whose_number_is_undefined_is_named():
    """Below the bars."""
    figure = draw({"recall_classwise": [0.5, float("nan"), 0.25]})

    [ax] = figure.axes
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["2", "0", "1"]
    assert [bar.get_width() for bar in ax.patches] == [0.25, 0.5]
    assert alternative(figure).endswith("Lowest: 2 0.25; 0 0.5. Not drawn: 1 undefined.")


def test_two_systems_are_drawn_by_their_difference():
    """A dot for B - A beside a line at 0."""
    pair = mm.Paired(mm.Accuracy())
    pair.a.add([1] * 70 + [0] * 30, [1] * 100, ids=range(100))
    pair.b.add([1] * 80 + [0] * 20, [1] * 100, ids=range(100))

    figure = pair.plot()

    zero, dots = lines_of(figure.axes[0])
    [ends] = figure.axes[0].collections[-1].get_segments()
    found = pair.compute()
    assert (zero[:, 0] == 0).all()
    assert ends[:, 0].tolist() == [found["top1_difference_low"], found["top1_difference_high"]]
    assert dots[:, 0].tolist() == [found["top1_difference"]]


def test_bars_are_the_numbers_of_the_classes():
    """The least one is at the top, with its interval; of many classes the 40 lowest are drawn."""
    metric = mm.Recall(
        task="multiclass", num_classes=3, average=None, interval=0.95, classes=CLASSES
    )
    result = added(metric, SCORES, LABELS).compute()

    [ax] = metric.plot(result).axes

    assert [bar.get_width() for bar in ax.patches] == sorted(result["recall_classwise"])
    assert "40 lowest of 100" in draw({"x": [i / 100 for i in range(100)]}).axes[0].get_title(
        "left"
    )


def test_a_reliability_diagram_has_a_dot_for_every_bin():
    """At its mean confidence, as high as the share that came true; empty bins have none."""
    metric = added(mm.ReliabilityDiagram(bins=10), SCORES, LABELS)
    found = metric.compute()
    filled = found["count"] > 0

    [ax] = metric.plot(found).axes

    assert np.array_equal(
        ax.collections[-1].get_offsets(),
        np.transpose([found["confidence"][filled], found["accuracy"][filled]]),
    )


def test_detectors_are_broken_down_by_overlap_and_size():
    """A number of -1 is no bar: there is no such object."""
    figure = draw({"bbox_mAP": 0.5, "bbox_mAP_50": 0.75, "bbox_mAP_s": -1.0})

    assert [bar.get_width() for bar in figure.axes[0].patches] == [0.5, 0.75]
    assert "precision, small objects: no such objects" in alternative(figure)


def test_a_history_is_a_line_with_its_intervals():
    """`plot` of a list draws every number over the evaluations; what is missing is left out."""
    metric = mm.Accuracy(interval=0.95)
    history = [metric(SCORES[: 50 * n], LABELS[: 50 * n]) for n in (1, 2, 3)]
    history[1] = {"top1": float("nan")}

    figure = metric.plot(history)

    [line] = lines_of(figure.axes[0])
    assert line.tolist() == [[1, history[0]["top1"]], [3, history[2]["top1"]]]
    assert f"at 1 to {history[2]['top1']:.4g} at 3" in alternative(figure)


def test_a_collection_draws_a_picture_for_every_metric():
    """Into a figure of its own, or into as many axes as there are pictures."""
    metrics = mm.MetricCollection(
        roc=mm.ROC(task="multiclass", num_classes=3), matrix=mm.ConfusionMatrix(num_classes=3)
    )
    metrics.add(SCORES, LABELS)
    _, axes = pyplot.subplots(1, 2)

    assert [ax.get_title("left") for ax in metrics.plot().axes] == ["ROC", "matrix"]
    metrics.plot(ax=[*axes], theme="print")
    assert all(ax.get_label() for ax in axes)
    with pytest.raises(ValueError, match=r"a list of 2 axes, for ROC, matrix; got 1"):
        metrics.plot(ax=[axes[0]])


def test_every_rank_draws_the_same():
    """The picture is that of the result, whichever samples a rank has."""
    figures = requires("matplotlib.figure")

    def rank(backend):
        metric = mm.ConfusionMatrix(num_classes=3, dist_backend=backend)
        mine = slice(backend.rank, None, backend.world_size)
        metric.add(SCORES.argmax(axis=1)[mine], LABELS[mine])
        return alternative(metric.plot(ax=figures.Figure().subplots()))

    assert len(set(LocalWorld(3).run(rank))) == 1


def test_residuals_of_few_and_many_samples():
    """Dots at prediction - target; of many samples the picture counts them in cells."""
    targets = RNG.random(6_000)
    predictions = targets + 0.5

    few = residuals(predictions[:100], targets[:100])
    many = residuals(predictions, targets)

    assert np.allclose(few.axes[0].collections[0].get_offsets()[:, 1], 0.5)
    assert np.nansum(many.axes[0].collections[0].get_array()) == 6_000
    assert "the mean is 0.5, the median 0.5" in alternative(many)
    with pytest.raises(ValueError, match=r"must be \(N,\)"):
        residuals([1.0], [1.0, 2.0])


def test_residuals_go_where_they_are_wanted():
    """On given axes, in the colours of the theme, below the name."""
    figures = requires("matplotlib.figure")
    axes = figures.Figure().subplots()

    figure = residuals([1.0, 2.0], [1.5, 1.0], ax=axes, name="of prices", theme="dark")

    assert figure is axes.figure
    assert axes.get_title(loc="left") + axes.get_title() == "Residuals of prices"
    light = residuals([1.0, 2.0], [1.5, 1.0]).axes[0]
    assert axes.get_facecolor() != light.get_facecolor()
    with pytest.raises(ValueError, match="theme"):
        residuals([1.0], [1.0], theme="blue")


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_shown_and_do_nothing(name, tmp_path):
    """No formula, control character or endless name reaches the picture."""
    figure = draw({"f1_classwise": [0.5, 0.25]}, name=name)
    figure.axes[0].set_yticks(
        [0, 1], [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    )

    figure.savefig(tmp_path / "picture.svg")

    assert pictures({"x": [1.0]}, name)[0].title.startswith(name)


def test_names_in_chinese_have_a_font(monkeypatch):
    """Where a font for them is installed, after the program's own; here another stands for it."""
    monkeypatch.setattr("mmeval_like.plots.style._MORE_FONTS", ("DejaVu Serif", "No Such Font"))

    [ax] = draw({"f1_classwise": [0.5, 0.25]}).axes

    families = [*pyplot.rcParams["font.family"], "DejaVu Serif"]
    assert [tick.get_fontfamily() for tick in ax.get_yticklabels()] == [families] * 2
    assert "DejaVu Serif" not in pyplot.rcParams["font.family"]


def test_what_cannot_be_drawn_is_an_error():
    """It names the keys, or the themes that there are."""
    with pytest.raises(ValueError, match="nothing to draw in text"):
        draw({"text": "none"})
    with pytest.raises(ValueError, match="theme must be one of light, dark, print, got 'pink'"):
        draw({"x": 1.0}, theme="pink")


def test_the_line_of_a_comparison_is_no_difference():
    """The value of all samples is a dot; the line at 0 is not the whole."""
    pair = mm.Paired(mm.Accuracy())
    pair.a.add([1] * 90 + [0] * 10, [1] * 100, ids=range(100))
    pair.b.add([1] * 95 + [0] * 5, [1] * 100, ids=range(100))

    said = alternative(pair.plot())

    assert "all 0.05" in said
    assert said.endswith("The line is at 0.")


@pytest.mark.parametrize("count", [2, 5, 50, 401])
def test_nine_of_ten_residuals_lie_where_it_is_said(count):
    """At least nine of ten samples, however few there are."""
    targets = np.random.default_rng(count).normal(size=count)

    said = alternative(mm.plots.residuals(np.zeros(count), targets))

    low, high = map(float, re.search(r"nine of ten lie from (\S+) to (\S+);", said).groups())
    room = 1e-3  # the ends have four digits
    assert np.mean((-targets >= low - room) & (-targets <= high + room)) >= 0.9
