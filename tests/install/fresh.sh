#!/usr/bin/env bash
# The first hour on a fresh machine: in a new root folder with Debian 12 and nothing else, a clone of this tree's last
# commit and the commands of its pages, with the time that each takes. As root, with debootstrap.
# usage: fresh.sh quickstart | pip SOURCE_DIR
#   quickstart  README.md's and docs/getting-started.md's commands, word for word; the table has a launch from Python
#   pip         `pip install .` in a virtual environment: first it names the missing packages, in one message, by whose
#               command they are installed; then NumPy, and the first program of docs/python.md
# $TEGULA_TEST_CCACHE, a folder of ccache's, is copied into the root: to see that all works, not how long it takes.
set -euo pipefail
what=$1 source=$(cd "$2" && pwd)
# shellcheck source=ci/roots.sh
. "$source/ci/roots.sh"

die() {
  echo "fresh.sh: $1" >&2
  exit 1
}

base=$(base_root bookworm)
root=$(mktemp -d)
trap 'remove_folder "$root"' EXIT
cp -a "$base/." "$root"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" # of a package index that this machine trusts
[ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
mkdir -p "$root$source"
git -c safe.directory='*' clone -q "$source" "$root$source"
if [ -n "${TEGULA_TEST_CCACHE:-}" ]; then
  mkdir -p "$root/root/.cache"
  cp -r "$TEGULA_TEST_CCACHE" "$root/root/.cache/ccache"
fi

cat >"$root/root/quickstart.sh" <<'COMMANDS'
apt-get update -q >/dev/null
time ./ci/quickstart | tee /root/log
grep -E '^cpu +python/vector_add .* ok$' /root/log
grep -E '^[0-9]+ results, 0 wrong$' /root/log
time python3 tests/install/commands.py --fresh . README.md docs/getting-started.md
COMMANDS

cat >"$root/root/pip.sh" <<'COMMANDS'
apt-get update -q >/dev/null
apt-get install -q -y python3-venv >/dev/null
python3 -m venv .venv
if .venv/bin/pip install . >/root/log 2>&1; then
  echo "pip installs the package without a compiler"
  exit 1
fi
if [ "$(grep -c 'CMake Error' /root/log)" != 1 ]; then
  cat /root/log
  echo "one message of CMake's is expected"
  exit 1
fi
command=$(sed -n 's/^ *\(apt-get install .*\)$/\1/p' /root/log)
echo "$command"
$command -q -y >/dev/null
[ ! -d /root/.cache/ccache ] || apt-get install -q -y ccache >/dev/null
time .venv/bin/pip install .
.venv/bin/pip install -q numpy
# The page's first program, without its last line, a launch on a Vulkan device, which is not there.
sed -n '/^```python$/,/^```$/{/^```/!p}' docs/python.md | sed '/device="vulkan:0"/,$d' >/root/first.py
echo 'assert (out == x + y).all(); print("the first program of docs/python.md is right")' >>/root/first.py
cd /
time "$OLDPWD/.venv/bin/python" /root/first.py
COMMANDS

environment=(env -u PIP_FIND_LINKS HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin
  DEBIAN_FRONTEND=noninteractive)
bind=""
in_root "$root" "${environment[@]}" bash -c 'cd "$1" && exec bash -eo pipefail "/root/$0.sh"' "$what" "$source"
