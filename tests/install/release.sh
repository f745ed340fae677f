#!/usr/bin/env bash
# The files of a release in a new root folder of one Debian and nothing else: each is installed, with what it asks for,
# and runs kernels on the CPU. As root, with debootstrap.
# usage: release.sh bookworm | trixie SOURCE_DIR RELEASE_DIR   RELEASE_DIR: what ci/release makes
#
#   tar      unpacked: the first lesson, the command; later the Python package with the system's python3
#   runtime  alone: a program with a bundle, without a compiler
#   compiler the command runs a kernel, and a program without a bundle compiles
#   dev      a C program is built by pkg-config, and a C++ one with its kernels by CMake, with the Debian's own GCC
#   python   the system's python3 runs a kernel
#   removal  nothing is left of the packages
#   wheel    in a virtual environment, without a package index
set -euo pipefail
suite=$1 source=$(cd "$2" && pwd) release=$(cd "$3" && pwd)
# shellcheck source=ci/roots.sh
. "$source/ci/roots.sh"

die() {
  echo "release.sh: $1" >&2
  exit 1
}

(cd "$release" && sha256sum --check --quiet SHA256SUMS) || die "$release is not what ci/release made"
base=$(base_root "$suite")
root=$(mktemp -d)
trap 'remove_folder "$root"' EXIT
cp -a "$base/." "$root"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" # of a package index that this machine trusts
mkdir "$root/release" "$root/work"
cp "$release"/* "$root/release/"
cp -r "$source/samples/external" "$source/samples/01_vector_add/vector_add.py" "$root/work/"
# The program that tests/python/wheel.sh runs: no NumPy.
sed -n "/program.py\" <<'PROGRAM'$/,/^PROGRAM$/{//!p}" "$source/tests/python/wheel.sh" >"$root/work/program.py"
grep -q tegula.jit "$root/work/program.py" || die "tests/python/wheel.sh has no program"

cat >"$root/work/run.sh" <<'COMMANDS'
set -euo pipefail
cd /work
apt-get update -q >/dev/null
install() { apt-get install -q -y "$@" >/work/log 2>&1 || { tail -n 20 /work/log; exit 1; }; }

# step NAME: the function of that name in a shell of its own, which ends at the first error; with the time.
step() {
  local name=$1 start=$SECONDS
  bash -euo pipefail -c "$(declare -f install kernel "$name"); $name" >"/work/$name.log" 2>&1 ||
    { echo "$name: FAILED"; cat "/work/$name.log"; exit 1; }
  echo "$name: ok, $((SECONDS - start)) s: $(tail -n 1 "/work/$name.log")"
}

kernel() { # with the command $1
  "$1" run /work/vector_add.py::add_kernel --device=cpu --grid='cdiv(n, BLOCK)' x_ptr=rand:f32:10000 \
    y_ptr=rand:f32:10000 sum_ptr=empty:f32:10000 n=10000 BLOCK=1024 --check --out sum_ptr=/work/sum.npy
  [ "$(stat -c %s /work/sum.npy)" -gt 40000 ]
  rm /work/sum.npy
  echo "vector_add.py by $1: no access out of bounds, 10000 sums"
}

tar_file() {
  install xz-utils # which a Debian with nothing else lacks
  mkdir /work/tar
  tar -C /work/tar --strip-components=1 -xf /release/tegula-*.tar.xz
  /work/tar/bin/samples/01_vector_add --device cpu
  kernel /work/tar/bin/tegula
  cp /work/tar/tests/bin/application /work/application # its kernels are in it
}
runtime() {
  install /release/libtegula-runtime*.deb
  if command -v tegula; then exit 1; fi
  /work/application cpu
}
compiler() {
  install /release/tegula-compiler_*.deb
  tegula devices
  kernel tegula
}
dev() {
  install /release/libtegula-dev_*.deb gcc g++ libc6-dev pkg-config cmake ninja-build
  gcc -std=c11 -Wall -Werror external/plain.c $(pkg-config --cflags --libs tegula) -o plain
  ./plain cpu
  cmake -G Ninja -S external -B build -DCMAKE_BUILD_TYPE=Release >log
  cmake --build build >>log
  gcc --version | head -n 1
  build/application cpu
}
python() {
  install /release/python3-tegula_*.deb
  /usr/bin/python3 --version
  /usr/bin/python3 program.py
}
removal() {
  apt-get purge -q -y libtegula-runtime* tegula-compiler libtegula-dev python3-tegula >log 2>&1
  left=$(find / -xdev \( -path /work -o -path /release -o -path /etc \) -prune -o -iname '*tegula*' -print)
  [ -z "$left" ] || { echo "left behind: $left"; exit 1; }
  echo "nothing is left"
}
wheel() {
  install python3-venv
  python3 -m venv environment
  environment/bin/pip install --quiet --no-index /release/*.whl
  environment/bin/python program.py
}
tar_python() {
  PYTHONPATH=/work/tar/python /usr/bin/python3 program.py
}
. /etc/os-release
echo "$PRETTY_NAME, $(ldd --version | head -n 1)"
step tar_file
mv tar hidden # nothing may find it
for name in runtime compiler dev python removal; do step "$name"; done
mv hidden tar
step tar_python
rm -rf tar
step wheel
COMMANDS
environment=(env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
  TEGULA_CACHE_DIR=/work/cache)
bind=""
in_root "$root" "${environment[@]}" bash /work/run.sh
