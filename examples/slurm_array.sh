#!/bin/bash
#SBATCH --job-name=evaluate
#SBATCH --array=0-3
#SBATCH --time=00:10:00
#
# Score one file in each task of an array, then add the states up:
#
#   array=$(sbatch --parsable examples/slurm_array.sh)
#   sbatch --dependency="afterok:$array" --wrap "mmeval_like rollup part-*.safetensors"
#
# Tasks exchange no messages, so that they may run at any time, and failed ones again.
set -e
part=$SLURM_ARRAY_TASK_ID
mmeval_like score "predictions-$part.csv" --metric accuracy -q --state "part-$part.safetensors"
