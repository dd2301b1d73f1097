#!/usr/bin/env bash
# Counts the requests and sectors of atomics on a machine with an NVIDIA GPU, nvcc and Nsight Compute, and leaves a
# table in a folder: each operation of cases.txt with each pattern, and the profiler's counts. Rust is not needed here.
#
#   tools/benchmarks/gpu/atomics/run.sh FOLDER                                    on the machine with the GPU
#   cp FOLDER/h200.csv tools/benchmarks/gpu/atomics/                              and then anywhere
#   cargo test -p ptx-emulator --test atomic_counters -- --nocapture
#
# FOLDER/cases.raw.csv is the profiler's own table, which has more metrics than are compared.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: tools/benchmarks/gpu/atomics/run.sh FOLDER" >&2; exit 2; }
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"

compared="l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum l1tex__t_requests_pipe_lsu_mem_global_op_red.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
smsp__inst_executed_op_shared_atom.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum
smsp__inst_executed_op_shared_ld.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
# Metrics that help to understand a difference.
besides="smsp__inst_executed_op_shared_atom_dot_alu.sum smsp__inst_executed_op_shared_atom_dot_cas.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared.sum smsp__inst_executed_op_shared_st.sum
smsp__inst_executed_op_global_atom.sum smsp__inst_executed_op_global_red.sum
l1tex__t_set_accesses_pipe_lsu_mem_global_op_atom.sum l1tex__t_set_accesses_pipe_lsu_mem_global_op_red.sum
lts__t_requests_srcunit_tex_op_atom.sum lts__t_requests_srcunit_tex_op_red.sum
lts__t_sectors_srcunit_tex_op_atom.sum lts__t_sectors_srcunit_tex_op_red.sum
lts__t_sectors_op_atom.sum lts__t_sectors_op_red.sum"
known=$(ncu --query-metrics 2>/dev/null | awk '{ print $1 }' || true)
asked=()
for metric in $compared $besides; do
  if [ -z "$known" ] || grep -qx "${metric%.sum}" <<< "$known"; then asked+=("$metric"); else echo "no metric $metric" >&2; fi
done

nvcc -O2 -std=c++17 -o "$folder/atomics" "$here/atomics.cu" -lcuda
ncu --clock-control none --csv --page raw --print-units base --metrics "$(IFS=,; echo "${asked[*]}")" \
  "$folder/atomics" "$here/kernel.ptx" "$here/cases.txt" "$folder/names.txt" > "$folder/cases.raw.csv"
rm "$folder/atomics"

# The profiler lists launches in order, below a line of names and one of units, and writes 1,024 for a thousand and 24.
grep '^"' "$folder/cases.raw.csv" | sed -E 's/"([0-9]{1,3}),([0-9]{3})"/"\1\2"/g' |
  awk -F '","' -v metrics="$(echo $compared)" -v names="$folder/names.txt" '
    NR == 1 {
      count = split(metrics, wanted, " ")
      for (i = 1; i <= NF; i++) { name = $i; gsub(/"/, "", name); column[name] = i }
      line = "operation,pattern"
      for (i = 1; i <= count; i++) line = line "," wanted[i]
      print line
    }
    NR > 2 {
      getline line < names
      for (i = 1; i <= count; i++) {
        cell = column[wanted[i]] ? $(column[wanted[i]]) : ""
        gsub(/"/, "", cell)
        line = line "," cell
      }
      print line
    }' > "$folder/h200.csv.table"
{
  echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1); $(date +%F); tools/benchmarks/gpu/atomics/run.sh"
  cat "$folder/h200.csv.table"
} > "$folder/h200.csv"
rm "$folder/h200.csv.table"
echo "$(($(wc -l < "$folder/h200.csv") - 2)) launches counted, in $folder/h200.csv"
