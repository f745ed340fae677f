#!/usr/bin/env bash
# Without the Debian packages that every build needs, CMake's first configuration is one message with the command that
# installs them, for the user and for root; where dpkg is absent, or LLVM is from another place, it is not asked.
# usage: missing.sh SOURCE_DIR
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "missing.sh: $*" >&2
  exit 1
}

# A dpkg that knows of all packages but two.
mkdir "$work/bin"
cat >"$work/bin/dpkg-query" <<'TEXT'
#!/usr/bin/env bash
for word in "$@"; do
  case $word in
    -* | clang-22) ;;
    libmlir-22-dev) echo "$word deinstall ok config-files" ;;
    *) echo "$word install ok installed" ;;
  esac
done
TEXT
chmod +x "$work/bin/dpkg-query"
PATH=$work/bin:$PATH

status=0
"$source/ci/install" --check >"$work/command" 2>"$work/reason" || status=$?
[ "$status" = 2 ] || fail "ci/install --check ends with $status"
grep -qE '^(sudo )?apt-get install clang-22 libmlir-22-dev$' "$work/command" || fail "$(cat "$work/command")"

# configure OPTIONS...: the messages are in $work/log.
configure() {
  rm -rf "$work/build"
  ! cmake -S "$source" -B "$work/build" -G Ninja "$@" >"$work/log" 2>&1 || fail "CMake $* succeeds"
}
configure -DCMAKE_C_COMPILER=absent-cc -DCMAKE_CXX_COMPILER=absent-c++
[ "$(grep -c 'CMake Error' "$work/log")" = 1 ] || fail "more than one message: $(cat "$work/log")"
grep -qE '^ *(sudo )?apt-get install clang-22 libmlir-22-dev$' "$work/log" || fail "$(cat "$work/log")"
grep -q 'tegula: Debian packages are missing (2); install them with' "$work/log" || fail "$(cat "$work/log")"
configure -DCMAKE_C_COMPILER=absent-cc -DCMAKE_CXX_COMPILER=absent-c++ -DMLIR_DIR="$work"
grep -q 'absent-cc' "$work/log" || fail "with MLIR_DIR: $(cat "$work/log")"
! grep -q 'apt-get' "$work/log" || fail "with MLIR_DIR: $(cat "$work/log")"
