"""Samples that are taken out, and states whose slices are ranges of numbers."""

import json

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import predictions, write
from tests.helpers.optional import requires
from tests.records.test_states import WITH_IDS, WITHOUT, claim, run

requires("pyarrow")


def without(table, bad):
    """The rows that are left."""
    return {name: np.delete(np.asarray(one), bad) for name, one in table.items()}


def test_a_corrected_record_is_verified_from_files(tmp_path, capsys):
    """Nobody knows in which files the rows were: with the rows that are left it is equal."""
    table = predictions()
    run("score", write(tmp_path, "csv", table), *WITH_IDS, "--state", tmp_path / "s.safetensors")
    (tmp_path / "bad.txt").write_text("3\n77\n")
    taken = ["retract", tmp_path / "s.safetensors", "--ids-file", tmp_path / "bad.txt"]
    run(*taken, "--record", tmp_path / "left.json")
    left = write(tmp_path, "parquet", without(table, [3, 77]), "left")
    capsys.readouterr()

    assert main(["verify", str(tmp_path / "left.json"), str(left)]) == 0
    assert capsys.readouterr().out == "equal; the record says nothing of the files\n"
    fewer = write(tmp_path, "csv", without(table, [3, 77, 78]), "fewer")
    assert main(["verify", str(tmp_path / "left.json"), str(fewer)]) == 1
    assert "ids: 1 missing: id 78" in capsys.readouterr().out


@pytest.mark.parametrize("asked", [WITH_IDS, WITHOUT], ids=["with ids", "without"])
def test_ids_are_texts_with_their_spaces(tmp_path, asked):
    """A text with a space before it is another sample, also beside the same text without."""
    table = predictions()
    table["id"] = [f"x{number}" for number in table["id"]]
    table["id"][:5] = ["a", " a", "b\u2028c", "007", "7"]
    whole = write(tmp_path, "csv", table)
    run("score", whole, *asked, "--state", tmp_path / "s.safetensors")
    (tmp_path / "bad.txt").write_bytes("\ufeff a\r\nb\u2028c\r\n007\r\n".encode())
    files = [] if asked is WITH_IDS else [whole, "--ids", "id"]
    run(
        *("retract", tmp_path / "s.safetensors", *files, "--ids-file", tmp_path / "bad.txt"),
        *("--record", tmp_path / "left.json"),
    )
    others = write(tmp_path, "parquet", without(table, [1, 2, 3]), "others")
    run("score", others, *asked, "--record", tmp_path / "others.json")

    found, wanted = claim(tmp_path / "left.json"), claim(tmp_path / "others.json")
    assert found["rows"] == wanted["rows"]
    assert found["values"] == wanted["values"]


@pytest.mark.parametrize("line", ["1_0", "٣", "3.0", "9" * 5_000])
def test_other_words_for_integers_are_refused(tmp_path, line, capsys):
    """Python reads more texts as integers than a file has."""
    run("score", write(tmp_path, "csv"), *WITH_IDS, "--state", tmp_path / "s.safetensors")
    (tmp_path / "bad.txt").write_text(f"{line}\n", "utf-8")
    capsys.readouterr()

    taken = ["retract", str(tmp_path / "s.safetensors"), "--ids-file", str(tmp_path / "bad.txt")]
    assert main(taken) == 2
    assert "ids are integers" in capsys.readouterr().err


def test_rows_of_files_that_the_state_does_not_know(tmp_path, capsys):
    """The numbers are right; of the files nothing is known any more. Other columns are refused."""
    table = predictions()
    run("score", write(tmp_path, "csv", table), *WITHOUT, "--state", tmp_path / "s.safetensors")
    (tmp_path / "bad.txt").write_text("3\n")
    copied = write(tmp_path, "parquet", table, "copied")
    taken = ["--ids", "id", "--ids-file", tmp_path / "bad.txt", "--record", tmp_path / "left.json"]
    run("retract", tmp_path / "s.safetensors", copied, *taken)
    left = write(tmp_path, "csv", without(table, [3]), "left")

    assert "shards" not in claim(tmp_path / "left.json")
    assert json.loads((tmp_path / "left.json").read_text())["made"]["files"] == []
    run("verify", tmp_path / "left.json", left)
    other = write(tmp_path, "csv", {"id": table["id"]}, "other")
    capsys.readouterr()
    assert main(["retract", *map(str, [tmp_path / "s.safetensors", other, *taken])]) == 2
    assert "no column 'predictions'" in capsys.readouterr().err


def with_floats(few):
    """Rows with a column of floats, of few different values or of many."""
    table = predictions()
    length = np.random.default_rng(0).random(len(table["id"]))
    return {**table, "length": np.floor(8 * length) / 8 if few else length}


def test_rows_are_taken_out_of_ranges_of_numbers(tmp_path):
    """A state knows where it cut the floats that tell its slices apart."""
    table = with_floats(few=False)
    file = write(tmp_path, "csv", table)
    asked = ["--metric", "accuracy", "--by", "length"]
    run("score", file, *asked, "--state", tmp_path / "s.safetensors")
    whole = tmp_path / "whole.json"
    run("score", file, *asked, "--record", whole)
    (tmp_path / "bad.txt").write_text("3\n77\n")
    run(
        *("retract", tmp_path / "s.safetensors", file, "--ids", "id"),
        *("--ids-file", tmp_path / "bad.txt", "--record", tmp_path / "left.json"),
    )

    counts = [
        {which: int(one["samples"]["samples"]["text"]) for which, one in values.items()}
        for values in (claim(path)["values"] for path in (whole, tmp_path / "left.json"))
    ]
    assert counts[0].keys() == counts[1].keys()
    assert counts[0].pop("all") - counts[1].pop("all") == 2
    assert sum(counts[0].values()) - sum(counts[1].values()) == 2


def test_ranges_of_numbers_are_not_added_up(tmp_path, capsys):
    """Every state cuts floats at its own quarters; values that are slices add up."""
    for few in (False, True):
        table = with_floats(few)
        asked, states = ["--metric", "accuracy", "--by", "length"], []
        for number, part in enumerate((slice(0, 200), slice(200, None))):
            day = write(tmp_path, "csv", {k: one[part] for k, one in table.items()}, f"{number}")
            states.append(str(tmp_path / f"{number}.safetensors"))
            run("score", day, *asked, "--state", states[-1])
        capsys.readouterr()
        if few:
            run("rollup", *states)
        else:
            assert main(["rollup", *states]) == 2
            assert "cannot be added up" in capsys.readouterr().err
