"""The six best-known collectives, on any backend.

mpiexec -n 4 python examples/collectives.py mpi
torchrun --nproc-per-node 4 examples/collectives.py pytorch
MASTER_ADDR=127.0.0.1 MASTER_PORT=29501 mpiexec -n 4 python examples/collectives.py mpi gloo
python examples/collectives.py
"""

import sys

import numpy as np

from mmeval_like import dist

if len(sys.argv) > 1:  # the launcher; then what carries the messages
    default = "mpi4py" if sys.argv[1] == "mpi" else "gloo"
    dist.init_dist(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else default)
rank, size = dist.get_dist_info()

# Broadcast: one rank's object to all ranks.
data = {"key1": [7, 2.72, 2 + 3j], "key2": ("abc", "xyz")} if rank == 0 else None
data = dist.broadcast_object(data, src=0)
print(f"rank {rank} data is {data}")

# Scatter: one part of one rank's list to each rank.
parts = [list(range(r + 2)) for r in range(size)] if rank == 0 else None
part = dist.scatter_object(parts, src=0)
print(f"rank {rank} data is {part}")

# Gather: the arrays of all ranks to one.
gathered = dist.gather(np.array(rank), dst=0)
if gathered is not None:
    print(f"Rank {rank} gathered data: {np.array(gathered)}")

# All-gather: the arrays of all ranks to all.
gathered = dist.all_gather(np.array(rank + 1))
print(f"Rank {rank} gathered data: {np.array(gathered)}")

# Reduce: the sum of all arrays to one rank.
total = dist.reduce(np.array(rank + 1), dst=0, op="sum")
if total is not None:
    print(f"Result after Reduce: {total}")

# All-reduce: the sum of all arrays to all ranks.
total = dist.all_reduce(np.array(rank + 1), op="sum")
print(f"Rank {rank} has result after AllReduce: {total}")

if dist.get_backend() == "gloo":
    import torch

    # Tensors stay tensors.
    print(f"Rank {rank} has data {dist.all_reduce(torch.ones(2, 3))}")
    torch.distributed.destroy_process_group()
