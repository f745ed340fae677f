#!/bin/bash
# Copies of blocks that one program reads have the hint to leave the cache first: of a product with few rows, if all are
# in one block; not of an attention's keys and values, which all blocks of queries read. Usage: read_once.sh TEGULA
# KERNELS
set -euo pipefail
tegula=$1 kernels=$2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export TEGULA_CACHE_DIR=$work/cache

# count PATTERN: how many lines of the last compilation have it.
count() { grep -c -- "$1" "$work/out" || true; }
compile() { "$tegula" compile "$@" --target=sm_90a --num-warps=4 -o "$work/out"; }

joined() { # rows of a block, level
  compile "$kernels/derived.py::joined" --emit="$2" --const "M=$1" --const N=64 --const K=32 --const "FORM='sum'" \
    --const STAGES=3 --signature='*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1'
}
expect() { # what, at least, found
  [ "$3" -ge "$2" ] || { echo "$1: $3 found, $2 expected" >&2; exit 1; }
}

for rows in 16 32 64; do
  joined "$rows" simt
  expect "hinted copies of B beside $rows rows" 1 "$(count 'simt.load_tile .* once : <32x64xf16>')"
  expect "copies of B without a hint beside $rows rows" 1 "$(count 'simt.load_tile .*\] : <32x64xf16>')"
done
joined 16 ptx
expect "hints" 1 "$(count 'cp.async.bulk.tensor.*L2::cache_hint')"

# A batch of left operands, each of which is multiplied by the same right one, unless the kernel asks for the hint.
for eviction in '' evict_first; do
  compile "$kernels/derived.py::product" --emit=simt \
    --signature='*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32, i32:16' \
    --const M=16 --const N=64 --const K=32 --const SHIFTED=False --const FIRST=0 --const "ROWS='masked'" \
    --const MOVES=True --const GROUP=0 --const SUM=fp32 --const "EVICTION='$eviction'"
  expect "copies of B" 1 "$(count 'simt.load_tile .* : <32x64xf16>')"
  hinted=$(count 'simt.load_tile .* once : <32x64xf16>')
  [ "$hinted" -eq "$(count 'simt.load_tile .* : <32x64xf16>')" ] || [ -z "$eviction" ] ||
    { echo "a copy without the hint that the kernel asks for" >&2; exit 1; }
  [ "$hinted" -eq 0 ] || [ -n "$eviction" ] || { echo "a batch's right operand leaves the cache first" >&2; exit 1; }
done

compile "$kernels/programs.py::attention" --emit=simt --const D=64 --const BLOCK=64 --const CAUSAL=False \
  --signature='*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, fp32'
expect "copies of keys and values" 2 "$(count 'simt.load_tile')"
[ "$(count 'simt.load_tile .* once ')" -eq 0 ] || { echo "keys or values leave the cache first" >&2; exit 1; }
echo "blocks that one program reads leave the cache first"
