"""Metrics of a Dask data frame, of all rows and of every day, counted by several processes.

python examples/dask_frame.py
"""

import dask.dataframe as dd
import numpy as np
import pandas as pd

import mmeval_like as mm

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
scores = np.eye(3)[labels]
scores[[0, 4]] = [0.1, 0.2, 0.7]
days = ["mon"] * 4 + ["tue"] * 5
frame = pd.DataFrame(scores, columns=["p_0", "p_1", "p_2"]).assign(label=labels, day=days)

if __name__ == "__main__":  # for the processes that Dask starts
    table = dd.from_pandas(frame, npartitions=3)  # or dd.read_parquet("s3://...")
    states = mm.integrations.States(mm.Accuracy(), predictions="p_*", labels="label")
    found = mm.integrations.dask_states(table, states)
    column = found.compute(scheduler="processes", num_workers=2)["state"]
    print(states.read(column).compute())

    found = mm.integrations.dask_states(table, states, keys=["day"])
    rows = found.compute(scheduler="processes", num_workers=2).set_index("day")["state"]
    print({day: states.read([rows[day]]).compute() for day in sorted(rows.index)})
