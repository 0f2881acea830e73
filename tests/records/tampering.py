"""What a forger or an accident may change, and what may change without harm, on real files.

python -m tests.records.tampering 1000 runs so many of each, and says what was not found, or found
where nothing was wrong.
"""

import copy
import json
import sys
import tempfile
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np

from mmeval_like.cli import main
from mmeval_like.cli.parser import make_parser
from mmeval_like.cli.request import read_request
from mmeval_like.cli.verify import ask_as_recorded, verify_files
from mmeval_like.testing import LocalWorld
from tests.cli.files import write

FILES, ROWS = 3, 15
METRIC = ["--metric", "accuracy:topk=1,2", "--metric", "log_loss"]
COLUMNS = ["--column", "predictions=p_*", "--interval", "--by", "domain"]


def tables(rng):
    """The rows of three files: scores of three classes, labels, ids, slices."""
    found = []
    for file in range(FILES):
        scores = rng.dirichlet(np.ones(3), ROWS)
        found.append(
            {
                **{f"p_{c}": scores[:, c] for c in range(3)},
                "labels": rng.integers(0, 3, ROWS),
                "id": rng.permutation(ROWS) + 100 * file,
                "domain": rng.choice(["day", "night"], ROWS),
            }
        )
    return found


def label(rng, files):
    """One label is another class."""
    file, row = rng.integers(FILES), rng.integers(ROWS)
    files[file]["labels"][row] = (files[file]["labels"][row] + 1) % 3
    return [f"changed: id {files[file]['id'][row]}"], [f"preds-{file}"]


def all_labels(rng, files):
    """All labels are other classes, which are too many to be named."""
    for file in files:
        file["labels"] = (file["labels"] + 1) % 3
    return ["more differ", "are among the ids 0 to "], ["preds-0", "preds-1", "preds-2"]


def last_bit(rng, files):
    """A score differs in its last bit."""
    file, row, column = rng.integers(FILES), rng.integers(ROWS), f"p_{rng.integers(3)}"
    files[file][column][row] = np.nextafter(files[file][column][row], 2.0)
    return [f"changed: id {files[file]['id'][row]}"], [f"preds-{file}"]


def new_id(rng, files):
    """A sample has another id."""
    file, row = rng.integers(FILES), rng.integers(ROWS)
    old = files[file]["id"][row]
    files[file]["id"][row] = 999
    return [f"1 missing: id {old}", "1 new: id 999"], None


def ids_exchanged(rng, files):
    """Two samples have each other's ids."""
    file, rows = rng.integers(FILES), rng.choice(ROWS, 2, replace=False)
    files[file]["id"][rows] = files[file]["id"][rows[::-1]]
    return ["2 changed: ids " + ", ".join(map(str, sorted(files[file]["id"][rows])))], None


def lost(rng, files):
    """A row is missing."""
    file, row = rng.integers(FILES), rng.integers(ROWS)
    old = files[file]["id"][row]
    files[file] = {name: np.delete(cells, row) for name, cells in files[file].items()}
    return [f"1 missing: id {old}"], [f"preds-{file}"]


def doubled(rng, files):
    """A row is there twice."""
    file, row = rng.integers(FILES), rng.integers(ROWS)
    files[file] = {name: np.append(cells, cells[row]) for name, cells in files[file].items()}
    return ["duplicated: 1 instead of 0", f"preds-{file}"], [f"preds-{file}"]


def file_left_out(rng, files):
    """A file is not given."""
    file = int(rng.integers(FILES))
    files[file] = None
    return [f"missing: preds-{file}"], [f"missing: preds-{file}"]


def swapped(rng, files):
    """A row of one file and a row of another change places."""
    a, b = rng.choice(FILES, 2, replace=False)
    i, j = rng.integers(ROWS, size=2)
    for name in files[a]:
        files[a][name][i], files[b][name][j] = files[b][name][j], files[a][name][i]
    return [f"preds-{a}", f"preds-{b}"], None


def option(rng, record):
    """The record names another option of a metric."""
    metric = record["claim"]["metrics"]["accuracy"]
    metric["identity"] = metric["identity"].replace("topk=[1, 2]", "topk=[1, 3]")
    return ["option: accuracy: topk"]


def request(rng, record):
    """The record was asked for something else."""
    record["claim"]["request"]["interval"] = "0.9"
    return ["interval"]


def value(rng, record):
    """A digit of a value in the record is another one."""
    which = rng.choice(["all", "domain=day"])
    number = record["claim"]["values"][which]["accuracy"]["top1"]
    place = rng.choice([i for i, character in enumerate(number["text"]) if character.isdigit()])
    text = number["text"]
    number["text"] = f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}"
    return ["value: ", "accuracy top1"]


