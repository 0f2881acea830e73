"""Records that somebody edited so that they look alike, and files that are damaged."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from mmeval_like.records.canonical import digest_of
from tests.cli.files import predictions, write
from tests.helpers.optional import requires

requires("pyarrow")


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A file and its record."""
    folder = tmp_path_factory.mktemp("scored")
    file, record = write(folder, "csv"), folder / "r.json"
    asked = ["--metric", "accuracy", "--interval", "--ids", "id", "--by", "domain"]
    assert main(["score", str(file), *asked, "--record", str(record), "-q"]) == 0
    return str(file), json.loads(record.read_text())


def top1(claim):
    """The number of all samples."""
    return claim["values"]["all"]["accuracy"]["top1"]


SAME_BUT_FOR_THE_FORM = {
    "request": lambda claim: claim["request"].pop("annotations"),
    "values": lambda claim: top1(claim).pop("thin"),
    "values of nothing": lambda claim: claim["values"].update(ghost={}),
    "values of no metric": lambda claim: claim["values"]["all"].update(ghost={}),
    "metrics": lambda claim: claim["metrics"]["accuracy"].update(exact=1),
    "samples": lambda claim: claim["samples"].update(foo=None),
    "samples by another type": lambda claim: claim["samples"].update(duplicated=False),
    "states": lambda claim: claim.update(states={}),
}


@pytest.mark.parametrize("part", SAME_BUT_FOR_THE_FORM)
def test_equal_is_one_form(scored, tmp_path, part, capsys):
    """An empty entry, null for nothing and 1 for true make another claim, with an id of its own."""
    file, record = scored
    edited = copy.deepcopy(record)
    SAME_BUT_FOR_THE_FORM[part](edited["claim"])
    edited["id"] = digest_of(edited["claim"])
    (tmp_path / "r.json").write_text(json.dumps(edited))

    assert main(["verify", str(tmp_path / "r.json"), file]) == 1
    assert f"record: its {part.split()[0]} are written in another form" in capsys.readouterr().out


LACKS = {
    "the files": lambda claim: claim.pop("shards"),
    "the SHA-256 of the rows": lambda claim: claim["rows"].pop("sha256"),
    "the ranges of ids": lambda claim: claim["rows"].pop("ranges"),
}


@pytest.mark.parametrize("lacks", LACKS)
def test_a_record_that_claims_less_says_so(scored, tmp_path, lacks, capsys):
    """Whoever deletes a part has a record that is equal in what is left; what it was is named."""
    file, record = scored
    edited = copy.deepcopy(record)
    LACKS[lacks](edited["claim"])
    edited["id"] = digest_of(edited["claim"])
    (tmp_path / "r.json").write_text(json.dumps(edited))
    target = str(tmp_path / "found.json")

    assert main(["verify", str(tmp_path / "r.json"), file, "--json", target]) == 0
    assert capsys.readouterr().out == f"equal; the record says nothing of {lacks}\n"
    assert json.loads(Path(target).read_text())["unclaimed"] == [lacks]


def test_last_bits_are_no_other_form():
    """Where the bits may differ between processors, the last digits do not count.

    Their names do, and how they are written: the text is that of the hexadecimal digits.
    """
    rng = np.random.default_rng(0)
    metric = mm.Recorded(mm.MutualInfoScore())
    metric.add(*rng.integers(0, 4, (2, 50)))
    metric.compute()
    record = metric.record()
    (name,) = record["claim"]["metrics"]
    ((key, number),) = record["claim"]["values"]["all"][name].items()
    assert not record["claim"]["metrics"][name]["exact"]
    value = np.nextafter(float(number["text"]), 9)
    for fields, parts in (
        ({"text": repr(float(value)), "hex": float(value).hex()}, []),
        ({"ghost": None}, ["record"]),
        ({"text": number["hex"], "hex": number["text"]}, ["record"]),
        ({"text": f"{number['text']}0"}, ["record"]),
        ({"text": f" {number['text']}"}, ["record"]),
        ({"hex": f"{number['hex']} "}, ["record"]),
        ({"hex": number["hex"].upper()}, ["value"]),
        ({"text": repr(float(value))}, ["record"]),
    ):
        other = copy.deepcopy(record)
        other["claim"]["values"]["all"][name][key] |= fields
        other["id"] = digest_of(other["claim"])
        assert [one.part for one in mm.verify(other, record)] == parts


def _raw(record):
    text = json.dumps(record)
    number = f'"text": "{top1(record["claim"])["text"]}"'
    return text, number


