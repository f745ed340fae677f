#!/bin/bash
# What `tegula run` says of loops that go round for long: where the device runs them to their end, the CPU's numbers;
# where it ends loops early, exit status 1 and the loop's place: loop_rounds.sh TEGULA KERNELS
set -uo pipefail
tegula=$1 file=$2/rounds.py
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export TEGULA_CACHE_DIR=$work/cache
target=$("$tegula" devices --json | sed -n '/"vulkan:0"/,/}/s/.*"target": "\([^"]*\)".*/\1/p')

# run KERNEL ARGUMENTS...: the device's status is $?
run() {
  "$tegula" run "$file::$1" --device=vulkan:0 "${@:2}" --out out_ptr="$work/device.npy" >"$work/output" 2>&1
}

# right SIZE KERNEL ARGUMENTS...
right() {
  rm -f "$work"/*.npy
  run "$2" "out_ptr=zeros:i32:$1" "${@:3}" || { echo "$2 ${*:3} on $target:" >&2; cat "$work/output" >&2; exit 1; }
  "$tegula" run "$file::$2" --device=cpu "out_ptr=zeros:i32:$1" "${@:3}" --out out_ptr="$work/cpu.npy" || exit 1
  cmp "$work/cpu.npy" "$work/device.npy" || exit 1
  echo "$2 ${*:3}: right"
}

# too_many LINE SIZE KERNEL ARGUMENTS...
too_many() {
  [[ $target == *-bounded ]] || { right "${@:2}"; return; }
  run "$3" "out_ptr=zeros:i32:$2" "${@:4}"
  [ $? = 1 ] || { echo "$3 ${*:4}: expected status 1" >&2; cat "$work/output" >&2; exit 1; }
  grep -q "^$file:$1: error: loops have gone round 65,535 times .*larger blocks" "$work/output" ||
    { echo "$3 ${*:4}: expected a message at $1" >&2; cat "$work/output" >&2; exit 1; }
  echo "$3 ${*:4}: $(head -1 "$work/output")"
}

too_many 9:5 1 count --grid=1
right 1 count_while --grid=1 n=65000
too_many 17:5 1 count_while --grid=1 n=70000
right 1 sum_of_ones --grid=1 n=1000000 BLOCK=16
too_many 25:5 1 sum_of_ones --grid=1 n=1200000 BLOCK=16
right 1 sum_of_ones --grid=1 n=1200000 BLOCK=1024
right 4096 persistent --grid=8 tiles=256 n=2000 BLOCK=16
too_many 33:5 4096 persistent --grid=2 tiles=256 n=2000 BLOCK=16
right 1 calls --grid=1 n=30000
too_many 43:5 1 calls --grid=1 n=40000
