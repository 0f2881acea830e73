"""Metrics of the rows of a Beam pipeline, of every key.

python examples/beam_rows.py
"""

import apache_beam as beam
import numpy as np

import mmeval_like as mm

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
guesses = np.where(np.isin(np.arange(9), [0, 4]), 2, labels)
days = ["mon"] * 4 + ["tue"] * 5
table = zip(days, guesses.tolist(), labels.tolist(), strict=True)
rows = [(day, {"predictions": guess, "labels": label}) for day, guess, label in table]
states = mm.integrations.States(mm.Accuracy())


def show(named):
    """Print the value of one key."""
    day, state = named
    print({day: states.read([state]).compute()}, flush=True)


if __name__ == "__main__":
    with beam.Pipeline() as pipeline:
        each = pipeline | beam.Create(rows) | beam.CombinePerKey(mm.integrations.BeamStates(states))
        each | beam.Map(show)
