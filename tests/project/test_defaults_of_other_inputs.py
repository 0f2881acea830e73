"""With their defaults, torchmetrics and this package agree on queries, boxes, texts and sounds too.

The rows of the page whose metrics take no arrays of one common shape, or need an option.
"""

import importlib
import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers import requires
from tests.project.test_defaults_elsewhere import ROWS_OF_PAGE, equal
from tools.coverage import read

torch = requires("torch")
torchmetrics = requires("torchmetrics")

RNG = np.random.default_rng(11)


class Both(NamedTuple):
    """The same samples for both libraries, and the options that they cannot do without.

    Attributes:
        theirs: The options of torchmetrics, and what `update` takes.
        own: The options here, and what `add` takes.
    """

    theirs: tuple[dict[str, Any], tuple[Any, ...]]
    own: tuple[dict[str, Any], tuple[Any, ...]]


def same(*inputs: Any, options: dict[str, Any] | None = None) -> Both:
    """Both take the same arrays, under the same options."""
    return Both((options or {}, tuple(map(tensors, inputs))), (options or {}, inputs))


def tensors(value: Any) -> Any:
    """Arrays as tensors, also those in lists and dicts."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    if isinstance(value, list):
        return [tensors(one) for one in value]
    if isinstance(value, dict):
        return {name: tensors(one) for name, one in value.items()}
    return value


def queries(options: dict[str, Any] | None = None) -> Both:
    """Twelve queries with eight documents each, which are relevant or not."""
    scores, relevant = RNG.random((12, 8)), (RNG.random((12, 8)) < 0.4).astype(int)
    relevant[:, 0], relevant[:, 1] = 1, 0
    indexes = np.repeat(np.arange(12), 8)
    theirs = (scores.ravel(), relevant.ravel(), indexes)
    return Both(
        (options or {}, tuple(map(torch.from_numpy, theirs))),
        (options or {}, ([*scores], [*relevant])),
    )


def boxes(count: int) -> np.ndarray:
    """Boxes by their corners."""
    corners = RNG.random((count, 2)) * 50
    return np.concatenate([corners, corners + 10 + RNG.random((count, 2)) * 30], axis=1)


def pairs_of_boxes() -> Both:
    """Two images, in which each box has a label, and was found nearly where it is."""
    images = []
    for count in (3, 4):
        true = boxes(count)
        found = true + RNG.normal(size=true.shape) * 2
        images.append((found, true, np.arange(count) % 2, RNG.random(count)))
    found = [
        {"boxes": torch.tensor(f), "labels": torch.tensor(n), "scores": torch.tensor(s)}
        for f, _, n, s in images
    ]
    true = [{"boxes": torch.tensor(t), "labels": torch.tensor(n)} for _, t, n, _ in images]
    own = ([f for f, _, _, _ in images], [t for _, t, _, _ in images])
    return Both(({}, (found, true)), ({}, own))


def detections() -> Both:
    """The same images for the mean average precision."""
    theirs, _ = pairs_of_boxes()
    predictions = [
        {"img_id": i, "bboxes": one["boxes"].numpy(), "labels": one["labels"].numpy(),
         "scores": one["scores"].numpy()}
        for i, one in enumerate(theirs[1][0])
    ]  # fmt: skip
    truth = [
        {"img_id": i, "bboxes": one["boxes"].numpy(), "labels": one["labels"].numpy()}
        for i, one in enumerate(theirs[1][1])
    ]
    meta = {"dataset_meta": {"classes": ["a", "b"]}, "print_results": False}
    return Both(theirs, (meta, (predictions, truth)))


def scenes() -> Both:
    """Panoptic segmentations: a class and an instance for each pixel."""
    classes, instances = RNG.choice([0, 1, 6, 7], (2, 6, 6)), RNG.integers(0, 2, (2, 6, 6))
    instances[classes > 1] = 0
    true = np.stack([classes, instances], axis=-1)
    found = np.where(RNG.random((2, 6, 6, 1)) < 0.85, true, true[:, ::-1])
    options: dict[str, Any] = {"things": {0, 1}, "stuffs": {6, 7}}
    own = {"things": [0, 1], "stuffs": [6, 7]}
    return Both((options, (tensors(found), tensors(true))), (own, ([*found], [*true])))


def masks() -> Both:
    """Class indices of pixels."""
    true = RNG.integers(0, 3, (4, 12, 12))
    found = np.where(RNG.random(true.shape) < 0.7, true, RNG.integers(0, 3, true.shape))
    options = {"num_classes": 3, "input_format": "index"}
    return Both((options, (tensors(found), tensors(true))), ({"num_classes": 3}, (found, true)))


TEXTS = ["The cat is on the mat, and sleeps well.", "he saw two dogs", "a small world it is"]
SAID = ["the cat is on the mat, and sleeps not.", "he saw two big dogs", "it is a small word"]
REFERENCES = [[text, f"{text} today"] for text in TEXTS]
IMAGES = RNG.random((2, 3, 48, 48))
COPIES = np.clip(IMAGES + RNG.normal(size=IMAGES.shape) * 0.1, 0, 1)
LARGE = RNG.random((1, 1, 180, 180))
LARGE_COPIES = np.clip(LARGE + RNG.normal(size=LARGE.shape) * 0.1, 0, 1)
SOUNDS = RNG.normal(size=(2, 8000))
NOISY = SOUNDS + RNG.normal(size=SOUNDS.shape) * 0.3
SEPARATED = RNG.normal(size=(3, 2, 400))
MIXED = SEPARATED[:, ::-1] + RNG.normal(size=SEPARATED.shape) * 0.4
COMPLEX = RNG.normal(size=(2, 9, 20, 2))
POINTS, CLUSTERS = RNG.normal(size=(40, 3)), RNG.integers(0, 3, 40)
POINTS += CLUSTERS[:, None]
YES, GROUP = RNG.integers(0, 2, 60), RNG.integers(0, 2, 60)
CHANCE = np.clip(YES * 0.3 + RNG.random(60) * 0.7, 0, 1)
GUESS, TRUTH = RNG.random(30), RNG.random(30)
RATINGS = RNG.multinomial(5, [0.5, 0.3, 0.2], 20)
LOGITS, TOKENS = RNG.normal(size=(2, 5, 7)), RNG.integers(0, 7, (2, 5))
REAL, MADE = RNG.normal(size=(40, 4)), RNG.normal(size=(40, 4)) + 0.3
SHAPES, OTHERS = RNG.normal(size=(3, 6, 2)), RNG.normal(size=(3, 6, 2))


class Flat(torch.nn.Module):  # type: ignore[misc, name-defined]
    """A network that returns what it is given."""

    num_features = 4

    def forward(self, given: Any) -> Any:
        """Return the same numbers."""
        return given


def si_sdr(found: Any, true: Any) -> Any:
    """The measure that is the default here."""
    from torchmetrics.functional.audio import scale_invariant_signal_distortion_ratio

    return scale_invariant_signal_distortion_ratio(found, true)


def at(bound: str) -> Both:
    """Binary scores, and the bound that has no default."""
    options = {"task": "binary", bound: 0.6}
    return Both((options, (tensors(CHANCE), tensors(YES))), ({bound: 0.6}, (CHANCE, YES)))


INPUTS: dict[str, Both] = {
    "BinaryFairness": Both(
        ({"num_groups": 2}, tuple(map(tensors, (CHANCE, YES, GROUP)))),
        ({"num_groups": 2}, (CHANCE, YES, GROUP)),
    ),
    "BinaryGroupStatRates": Both(
        ({"num_groups": 2}, tuple(map(tensors, (CHANCE, YES, GROUP)))),
        ({"num_groups": 2}, (CHANCE, YES, GROUP)),
    ),
    "PrecisionAtFixedRecall": at("min_recall"),
    "RecallAtFixedPrecision": at("min_precision"),
    "SensitivityAtSpecificity": at("min_specificity"),
    "SpecificityAtSensitivity": at("min_sensitivity"),
    "RunningMean": same(GUESS, options={"window": 5}),
    "RunningSum": same(GUESS, options={"window": 5}),
    "MinkowskiDistance": same(GUESS, TRUTH, options={"p": 3}),
    **dict.fromkeys(
        (
            "RetrievalAUROC",
            "RetrievalFallOut",
            "RetrievalHitRate",
            "RetrievalMAP",
            "RetrievalMRR",
            "RetrievalNormalizedDCG",
            "RetrievalPrecision",
            "RetrievalRPrecision",
            "RetrievalRecall",
        ),
        queries(),
    ),
    "RetrievalPrecisionRecallCurve": queries({"max_k": 4}),
    "RetrievalRecallAtFixedPrecision": queries({"min_precision": 0.4, "max_k": 4}),
    "CalinskiHarabaszScore": Both(
        ({}, (tensors(POINTS), tensors(CLUSTERS))),
        ({"num_clusters": 3, "dim": 3}, (POINTS, CLUSTERS)),
    ),
    "ClusterAccuracy": Both(
        ({"num_classes": 3}, (tensors(CLUSTERS), tensors(CLUSTERS[::-1].copy()))),
        ({}, (CLUSTERS, CLUSTERS[::-1])),
    ),
    **dict.fromkeys(
        ("DaviesBouldinScore", "DunnIndex"),
        Both(({}, (tensors(POINTS), tensors(CLUSTERS))), ({"dim": 3}, (POINTS, CLUSTERS))),
    ),
    "FleissKappa": Both(({}, (tensors(RATINGS),)), ({"num_classes": 3}, (RATINGS,))),
    **dict.fromkeys(
        (
            "IntersectionOverUnion",
            "GeneralizedIntersectionOverUnion",
            "DistanceIntersectionOverUnion",
            "CompleteIntersectionOverUnion",
        ),
        pairs_of_boxes(),
    ),
    "MeanAveragePrecision": detections(),
    **dict.fromkeys(("PanopticQuality", "ModifiedPanopticQuality"), scenes()),
    **dict.fromkeys(("DiceScore", "GeneralizedDiceScore", "HausdorffDistance", "MeanIoU"), masks()),
    "ProcrustesDisparity": same(SHAPES, OTHERS),
    "BLEUScore": same(SAID, REFERENCES),
    "SacreBLEUScore": same(SAID, REFERENCES),
    "CHRFScore": same(SAID, REFERENCES),
    "TranslationEditRate": same(SAID, REFERENCES),
    "ROUGEScore": same(SAID, REFERENCES),
    **dict.fromkeys(
        (
            "CharErrorRate",
            "EditDistance",
            "MatchErrorRate",
            "WordErrorRate",
            "WordInfoLost",
            "WordInfoPreserved",
        ),
        same(SAID, TEXTS),
    ),
    "SQuAD": Both(
        (
            {},
            (
                [{"prediction_text": s, "id": str(i)} for i, s in enumerate(SAID)],
                [
                    {"answers": {"answer_start": [0, 0], "text": t}, "id": str(i)}
                    for i, t in enumerate(REFERENCES)
                ],
            ),
        ),
        ({}, (SAID, REFERENCES)),
    ),
    "Perplexity": same(LOGITS, TOKENS),
    **dict.fromkeys(
        (
            "ErrorRelativeGlobalDimensionlessSynthesis",
            "SpatialCorrelationCoefficient",
            "SpectralAngleMapper",
            "StructuralSimilarityIndexMeasure",
            "UniversalImageQualityIndex",
            "VisualInformationFidelity",
        ),
        same(COPIES, IMAGES),
    ),
    "PeakSignalNoiseRatio": same(COPIES, IMAGES, options={"data_range": 1.0}),
    "MultiScaleStructuralSimilarityIndexMeasure": same(LARGE_COPIES, LARGE),
    "TotalVariation": same(IMAGES),
    "ComplexScaleInvariantSignalNoiseRatio": same(COMPLEX + 0.1, COMPLEX),
    "PerceptualEvaluationSpeechQuality": Both(
        ({"fs": 8000, "mode": "nb"}, (tensors(NOISY), tensors(SOUNDS))),
        ({"fs": 8000, "mode": "nb"}, (NOISY, SOUNDS)),
    ),
    "ShortTimeObjectiveIntelligibility": same(NOISY, SOUNDS, options={"fs": 8000}),
    **dict.fromkeys(
        (
            "ScaleInvariantSignalDistortionRatio",
            "ScaleInvariantSignalNoiseRatio",
            "SignalDistortionRatio",
        ),
        same(NOISY, SOUNDS),
    ),
    "SignalNoiseRatio": Both(
        ({}, (tensors(NOISY), tensors(SOUNDS))), ({"input_order": "CT"}, (NOISY, SOUNDS))
    ),
    "SourceAggregatedSignalDistortionRatio": same(MIXED, SEPARATED),
    "PermutationInvariantTraining": Both(
        ({"metric_func": si_sdr}, (tensors(MIXED), tensors(SEPARATED))), ({}, (MIXED, SEPARATED))
    ),
    "InceptionScore": Both(
        ({"feature": Flat()}, (tensors(POINTS),)), ({"num_classes": 3}, (POINTS,))
    ),
    **dict.fromkeys(
        ("FrechetInceptionDistance", "MemorizationInformedFrechetInceptionDistance"),
        Both(({"feature": Flat()}, (REAL, MADE)), ({"dim": 4}, (REAL, MADE))),
    ),
    "KernelInceptionDistance": Both(
        ({"feature": Flat(), "subset_size": 40}, (REAL, MADE)),
        ({"dim": 4, "subset_size": 40}, (REAL, MADE)),
    ),
}
# Two kinds of samples, which are told apart by an argument.
OF_TWO_KINDS = {name for name, both in INPUTS.items() if both.own[1][:1] and both.own[1][0] is REAL}
# What torchmetrics cannot compute here, or what has no value.
UNTRIED = {
    **dict.fromkeys(
        (
            "IntersectionOverUnion",
            "GeneralizedIntersectionOverUnion",
            "DistanceIntersectionOverUnion",
            "CompleteIntersectionOverUnion",
            "MeanAveragePrecision",
        ),
        "needs torchvision",
    ),
    "ClusterAccuracy": "needs torch_linear_assignment",
    "ROUGEScore": "downloads a list of words",
    **dict.fromkeys(
        (
            "BERTScore",
            "CLIPScore",
            "DeepImageStructureAndTextureSimilarity",
            "LearnedPerceptualImagePatchSimilarity",
        ),
        "downloads a network",
    ),
    "MetricCollection": "computes nothing by itself",
    "Running": "computes nothing by itself; see RunningMean",
}
KINDS = (
    "classification",
    "clustering",
    "retrieval",
    "detection",
    "segmentation",
    "shape",
    "text",
    "image",
    "image.fid",
    "image.kid",
    "image.mifid",
    "image.inception",
    "audio",
)
NAMED = {row.theirs: row for row in read()["torchmetrics"] if row.names}


def theirs(name: str) -> Any:
    """The class of torchmetrics."""
    modules = [importlib.import_module(f"torchmetrics.{kind}") for kind in KINDS]
    return next(
        getattr(module, name) for module in [*modules, torchmetrics] if hasattr(module, name)
    )


def computed(name: str, both: Both) -> tuple[Any, Any]:
    """What both return."""
    metric = theirs(name)(**both.theirs[0])
    own = getattr(mm, NAMED[name].names[0])(**both.own[0])
    if name in OF_TWO_KINDS:
        for real, samples in ((True, REAL), (False, MADE)):
            metric.update(torch.from_numpy(samples), real=real)
            own.add(samples, real=real)
        return metric.compute(), own.compute()
    metric.update(*both.theirs[1])
    return metric.compute(), own(*both.own[1])


def agrees(found: Any, own: Any) -> bool:
    """Whether every value of torchmetrics is one of the values here."""
    if isinstance(found, dict):
        return all(equal(value, own) for value in found.values())
    return equal(found, own)


@pytest.mark.parametrize("name", [name for name in INPUTS if name not in UNTRIED])
def test_a_default_that_differs_has_a_remark(name: str) -> None:
    """With defaults only, the value is that of torchmetrics, or the row has a remark."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, own = computed(name, INPUTS[name])

    assert agrees(found, own) or NAMED[name].remark, f"{found} there, and {dict(own)} here"


def test_every_row_with_a_class_is_tried() -> None:
    """By one of both tests, or it is known why not."""
    tried = {row.theirs for row in ROWS_OF_PAGE} | set(INPUTS) | set(UNTRIED)

    assert NAMED.keys() - tried == set()
