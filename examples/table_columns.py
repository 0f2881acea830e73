"""Metrics of columns of pandas, polars and DuckDB.

python examples/table_columns.py
"""

import duckdb
import numpy as np
import pandas as pd
import polars as pl

import mmeval_like as mm

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
scores = np.eye(3)[labels]
scores[[0, 4]] = [0.1, 0.2, 0.7]
columns = {"p_0": scores[:, 0], "p_1": scores[:, 1], "p_2": scores[:, 2], "label": labels}
columns["day"] = ["mon"] * 4 + ["tue"] * 5

frame = pd.DataFrame(columns)
query = duckdb.sql("SELECT * FROM frame ORDER BY day")  # DuckDB reads the variable
for table in (frame, pl.DataFrame(columns), query, columns):
    result = mm.score(table, mm.Accuracy(), predictions="p_*", labels="label", by="day")
    print(result)