def digest(rng, record):
    """A digit of the digest of the rows is another one."""
    rows = record["claim"]["rows"]
    place = rng.integers(32)
    digit = f"{(int(rows['digest'][place], 16) + 1) % 16:x}"
    rows["digest"] = rows["digest"][:place] + digit + rows["digest"][place + 1 :]
    return ["rows: "]


def file_digest(rng, record):
    """The record has another digest of a file."""
    file = record["made"]["files"][rng.integers(FILES)]
    file["digest"] = file["digest"][::-1]
    return ["the digests of its files"]


OF_DATA = [
    label,
    all_labels,
    last_bit,
    new_id,
    ids_exchanged,
    lost,
    doubled,
    file_left_out,
    swapped,
]
OF_RECORDS = [option, request, value, digest, file_digest]


def same_rows_in_another_order(rng, files):
    """Within every file."""
    for file in files:
        order = rng.permutation(ROWS)
        file |= {name: cells[order] for name, cells in file.items()}


def files_in_another_order(rng, files):
    """Under the names of others."""
    files[:] = [files[place] for place in rng.permutation(FILES)]


def another_type(rng, files):
    """Labels as floats or small integers."""
    kind = rng.choice([np.int8, np.uint16, np.float64])
    files[0]["labels"] = files[0]["labels"].astype(kind)
    for file in files[1:]:
        file["labels"] = file["labels"].astype(kind)


HARMLESS = [same_rows_in_another_order, files_in_another_order, another_type]


class Bench:
    """A folder with files, and their records with and without ids."""

    def __init__(self, folder, seed):
        self.folder, self.rng = Path(folder), np.random.default_rng(seed)
        self.tables = tables(self.rng)
        self.records = {}
        files = self.write(self.tables, "parquet")
        for ids in (True, False):
            target = self.folder / "record.json"
            asked = [*METRIC, *COLUMNS, *(["--ids", "id"] if ids else [])]
            assert main(["score", *files, *asked, "--record", str(target), "-q"]) == 0
            self.records[ids] = json.loads(target.read_text())

    def write(self, files, kind):
        """The files in this format."""
        for old in self.folder.glob("preds-*"):
            old.unlink()
        return [
            str(write(self.folder, kind, table, f"preds-{place}"))
            for place, table in enumerate(files)
            if table is not None
        ]

    def verify(self, record, files, ranks=1):
        """The exit code, and what is printed."""
        path = self.folder / "tampered.json"
        path.write_text(json.dumps(record))
        out = StringIO()
        with redirect_stdout(out):
            if ranks == 1:
                return main(["verify", str(path), *files]), out.getvalue()
            options = make_parser().parse_args(["verify", str(path), *files])
            ask_as_recorded(options)
            code, *_ = LocalWorld(ranks).run(
                lambda backend: verify_files(options, [read_request(options)], backend)
            )
        return code, out.getvalue()

    def tamper(self, number):
        """One tampering: its name, and what is wrong with how it was found; None: nothing."""
        kinds = [*OF_DATA, *OF_RECORDS]
        kind = kinds[number % len(kinds)]  # ids that nobody asked for are not read
        ids = kind in (new_id, ids_exchanged) or bool(number // len(kinds) % 2)
        files, record = copy.deepcopy(self.tables), copy.deepcopy(self.records[ids])
        if kind in OF_RECORDS:
            wanted = kind(self.rng, record)
        else:
            named, without_ids = kind(self.rng, files)
            wanted = named if ids else without_ids or named
        given = self.write(files, self.rng.choice(["parquet", "csv"]))
        code, text = self.verify(record, given)
        found = code == 1 and all(word in text for word in wanted)
        return kind.__name__, None if found else f"ids={ids}, {code}: {wanted} not in {text!r}"

    def leave(self, number):
        """One harmless change: its name, and what was reported; None: nothing."""
        kind, ids = HARMLESS[number % len(HARMLESS)], bool(number // len(HARMLESS) % 2)
        files = copy.deepcopy(self.tables)
        kind(self.rng, files)
        given = self.write(files, self.rng.choice(["parquet", "csv", "jsonl"]))
        self.rng.shuffle(given)
        code, text = self.verify(self.records[ids], given, int(self.rng.integers(1, 4)))
        return kind.__name__, None if code == 0 else f"ids={ids}, {code}: {text!r}"


def run(count):
    """So many of each; print what went wrong, and return how much."""
    done, wrong = Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, 0)
        for number in range(count):
            for one in (bench.tamper, bench.leave):
                name, finding = one(number)
                done[name] += 1
                if finding:
                    wrong.append(f"{name}: {finding}")
    print("\n".join(wrong[:20]))
    print(dict(done), f"{len(wrong)} of {2 * count} went wrong")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1])) > 0)
