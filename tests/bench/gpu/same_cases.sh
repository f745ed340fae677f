#!/usr/bin/env bash
# gpu_bench and peers.py have the same cases. usage: same_cases.sh GPU_BENCH PEERS
set -euo pipefail
ours=$("$1" --list | awk '{ print $1 }' | sort)
theirs=$(python3 "$2" --list | sort)
[ -n "$ours" ] || { echo "gpu_bench --list is empty"; exit 1; }
diff <(echo "$ours") <(echo "$theirs") || { echo "the cases of gpu_bench (<) and of peers.py (>) differ"; exit 1; }
