#!/bin/bash
#SBATCH --job-name=evaluate
#SBATCH --array=0-3
#SBATCH --time=00:10:00
#
# Score one file in each task of an array, then add the states up, if no task failed, in a
# job that waits for the array; 17 is the number that the first command prints:
#
#   sbatch examples/slurm_array.sh
#   sbatch --dependency=afterok:17 --wrap "mmeval_like rollup part-*.safetensors"
#
# Tasks exchange no messages, so that they may run at any time, and failed ones again.
set -e
part=$SLURM_ARRAY_TASK_ID
mmeval_like score "predictions-$part.csv" --metric accuracy -q --state "part-$part.safetensors"
