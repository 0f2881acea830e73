"""Metrics of a Spark data frame, of all rows and of every day, counted by Spark's workers.

python examples/spark_frame.py
"""

import os
import sys

import numpy as np
import pandas as pd
from pyspark.sql import SparkSession

import mmeval_like as mm

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
scores = np.eye(3)[labels]
scores[[0, 4]] = [0.1, 0.2, 0.7]
days = ["mon"] * 4 + ["tue"] * 5
frame = pd.DataFrame(scores, columns=["p_0", "p_1", "p_2"]).assign(label=labels, day=days)

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the workers' Python
spark = SparkSession.builder.master("local[2]").getOrCreate()
table = spark.createDataFrame(frame)  # or spark.read.parquet("s3://...")
states = mm.integrations.States(mm.Accuracy(), predictions="p_*", labels="label")
[row] = mm.integrations.spark_states(table, states).collect()
print(states.read([bytes(row["state"])]).compute())

rows = mm.integrations.spark_states(table, states, keys=["day"]).orderBy("day").collect()
print({row["day"]: states.read([bytes(row["state"])]).compute() for row in rows})
spark.stop()
