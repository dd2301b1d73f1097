#!/usr/bin/env bash
# Runs the right kernels about asynchronous, bulk and tensor copies, clusters and products of warpgroups on this machine's GPU:
# `run.sh FOLDER` writes `h200_twins.csv` there.
# Needs an NVIDIA GPU of compute capability 9.0 and `nvcc`.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
folder=${1:?usage: run.sh FOLDER}
mkdir -p "$folder"
program=$(mktemp)
nvcc -std=c++17 -O2 -o "$program" tools/benchmarks/gpu/twins/twins.cu -lcuda
{
  printf '# %s; %s; tools/benchmarks/gpu/twins/run.sh\n' \
    "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)" "$(date +%F)"
  echo kernel,result,differing
  # A process of its own for each, because none can go on after a kernel that fails.
  printf '%s\n' crates/simt/tests/ptx/pass/{copy,bulk,cluster,proxy,tensor,wgmma}/*.ptx | xargs -n 1 -P 8 timeout 60 "$program" | sort
} | tee "$folder/h200_twins.csv"
rm -f "$program"
