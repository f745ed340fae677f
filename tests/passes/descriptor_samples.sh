#!/bin/bash
# The lesson on descriptors gives the same bytes on the CPU with its descriptors as they are and lowered. Usage:
# descriptor_samples.sh TEGULA TEGULA_OPT SAMPLES
set -euo pipefail
tegula=$1 opt=$2 file=$3/07_matmul_descriptor/matmul_descriptor.py
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export TEGULA_CACHE_DIR=$work/cache

# compare KERNEL SIGNATURE A= B= C= OUT M N K: A=, B=, C= are prefixes of the array values, OUT is the result's name.
compare() {
  local kernel=$1 signature=$2 a=$3 b=$4 c=$5 out=$6 m=$7 n=$8 k=$9
  "$tegula" compile "$file::$kernel" --target=cpu --signature="$signature" --const BLOCK_M=32 --const BLOCK_N=64 \
    --const BLOCK_K=32 --emit=tile -o "$work/before.mlir"
  "$opt" --tile-lower-descriptors --tile-scalarize-uniform --cse --canonicalize "$work/before.mlir" \
    -o "$work/after.mlir"
  grep -q 'tile.desc_load' "$work/before.mlir" || { echo "$kernel has no descriptors to lower" >&2; exit 1; }
  if grep -E 'tile\.(desc_load|desc_store|make_desc)' "$work/after.mlir"; then
    echo "$kernel: not lowered" >&2
    exit 1
  fi
  local which
  for which in before after; do
    "$tegula" run "$work/$which.mlir::$kernel" --device=cpu --grid="$(((m + 31) / 32)), $(((n + 63) / 64))" --check \
      "${a}rand:f16:${m}x$k:1" "${b}rand:f16:${n}x$k:2" "${c}zeros:f16:${m}x$n" M="$m" N="$n" K="$k" \
      --out "$out=$work/$which.npy"
  done
  cmp "$work/before.npy" "$work/after.npy"
  # A product of random numbers is not all zeros.
  [ "$(tail -c +129 "$work/after.npy" | tr -d '\0' | wc -c)" -gt 100 ]
  echo "$kernel ${m}x${n}x$k: same bytes"
}

for size in '64 64 64' '33 70 40' '5 130 96'; do
  read -r m n k <<<"$size"
  compare matmul_descriptor 'desc<32x32xf16>, desc<64x32xf16>, desc<32x64xf16>, i32, i32, i32' \
    a_desc=desc:32x32: b_desc=desc:64x32: c_desc=desc:32x64: c_desc "$m" "$n" "$k"
  compare matmul_device_descriptor '*fp16:16, *fp16:16, *fp16:16, i32, i32, i32' \
    a_ptr= b_ptr= c_ptr= c_ptr "$m" "$n" "$k"
done
