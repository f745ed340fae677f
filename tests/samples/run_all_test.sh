#!/usr/bin/env bash
# samples/run-all with executables that only write records: the table, the order and the exit status.
set -euo pipefail
run_all=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bin/samples"

# sample NAME STATUS RESULT: an executable that writes one record with RESULT (none if RESULT is empty) and exits with
# STATUS.
sample() {
  cat >"$folder/bin/samples/$1" <<TEXT
#!/usr/bin/env bash
echo "$1 got \$*"
record="" device=default
while [ \$# -gt 0 ]; do
  case \$1 in
    --record) record=\$2 ;;
    --device) device=\$2 ;;
  esac
  shift 2
done
[ -z "$3" ] ||
  printf '%s\\t%s\\tvariant\\t10x10\\t1.00 ms\\t2.00 GB/s\\t0.0 / 1.0e-06\\t%s\\n' "\$device" "$1" "$3" >>"\$record"
exit $2
TEXT
  chmod +x "$folder/bin/samples/$1"
}

# expect STATUS PATTERN...: runs run-all; each pattern must match a line of its output.
expect() {
  local wanted=$1 status=0 output
  shift
  output=$("$run_all" --build "$folder" "${options[@]}" 2>&1) || status=$?
  if [ "$status" -ne "$wanted" ]; then
    printf 'status %s instead of %s:\n%s\n' "$status" "$wanted" "$output"
    exit 1
  fi
  for pattern in "$@"; do
    grep -Eq -- "$pattern" <<<"$output" || { printf 'nothing matches %s in:\n%s\n' "$pattern" "$output"; exit 1; }
  done
}

options=()
expect 2 'there are no samples'
sample 01_first 0 ok
sample 02_second 0 ok
expect 0 '^\[1/2\] 01_first$' '^\[2/2\] 02_second$' \
  '^default +01_first +variant +10x10 +1.00 ms +2.00 GB/s +0.0 / 1.0e-06  ok$' '^2 results, 0 wrong$' \
  '^python/vector_add is left out: .* has no Python package; build the target .tegula-python.$'
options=(--device cuda:3)
expect 0 '^cuda:3 +02_second '
options=()
# A package that fails: the sample in Python runs with that of the build folder, and its failure is in the table.
mkdir -p "$folder/python/tegula"
touch "$folder/python/tegula/_launch.abi3.so"
echo 'raise SystemExit(3)' >"$folder/python/tegula/__init__.py"
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  expect 1 '^\[3/3\] python/vector_add$' 'python/vector_add +- .*FAILED \(status 3\)$' '^3 results, 1 wrong$'
fi
rm -r "$folder/python"
sample 02_second 1 WRONG
expect 1 'WRONG$' '^2 results, 1 wrong$'
sample 02_second 1 ''
expect 1 '02_second +- .*FAILED \(status 1\)$' '^2 results, 1 wrong$'
sample 02_second 139 ok
expect 1 'FAILED \(status 139\)$' '^3 results, 1 wrong$'
sample 02_second 2 ''
expect 2
options=(--no-such-option)
expect 2 "unknown option '--no-such-option'"
options=(--device)
expect 2 '--device needs a value'
