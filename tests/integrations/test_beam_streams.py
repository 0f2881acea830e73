"""States of the windows of a stream, in Beam."""

import pytest

import mmeval_like as mm
from mmeval_like.testing.same import same
from tests.helpers.optional import requires

beam = requires("apache_beam")
STATES = mm.integrations.States(mm.Accuracy())
# The time in seconds, the prediction, the label; the last row is late.
ROWS = [(1, 0, 0), (2, 1, 0), (12, 2, 2), (14, 1, 1), (15, 0, 2), (4, 2, 2)]
FOUND = []


def keep(named, at=beam.DoFn.WindowParam):
    """Keep the state that a firing of a window brought."""
    FOUND.append((int(at.start), named[1]))


def rows_of(start):
    """The rows of the window that begins at this second."""
    return [row for row in ROWS if start <= row[0] < start + 10]


@pytest.mark.parametrize("mode", ["ACCUMULATING", "DISCARDING"])
def test_late_rows_count_in_their_window(mode):
    """The last state of a window, or the merge of what each firing brought, is that of its rows."""
    from apache_beam.options.pipeline_options import PipelineOptions
    from apache_beam.testing.test_stream import TestStream
    from apache_beam.transforms import trigger, window

    stream, latest = TestStream(), 0
    for seconds, guess, label in ROWS:
        row = {"predictions": guess, "labels": label}
        stream = stream.add_elements([window.TimestampedValue(("all", row), seconds)])
        if seconds > latest:  # the watermark never goes back
            latest, stream = seconds, stream.advance_watermark_to(seconds)
    stream = stream.advance_watermark_to_infinity()
    windows = beam.WindowInto(
        window.FixedWindows(10),
        trigger=trigger.AfterWatermark(late=trigger.AfterCount(1)),
        accumulation_mode=getattr(trigger.AccumulationMode, mode),
        allowed_lateness=60,
    )
    FOUND.clear()

    with beam.Pipeline(options=PipelineOptions(["--streaming"])) as pipeline:
        states = (
            pipeline | stream | windows | beam.CombinePerKey(mm.integrations.BeamStates(STATES))
        )
        states | beam.Map(keep)

    panes = {start: [state for begin, state in FOUND if begin == start] for start in (0, 10)}
    assert len(panes[0]) == 2
    for start, states in panes.items():
        used = states[-1:] if mode == "ACCUMULATING" else states
        table = {
            "predictions": [guess for _, guess, _ in rows_of(start)],
            "labels": [label for *_, label in rows_of(start)],
        }
        assert same(STATES.read(used).compute(), mm.score(table, mm.Accuracy()))
