"""The names that kernels use get their values from the running program. Kernels run on the device in $TEGULA_DEVICE."""
import ast
import enum
import glob
import importlib.util
import math
import os
import subprocess
import sys
import tempfile
import typing
import unittest

import numpy as np

import helpers
import tegula
import tegula.language as tl
import tegula.language as language
from helpers import times_factor, twice as doubled
from tegula.language import arange, load as read
from tegula.language.core import dtype, extern, extern_elementwise, get_int_dtype
from tegula.language.extra import libdevice
from tegula.language.extra.cuda import gdc_wait, num_warps
from tegula.language.target_info import is_cuda
from tegula.language.types import KernelOnly

VALUES = {"size": 32}
SIZE = VALUES["size"]
SHAPE = (SIZE, (2, tl.constexpr(3)))
class Kind(str, enum.Enum):
    RELU = "relu"


KIND, PLAIN_KIND = tl.constexpr(Kind.RELU), Kind.RELU
INFINITY = math.inf
TYPE = tl.float32
SMALL = np.int64(7)
SWITCH = False


@tegula.jit
def local_helper(v):
    return v * SMALL


renamed = local_helper


@tegula.constexpr_function
def more_than_half(n):
    return n // 2 + 1


@tegula.jit
def uses_all(x, N: tl.constexpr):
    at = language.arange(0, SIZE)
    v = read(x + arange(0, SIZE))
    if KIND == "relu" and PLAIN_KIND == "relu":
        v = tl.maximum(v, -INFINITY)
    v = renamed(v).to(TYPE) + SHAPE[1][1] + more_than_half(N) + math.pi
    tl.store(x + at, libdevice.trunc(v))


@tegula.jit
def uses_modules(x):
    at = tl.arange(0, 4)
    v = tl.load(x + at)
    tl.store(x + at, helpers.twice(times_factor(v)) + doubled(helpers.FACTOR) + helpers.LIMIT)


@extern
def count(v, _builder=None):
    return extern_elementwise("", "", [v], {(dtype("int32"), ): ("__nv_popc", dtype("int32"))}, True, _builder=_builder)


@tegula.jit
def uses_extern(x, bits, function):
    at = tl.arange(0, 4)
    tl.store(x + at, function(tl.load(x + at)) + helpers.exponential(0.0))
    tl.store(bits + at, count(tl.load(bits + at)))


@tegula.jit
def uses_switch(x):
    if SWITCH:
        tl.store(x, SMALL)
    else:
        tl.store(x, -1)


@tegula.jit
def uses_late(x):
    tl.store(x, LATE)


DEGREE = 2


@tegula.jit
def power(v, n: tl.constexpr = DEGREE,
          scale: tl.constexpr = max(
              DEGREE, 3), add=SMALL, what: tl.constexpr = tl.constexpr("ß"), then=tl.exp2):
    for _ in tl.static_range(n - 1):
        v = v * v
    return then(v * scale + add) if what == "ß" else v


DEGREE = 5


@tegula.jit
def uses_default(x):
    tl.store(x, power(tl.load(x)))
    tl.store(x + 1, power(tl.load(x + 1), DEGREE, 1, 0, "none"))


def multiplier(amount):
    @tegula.jit
    def times(v, by: tl.constexpr = amount):
        return v * by

    @tegula.jit
    def multiply(x):
        tl.store(x, times(tl.load(x)))

    return multiply


@tegula.jit
def uses_target(x):
    tl.store(x, is_cuda())
    tl.store(x + 1, tl.target_info.is_hip())
    tl.store(x + 2, num_warps())
    gdc_wait()
    tl.store(x + 3, get_int_dtype(16, True).primitive_bitwidth)


def adder(amount, operation):
    @tegula.jit
    def add(x):
        tl.store(x, operation(tl.load(x)) + amount)

    return add


