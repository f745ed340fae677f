"""measure.py on a package of two files: what compiles from its own files, and the cause of what does not."""

import json
import pathlib
import subprocess
import sys
import tempfile

import measure

KERNELS = '''
import triton
import triton.language as tl
from .helpers import sizes, scaled


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.autotune(configs=[triton.Config({"BLOCK": size}) for size in sizes()], key=[])
@triton.jit
def good(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, FACTOR: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.static_assert(EVEN and BLOCK == 64)
    tl.store(x_ptr + i, scaled(i, FACTOR))


@triton.jit
def bad(x_ptr):
    tl.store(x_ptr, unknown_name)
'''
HELPERS = '''
import triton


def sizes():
    return [32 * 2, 128]


@triton.jit
def scaled(x, by):
    return x * by
'''


def main(tegula):
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "package"
        package.mkdir()
        for name, text in {"__init__": "", "kernels": KERNELS, "helpers": HELPERS}.items():
            (package / f"{name}.py").write_text(text)
        common = {"root": folder, "file": "package/kernels.py", "supplied": {}, "options": {}}
        pointer = ["x_ptr", "*i32", None]
        records = [
            {**common, "kernel": "good", "signature": [pointer, ["n", "i32", 128]], "constants": {"FACTOR": 3}},
            {**common, "kernel": "bad", "signature": [pointer], "constants": {}},
            {**common, "kernel": "rejected", "error": "what Triton said"},
        ]
        accepted, failures = pathlib.Path(folder) / "accepted.json", pathlib.Path(folder) / "failures.json"
        accepted.write_text(json.dumps(records))
        words = [sys.executable, measure.__file__, accepted, f"--tegula={tegula}", "--target=cpu", "-o", failures]
        run = subprocess.run(words, capture_output=True, text=True)
        found = json.loads(failures.read_text())
        assert run.stdout.splitlines()[0] == "cpu: 1 of 2 (50.0%)", run.stdout + run.stderr
        assert [f["kernel"] for f in found] == ["package/kernels.py::bad"], found
        assert measure.cause(found[0]["text"]) == "'_' is not defined", found[0]["text"]
    good, text = measure.compile_one(["sleep", "60"], 0.2)
    assert not good and text == "error: not compiled after 0.2 s"


if __name__ == "__main__":
    main(sys.argv[1])
