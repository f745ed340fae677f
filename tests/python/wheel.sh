#!/bin/bash
# Makes a wheel, installs it into an empty virtual environment, where there is no NumPy either, and runs a kernel.
# usage: wheel.sh SOURCE_DIR BUILD_DIR [FOLDER]     FOLDER keeps the wheel
set -euo pipefail
source=$1 build=$2 folder=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 TEGULA_BUILD=$build
unset PYTHONPATH
# From a copy: it leaves nothing in the source tree, and finds nothing of an earlier run there.
mkdir -p "$work/source/frontend" "$work/source/build"
cp "$source"/{setup.py,pyproject.toml,CMakeLists.txt,LICENSE} "$work/source/"
cp -r "$source/frontend/python" "$work/source/frontend/"
/usr/bin/python3 -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir "$work" "$work/source"
/usr/bin/python3 -m venv "$work/environment"
"$work/environment/bin/pip" install --quiet "$work"/tegula-*-cp310-abi3-*.whl
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
[ -z "$folder" ] || cp "$work"/tegula-*.whl "$folder"
