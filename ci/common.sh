# shellcheck shell=bash
# What the scripts of ci/ share: places, parts with their times, and configure and build of a preset. Sourced by bash.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tested_presets=(cpu cuda rocm vulkan all asan release-static)
presets=("${tested_presets[@]}" cuda-vulkan)
parts_log=()

# fail TEXT: bad use.
fail() {
  echo "$(basename "$0"): $*" >&2
  exit 2
}

# expect_preset NAME PRESETS...: the name is one of these.
expect_preset() {
  local name=$1 known
  shift
  for known in "$@"; do
    [ "$known" != "$name" ] || return 0
  done
  fail "unknown preset '$name'; there are: $*"
}

# part NAME COMMAND...: runs the command under a heading and remembers how long it took. Returns its status.
part() {
  local name=$1 status=0 start=$SECONDS
  shift
  printf '\n=== %s\n' "$name"
  "$@" || status=$?
  local took=$((SECONDS - start)) result=ok
  [ "$status" -eq 0 ] || result="FAILED (status $status)"
  printf '=== %s: %s s, %s\n' "$name" "$took" "$result"
  parts_log+=("$(printf '%-32s %5s s  %s' "$name" "$took" "$result")")
  return "$status"
}

print_parts() {
  printf '\n=== what each part took\n'
  printf '%s\n' "${parts_log[@]}"
  printf '%-32s %5s s\n' total "$SECONDS"
}

# One compiler process a core, but never more than memory carries: files with MLIR headers take up to 1.5 GB each.
jobs() {
  local cores memory_kb by_memory
  cores=$(nproc)
  memory_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
  by_memory=$((memory_kb / 1500000))
  [ "$by_memory" -ge 1 ] || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

# configure PRESET [CMAKE OPTIONS...]: into build/PRESET.
configure() {
  local preset=$1
  shift
  (cd "$root" && cmake --preset "$preset" "$@")
}

# build PRESET [TARGETS...]: all targets where none is named. ninja shows how far it is.
build() {
  local preset=$1
  shift
  local targets=()
  [ $# -eq 0 ] || targets=(--target "$@")
  cmake --build "$root/build/$preset" --parallel "$(jobs)" "${targets[@]}"
}
