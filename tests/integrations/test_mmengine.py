"""MMEngine's own Evaluator; its Runner is in the recipes."""

import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import requires

pytestmark = pytest.mark.filterwarnings("ignore")
evaluator = requires("mmengine.evaluator")
structures = requires("mmengine.structures")
torch = requires("torch")

SCORES = [[0.1, 0.9], [0.8, 0.2], [0.7, 0.3]]
LABELS = [1, 1, 0]


def samples(**fields):
    """A data sample of MMEngine for each row."""
    rows = zip(*fields.values(), strict=True)
    return [structures.BaseDataElement(**dict(zip(fields, row, strict=True))) for row in rows]


def test_a_config_makes_metrics_of_the_data_samples():
    """By the names of fields; the dataset's classes are in the names of the numbers."""
    _ = mm.integrations.MMEvalLike  # registers it
    config = [
        {"type": "MMEvalLike", "metric": {"type": "Accuracy", "thrs": None, "topk": (1, 2)}},
        {
            "type": "MMEvalLike",
            "metric": {"type": "ConfusionMatrix", "num_classes": 2},
            "fields": {"predictions": "scores", "labels": "gt_label", "ids": "index"},
            "prefix": "counts",
        },
    ]
    found = evaluator.Evaluator(config)
    found.dataset_meta = {"classes": ["cat", "dog"]}
    scores = torch.tensor(SCORES)
    batch = samples(pred_score=scores, scores=scores, gt_label=LABELS, index=[0, 1, 2])

    for _ in range(2):  # the second time without the samples of the first
        found.process(batch)
        assert found.evaluate(3) == {
            "top1": 2 / 3,
            "top2": 1.0,
            "counts/confusion_matrix_cat_cat": 1.0,
            "counts/confusion_matrix_cat_dog": 0.0,
            "counts/confusion_matrix_dog_cat": 1.0,
            "counts/confusion_matrix_dog_dog": 1.0,
        }


def test_pixels_by_a_path():
    """As MMSegmentation's data samples have them: the classes are in a field of a field."""
    _ = mm.integrations.MMEvalLike
    fields = {"predictions": "pred_sem_seg.data", "labels": "gt_sem_seg.data"}
    metric = {"type": "MeanIoU", "num_classes": 2}
    found = evaluator.Evaluator([{"type": "MMEvalLike", "metric": metric, "fields": fields}])
    predictions = torch.tensor([[[[0, 1], [1, 1]]], [[[0, 0], [0, 1]]]])
    labels = torch.tensor([[[[0, 1], [1, 0]]], [[[0, 0], [1, 1]]]])

    def pixels(data):
        return [structures.PixelData(data=one) for one in data]

    found.process(samples(pred_sem_seg=pixels(predictions), gt_sem_seg=pixels(labels)))
    expected = mm.MeanIoU(num_classes=2)(predictions[:, 0], labels[:, 0])
    assert found.evaluate(2) == expected.flat()


def test_functions_and_dicts_of_fields():
    """A dict for each sample, as metrics of detection take them; arrays of one stay whole."""
    fields = {
        "predictions": {
            "bboxes": "pred_instances.bboxes",
            "scores": "pred_instances.scores",
            "labels": lambda sample: sample["pred_instances"]["labels"],
        },
        "groundtruths": lambda sample: sample["truth"],
    }
    metric = mm.VOCMeanAP(num_classes=1)
    adapter = mm.integrations.MMEvalLike(metric, fields)
    found = {"bboxes": torch.tensor([[0.0, 0, 10, 10]]), "scores": torch.tensor([0.9])}
    truth = {"bboxes": [[0, 0, 10, 10]], "labels": [0]}
    found["labels"] = torch.tensor([0])
    of_mmengine = structures.BaseDataElement(
        pred_instances=structures.InstanceData(**found), truth=truth
    )
    adapter.process(None, [{"pred_instances": found, "truth": truth}, of_mmengine.to_dict()])
    assert adapter.evaluate(2)["mAP"] == 1.0
    elements = mm.integrations.MMEvalLike(
        mm.VOCMeanAP(num_classes=1),
        {
            **fields,
            "groundtruths": "truth",
            "predictions": lambda one: one.pred_instances.to_dict(),
        },
    )
    elements.process(None, [of_mmengine])
    assert elements.evaluate(1)["mAP"] == 1.0


