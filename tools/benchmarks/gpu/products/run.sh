#!/usr/bin/env bash
# Makes the records of the matrix products on a machine with an NVIDIA GPU of compute capability 9.0, nvcc with cuBLAS, and Nsight
# Compute:
#
#   tools/benchmarks/gpu/products/run.sh FOLDER
#
# `h200.csv`, `h200_counters.csv` and `h200_profile.csv` belong beside this file. The kernels are those of kernels/ and, where they
# need what the emulator does not know yet, of this folder.
set -euo pipefail
cd "$(dirname "$0")"

[ $# -eq 1 ] || { echo "usage: tools/benchmarks/gpu/products/run.sh FOLDER" >&2; exit 2; }
folder=$1
mkdir -p "$folder"
for file in ../../../../kernels/products{,_async,_mma}.cu products_*.cu; do
  nvcc -cubin -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a -o "$folder/$(basename "$file" .cu).cubin" "$file" &
done
nvcc -O3 -std=c++17 -arch=sm_90 -o "$folder/products" products.cu -lcublas -lcuda
wait
program="$folder/products"
origin="# $(nvidia-smi --query-gpu=name,driver_version,power.limit --format=csv,noheader);"
origin+=" $(nvcc --version | grep -o 'release.*'); $(date +%F); tools/benchmarks/gpu/products/run.sh"

{ echo "$origin"; timeout 200 "$program" "$folder" cases.txt 1024 2048 4096 8192; } > "$folder/h200.csv"

# What the profiler says of one launch of each kernel: a line of names, a line of units, and a line for each launch, in order. It
# writes 1,024 for a thousand and 24.
profiled() {
  local size=$1 metrics=$2
  shift 2
  echo "$origin; size $size"
  echo "product,$metrics"
  timeout 150 ncu --clock-control none --csv --page raw --print-units base -k regex:^product_ --metrics "$metrics" \
    "$program" "$folder" cases.txt --once "$size" "$@" | grep '^"' | sed -E ':a; s/"([0-9]+),([0-9,.]+)"/"\1\2"/; ta' |
    awk -F '","' -v metrics="$metrics" '
      NR == 1 { for (i = 1; i <= NF; i++) { name = $i; gsub(/"/, "", name); column[name] = i } count = split(metrics, wanted, ",") }
      NR > 2 {
        line = $(column["Kernel Name"])
        for (i = 1; i <= count; i++) { cell = $(column[wanted[i]]); gsub(/"/, "", cell); line = line "," cell }
        print line
      }'
}
shared=smsp__inst_executed_op_shared conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op
counters=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
counters+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
counters+=,${shared}_ld.sum,${conflicts}_ld.sum,${shared}_st.sum,${conflicts}_st.sum,${conflicts}_ldgsts.sum
counters+=,smsp__inst_executed_op_ldsm.sum
# Of the kernels that the emulator can run too.
profiled 256 "$counters" product_{down,across,tile,registers,wide,async,ahead,mma_rows,mma} > "$folder/h200_counters.csv"

# What limits a kernel: how busy units are in per cent, sectors that come from the second-level cache, registers, and for how many
# cycles a warp waits before each instruction, by reason.
stalls=smsp__average_warps_issue_stalled
profile=gpu__time_duration.sum,sm__cycles_elapsed.avg.per_second,launch__registers_per_thread
profile+=,sm__inst_issued.avg.pct_of_peak_sustained_active,sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active
profile+=,sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active
profile+=,l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed
profile+=,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors.avg.pct_of_peak_sustained_elapsed
profile+=,dram__throughput.avg.pct_of_peak_sustained_elapsed
for reason in barrier dispatch_stall gmma long_scoreboard math_pipe_throttle mio_throttle no_instruction not_selected short_scoreboard wait; do
  profile+=,${stalls}_${reason}_per_issue_active.ratio
done
profiled 4096 "$profile" > "$folder/h200_profile.csv"
