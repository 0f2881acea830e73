"""States of blocks of a table, merged as bytes; engines with workers of their own do it too."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.helpers.optional import require_installed, requires

pd = requires("pandas")
require_installed("pyarrow")
from mmeval_like.integrations.groups import state_of_each  # noqa: E402

ROWS = 12
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.random((ROWS, 3)), columns=["p_0", "p_1", "p_2"]).assign(
    label=RNG.integers(0, 3, ROWS), day=["mon", "tue", None] * 4, id=range(ROWS)
)
METRICS = {"acc": mm.Accuracy(topk=(1, 2)), "kappa": mm.CohenKappa(num_classes=3)}
GROUPS = [("x", b"\1\3"), (None, b"\2")]
COLUMNS = {"predictions": "p_*", "labels": "label"}


@settings(max_examples=examples(12))
@given(
    st.lists(st.integers(0, ROWS), max_size=4),
    st.sampled_from([{}, {"by": "day"}, {"ids": "id"}, {"by": ["day"], "ids": "id"}]),
    st.randoms(use_true_random=False),
)
def test_any_blocks_give_the_bits_of_the_whole_table(cuts, how, random):
    """Empty ones too; a block that is counted twice changes nothing where rows have ids."""
    states = mm.integrations.States(METRICS, **how, **COLUMNS)
    edges = [0, *sorted(cuts), ROWS]
    blocks = [FRAME[start:stop] for start, stop in pairwise(edges)]
    if "ids" in how:
        blocks.append(blocks[0])
    column = [states.of(block) for block in blocks]
    random.shuffle(column)
    half = len(column) // 2

    column = [states.merged(column[:half]), *column[half:], states.merged([])]

    assert same(states.read(column).compute(), mm.score(FRAME, METRICS, **how, **COLUMNS))


@pytest.mark.parametrize("how", [{}, {"by": ["day", ["id", "day"]]}, {"ids": "id"}])
def test_the_columns_that_are_needed_are_enough(how):
    """For arguments, slices and ids; no others are read."""
    states = mm.integrations.States(METRICS, **how, **COLUMNS)
    names = states.needed([*FRAME.assign(text="x").columns])

    found = states.read([states.of(FRAME[names])]).compute()

    assert same(found, mm.score(FRAME, METRICS, **how, **COLUMNS))
    assert "text" not in names
    assert ("day" in names, "id" in names) == ("by" in how, bool(how))


@pytest.mark.filterwarnings("ignore:.*the others do not count")
@pytest.mark.parametrize("how", [{}, {"by": "day"}, {"ids": "id"}])
@pytest.mark.parametrize("unscored", [0, "drop", "bounds"])
def test_rows_without_a_score(how, unscored):
    """They count as `mm.score` counts them, with their reasons, in blocks and merged again."""
    frame = FRAME.assign(error=["", "timeout", "", "limit"] * 3)
    asked = how | {"unscored": unscored, "unscored_column": "error"}
    states = mm.integrations.States(mm.Accuracy(interval=0.9), **asked, **COLUMNS)
    column = [states.of(frame[:5]), states.of(frame[5:6]), states.of(frame[6:])]

    found = states.read([states.merged(column[1:]), column[0]]).compute()

    wanted = mm.score(frame, mm.Accuracy(interval=0.9), **asked, **COLUMNS)
    assert same(found, wanted)
    assert repr(found.account) == repr(wanted.account)
    assert found.samples == wanted.samples


def test_no_rows_at_all():
    """The value of no samples; of an empty column nobody can tell what it would hold."""
    states = mm.integrations.States(mm.Accuracy(), predictions="scores", labels="label")
    empty = pd.DataFrame({"scores": [], "label": []}, dtype=object)

    with pytest.warns(RuntimeWarning, match="no samples"):
        assert np.isnan(states.read([states.of(empty)]).compute()["top1"])


def test_a_column_that_is_not_there_is_named_in_the_worker():
    """By the error of `mm.score`."""
    states = mm.integrations.States(mm.Accuracy(), predictions="p_*", labels="truth")

    for call in (lambda: states.of(FRAME), lambda: states.needed([*FRAME.columns])):
        with pytest.raises(ValueError, match="no column 'truth' in the table; it has p_0"):
            call()


def test_a_state_of_others_is_named():
    """So that its row of the column can be found."""
    states = mm.integrations.States(METRICS, **COLUMNS)
    column = [states.of(FRAME), states.of(FRAME), mm.Accuracy().seal()]

    with pytest.raises(ValueError, match="the state in row 2 was saved by Accuracy"):
        states.read(column)
    with pytest.raises(TypeError, match="the state in row 1 must be bytes, got None"):
        states.merged([column[0], None])


@pytest.mark.parametrize(
    ("keys", "error", "text"),
    [
        ("day", TypeError, r"keys must be a list of columns, got 'day': write \['day'\]"),
        (["days"], ValueError, "no column 'days' in the table; .*did you mean"),
        (["day", "day"], ValueError, r"name each column once, got \['day', 'day'\]"),
        (["state"], ValueError, "rename the key 'state': the column of the states has this name"),
    ],
)
def test_keys_that_give_no_table_are_refused(keys, error, text):
    """The states must not replace a key, such as that of a country's states."""
    states = mm.integrations.States(METRICS, **COLUMNS)

    with pytest.raises(error, match=text):
        states.needed([*FRAME.columns, "state"], keys)


