#!/usr/bin/env bash
# Makes the records of matrix instructions on a machine with an NVIDIA GPU, nvcc and Nsight Compute:
#
#   tools/benchmarks/gpu/mma/run.sh FOLDER
#
# `h200.csv`, `h200_wgmma.csv`, `h200_wmma.csv`, `h200_accesses.csv` and `h200_copies.csv` belong beside this file. `results.bin` and `wgmma.bin`
# have the first results of each instruction as they are, to find out what is wrong if a sum differs.
set -euo pipefail
cd "$(dirname "$0")"

[ $# -eq 1 ] || { echo "usage: tools/benchmarks/gpu/mma/run.sh FOLDER" >&2; exit 2; }
folder=$1
mkdir -p "$folder"
nvcc -O3 -std=c++17 -arch=sm_90 -o "$folder/mma" mma.cu
origin="# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader); $(date +%F); tools/benchmarks/gpu/mma/run.sh"
{ echo "$origin"; timeout 60 "$folder/mma" "$folder/results.bin"; } > "$folder/h200.csv"

nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a -DCOMPARE_BYTES -o "$folder/wgmma" wgmma.cu
{ echo "$origin"; timeout 60 "$folder/wgmma" 64 0; timeout 60 "$folder/wgmma" 1024 262144 "$folder/wgmma.bin"; } > "$folder/h200_wgmma.csv"

nvcc -O3 -std=c++17 -arch=sm_90 -o "$folder/wmma" wmma.cu
{ echo "$origin"; for few in 16 1024; do timeout 60 "$folder/wmma" "$few" 0; done; timeout 60 "$folder/wmma" 64 262144; } > "$folder/h200_wmma.csv"

# What the profiler counts of each launch, by the kernel's template arguments and the number of the pattern. The profiler lists
# launches in order, below a line of names and one of units, and writes 1,024 for a thousand and 24.
counted() {
  local metrics=$2
  echo "$origin"
  echo "access,pattern,$metrics"
  timeout 100 ncu --clock-control none --csv --page raw --print-units base --metrics "$metrics" "$folder/mma" "$1" |
    grep '^"' | sed -E 's/"([0-9]{1,3}),([0-9]{3})"/"\1\2"/g' | awk -F '","' -v metrics="$metrics" '
      NR == 1 { for (i = 1; i <= NF; i++) { name = $i; gsub(/"/, "", name); column[name] = i } count = split(metrics, wanted, ",") }
      NR > 2 {
        access = $(column["Kernel Name"]); sub(/^[^<]*</, "", access); sub(/>.*/, "", access); gsub(/, /, " ", access)
        line = access "," (NR - 3) % 18
        for (i = 1; i <= count; i++) { cell = $(column[wanted[i]]); gsub(/"/, "", cell); line = line "," cell }
        print line
      }'
}
conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op
counted accesses "smsp__inst_executed_op_ldsm.sum,smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum,${conflicts}_ld.sum,${conflicts}_st.sum" > "$folder/h200_accesses.csv"
counted copies "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,${conflicts}_ldgsts.sum" > "$folder/h200_copies.csv"
