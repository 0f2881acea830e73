"""`mmeval_like score`: every format, any number of ranks, the numbers of a loop by hand."""

import csv
import json
import re
import shutil

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from mmeval_like.cli.specs import metric_names, parse_spec
from tests.cli.files import ROWS, predictions, run, score, write
from tests.helpers.optional import requires

requires("pyarrow")
requires("rich")

FORMATS = ("npz", "csv", "jsonl", "parquet")


def by_hand(which=slice(None)):
    """The accuracy of some rows."""
    table = predictions()
    return float(np.mean(table["predictions"][which] == table["labels"][which]))


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format(tmp_path, kind):
    """The same number from each."""
    assert score(tmp_path, write(tmp_path, kind), "--metric", "accuracy") == {
        "accuracy": {"top1": by_hand()}
    }


@pytest.mark.parametrize("kind", ["npz", "csv", "jsonl", "parquet"])
def test_small_pieces_make_up_the_file(tmp_path, kind, monkeypatch):
    """Cut into many pieces of work and many batches, no row is lost or read twice."""
    for module, name, value in (
        ("numpy_files", "_UNIT_ROWS", 70),
        ("numpy_files", "BATCH_ROWS", 32),
        ("text_lines", "_UNIT_BYTES", 333),
        ("text_lines", "_READ_BYTES", 100),
        ("parquet_files", "_UNIT_ROWS", 100),
        ("parquet_files", "BATCH_ROWS", 13),
    ):
        monkeypatch.setattr(f"mmeval_like.cli.readers.{module}.{name}", value)
    path = write(tmp_path, kind)

    found = score(tmp_path, path, "--metric", "accuracy", "--ids", "id", "--size", ROWS)

    assert found == {"accuracy": {"top1": by_hand()}}


def test_several_files_are_one_dataset(tmp_path):
    """A pattern, and files of different formats."""
    table = predictions()
    for index, part in enumerate(np.array_split(np.arange(ROWS), 3)):
        write(tmp_path, "npz", {k: v[part] for k, v in table.items()}, f"part-{index}")

    assert score(tmp_path, f"{tmp_path}/part-*.npz", "--metric", "accuracy") == {
        "accuracy": {"top1": by_hand()}
    }


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_ranks_give_the_same_bits(tmp_path, kind, ranks):
    """Zmq ranks started by the command: the numbers of one process, to the last bit."""
    requires("zmq")
    rng = np.random.default_rng(1)
    table = {"predictions": rng.normal(size=ROWS), "labels": rng.normal(size=ROWS)}
    path = write(tmp_path, kind, table)
    asked = ["score", path, "--metric", "root_mean_squared_error", "--metric", "r2_score"]
    alone = run(*asked, "--json", tmp_path / "one.json")
    together = run(*asked, "--json", tmp_path / "many.json", "-n", ranks)

    assert (alone.returncode, together.returncode) == (0, 0), together.stderr
    assert together.stdout == alone.stdout
    assert (tmp_path / "many.json").read_text() == (tmp_path / "one.json").read_text()


def test_ranks_read_the_rows_in_the_order_of_the_files(tmp_path):
    """What depends on the order: all values, the last ones, and the first row of a repeated id.

    There are five files of four rows, and two ranks. All but the first file have the ids 0 and 1,
    and their answers are right in the second file alone.
    """
    requires("zmq")
    values, ids = np.arange(20), np.arange(20, 40)
    ids[4::4], ids[5::4] = 0, 1
    labels = ids % 2
    answers = np.where((ids < 2) & (values >= 8), 1 - labels, labels)
    for part in range(5):
        rows = slice(4 * part, 4 * part + 4)
        write(tmp_path, "csv", {"values": values[rows]}, f"values-{part}")
        answered = {"id": ids[rows], "predictions": answers[rows], "labels": labels[rows]}
        write(tmp_path, "csv", answered, f"answers-{part}")

    def asked(files, *options):
        target = tmp_path / "found.json"
        pattern = f"{tmp_path}/{files}-*.csv"
        done = run("score", pattern, *options, "-n", 2, "--json", target)
        assert done.returncode == 0, done.stderr
        return json.loads(target.read_text())

    found = asked("values", "--metric", "cat", "--metric", "running_mean:window=3")
    assert found["cat"]["values"] == values.tolist()
    assert found["running_mean"]["running_mean"] == values[-3:].mean()
    assert asked("answers", "--metric", "accuracy", "--ids", "id")["accuracy"]["top1"] == 1

    files = sorted(tmp_path.glob("answers-*.csv"))
    options = ["--metric", "accuracy", "--ids", "id", "-n", 2, "-q", "--json", "-"]
    done = run("compare", *files, "--", *files, *options)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["accuracy"]["top1_a"] == 1