DAMAGED = {
    "a name twice": lambda text, number: text.replace(number, f'"text": "0.99", {number}'),
    "a claim twice": lambda text, number: text.replace('"claim"', '"claim": {}, "claim"', 1),
    "nan": lambda text, number: text.replace(number, '"text": NaN'),
    "a number too large": lambda text, number: text.replace('"0x1.', '"0x1p99999', 1),
    "no metrics": lambda text, number: text.replace('"metrics": ["accuracy"]', '"metrics": []'),
    "metrics of numbers": lambda text, number: text.replace('["accuracy"]', "[3]"),
    "a size in words": lambda text, number: text.replace('"size": null', '"size": "7"'),
    "columns in a text": lambda text, number: text.replace('["labels"]', '"labels"'),
    "slices in a text": lambda text, number: text.replace('[["domain"]]', '"domain"'),
    "an id column of two": lambda text, number: text.replace('"ids": "id"', '"ids": ["id"]'),
    "deep": lambda text, number: text.replace('"size": null', f'"size": {"[" * 900}{"]" * 900}'),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damages_are_bad_input(scored, tmp_path, damage, capsys):
    """Exit code 2 and one line; of names that come twice readers would take one or the other."""
    file, record = scored
    text, number = _raw(record)
    damaged = DAMAGED[damage](text, number)
    assert damaged != text
    (tmp_path / "r.json").write_text(damaged)

    assert main(["verify", str(tmp_path / "r.json"), file]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_columns_of_any_name_are_read_again(tmp_path, capsys):
    """A comma, an equals sign or a star in a column's name is part of it."""
    import csv

    table = predictions()
    with open(tmp_path / "odd.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["pred,x", "la=b", "do*main"])
        writer.writerows(
            zip(*(table[name] for name in ("predictions", "labels", "domain")), strict=True)
        )
    asked = ["--column", "predictions=pred?x", "--column", "labels=la=b", "--by", "do*main"]
    record, odd = str(tmp_path / "r.json"), str(tmp_path / "odd.csv")

    assert main(["score", odd, "--metric", "accuracy", *asked, "--record", record, "-q"]) == 0
    assert main(["verify", record, odd]) == 0
    assert capsys.readouterr().out == "equal\n"


@pytest.mark.parametrize("odd", ["nan", "inf"])
@pytest.mark.parametrize("interval", [[], ["--interval"]])
def test_what_is_no_number_has_a_record(tmp_path, odd, interval, capsys):
    """A sum to which nan or an infinity was added is recorded as such, and found again."""
    file, record = tmp_path / "f.csv", str(tmp_path / "r.json")
    file.write_text(f"predictions,targets\n{odd},1\n2,3\n")
    asked = ["--metric", "mean_squared_error", *interval]

    assert main(["score", str(file), *asked, "--record", record, "-q"]) == 0
    capsys.readouterr()
    assert main(["verify", record, str(file)]) == 0
    file.write_text(f"predictions,targets\n{odd},1\n2,4\n")
    assert main(["verify", record, str(file)]) == 1


def test_a_file_name_that_is_no_text_is_recorded(tmp_path, capsys):
    """Systems have names of any bytes; a record has the bytes that are no text as escapes."""
    file, record = str(write(tmp_path, "csv", name="odd\udcff")), str(tmp_path / "r.json")

    assert main(["score", file, "--metric", "accuracy", "--record", record, "-q"]) == 0
    assert main(["verify", record, file]) == 0
    assert (
        "\\udcff.csv" in json.loads((tmp_path / "r.json").read_text())["made"]["files"][0]["name"]
    )


def test_nothing_that_is_read_is_overwritten(tmp_path, capsys):
    """Nor is an output without a folder found after the work is done."""
    file, record = str(write(tmp_path, "csv")), str(tmp_path / "r.json")
    asked = ["score", file, "--metric", "accuracy", "--ids", "id"]
    assert main([*asked, "--record", record, "-q"]) == 0
    before = [Path(path).read_bytes() for path in (file, record)]
    capsys.readouterr()

    for command in (
        ["verify", record, file, "--json", record],
        ["log", record, "--csv", record],
        [*asked, "--lock", file],
    ):
        assert main(command) == 2
        assert "would be overwritten" in capsys.readouterr().err
    assert [Path(path).read_bytes() for path in (file, record)] == before
    for option in ("--record", "--state"):
        assert main([*asked, option, str(tmp_path / "none" / "r.safetensors")]) == 2
        assert "no such folder" in capsys.readouterr().err