class Names(unittest.TestCase):
    def test_globals_of_every_kind(self):
        x = np.arange(32, dtype=np.float32)
        uses_all[(1,)](x, 64)
        np.testing.assert_array_equal(x, np.trunc(np.arange(32) * 7 + 3 + 33 + math.pi))

    def test_other_modules(self):
        x = np.array([1, 2, 3, 400], np.float32)
        uses_modules[(1,)](x)
        np.testing.assert_array_equal(x, np.minimum(np.array([1, 2, 3, 400]) * 8, 1000) * 2 + 8 + 2.5)

    def test_changed_globals_are_noticed(self):
        global SWITCH, SMALL
        x, keys = np.zeros(1, np.int32), set()
        for SWITCH, SMALL, expected in ((False, 7, -1), (True, 7, 7), (True, 9, 9), (False, 9, -1), (True, 7, 7)):
            uses_switch[(1,)](x)
            self.assertEqual(x[0], expected)
            keys.add(uses_switch.cache_key)
        self.assertEqual(len(keys), 4)
        SWITCH, SMALL = False, np.int64(7)

    def test_functions_marked_by_extern(self):
        x, bits = np.arange(4, dtype=np.float32), np.array([0, 7, -1, 1 << 20], np.int32)
        uses_extern[(1,)](x, bits, helpers.exponential)
        np.testing.assert_allclose(x, np.exp(np.arange(4)) + 1, rtol=1e-6)
        self.assertEqual(bits.tolist(), [0, 3, 32, 1])

    def test_a_name_that_is_bound_later(self):
        global LATE
        x = np.zeros(1, np.int32)
        with self.assertRaisesRegex(tegula.CompilationError, "'LATE' is not defined"):
            uses_late[(1,)](x)
        LATE = 3
        uses_late[(1,)](x)
        self.assertEqual(x[0], 3)

    def test_closures(self):
        @tegula.jit
        def negated(v):
            return -v

        x = np.array([5], np.int32)
        adder(10, negated)[(1,)](x)
        self.assertEqual(x[0], 5)
        adder(20, local_helper)[(1,)](x)
        self.assertEqual(x[0], 55)

    def test_defaults_of_functions_are_those_of_their_definition(self):
        x = np.array([0.5, 1], np.float32)
        uses_default[(1,)](x)
        np.testing.assert_allclose(x, [2**(0.25 * 3 + 7), 1], rtol=1e-6)
        for amount in (3, 4):
            x = np.array([5], np.int32)
            multiplier(amount)[(1,)](x)
            self.assertEqual(x[0], 5 * amount)

    def test_a_changed_module_is_noticed(self):
        x = np.ones(4, np.float32)
        try:
            helpers.FACTOR = 8
            uses_modules[(1,)](x)
        finally:
            helpers.FACTOR = 4
        np.testing.assert_array_equal(x, 16 * 2 + 16 + 2.5)


UNAVAILABLE = {"tl.float8e4b15"}
MENTION = """import tegula
import tegula.language as tl

@tegula.jit
def mention(x):
    name = NAME
    tl.store(x, 1)
"""


