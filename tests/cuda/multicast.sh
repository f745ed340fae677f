#!/bin/bash
# Products whose rows are no multiple of 32 bytes apart run in clusters, whose programs copy blocks to each other;
# others do not. Usage: multicast.sh TEGULA KERNELS
set -euo pipefail
tegula=$1 kernels=$2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export TEGULA_CACHE_DIR=$work/cache

# product FACT ROWS COLUMNS DEPTH: PTX of a product whose rows are as far apart as the fact tells, for such a tile.
product() {
  "$tegula" compile "$kernels/derived.py::product" --target=sm_90a --num-warps=4 --emit=ptx -o "$work/out" \
    --signature="*fp16:16, *fp16:16, *fp32:16, i32:16, i32:$1, i32:16, i32:16, 1, i32:$1, 1, i32, i32:16" \
    --const "M=$2" --const "N=$3" --const "K=$4" --const SHIFTED=False --const FIRST=0 --const "ROWS='masked'" \
    --const MOVES=True --const GROUP=2 --const SUM=fp32 --const "EVICTION=''"
}
count() { grep -c -- "$1" "$work/out" || true; }
is() { # what, expected, found
  [ "$3" -eq "$2" ] || { echo "$1: $3 found, $2 expected" >&2; exit 1; }
}

product 8 64 128 64
is "copies to a cluster" 1 "$(count 'complete_tx::bytes.multicast::cluster ')"
is "arrivals at the other program's objects" 1 "$(count 'mapa.shared::cluster')"
is "waits for the cluster" 1 "$(count 'barrier.cluster.arrive.relaxed')"
is "other waits before the first copy" 0 "$(count 'bar.sync.*0;')"
is "fences of all memory" 0 "$(count 'release.cluster.shared')"
product 8 64 256 64 # four boxes of 64 columns, two for each program
is "copies to a cluster" 2 "$(count 'complete_tx::bytes.multicast::cluster ')"
for without in "16 64 128 64" "8 64 64 64"; do # rows that are such a multiple apart; blocks that have one box
  product $without
  is "copies to a cluster of $without" 0 "$(count multicast)"
  is "waits for a cluster of $without" 0 "$(count 'barrier.cluster')"
done
echo "programs of a cluster copy blocks to each other where rows are no multiple of 32 bytes apart"