@pytest.mark.mpi
def test_started_by_mpiexec(tmp_path):
    """Under a launcher the command uses the launcher's ranks, and rank 0 alone prints."""
    from tests.helpers.launch import run_ranks

    requires("mpi4py")
    path = write(tmp_path, "npz")

    ranks = run_ranks("mpiexec", 3, "-m", "mmeval_like", "score", path, "--metric", "accuracy")

    assert "top1" in ranks.stdout[0]
    assert ranks.stdout[1:] == ["", ""]


@pytest.mark.parametrize("backend", [pytest.param("mpi4py", marks=pytest.mark.mpi), "torch"])
def test_other_backends_start_their_launcher(tmp_path, backend):
    """--backend mpi4py and torch: mpiexec and torchrun, started by the command."""
    requires(backend)
    path = write(tmp_path, "npz")
    target = tmp_path / "result.json"

    done = run(
        "score", path, "--metric", "accuracy", "-n", 2, "--backend", backend, "--json", target
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(target.read_text()) == {"accuracy": {"top1": by_hand()}, "samples": ROWS}


@pytest.mark.filterwarnings("ignore:the ids of two batches")
def test_rows_that_repeat_count_once(tmp_path, capsys):
    """--ids: a file and its copy are the file once; --size finds what is missing."""
    path = write(tmp_path, "npz")
    copy = shutil.copy(path, tmp_path / "copy.npz")

    assert score(tmp_path, path, copy, "--metric", "accuracy", "--ids", "id") == {
        "accuracy": {"top1": by_hand()}
    }
    assert main(["score", str(path), "--metric", "accuracy", "--ids", "id", "--size", "501"]) == 2
    assert "ids 500" in capsys.readouterr().err


def test_columns_become_scores(tmp_path):
    """Several columns, or a pattern, are the scores of the classes."""
    rng = np.random.default_rng(2)
    scores, labels = rng.random((ROWS, 3)), rng.integers(0, 3, ROWS)
    table = {f"score_{c}": scores[:, c] for c in range(3)} | {"target": labels}
    path = write(tmp_path, "csv", table)
    wanted = {"accuracy": {"top1": float((scores.argmax(1) == labels).mean())}}

    for columns in ("score_*", "score_0,score_1,score_2"):
        asked = ("--column", f"predictions={columns}", "--column", "labels=target")
        assert score(tmp_path, path, "--metric", "accuracy", *asked) == wanted


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["score_1", "score_2"], "score_1 is class 0, score_2 is class 1, whatever the number"),
        (["score_0", "score_9"], "score_0 is class 0, score_9 is class 1, whatever the number"),
        (["score_0", "score_1"], None),
        (["score_a1", "score_b"], None),
    ],
)
def test_numbers_in_names_that_are_not_those_of_the_classes(tmp_path, capsys, names, told):
    """The columns are classes 0, 1, ... in their order; a remark tells if their numbers differ."""
    path = tmp_path / "preds.csv"
    path.write_text(f"{names[0]},{names[1]},labels\n0.9,0.1,0\n0.4,0.6,1\n")

    assert (
        main(["score", str(path), "--metric", "accuracy", "--column", "predictions=score_*"]) == 0
    )
    printed = capsys.readouterr()
    assert "whatever the number" not in printed.err if told is None else told in printed.err


