#!/bin/bash
# Packs a wheel by pyproject.toml of a finished build, installs it into an empty virtual environment, where there is no
# NumPy either, and runs a kernel; looks into the wheel. Exit status 77: pip reaches no package index, from which
# scikit-build-core comes.
# usage: wheel.sh SOURCE_DIR BUILD_DIR [PLATFORM FOLDER]   PLATFORM is the wheel's tag, FOLDER keeps the wheel
set -euo pipefail
source=$1 build=$2 platform=${3:-linux_$(uname -m)} folder=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONPATH

fail() {
  echo "wheel.sh: $*" >&2
  exit 1
}

/usr/bin/python3 -m venv "$work/tools"
requirement=$(sed -n 's/^requires = \["\(.*\)"\]$/\1/p' "$source/pyproject.toml")
"$work/tools/bin/pip" install --quiet "$requirement" || {
  echo "wheel.sh: pip cannot fetch $requirement: is a package index within reach?" >&2
  exit 77
}
export PIP_NO_INDEX=1 PIP_NO_CACHE_DIR=1
"$work/tools/bin/pip" wheel --quiet --no-build-isolation --no-deps --wheel-dir "$work" "$source" \
  --config-settings=cmake.source-dir=frontend/python/wheel --config-settings=cmake.args=-GNinja \
  --config-settings=cmake.define.TEGULA_BUILD="$build" --config-settings=build-dir="$work/build" \
  --config-settings=wheel.tags="cp310-abi3-$platform"
wheel=$(echo "$work"/tegula-*.whl)

# The package's files, the libraries by the names by which they are opened, the licence; no links, and nothing twice.
/usr/bin/python3 - "$wheel" "$source/frontend/python" >"$work/log" <<'PROGRAM' || fail "$(cat "$work/log")"
import pathlib
import sys
import zipfile

names = set(zipfile.ZipFile(sys.argv[1]).namelist())
folder = pathlib.Path(sys.argv[2])
expected = {str(file.relative_to(folder)) for file in folder.glob("tegula/**/*.py*") if file.suffix != ".pyc"}
expected.add("tegula/py.typed")
expected |= {f"tegula/lib/libtegula-{part}.so.0" for part in ("runtime", "cpu", "compiler")}
expected.add("tegula/_launch.abi3.so")
found = {name for name in names if ".dist-info/" not in name and not name.startswith("tegula/share/")}
for name in sorted(expected ^ found):
    print("the wheel", "lacks" if name in expected else "has", name)
if not any(name.startswith("tegula/share/tegula/tuning/") for name in names):
    print("the wheel lacks the tuning tables")
if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
    print("the wheel lacks the licence")
PROGRAM
[ ! -s "$work/log" ] || fail "$(cat "$work/log")"

/usr/bin/python3 -m venv "$work/environment"
"$work/environment/bin/pip" install --quiet "$wheel"
cat >"$work/program.py" <<'PROGRAM'
import array
import importlib.util
import tegula
import tegula.language as tl


@tegula.jit
def double(x, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(x + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


class Tensor:
    """Numbers in memory of the host, as a tensor of PyTorch."""

    device, dtype = "cpu", "float32"

    def __init__(self, numbers):
        self.numbers, self.shape = numbers, (len(numbers),)

    def data_ptr(self):
        return self.numbers.buffer_info()[0]

    def stride(self):
        return (1,)


assert importlib.util.find_spec("numpy") is None
x = array.array("f", range(10))
for launches in (1, 2, 3):
    double[(1,)](Tensor(x), 10, B=16, device="cpu")
    assert list(x) == [value * 2.0**launches for value in range(10)], x
print("tegula", tegula.__version__, "from", tegula.__file__)
PROGRAM
cd "$work"
"$work/environment/bin/python" program.py
[ -z "$folder" ] || cp "$wheel" "$folder"
