#!/bin/bash
#SBATCH --job-name=evaluate
#SBATCH --ntasks=2
#SBATCH --time=00:10:00
#
# Evaluate in a Slurm job: sbatch examples/slurm_job.sh
# Activate the environment with the package before you submit the job, or here.
set -e

# With MPI: srun must use the protocol of the MPI library, pmi2 for MPICH and Intel MPI, pmix for
# Open MPI. `srun --mpi=list` shows what a cluster has.
srun --mpi="${MPI_TYPE:-pmi2}" python examples/eval_loop.py mpi4py

# With torch: the program calls mmeval_like.dist.init_dist("slurm").
srun python examples/slurm_torch.py

# Score files, without a program.
srun mmeval_like score --metric accuracy -q --json - "${PREDICTIONS:-predictions.csv}"
