"""Metrics of a Daft data frame, of all rows and of every day.

python examples/daft_frame.py
"""

import daft
import numpy as np

import mmeval_like as mm

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
scores = np.eye(3)[labels]
scores[[0, 4]] = [0.1, 0.2, 0.7]
columns = {f"p_{number}": scores[:, number] for number in range(3)}
frame = daft.from_pydict({**columns, "label": labels, "day": ["mon"] * 4 + ["tue"] * 5})

states = mm.integrations.States(mm.Accuracy(), predictions="p_*", labels="label")
state = mm.integrations.daft_states(frame, states)  # an expression
[row] = frame.agg(state).to_pylist()
print(states.read([row["state"]]).compute())

rows = frame.groupby("day").agg(state).sort("day").to_pylist()
print({row["day"]: states.read([row["state"]]).compute() for row in rows})
