"""Pictures of confusion matrices: of classes, and of labels that do not exclude each other."""

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.plots import alternative, draw
from mmeval_like.plots.confusion import confusions
from tests.helpers import requires
from tests.plots.samples import CLASSES, LABELS, RNG, SCORES, added

requires("matplotlib")


def test_a_confusion_matrix_shows_counts_and_shares():
    """Its colours are the shares of each label's samples, its texts both, its ticks the names."""
    predictions = SCORES.argmax(axis=1)
    metric = added(mm.ConfusionMatrix(num_classes=3, classes=CLASSES), predictions, LABELS)
    expected = np.array(
        [[np.sum((i == LABELS) & (j == predictions)) for j in range(3)] for i in range(3)]
    )

    figure = metric.plot()

    [ax] = figure.axes
    assert np.allclose(ax.images[0].get_array(), expected / expected.sum(axis=1, keepdims=True))
    counts = [int(text.get_text().split("\n")[0]) for text in ax.texts]
    assert counts == expected.ravel().tolist()
    assert next(tick.get_text() for tick in ax.get_yticklabels()) == "<b>cat</b>"
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("true label", "predicted label")
    assert f"right: {100 * np.mean(predictions == LABELS):.1f} %" in alternative(figure)
    figure.canvas.draw()


def test_a_matrix_of_a_thousand_classes_is_small_and_names_what_is_confused():
    """No cell is left out: each shows the largest share of its classes; bars say which they are."""
    matrix = np.eye(1000, dtype=int) * 9
    matrix[3, 998] = 1
    matrix[500, 7] = 3

    figure = draw({"confusion_matrix": matrix})

    image = figure.axes[0].images[0].get_array()
    [scale] = [ax for ax in figure.axes if ax.get_label() == "<colorbar>"]
    assert scale.get_ylabel() == "share of the true label's samples"
    assert [tick.get_text() for tick in scale.get_yticklabels()][:3] == ["0 %", "1 %", "10 %"]
    assert image.shape == (250, 250)
    assert image[0, 249] == pytest.approx(np.sqrt(0.1))
    assert "500 as 7: 3; 3 as 998: 1" in alternative(figure)
    assert confusions(matrix, range(1000)) == confusions(matrix, range(1000), 2)


@pytest.mark.parametrize("normalize", ["true", "pred", "all"])
def test_a_normalized_matrix_is_not_said_to_be_counts(normalize):
    """Of 1,000 samples 895 are right: only shares of all samples say so. The other ones are named,
    and colour the cells.
    """
    labels = [0] * 990 + [1] * 10
    predictions = [1] * 100 + [0] * 890 + [0] * 5 + [1] * 5
    metric = added(mm.ConfusionMatrix(num_classes=2, normalize=normalize), predictions, labels)
    counts = np.array([[890, 100], [5, 5]])

    figure = metric.plot()

    text = alternative(figure)
    colours = np.asarray(figure.axes[0].images[0].get_array())
    if normalize == "all":
        assert "On the diagonal, right: 89.5 %. Largest confusions" in text
    else:
        name, axis = {"true": ("label", 1), "pred": ("prediction", 0)}[normalize]
        shares = counts / counts.sum(axis=axis, keepdims=True)
        mean = 100 * np.mean(np.diag(shares))
        assert f"the mean share of a {name} that is right: {mean:.1f} %" in text
        assert "Largest confusions" in text
        assert np.allclose(colours, shares)


def test_of_equal_confusions_the_first_are_named():
    """Whatever the order in which a partition leaves equal entries."""
    matrix = np.ones((30, 30), int)

    assert [name for name, _ in confusions(matrix, range(30), 3)] == ["0 as 1", "0 as 2", "0 as 3"]
    assert confusions(np.eye(3, dtype=int), range(3)) == []


def test_labels_that_do_not_exclude_each_other_have_a_line_each():
    """Four cells with counts and shares, as scikit-learn counts; most often wrong at the top."""
    metrics = requires("sklearn.metrics")
    labels, found = RNG.random((2, 80, 3)) < [[0.5, 0.3, 0.2]]
    expected = metrics.multilabel_confusion_matrix(labels, found)
    wrong = (labels != found).sum(axis=0)
    order = np.argsort(-wrong, kind="stable")
    metric = mm.ConfusionMatrix(num_classes=3, task="multilabel", classes=["a", "b", "c"])

    figure = added(metric, found.astype(int), labels.astype(int)).plot()

    [ax] = figure.axes
    counts = [int(text.get_text().split()[0]) for text in ax.texts]
    assert counts == expected.reshape(3, 4)[order].ravel().tolist()
    shares = expected / expected.sum(axis=2, keepdims=True)
    assert np.allclose(ax.images[0].get_array(), shares.reshape(3, 4)[order])
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["abc"[at] for at in order]
    first = order[0]
    assert f"{'abc'[first]} {100 * wrong[first] / 80:.1f} %" in alternative(figure)


def test_of_many_labels_the_worst_are_drawn():
    """Forty lines of a thousand; without samples nothing is said of right and wrong."""
    matrices = np.tile(np.array([[5, 0], [0, 5]]), (1000, 1, 1))
    matrices[700] = [[3, 2], [1, 4]]

    figure = draw({"confusion_matrix": matrices})

    assert figure.axes[0].images[0].get_array().shape == (40, 4)
    assert "40 worst of 1,000" in figure.axes[0].get_title("left")
    said = "Most often wrong: 700 30.0 % (1 missed, 2 predicted where absent)"
    assert said in alternative(figure)
    assert "no samples" in alternative(draw({"confusion_matrix": 0 * matrices[:2]}))
