"""Every function of tegula.language and tegula.language.math in a kernel, compared with NumPy, on the device in
$TEGULA_DEVICE. The cases are in functions_cases.py."""
import contextlib
import importlib.util
import io
import os
import re
import tempfile
import textwrap
import types
import unittest

import numpy as np

import tegula.language as tl
from functions_cases import CASES, NOT_CALLED

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "language.md")
HEAD = '''import tegula
import tegula.language as tl


@tegula.jit
def larger(a, b):
    return tl.maximum(a, b)


@tegula.jit
def linear(a, b, c, d):
    return a * c, b * c + d
'''
KERNEL = '''

@tegula.jit
def case_{number}(x_ptr, y_ptr, i_ptr, j_ptr, scratch, out_ptr, B: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, B)
    x, y, i, j = tl.load(x_ptr + at), tl.load(y_ptr + at), tl.load(i_ptr + at), tl.load(j_ptr + at)
{body}
    tl.store(out_ptr + tl.arange(0, N), result.to(tl.float64))
'''


def kernels(folder):
    """All cases as kernels of one module."""
    parts = [KERNEL.format(number=number, body=textwrap.indent(body, "    ")) for number, (body, _) in enumerate(CASES)]
    path = os.path.join(folder, "cases.py")
    with open(path, "w") as file:
        file.write(HEAD + "".join(parts))
    spec = importlib.util.spec_from_file_location("cases", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs():
    random = np.random.default_rng(1)
    values = types.SimpleNamespace(x=random.uniform(0.1, 3, 64).astype(np.float32),
                                   y=random.uniform(0.1, 3, 64).astype(np.float32),
                                   i=random.integers(-50, 51, 64).astype(np.int32),
                                   j=random.integers(1, 32, 64).astype(np.int32))
    exact = types.SimpleNamespace(**{name: value.astype(np.int64 if value.dtype == np.int32 else np.float64)
                                     for name, value in vars(values).items()})
    return values, exact


class Functions(unittest.TestCase):
    def test_cases(self):
        values, exact = inputs()
        with tempfile.TemporaryDirectory() as folder:
            module = kernels(folder)
            for number, (body, compute) in enumerate(CASES):
                with self.subTest(body):
                    self.check(getattr(module, f"case_{number}"), values, np.asarray(compute(exact)))

    def check(self, kernel, values, want):
        out, scratch = np.full(want.size, 77.0), np.full(64, 5, np.int32)
        with contextlib.redirect_stdout(io.StringIO()):
            kernel[(1,)](values.x, values.y, values.i, values.j, scratch, out, B=64, N=want.size)
        tolerance = 0 if want.dtype.kind in "iub" else 4e-6
        np.testing.assert_allclose(out, want.astype(np.float64), rtol=tolerance, atol=tolerance)

    def test_every_name_has_a_case_or_a_reason(self):
        with open(PAGE) as file:
            section = file.read().split("## Names that are missing")[1].split("\n## ")[0]
        missing = set(re.findall(r"`(\w+)`", section))
        bodies = "\n".join(body for body, _ in CASES) + HEAD + KERNEL
        for module, prefix in ((tl, r"tl\."), (tl.math, r"tl\.math\.")):
            cases = set(re.findall(prefix + r"(\w+)", bodies))
            names = {name for name in vars(module) if not name.startswith("_") and name != "KernelOnly"}
            self.assertEqual(sorted(names - cases - missing - NOT_CALLED), [])
            self.assertEqual(sorted((names & cases) & NOT_CALLED - {"math"}), [])


if __name__ == "__main__":
    unittest.main()