def test_states_replace_no_column_of_daft():
    """Daft would group by the column, and then give its name to the states."""
    frame = requires("daft").from_pandas(FRAME.assign(state=FRAME["day"]))
    states = mm.integrations.States(METRICS, **COLUMNS)

    with pytest.raises(ValueError, match="rename the column 'state'"):
        mm.integrations.daft_states(frame, states)


@pytest.mark.parametrize("names", [["row"], ["row_list", "0"], ["a.b", "row"]])
def test_keys_may_have_any_names(names):
    """Also those that grouping uses itself; each group has its rows."""
    pa = requires("pyarrow")
    rows = pa.table({name: ["x", None, "x"] for name in names} | {"n": [1, 2, 3]})

    found = state_of_each(rows, names, lambda group: bytes(group["n"].to_pylist()))

    one = [dict.fromkeys(names, key) | {"state": state} for key, state in GROUPS]
    assert found.to_pylist() == one


def test_dictionaries_may_differ_between_chunks():
    """As in blocks that an engine made of several."""
    pa = requires("pyarrow")
    parts = [pa.array(texts).dictionary_encode() for texts in (["y", "x"], ["x"])]
    rows = pa.table({"key": pa.chunked_array(parts)})

    found = state_of_each(rows, ["key"], lambda group: bytes([len(group)]))

    assert found["key"].to_pylist() == ["y", "x"]
    assert found["state"].to_pylist() == [b"\1", b"\2"]


def of_dask(states):
    """In two processes, merged two at a time."""
    frames = requires("dask.dataframe")
    table = frames.from_pandas(FRAME, npartitions=5)
    found = mm.integrations.dask_states(table, states, split_every=2)
    return [*found.compute(scheduler="processes", num_workers=2)["state"]]


def of_dask_days(states):
    """Days apart, also the rows that have no day."""
    frames = requires("dask.dataframe")
    table = frames.from_pandas(FRAME, npartitions=5)
    found = mm.integrations.dask_states(table, states, keys=["day"]).compute()
    assert len(found) == 3
    assert sorted(found["day"].dropna()) == ["mon", "tue"]
    for day, state in zip(found["day"], found["state"], strict=True):
        rows = FRAME[FRAME["day"].isna() if pd.isna(day) else FRAME["day"] == day]
        expected = mm.score(rows, METRICS, **states.columns)
        assert same(states.read([state]).compute(), expected)
    return [*found["state"]]


