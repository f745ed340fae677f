#!/bin/bash
# A device prints what the CPU backend prints, byte for byte and in order within each program; failed assertions give
# the same messages. Usage: print_lines.sh TEGULA KERNELS
set -uo pipefail
tegula=$1 file=$2/effects.py
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export TEGULA_CACHE_DIR=$work/cache

# compare STATUS KERNEL ARGUMENTS...
compare() {
  local status=$1 kernel=$2 device
  shift 2
  for device in cpu vulkan:0; do
    "$tegula" run "$file::$kernel" --device="$device" "$@" >"$work/$device.lines" 2>"$work/$device.errors"
    [ $? = "$status" ] && continue
    echo "$kernel on $device: expected status $status" >&2
    cat "$work/$device.errors" >&2
    exit 1
  done
  # The CPU prints program by program as they run, a device in the order of the grid, axis 0 first. The sort is stable,
  # so each program's lines stay in order.
  sort -s -k4,4n -k3,3n -k2.2b,2n "$work/cpu.lines" | cmp - "$work/vulkan:0.lines" || exit 1
  cmp "$work/cpu.errors" "$work/vulkan:0.errors" || exit 1
  [ -s "$work/vulkan:0.lines" ] || [ -s "$work/vulkan:0.errors" ] || { echo "$kernel says nothing" >&2; exit 1; }
  echo "$kernel: $(wc -l <"$work/vulkan:0.lines") lines, the same"
}

compare 0 print_tile --grid=3 x_ptr=rand:f32:768 N=256
compare 0 print_plane --grid=1 x_ptr=rand:f16:512 M=16 N=32
compare 0 print_scalars --grid=2,2 x_ptr=rand:f32:1 n=-3 f=0.25
compare 0 print_loop --grid=4 x_ptr=rand:i32:80 n=5 N=16
compare 1 assert_tile --grid=4 x_ptr=rand:i32:1024 y_ptr=zeros:i32:1024 least=0 N=256 debug=True
compare 1 assert_in_order --grid=1 x_ptr=zeros:i32:256 n=4 N=64 debug=True

# Lines without room are counted.
export TEGULA_PRINT_BYTES=4096
"$tegula" run "$file::print_tile" --device=vulkan:0 --grid=3 x_ptr=rand:f32:768 N=256 >"$work/some.lines" || exit 1
last=$(tail -1 "$work/some.lines")
[ "$(cut -d' ' -f1-5 <<<"$last")" = "(672 more lines were lost:" ] || { echo "$last"; exit 1; }
[ "$(wc -l <"$work/some.lines")" = 97 ]