def test_labels_in_arrays_of_one():
    """As mmpretrain's data samples have them; a metric that exists already will do."""
    metric = mm.Accuracy(thrs=None)
    adapter = mm.integrations.MMEvalLike(metric)
    adapter.dataset_meta = {"classes": ["cat", "dog"]}
    labels = torch.tensor(LABELS)[:, None]

    adapter.process(
        None, [{"pred_score": s, "gt_label": y} for s, y in zip(SCORES, labels, strict=True)]
    )

    assert metric.dataset_meta == adapter.dataset_meta == {"classes": ["cat", "dog"]}
    assert adapter.evaluate(3) == {"top1": 2 / 3}


def test_members_of_a_collection_know_the_dataset():
    """Every member has the names of its classes, not the collection alone."""
    matrix = mm.ConfusionMatrix(num_classes=2)
    adapter = mm.integrations.MMEvalLike(mm.MetricCollection(a=matrix, prefix="val_"))
    adapter.dataset_meta = {"classes": ["cat", "dog"]}
    adapter.process(None, [{"pred_score": 0, "gt_label": 1}])
    assert adapter.evaluate(1)["val_a_confusion_matrix_dog_cat"] == 1.0


def test_an_evaluation_that_failed_leaves_no_samples():
    """A size that does not fit is an error; the next evaluation has its own samples alone."""
    adapter = mm.integrations.MMEvalLike({"type": "Accuracy", "thrs": None})
    for predicted in (0, 0, 1):
        adapter.process(None, [{"pred_score": predicted, "gt_label": 1}])
    with pytest.raises(ValueError, match="size=1 would drop 2 of the 3 samples"):
        adapter.evaluate(1)
    adapter.process(None, [{"pred_score": 1, "gt_label": 1}])
    assert adapter.evaluate(1) == {"top1": 1.0}


def test_what_a_config_lacks_is_named():
    """The type of the metric, and a field that the data samples do not have."""
    with pytest.raises(ValueError, match="metric must have a type"):
        mm.integrations.MMEvalLike({"topk": 1})
    adapter = mm.integrations.MMEvalLike({"type": "Accuracy"}, {"predictions": "scores"})
    with pytest.raises(KeyError, match="no field 'scores'; they have pred_score, gt_label"):
        adapter.process(None, [{"pred_score": SCORES[0], "gt_label": 1}])


@pytest.mark.parametrize("begin", ["compute", "compute_async"])
def test_a_compute_on_rank_0_alone_is_refused_at_once(begin, monkeypatch):
    """MMEngine calls `compute_metrics` on rank 0; without its own group on every rank, which is
    right, as is a metric that computes alone, and one that is computed elsewhere.
    """
    metric_module = requires("mmengine.evaluator.metric")

    class Mine(metric_module.BaseMetric):
        default_prefix = "mine"

        def __init__(self, backend):
            super().__init__()
            self.backend = backend

        def process(self, data_batch, data_samples):
            self.results += data_samples

        def compute_metrics(self, results):
            metric = mm.Accuracy(dist_backend=self.backend)
            metric.add([1, 0], [1, 1])
            begun = getattr(metric, begin)()
            return {"top1": (begun if begin == "compute" else begun.result())["top1"]}

    def evaluated(backend):
        mine = Mine(backend)
        mine.process(None, [1, 2])
        return mine.evaluate(2)

    if begin == "compute":
        assert LocalWorld(2).run(evaluated) == [{"mine/top1": 0.5}] * 2
    monkeypatch.setattr(requires("mmengine.dist"), "get_world_size", lambda: 2)
    assert evaluated("non_dist") == {"mine/top1": 0.5}
    [first, _] = LocalWorld(2).backends
    with pytest.raises(RuntimeError, match="compute_metrics on rank 0 alone"):
        evaluated(first)