def mention(name):
    """Launches a kernel that mentions a name of the language."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(MENTION.replace("NAME", name))
        file.flush()
        spec = importlib.util.spec_from_file_location("mention", file.name)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        x = np.zeros(1, np.int32)
        module.mention[(1,)](x, device="cpu")
        assert x[0] == 1


class Language(unittest.TestCase):
    def test_the_compiler_knows_each_name(self):
        for module, prefix in ((tl, "tl"), (tl.math, "tl.math"), (tl.core, "tl.core"),
                               (tl.target_info, "tl.target_info")):
            for name, value in vars(module).items():
                if not isinstance(value, (KernelOnly, tl.dtype)):
                    continue
                with self.subTest(f"{prefix}.{name}"):
                    if f"{prefix}.{name}" in UNAVAILABLE or f"tl.{name}" in UNAVAILABLE:
                        with self.assertRaisesRegex(tegula.CompilationError, "not available"):
                            mention(f"{prefix}.{name}")
                    else:
                        mention(f"{prefix}.{name}")

    def test_names_in_kernels_of_the_conformance_suite_exist(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance", "kernels")
        used = set()
        for path in glob.glob(os.path.join(folder, "*.py")):
            with open(path, encoding="utf-8") as file:
                members = [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.Attribute)]
            used |= {node.attr for node in members if isinstance(node.value, ast.Name) and node.value.id == "tl"}
        self.assertGreater(len(used), 100)
        self.assertEqual([name for name in sorted(used) if not hasattr(tl, name)], [])

    def test_calls_outside_of_kernels_explain_themselves(self):
        for call in (lambda: tl.load(0), lambda: tl.math.exp(0), lambda: libdevice.tanh(0), lambda: tl.tensor(0),
                     lambda: tl.extra.cuda.smid(), lambda: tl.extra.cuda.gdc_wait(), lambda: tl.float8e4b15(0)):
            with self.assertRaisesRegex(RuntimeError, "only inside of a kernel"):
                call()
        with self.assertRaisesRegex(RuntimeError, r"launch it as uses_switch\[grid\]"):
            uses_switch(0)

    def test_constants_on_the_host(self):
        eight = tl.constexpr(8)
        results = [eight * 2, 2 * eight, eight - 1, 1 - eight, eight / 3, eight // 3, 17 % eight, eight**2, eight & 12,
                   eight | 1, eight ^ eight, 1 << eight, -eight, ~eight, eight + tl.constexpr(1), eight < 9, eight >= 9]
        self.assertEqual([(type(result), result.value) for result in results],
                         [(tl.constexpr, value) for value in (16, 16, 7, -7, 8 / 3, 2, 1, 64, 8, 9, 0, 256, -8, -9, 9,
                                                              True, False)])
        self.assertEqual((tegula.cdiv(eight, 3), tegula.next_power_of_2(tl.constexpr(9)), float(eight)), (3, 16, 8.0))
        self.assertEqual((more_than_half(n=eight), tl.constexpr((1, 2))[1], tl.constexpr(int)("3")), (5, 2, 3))
        self.assertEqual(tegula.next_power_of_2(np.int64(100)), 128)
        with self.assertRaises(AttributeError):  # a kernel may have been compiled with it
            eight.value = 9

    def test_types_of_values_and_functions_in_python(self):
        self.assertFalse(isinstance(3, (tl.tensor, tl.core.base_value)) or issubclass(int, tl.block_type))
        self.assertEqual(typing.get_args(tl.tensor | None), (tl.tensor, type(None)))
        self.assertEqual(typing.get_args(int | tl.tensor), (int, tl.tensor))
        self.assertFalse(hasattr(tl.dot, "unknown") or hasattr(tl.tensor, "shape"))
        with self.assertRaisesRegex(AttributeError, "tl.tensor has no 'shape' here; .* only inside of a kernel"):
            tl.tensor.shape
        self.assertFalse(tl.target_info.is_cuda() or tl.target_info.cuda_capability_geq(tl.constexpr(8), minor=0))
        self.assertEqual((tl.core.get_int_dtype(16, signed=False), tl.core._unwrap_if_constexpr(tl.constexpr(3))),
                         (tl.uint16, 3))
        marked = tl.core.extern(lambda x: x + 1)
        self.assertTrue(tl.core.is_builtin(marked) and not tl.core.is_builtin(len) and marked(2) == 3)

    def test_functions_from_modules_of_the_language(self):
        x = np.zeros(4, np.int32)
        uses_target[(1,)](x, device="cpu")
        self.assertEqual(x.tolist(), [0, 0, 4, 16])

    def test_types(self):
        self.assertEqual((tl.dtype("fp16"), tl.dtype("bf16").attribute), (tl.float16, "bfloat16"))
        self.assertTrue(tl.float16.is_fp16() and tl.float8e5.is_fp8() and tl.float8e5.is_fp8e5() and tl.int1.is_int1())
        self.assertFalse(tl.float16.is_bf16() or tl.float16.is_ptr() or tl.float8e5.is_standard_floating())
        self.assertIs(tl.float32.scalar, tl.float32)
        self.assertIsInstance(tl.float32, tl.core.base_type)
        with self.assertRaisesRegex(ValueError, "there is no element type 'half'"):
            tl.dtype("half")
        self.assertEqual((str(tl.float16), repr(tl.float16), tl.float16.itemsize), ("fp16", "tl.float16", 2))
        self.assertTrue(tl.bfloat16.is_floating() and tl.uint8.is_int_unsigned() and tl.int1.is_bool())
        kinds = tl.dtype.KIND
        self.assertEqual([each.kind() for each in (tl.int1, tl.uint8, tl.bfloat16)],
                         [kinds.BOOLEAN, kinds.INTEGRAL, kinds.FLOATING])
        self.assertNotEqual(tl.int32, tl.uint32)
        self.assertEqual((tegula.cdiv(7, 2), tegula.next_power_of_2(5), tegula.next_power_of_2(8)), (4, 8, 8))


SCRIPT = """
import sys
import numpy as np
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice
from triton.runtime import driver
from triton.tools.tensor_descriptor import TensorDescriptor

assert driver.active.get_current_target().backend == "cpu"
assert triton.runtime.driver.active.get_current_device() == 0

@triton.autotune(configs=[triton.Config({'B': 64}, num_warps=2)], key=['n'])
@triton.jit(do_not_specialize=["n"])
def fill(x, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + at, at, mask=at < n)

x = np.zeros(100, np.int32)
fill[lambda meta: (triton.cdiv(100, meta['B']),)](x, 100)
assert (x == np.arange(100)).all()
assert __name__ == "__main__"
print(sys.argv[1:])
"""


class Installed(unittest.TestCase):
    def test_a_program_that_imports_triton(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
            script.write(SCRIPT)
            script.flush()
            done = subprocess.run([sys.executable, "-m", "tegula.triton", script.name, "a", "-b"], capture_output=True,
                                  text=True)
        self.assertEqual((done.stdout, done.returncode), ("['a', '-b']\n", 0), done.stderr)


if __name__ == "__main__":
    unittest.main()
