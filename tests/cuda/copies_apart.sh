#!/bin/bash
# Each four warps copy their rows of a result out on their own, with barriers of their own, unless threads load elements
# of the result's type: a copy could then come before loads of other warps from the same array. Of a residual that the
# producer copies, all has arrived by then. Usage: copies_apart.sh TEGULA KERNELS
set -euo pipefail
tegula=$1 file=$2/derived.py
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export TEGULA_CACHE_DIR=$work/cache

# expect APART TYPE FORM: whether (1 or 0) there are barriers of four warps with a residual of this type and a result
# of f16. The producer copies a residual of f16, but not the second one of 'two sums'.
expect() {
  local apart=$1 type=$2 form=$3 found case="$2, $3"
  "$tegula" compile "$file::joined" --target=sm_90a --num-warps=8 --emit=simt -o "$work/out.mlir" \
    --signature="*fp16:16, *fp16:16, *$type:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1" \
    --const M=128 --const N=128 --const K=64 --const "FORM='$form'" --const STAGES=3
  grep -q 'simt.store_tile' "$work/out.mlir" || { echo "the result is not copied out with $case" >&2; exit 1; }
  found=$(grep -c 'simt.barrier warps 4' "$work/out.mlir" || true)
  [ "$((found > 0))" -eq "$apart" ] || { echo "$found barriers of four warps with $case" >&2; exit 1; }
}

expect 0 fp16 "two sums"
expect 1 fp16 sum
expect 1 bf16 sum
echo "sets of warps copy apart where they may"
