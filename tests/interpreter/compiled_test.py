"""compiled_kernels.py without Triton, PyTorch and a GPU: a function over NumPy stands for what Triton compiles."""

import json
import os
import pathlib
import signal
import sys
import tempfile
import time
import types

import numpy as np

import compiled_kernels
import isolated
from public_kernels import deviation

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i) * FACTOR + n)
"""
BLOCK = 64
F32_PRODUCT = (
    "%d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<32x64xf32> * tensor<64x32xf32> -> tensor<32x32xf32>"
)


class FakeSide:
    """Runs the kernel's formula, with an error that a test asks for."""

    def __init__(self, error=(0, 0, 0), ttir=""):
        self.errors, self.ttir = [error] if isinstance(error, float) else list(error), ttir

    def run(self, record, attempt, arrays, values):
        count = attempt["grid"][0] * BLOCK
        error = self.errors.pop(0) if len(self.errors) > 1 else self.errors[0]
        if os.environ.get("TRITON_F32_DEFAULT") == "ieee":
            error = 0
        after = {name: array.copy() for name, array in arrays.items()}
        after["out_ptr"][:count] = arrays["x_ptr"][:count] * values["FACTOR"] + values["n"]
        after["out_ptr"][0] += error * np.abs(after["out_ptr"]).max()
        return after, self.ttir


class FailingSide:
    def run(self, *_):
        raise RuntimeError("out of resource")


def launches(tegula):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "scale.py").write_text(KERNEL)
        record = {
            "root": folder, "file": "scale.py", "kernel": "scale", "attempt": 0, "options": {"num_warps": 2},
            "signature": [["x_ptr", "*fp32", None], ["out_ptr", "*fp32", None], ["n", "i32", 3]],
            "constants": {"FACTOR": 2}, "supplied": {"BLOCK": BLOCK}, "interpreter": "agrees",
        }  # fmt: skip
        args = types.SimpleNamespace(tegula=tegula, device="cpu", seconds=60)

        def verdict(side, **changes):
            args.side = side
            result = compiled_kernels.judge_launch(args, {**record, **changes})
            json.dumps(getattr(result, "result", result))
            return result

        assert verdict(FakeSide())["verdict"] == "agree"
        wrong = verdict(FakeSide(1e-3))
        assert wrong["verdict"] == "differ" and "out_ptr (f32): 1 differ by up to 1.0e-03" in wrong["message"], wrong
        assert "from the CPU Triton is 1.0e-03 away, Tegula is 0.0e+00 away" in wrong["message"], wrong
        assert verdict(FakeSide(1e-3, F32_PRODUCT))["verdict"] == "agree as tf32"
        assert verdict(FakeSide(0.1, F32_PRODUCT))["verdict"] == "agree as ieee"
        assert "TRITON_F32_DEFAULT" not in os.environ
        assert verdict(FakeSide((0.1, 0.1, 0.2)))["verdict"] == "not ordered"
        assert verdict(FakeSide(), file="absent.py")["verdict"] == "refused"
        failed = verdict(FailingSide())
        expected = {"verdict": "not run by Triton", "message": "RuntimeError: out of resource"}
        assert isinstance(failed, isolated.Last) and failed.result == expected, failed


def formats():
    format_ = compiled_kernels.coarsest_format
    assert format_(F32_PRODUCT) == "tf32"
    assert format_(F32_PRODUCT.replace("f32>", "f16>")) == "" and format_(F32_PRODUCT.replace("tf32", "ieee")) == ""
    narrow = "%1 = arith.truncf %0 : tensor<32x64xf32> to tensor<32x64xbf16>"
    assert format_(narrow) == "bf16" and format_(narrow.replace("bf16", "f16")) == "f16"
    assert format_("%1 = arith.truncf %0 : f32 to bf16\n" + F32_PRODUCT) == "bf16"
    eight = "%1 = tt.fp_to_fp %0, rounding = rtne : tensor<32xf32> -> tensor<32xf8E4M3FN>"
    assert format_(narrow + "\n" + eight) == "f8E4M3FN" and format_("%1 = arith.extf %0 : f16 to f32") == ""


def deviations():
    expected = np.array([4, np.nan, np.inf, -np.inf, 0], np.float32)
    actual = np.array([3, np.nan, np.inf, np.inf, np.nan], np.float32)
    assert list(deviation("f32", expected, actual)) == [0.25, 0, 0, np.inf, np.inf]
    assert list(deviation("i32", np.array([1, 2]), np.array([1, 3]))) == [0, np.inf]
    kinds = {"x": "f32", "i": "i64"}
    agrees = lambda x, i, format_="": compiled_kernels.agrees(kinds, {"x": x, "i": i}, format_)
    assert agrees(1e-5, 0) and not agrees(1e-3, 0) and agrees(1e-3, 0, "tf32") and not agrees(0, np.inf, "f8E5M2")


def modules():
    """A module that is not installed is stood in for; one of the repository that is not there is an error. A package
    whose own file cannot be executed is done without."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for package in ("whole", "broken"):
            (folder / package).mkdir()
        (folder / "whole/__init__.py").write_text("answer = 42\n")
        (folder / "whole/kernels.py").write_text("from whole import answer\nimport not_installed.inside as inside\n")
        (folder / "whole/lost.py").write_text("import whole.nowhere\n")
        (folder / "broken/__init__.py").write_text("raise RuntimeError\n")
        (folder / "broken/kernels.py").write_text("answer = 7\n")
        import_file = lambda file: compiled_kernels.import_file(folder / file, folder)
        assert import_file("broken/kernels.py").answer == 7
        module = import_file("whole/kernels.py")
        assert module.answer == 42 and module.inside.anything.at.all() is not None
        try:
            import_file("whole/lost.py")
        except ModuleNotFoundError as error:
            assert error.name == "whole.nowhere"
        else:
            raise AssertionError


def task(item):
    print("dropped")
    if item == "hangs":
        signal.alarm(1)
        time.sleep(60)
    if item == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    if item == "raises":
        raise RuntimeError
    if item == "sleeps":
        time.sleep(60)
    return isolated.Last(os.getpid()) if item == "last" else os.getpid()


def processes():
    items = ["one", "hangs", "two", "crashes", "raises", "last", "three", "four"]
    found = dict(isolated.results(task, items, 1))
    assert found["hangs"].message == "not done in time" and found["raises"].message == "ended by an exception"
    assert found["crashes"].message == f"ended by signal {int(signal.SIGSEGV)}"
    assert found["two"] != found["one"] and found["last"] != found["three"] == found["four"]
    assert set(dict(isolated.results(task, items, 3))) == set(items)
    start = time.monotonic()
    assert [item for item, _ in isolated.results(task, ["one", "sleeps"], 2, start + 2)] == ["one"]
    assert time.monotonic() - start < 30


def tables():
    results = [{"verdict": v, "repository": r} for v, r in (("agree", "a"), ("agree", "b"), ("agree as tf32", "b"))]
    lines = compiled_kernels.table(results, 5)
    assert lines[0] == "| verdict | a | b | all |" and lines[2] == "| agree | 1 | 1 | 2 |"
    assert lines[-1] == "3 of 3 kernels agree; 2 were not reached"


if __name__ == "__main__":
    os.environ.pop("TRITON_F32_DEFAULT", None)
    processes()
    modules()
    formats()
    deviations()
    tables()
    launches(os.path.abspath(sys.argv[1]))