def of_daft(states):
    """Days apart."""
    frame = requires("daft").from_pandas(FRAME)
    return frame.groupby("day").agg(mm.integrations.daft_states(frame, states)).to_pydict()["state"]


def of_beam(states):
    """Days apart, row by row and some rows at once, merged with none."""
    beam = requires("apache_beam")
    pa = requires("pyarrow")
    combine, found = mm.integrations.BeamStates(states), []
    for _, rows in FRAME.groupby("day", dropna=False):
        held = combine.create_accumulator()
        one, two, *others = rows.to_dict("records")
        block = pa.table({name: [row[name] for row in others] for name in FRAME.columns})
        for element in (one, block, two, FRAME[:0]):
            held = combine.add_input(held, element)
        found.append(held)
    found[0] = combine.compact(found[0])
    assert isinstance(combine, beam.CombineFn)
    return [
        combine.extract_output(combine.merge_accumulators([*found, combine.create_accumulator()]))
    ]


TWO = {"p_0": 0.9, "p_1": 0.1, "label": 0, "day": "mon"}
THREE = {"p_0": 0.1, "p_1": 0.2, "p_2": 0.7, "label": 0, "day": "mon"}
NO_DAY = {"p_0": 0.9, "p_1": 0.1, "label": 0}


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(
    ("first", "other", "text"),
    [
        (TWO, THREE, r"all rows must have the same columns: .*'p_1'\].*, of others .*'p_2'\]"),
        (THREE, TWO, r"all rows must have the same columns: .*'p_2'\].*, of others .*'p_1'\]"),
        (TWO, NO_DAY, "no column 'day' in the table"),
    ],
)
def test_elements_of_beam_have_the_same_columns(first, other, text, blocks, apart):
    """A class that only some rows have is never left out, wherever these are counted."""
    requires("apache_beam")
    pa = requires("pyarrow")
    states = mm.integrations.States(mm.Accuracy(), by="day", **COLUMNS)
    combine = mm.integrations.BeamStates(states)
    elements = [pa.Table.from_pylist([row]) if blocks else row for row in (first, other)]

    def add_all():
        held = [combine.add_input(combine.create_accumulator(), elements[0])]
        begun = combine.create_accumulator() if apart else held.pop()
        return combine.merge_accumulators([*held, combine.add_input(begun, elements[1])])

    with pytest.raises(ValueError, match=text):
        add_all()


@pytest.mark.parametrize("apart", [False, True])
def test_rows_of_beam_may_have_any_order(apart):
    """A row says the names of its columns, as a line of JSON does, and may have others besides."""
    requires("apache_beam")
    states = mm.integrations.States(mm.Accuracy(), **COLUMNS)
    combine = mm.integrations.BeamStates(states)
    first = combine.add_input(combine.create_accumulator(), THREE)
    begun = combine.create_accumulator() if apart else first
    for row in ({**THREE, "label": 2}, dict(reversed(THREE.items())), THREE | {"note": "x"}):
        begun = combine.add_input(begun, row)

    held = combine.merge_accumulators([first, begun] if apart else [begun])

    found = states.read([combine.extract_output(held)]).compute()
    assert (found, found.samples) == ({"top1": 0.25}, 4)


@pytest.mark.parametrize("engine", [of_dask, of_dask_days, of_daft, of_beam])
@pytest.mark.parametrize("how", [{}, {"by": "day"}, {"ids": "id"}])
def test_an_engine_gives_the_bits_of_one_process(engine, how):
    """Ray and Spark, which take long to start, are in test_recipes."""
    states = mm.integrations.States(METRICS, **how, **COLUMNS)

    column = engine(states)

    assert same(states.read(column).compute(), mm.score(FRAME, METRICS, **how, **COLUMNS))
    assert how or max(map(len, column)) <= 2000