def test_weights_that_a_metric_is_told_to_use_need_a_column(tmp_path, capsys):
    """Without one, all samples would count alike in silence."""
    path = tmp_path / "preds.csv"
    path.write_text("predictions,labels,weight\n1,1,1\n0,1,3\n")
    words = ["score", str(path), "--metric", "accuracy:use_sample_weight=true"]

    assert main(words) == 2
    assert "no column 'sample_weight'" in capsys.readouterr().err
    assert main([*words, "--column", "sample_weight=weight", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == {"top1": 0.25}


@pytest.mark.parametrize("metric", ["accuracy", "recall:task=binary"])
def test_weights_that_a_metric_does_not_take_say_how_it_takes_them(tmp_path, capsys, metric):
    """The error has both options as the command line writes them: with weights, and without."""
    path = tmp_path / "preds.csv"
    path.write_text("predictions,labels,sample_weight\n1,1,0.5\n0,1,2.0\n0,0,1.0\n")

    assert main(["score", str(path), "--metric", metric]) == 2

    told = capsys.readouterr().err
    [cure, *without] = re.search(
        r"--metric (\S+) weights the samples; (--column) (\S+) leaves", told
    ).groups()
    assert main(["score", str(path), "--metric", cure]) == 0
    assert main(["score", str(path), "--metric", metric, *without]) == 0


def test_an_argument_that_is_left_out_need_not_be_taken(tmp_path):
    """A metric without weights is scored beside one that has them: both are of all samples."""
    path = tmp_path / "a.csv"
    path.write_text("predictions,labels,sample_weight\n1,1.5,1\n2,2,2\n2,3,3\n5,7,1\n")
    words = ["--metric", "mean_absolute_error", "--metric", "median_absolute_error"]

    found = score(tmp_path, path, *words, "--column", "sample_weight=")

    assert found["mean_absolute_error"] == {"mae": 0.875}
    assert found["median_absolute_error"] == {"median_ae": 0.75}


@pytest.mark.parametrize("metric", ["accuracy", "mean_squared_error"])
def test_an_argument_without_a_column_is_left_out(tmp_path, capsys, metric):
    """The numbers, the record and its verification are those of a file without the column."""
    path, bare, record = (tmp_path / name for name in ("a.csv", "b.csv", "record.json"))
    path.write_text("predictions,labels,sample_weight\n1,1,0.5\n0,1,2.0\n0,0,1.0\n")
    bare.write_text("predictions,labels\n1,1\n0,1\n0,0\n")
    without = ["--column", "sample_weight="]

    found = score(tmp_path, path, "--metric", metric, *without, "--record", record)

    assert found == score(tmp_path, bare, "--metric", metric)
    assert main(["verify", str(record), str(path)]) == 0
    assert mm.score(
        {"predictions": [1, 0, 0], "labels": [1, 1, 0], "sample_weight": [0.5, 2.0, 1.0]},
        mm.MeanSquaredError(),
        sample_weight=[],
    ) == {"mse": 1 / 3}
    capsys.readouterr()
    assert main(["score", str(path), "--metric", metric, "--column", "predictions="]) == 2
    assert "predictions need a column, got none" in capsys.readouterr().err


def test_integers_named_as_scores_are_told_to_be_classes(tmp_path, capsys):
    """A metric of classes says so of a column called prob; one of scores does not."""
    path = tmp_path / "preds.csv"
    said = "integers there are classes, not scores"

    path.write_text("prob,label\n0,0\n1,1\n1,0\n")
    assert main(["score", str(path), "--metric", "accuracy"]) == 0
    assert f"predictions are read from the column 'prob'; {said}" in capsys.readouterr().err
    path.write_text("prob,label\n0.1,0\n0.9,1\n0.8,0\n")
    assert main(["score", str(path), "--metric", "auroc"]) == 0
    assert said not in capsys.readouterr().err
    path.write_text("pred,label\n0,0\n1,1\n1,0\n")
    assert main(["score", str(path), "--metric", "accuracy"]) == 0
    assert said not in capsys.readouterr().err


def test_files_in_which_a_pattern_fits_other_columns(tmp_path, capsys):
    """A column of scores that only one of the files has is not left out in silence."""
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    a.write_text("score_0,score_1,labels\n0.9,0.1,0\n")
    b.write_text("labels,score_1,score_0,score_2\n2,0.2,0.1,0.7\n")

    for files, named in (([a, b], "score_2"), ([b, a], "score_2")):
        words = [*map(str, files), "--metric", "accuracy", "--column", "predictions=score_*"]
        assert main(["score", *words]) == 2
        assert named in capsys.readouterr().err
    words = [*map(str, (b, a)), "--metric", "accuracy", "--column", "predictions=score_0,score_1"]
    assert main(["score", *words]) == 2  # label 2 has no score


@pytest.mark.parametrize("kind", ["npz", "jsonl", "parquet"])
def test_lists_are_scores(tmp_path, kind):
    """A column of lists of equal length."""
    rng = np.random.default_rng(3)
    table = {"predictions": rng.random((ROWS, 3)), "labels": rng.integers(0, 3, ROWS)}

    found = score(tmp_path, write(tmp_path, kind, table), "--metric", "accuracy:topk=1,2")

    metric = mm.Accuracy(topk=(1, 2))
    metric.add(table["predictions"], table["labels"])
    assert found == {"accuracy": metric.compute()}


def test_text(tmp_path):
    """Text metrics read text."""
    table = {"predictions": ["a b", "a"], "references": [["a b"], ["a c"]]}
    path = tmp_path / "text.jsonl"
    rows = zip(*table.values(), strict=True)
    path.write_text("".join(json.dumps(dict(zip(table, r, strict=True))) + "\n" for r in rows))

    found = score(tmp_path, path, "--metric", "bleu:n_gram=1")

    metric = mm.BLEU(n_gram=1)
    metric.add(*table.values())
    assert found == {"bleu": metric.compute()}


def test_coco(tmp_path):
    """COCO results against annotations: COCODetection's own numbers."""
    requires("pycocotools")
    truth = {
        "images": [{"id": i, "width": 99, "height": 99} for i in (1, 2)],
        "categories": [{"id": 7, "name": "cat"}, {"id": 3, "name": "dog"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 7, "bbox": [0, 0, 9, 9], "area": 81,
             "iscrowd": 0},
            {"id": 2, "image_id": 2, "category_id": 3, "bbox": [5, 5, 9, 9], "area": 81,
             "iscrowd": 0},
        ],
    }  # fmt: skip
    found = [
        {"image_id": 1, "category_id": 7, "bbox": [0, 0, 9, 9], "score": 0.9},
        {"image_id": 2, "category_id": 7, "bbox": [5, 5, 9, 9], "score": 0.8},
    ]
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    (tmp_path / "found.json").write_text(json.dumps(found))
    asked = ("--metric", "coco_detection:classwise=true", "--annotations", tmp_path / "truth.json")

    values = score(tmp_path, tmp_path / "found.json", *asked)["coco_detection"]

    assert values["bbox_mAP"] == 0.5
    assert (values["bbox_cat_precision"], values["bbox_dog_precision"]) == (1.0, 0.0)


@pytest.mark.parametrize("data", ["digits", "wine"])
def test_real_data(tmp_path, data):
    """The predictions of a classifier on real data: scikit-learn's numbers."""
    datasets = requires("sklearn.datasets")
    requires("sklearn.naive_bayes")
    from sklearn.metrics import accuracy_score, f1_score
    from sklearn.naive_bayes import GaussianNB

    inputs, labels = getattr(datasets, f"load_{data}")(return_X_y=True)
    found = GaussianNB().fit(inputs[::2], labels[::2]).predict(inputs[1::2])
    path = write(tmp_path, "csv", {"predictions": found, "labels": labels[1::2]})
    classes = labels.max() + 1
    asked = f"single_label_precision_recall_f1score:num_classes={classes},items=f1-score"

    values = score(tmp_path, path, "--metric", "accuracy", "--metric", asked)

    assert values["accuracy"]["top1"] == accuracy_score(labels[1::2], found)
    expected = 100 * f1_score(labels[1::2], found, average="macro")
    assert values["single_label_precision_recall_f1score"]["f1-score"] == pytest.approx(
        expected, abs=1e-4
    )


def test_csv_output_and_class_names(tmp_path, capsys):
    """One line per number; lists per class carry the classes' names, also in the table."""
    path = write(tmp_path, "npz")
    names = tmp_path / "names.txt"
    names.write_text("cat\nsea cow\n\ndog\npig\n")
    target = tmp_path / "result.csv"
    metric = "single_label_precision_recall_f1score:num_classes=4,average=none,items=recall"
    asked = ["score", str(path), "--metric", metric, "--classes"]

    for classes in ("cat,sea cow,dog,pig", f"@{names}"):
        assert main([*asked, classes, "--csv", str(target)]) == 0

        with open(target, newline="") as file:
            keys = [row["key"].partition(" ")[2] for row in csv.DictReader(file) if row["key"]]
        assert keys == ["cat", "sea cow", "dog", "pig"]
        printed = capsys.readouterr().out
        assert all(name in printed for name in ("cat", "pig"))


def test_two_of_one_metric(tmp_path):
    """They are told apart by their arguments."""
    path = write(tmp_path, "npz")

    found = score(tmp_path, path, "--metric", "accuracy", "--metric", "accuracy:thrs=none")

    assert set(found) == {"accuracy", "accuracy:thrs=none"}


def test_every_metric_has_a_name():
    """All metrics of the package can be named, by the snake case of the class."""
    names = metric_names()

    assert len(names) == len(mm.metrics.__all__)
    assert names["single_label_precision_recall_f1score"] is mm.SingleLabelPrecisionRecallF1score
    assert names["hmean_iou"] is mm.HmeanIoU


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("accuracy", {}),
        ("accuracy:topk=5", {"topk": 5}),
        ("accuracy:topk=1,5", {"topk": (1, 5)}),
        ("accuracy:thrs=0.1,none,topk=2", {"thrs": (0.1, None), "topk": 2}),
        ("mean_iou:num_classes=19,classwise_results=true",
         {"num_classes": 19, "classwise_results": True}),
        ("coco_detection:metric=bbox,segm", {"metric": ("bbox", "segm")}),
    ],
)  # fmt: skip
def test_arguments_have_the_types_of_the_signature(text, arguments):
    """Numbers, booleans, None, text and sequences of these."""
    assert parse_spec(text).arguments == arguments
