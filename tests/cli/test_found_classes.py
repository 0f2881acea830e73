"""Classes without `--classes`: the sorted texts in the files, where no number needs an order."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmeval_like.cli import main
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.found_classes import _check_order, _numbers
from mmeval_like.cli.specs import arguments_of, metric_names, parse_spec
from tests.helpers import requires

requires("pyarrow")

NAMES = ["cat", "dog", "emu", "fox"]
RNG = np.random.default_rng(5)
LABELS = RNG.choice(NAMES, 80, p=[0.4, 0.3, 0.2, 0.1]).tolist()
FOUND = [RNG.choice(NAMES) if RNG.random() < 0.4 else name for name in LABELS]


def written(path: Path, found: list[Any], labels: list[Any]) -> str:
    """A file of predictions and labels, in the format of its name."""
    rows = [*zip(found, labels, strict=True)]
    if path.suffix == ".csv":
        path.write_text("predictions,labels\n" + "".join(f"{a},{b}\n" for a, b in rows))
    else:
        lines = [json.dumps({"predictions": a, "labels": b}) for a, b in rows]
        path.write_text("\n".join(lines))
    return str(path)


def score(words: list[str], tmp_path: Path) -> Any:
    """The JSON that a command writes."""
    target = tmp_path / "found.json"
    assert main([*words, "-q", "--json", str(target)]) == 0
    return json.loads(target.read_text())


@pytest.mark.parametrize("kind", [".csv", ".jsonl"])
def test_the_texts_are_classes_in_sorted_order(kind: str, tmp_path: Path, capsys: Any) -> None:
    """The numbers are those of `--classes` with the sorted names, and the command says so."""
    files = [
        written(tmp_path / f"{part}{kind}", FOUND[part::2], LABELS[part::2]) for part in (0, 1)
    ]
    metrics = ["accuracy", "confusion_matrix:num_classes=4", "cohen_kappa:num_classes=4"]
    words = ["score", *files, *(word for name in metrics for word in ("--metric", name))]

    assert score(words, tmp_path) == score([*words, "--classes", ",".join(NAMES)], tmp_path)

    assert main(words) == 0
    said = "the classes are the strings in labels and predictions, sorted: cat, dog, emu, fox"
    printed = capsys.readouterr()
    assert said in printed.err
    assert "label \\ prediction" in printed.out


def test_the_order_of_the_classes_is_that_of_the_columns_named_after_them(
    tmp_path: Path, capsys: Any
) -> None:
    """The error shows this order; another one is refused, since it would give other numbers."""
    file = tmp_path / "p.csv"
    file.write_text("p_fox,p_ape,p_cow,labels\n0.7,0.2,0.1,fox\n0.1,0.6,0.3,ape\n0.2,0.2,0.6,cow\n")
    words = ["score", str(file), "--metric", "log_loss", "--column", "predictions=p_*"]

    assert main(words) == 2
    assert "in their order: --classes fox,ape,cow" in capsys.readouterr().err
    assert main([*words, "--classes", "ape,cow,fox"]) == 2
    assert "p_fox, p_ape, p_cow, but the order of the classes is ape" in capsys.readouterr().err

    found = score([*words, "--classes", "fox,ape,cow"], tmp_path)["log_loss"]["log_loss"]
    assert found == pytest.approx(-sum(map(math.log, (0.7, 0.6, 0.6))) / 3, rel=1e-14)


def test_the_number_of_classes_is_found_as_well(tmp_path: Path, capfd: Any) -> None:
    """Metrics that need a number of classes take that of the strings; integers have no names."""
    file = written(tmp_path / "a.csv", FOUND, LABELS)
    metrics = ["f1:task=multiclass", "jaccard_index:task=multiclass", "confusion_matrix"]
    words = ["score", file, *(word for name in metrics for word in ("--metric", name))]

    assert score(words, tmp_path) == score([*words, "--classes", ",".join(NAMES)], tmp_path)

    assert score([*words, "-n", "2"], tmp_path) == score(words, tmp_path)

    numbers = written(tmp_path / "b.csv", *([*map(NAMES.index, of)] for of in (FOUND, LABELS)))
    capfd.readouterr()
    assert main(["score", numbers, "--metric", "f1:task=multiclass", "-n", "2"]) == 2
    assert capfd.readouterr().err.count("num_classes must be given") == 1


def test_names_that_differ_in_case_are_named(tmp_path: Path, capsys: Any) -> None:
    """They are classes of their own, as in scikit-learn, and a remark says so."""
    file = written(tmp_path / "a.csv", ["Cat", "dog"], ["cat", "dog"])

    assert score(["score", file, "--metric", "accuracy"], tmp_path)["accuracy"] == {"top1": 0.5}
    assert main(["score", file, "--metric", "accuracy"]) == 0
    assert "'Cat' and 'cat' differ only in case, and are two classes" in capsys.readouterr().err


@pytest.mark.parametrize(
    "pair", [("1", "1.0"), ("1", "01"), ("0", "False"), ("1", "true"), ("1000", "1e3")]
)
def test_names_that_are_the_same_number_are_named(
    pair: tuple[str, str], tmp_path: Path, capsys: Any
) -> None:
    """Beside a name that is none, they are texts; a remark says that they are not equal."""
    file = written(tmp_path / "a.csv", [pair[0], "cat"], [pair[1], "cat"])

    assert score(["score", file, "--metric", "accuracy"], tmp_path)["accuracy"] == {"top1": 0.5}
    assert main(["score", file, "--metric", "accuracy"]) == 0
    low, high = sorted(pair)
    said = f"{low!r} and {high!r} are the same number, and are two classes"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("last", ["08", "07.5"])
def test_long_numbers_that_differ_are_not_called_the_same(
    last: str, tmp_path: Path, capsys: Any
) -> None:
    """As floats, the ids would be equal: 2^63 - 1 and its neighbours have more digits."""
    low, high = "9223372036854775807", "92233720368547758" + last
    file = written(tmp_path / "a.csv", [low, "cat"], [high, "cat"])

    assert float(low) == float(high)
    assert score(["score", file, "--metric", "accuracy"], tmp_path)["accuracy"] == {"top1": 0.5}
    assert main(["score", file, "--metric", "accuracy"]) == 0
    assert "the same number" not in capsys.readouterr().err


@pytest.mark.parametrize("kind", [".csv", ".jsonl"])
@pytest.mark.parametrize("name", ["nan", "None", "NULL", "NA", "N/A", "<NA>"])
def test_names_that_may_mean_a_missing_value_are_named(
    name: str, kind: str, tmp_path: Path, capsys: Any
) -> None:
    """They are classes, as codes of countries may be, and a remark says so, under a rule too."""
    file = written(tmp_path / f"a{kind}", ["cat", name, "dog"], ["cat", "dog", "dog"])

    for rule in ([], ["--unscored", "drop"]):
        assert main(["score", file, "--metric", "accuracy", *rule]) == 0
        said = f"{name!r} is a class; where it means that there is none, empty the cell"
        assert said in capsys.readouterr().err

    plain = written(tmp_path / f"b{kind}", ["cat", "nancy"], ["cat", "nonesuch"])
    assert main(["score", plain, "--metric", "accuracy"]) == 0
    assert "is a class" not in capsys.readouterr().err


def test_both_systems_have_the_same_classes(tmp_path: Path) -> None:
    """They are the texts of A and of B, though B never says one of them; on two ranks too."""
    a = written(tmp_path / "a.csv", FOUND, LABELS)
    b = written(tmp_path / "b.csv", ["cat" if one == "fox" else one for one in FOUND], LABELS)
    words = ["compare", a, "--", b, "--metric", "accuracy"]

    named = score([*words, "--classes", ",".join(NAMES)], tmp_path)
    assert score(words, tmp_path) == named
    assert score([*words, "-n", "2"], tmp_path) == named


@pytest.mark.parametrize(
    ("found", "labels", "metric", "text"),
    [
        (["no", "yes", "no"], ["no", "yes", "yes"], "precision",
         "depends on the order of the classes, such as which one is the positive class"),
        (["no", "yes", "no"], ["no", "yes", "yes"], "f1", "which one is the positive class"),
        (FOUND, LABELS, "cohen_kappa:num_classes=4,weights=quadratic", "depends on the order"),
        (FOUND, LABELS, "cohen_kappa:num_classes=3", "3 classes, but the files have 4: cat,dog"),
        (FOUND, LABELS, "recall:task=multiclass,num_classes=5,average=macro", "the files have 4:"),
        (["cat ", *FOUND[1:]], LABELS, "accuracy", "'cat' and 'cat ' look the same"),
        (["a  b", "a b"], ["a b", "a b"], "accuracy", "'a  b' and 'a b' look the same"),
        (["a\u00a0b", "a b"], ["a b", "a b"], "accuracy", "look the same"),
        (["", *FOUND[1:]], LABELS, "accuracy", "a cell is empty"),
        ([None, *FOUND[1:]], LABELS, "accuracy", "line 1: no value in 'predictions'; --unscored"),
        (FOUND, [*LABELS[:7], None, *LABELS[8:]], "accuracy", "line 8: no value in 'labels'"),
        ([f"answer {i}" for i in range(1500)], ["cat"] * 1500, "accuracy", "1,501 different"),
        ([0.5] * 80, LABELS, "auroc", "the number of classes must be 2"),
        ([1, *FOUND[1:]], LABELS, "accuracy", "names of classes need --classes"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_refused(
    found: list[Any], labels: list[Any], metric: str, text: str, tmp_path: Path, capsys: Any
) -> None:
    """No number is made where the order of the classes counts, or where names are in doubt."""
    file = written(tmp_path / "a.jsonl", found, labels)

    assert main(["score", file, "--metric", metric]) == 2
    assert text in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("classes", [NAMES, NAMES[:2]])
def test_no_metric_that_is_allowed_depends_on_the_order(classes: list[str]) -> None:
    """Of all metrics: other data than those that decide, in every order of the classes."""
    rows = [pair for pair in zip(FOUND, LABELS, strict=True) if {*pair} <= {*classes}]
    count = len(classes)
    allowed = []
    for name, cls in metric_names().items():
        parameters = arguments_of(cls)
        texts = [f"{name}:num_classes={count}", name] if "num_classes" in parameters else [name]
        for text in texts:
            try:
                spec = parse_spec(text)
                _check_order(spec, classes, "")
                results = []
                for order in (classes, classes[::-1], [*classes[3:], *classes[:3]]):
                    metric = spec.make({"classes": order})
                    metric.add(*zip(*rows, strict=True))
                    results.append(_numbers(metric.compute_local()))
            except (InputError, TypeError, ValueError):
                continue
            allowed.append(name)
            for other in results[1:]:
                assert other.keys() == results[0].keys(), text
                for key, value in other.items():
                    np.testing.assert_allclose(value, results[0][key], rtol=1e-9, err_msg=text)
    assert {"accuracy", "confusion_matrix", "adjusted_rand_score"} <= set(allowed)
    assert not {"auroc", "fairness", "mc_nemar", "f_beta_score", "jaccard_index"} & set(allowed)
