"""Options of a launch: that each does what the table of tegula/options.py and docs/python/launches.md say of it. On the
device in $TEGULA_DEVICE."""
import os
import pathlib
import re
import subprocess
import sys
import unittest
import warnings

import numpy as np

import tegula
import tegula.language as tl
from tegula import options

DEVICE = os.environ["TEGULA_DEVICE"]
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python" / "launches.md"

# The fields of the options of Triton 3.6 for its two backends, and what a launch takes beside them.
OF_TRITON = """
num_warps num_ctas num_stages warp_size maxnreg ptx_version ptx_options ir_override enable_fp_fusion enable_reflect_ftz
launch_cooperative_grid launch_pdl supported_fp8_dtypes deprecated_fp8_dot_operand_dtypes default_dot_input_precision
allowed_dot_input_precisions max_num_imprecise_acc_default extern_libs debug backend_name sanitize_overflow arch
instrumentation_mode waves_per_eu allow_flush_denorm matrix_instr_nonkdim kpack grid
""".split()

# A value of each option that asks for something.
ASKS = {"num_ctas": 2, "waves_per_eu": 2, "matrix_instr_nonkdim": 16, "kpack": 2, "launch_pdl": True,
        "allow_flush_denorm": True, "enable_fp_fusion": False, "allowed_dot_input_precisions": ("ieee",),
        "backend_name": "other", "deprecated_fp8_dot_operand_dtypes": ("fp8e5",), "ptx_version": 75,
        "supported_fp8_dtypes": ("fp8e5",), "warp_size": 64, "arch": "sm80", "enable_reflect_ftz": False,
        "extern_libs": {"lib": "lib.bc"}, "instrumentation_mode": "consan", "ir_override": "kernel.ttir",
        "launch_cooperative_grid": True, "ptx_options": "--opt-level=1"}
# What a value that asks for nothing looks like, beside None.
NEUTRAL = {"enable_fp_fusion": True, "enable_reflect_ftz": True, "extern_libs": {}, "instrumentation_mode": "",
           "launch_cooperative_grid": False, "ptx_options": ""}
# Options that change results, or whether a launch ends, or that run other code: none of them may be ignored silently.
NEVER_SILENT = ("arch", "enable_fp_fusion", "enable_reflect_ftz", "extern_libs", "instrumentation_mode", "ir_override",
                "launch_cooperative_grid", "ptx_options")


@tegula.jit
def multiply(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    at = i[:, None] * B + i[None, :]
    tl.store(out + at, tl.dot(tl.load(x + at), tl.load(y + at)))


@tegula.jit
def add(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i) + n)


@tegula.jit
def below(out, n):
    tl.device_assert(n < 3, "too large")
    tl.static_assert(True)
    tl.store(out, n)


@tegula.jit(debug=True)
def below_debug(out, n):
    assert n < 3, "too large"
    tl.store(out, n)


@tegula.jit(debug=True)
def add_debug(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i) + n)


@tegula.jit
def arithmetic(x, y, out, OP: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.load(x + i), tl.load(y + i)
    if OP == "add":
        r = a + b
    elif OP == "sub":
        r = a - b
    elif OP == "mul":
        r = a * b
    elif OP == "in place":
        r = a
        r += b
    elif OP == "function":
        r = tl.add(a, b)
    elif OP == "unchecked function":
        r = tl.add(a, b, sanitize_overflow=False)
    else:
        r = tl.sum(a, axis=0) + tl.zeros_like(b) + tl.cumsum(b, 0) * 0
    tl.store(out + i, r)


@tegula.jit
def noise(out, seed, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.randint(seed, i))


def tile_of(kernel, types, constants=None, **given):
    source = tegula.compile(tegula.ASTSource(kernel, types, constants or {}), "cpu", given)
    return source.asm["tile"]


def product_of(element, **given):
    return tile_of(multiply, {"x": f"*{element}", "y": f"*{element}", "out": "*fp32"}, {"B": 16}, **given)


class Table(unittest.TestCase):
    def test_triton_s_options_are_there(self):
        self.assertEqual(set(OF_TRITON) - set(options.TABLE), set())

    def test_the_page_says_the_same(self):
        rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| (honoured|hint|warns) \|", PAGE.read_text(), re.M)
        page = {name: kind for names, kind in rows for name in re.findall(r"\w+", names)}
        self.assertEqual(page, {name: option.kind for name, option in options.TABLE.items()})

    def test_options_that_matter_are_not_silent(self):
        for name in NEVER_SILENT:
            self.assertEqual(options.TABLE[name].kind, options.WARNS, name)

    def test_each_option_has_a_case(self):
        honoured = {name for name, option in options.TABLE.items() if option.kind == options.HONOURED}
        self.assertEqual(set(ASKS), set(options.TABLE) - honoured)
        cases = {name.removeprefix("test_") for name in dir(Honoured) if name.startswith("test_")}
        self.assertEqual(cases, honoured)


class Ignored(unittest.TestCase):
    """Hints, and options that warn."""

    def setUp(self):
        options._warned.clear()

    def launched(self, **given):
        x, out = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            add[(1,)](x, out, 5, B=16, device=DEVICE, **given)
        np.testing.assert_array_equal(out, x + 5)
        return [f"{os.path.basename(warning.filename)}: {warning.message}" for warning in caught]

    def test_behaviour(self):
        self.launched()  # the next ones could be prepared
        for name, value in ASKS.items():
            if options.TABLE[name].kind == options.HINT:
                self.assertEqual(self.launched(**{name: value}), [], name)
                continue
            self.assertEqual(self.launched(**{name: None}), [], name)
            if name in NEUTRAL:
                self.assertEqual(self.launched(**{name: NEUTRAL[name]}), [], name)
            said = self.launched(**{name: value})
            self.assertEqual(len(said), 1, name)
            self.assertRegex(said[0], rf"^options_test.py: the option {re.escape(f'{name}={value!r}')} of a launch has "
                             "no effect: ")
            self.assertEqual(self.launched(**{name: value}), [], "once in a process")

    def test_configurations_and_compilations(self):
        kernel = tegula.autotune([tegula.Config({"B": 16}, ir_override="kernel.ttir", num_ctas=2)])(add)
        x, out = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
        with self.assertWarnsRegex(UserWarning, "the option ir_override='kernel.ttir' of a launch has no effect"):
            kernel[(1,)](x, out, 1, device=DEVICE)
        with self.assertWarnsRegex(UserWarning, "the option ptx_options="):
            tile_of(add, {"x": "*i32", "out": "*i32", "n": "i32"}, {"B": 16}, ptx_options="-v")
        with self.assertRaisesRegex(tegula.errors.UseError, "there is no option 'num_warp'"):
            tile_of(add, {"x": "*i32", "out": "*i32", "n": "i32"}, {"B": 16}, num_warp=4)


class Honoured(unittest.TestCase):
    """One test for each option, of its name."""

    def launched(self, kernel=add, n=5, **given):
        x, out = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
        given.setdefault("device", DEVICE)
        code = kernel[(1,)](x, out, n, B=16, **given)
        np.testing.assert_array_equal(out, x + n)
        return code

    def test_device(self):
        with self.assertRaisesRegex(tegula.errors.UseError, "unknown device 'nothing:0'"):
            self.launched(device="nothing:0")

    def test_grid(self):
        x, out = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
        add.run(x, out, 5, B=16, device=DEVICE, grid=(0,))
        np.testing.assert_array_equal(out, 0)

    def test_num_warps(self):
        for warps in (1, 4, 2):
            self.assertEqual(self.launched(device="cpu", num_warps=warps).metadata.num_warps, warps)

    def test_num_stages(self):
        for stages in (1, 4, 2):
            self.assertEqual(self.launched(device="cpu", num_stages=stages).metadata.num_stages, stages)

    def test_depth_splits(self):
        with self.assertRaisesRegex(tegula.errors.CompilationError, "depth_splits is 2, but the kernel has no loop"):
            self.launched(depth_splits=2)

    def test_maxnreg(self):
        for given in (None, 64, 32, 64):
            self.launched(maxnreg=given)  # no effect on results
        for value, message in ((8, "maxnreg is 8; it must be an integer from 16 to 512"), ("many", "no integer")):
            with self.assertRaisesRegex(tegula.errors.UseError, message):
                self.launched(maxnreg=value)
        kernel = tegula.autotune([tegula.Config({"B": 16}, maxnreg=13)])(add)
        with self.assertRaisesRegex(tegula.errors.UseError, "maxnreg is 13"):
            kernel[(1,)](np.zeros(16, np.int32), np.zeros(16, np.int32), 1, device=DEVICE)
        types = {"x": "*i32", "out": "*i32", "n": "i32"}

        def ptx(**given):
            return tegula.compile(tegula.ASTSource(add, types, {"B": 16}), "sm_80", given).asm["ptx"]

        try:
            plain = ptx()
        except tegula.errors.TritonError as error:
            self.skipTest(f"this build has no target with such a cap: {error}")
        self.assertNotIn(".maxnreg", plain)
        self.assertIn(".maxnreg 40", ptx(maxnreg=40))

    def test_default_dot_input_precision(self):
        self.assertIn("precision(tf32)", product_of("fp32"))
        self.assertNotIn("precision", product_of("fp32", default_dot_input_precision="ieee"))  # it is the IR's default
        self.assertIn("precision(tf32x3)", product_of("fp32", default_dot_input_precision="tf32x3"))
        x = np.full((16, 16), 1 + 2.0**-20, np.float32)  # tf32 has 10 bits
        out = np.zeros((16, 16), np.float32)
        for _ in range(2):
            multiply[(1,)](x, x, out, B=16, device=DEVICE, default_dot_input_precision="ieee")
            np.testing.assert_allclose(out, x @ x, rtol=1e-6)
        with self.assertRaisesRegex(tegula.errors.CompilationError, "input precision"):
            multiply[(1,)](x, x, out, B=16, device=DEVICE, default_dot_input_precision="none such")

    def test_max_num_imprecise_acc_default(self):
        self.assertIn("max_imprecise(32)", product_of("fp16", max_num_imprecise_acc_default=32))
        self.assertNotIn("max_imprecise", product_of("fp16"))

    def test_debug(self):
        big = 2**31 - 10  # + 15 overflows
        self.launched(n=7, debug=True)
        if DEVICE != "cpu":
            return
        x, out = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
        for _ in range(2):
            add[(1,)](x, out, big, B=16, device=DEVICE)  # wraps
            add[(1,)](x, out, big, B=16, device=DEVICE, debug=False)
            message = r"(?s)int32 overflow detected for operation add.*tl.load\(x \+ i\) \+ n"
            with self.assertRaisesRegex(tegula.errors.KernelFault, message):
                add[(1,)](x, out, big, B=16, device=DEVICE, debug=True)
            with self.assertRaisesRegex(tegula.errors.KernelFault, message):
                add_debug[(1,)](x, out, big, B=16, device=DEVICE)
            add_debug[(1,)](x, out, big, B=16, device=DEVICE, debug=False)

    def test_sanitize_overflow(self):
        big = 2**31 - 10
        x, out = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
        if DEVICE == "cpu":
            add[(1,)](x, out, big, B=16, device=DEVICE, debug=True, sanitize_overflow=False)
            add[(1,)](x, out, big, B=16, device=DEVICE, sanitize_overflow=True)  # without debug nothing is asserted
            with self.assertRaisesRegex(tegula.errors.KernelFault, "int32 overflow"):
                add[(1,)](x, out, big, B=16, device=DEVICE, debug=True, sanitize_overflow=True)
        noise_of = [np.zeros(16, np.int32) for _ in range(2)]
        noise[(1,)](noise_of[0], 5, B=16, device=DEVICE)
        noise[(1,)](noise_of[1], 5, B=16, device=DEVICE, debug=True)  # wraps on purpose
        np.testing.assert_array_equal(*noise_of)


class Assertions(unittest.TestCase):
    def test_assertions_are_compiled_for_debug_alone(self):
        out = np.zeros(1, np.int32)
        for _ in range(2):
            below[(1,)](out, 5, device=DEVICE)
            below_debug[(1,)](out, 5, device=DEVICE, debug=False)
            below[(1,)](out, 2, device=DEVICE, debug=True)
            if DEVICE != "cpu":
                continue
            for launch in (lambda: below[(1,)](out, 5, device=DEVICE, debug=True),
                           lambda: below_debug[(1,)](out, 5, device=DEVICE)):
                with self.assertRaisesRegex(tegula.errors.KernelFault, "device_assert failed: too large"):
                    launch()

        def code(**options_):
            source = tegula.ASTSource(below, {"out": "*i32", "n": "i32"})
            return tegula.compile(source, target="cpu", options=options_).asm["ttir"]

        self.assertIn("tile.assert", code(debug=True))
        self.assertNotIn("tile.assert", code())
        self.assertNotIn("cmpi", code())

    @unittest.skipIf(DEVICE != "cpu", "an assertion that fails ends the use of some devices")
    def test_debug_of_the_process(self):
        out = np.zeros(1, np.int32)
        below[(1,)](out, 5, device=DEVICE)
        tegula.knobs.runtime.debug = True
        try:
            for options_ in ({}, {"debug": False}):
                with self.assertRaisesRegex(tegula.errors.KernelFault, "device_assert failed: too large"):
                    below[(1,)](out, 5, device=DEVICE, **options_)
        finally:
            tegula.knobs.runtime.debug = False
        below[(1,)](out, 5, device=DEVICE)
        script = "from tegula import knobs; print(knobs.runtime.debug)"
        for value, said in (("1", "True"), ("0", "False")):
            found = subprocess.run([sys.executable, "-c", script], env={**os.environ, "TRITON_DEBUG": value},
                                   capture_output=True, text=True, check=True)
            self.assertEqual(found.stdout.strip(), said)


class Overflow(unittest.TestCase):
    @unittest.skipIf(DEVICE != "cpu", "an assertion that fails ends the use of some devices")
    def test_each_integer_type_and_operation(self):
        for type_ in (np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32):
            low, high = np.iinfo(type_).min, np.iinfo(type_).max
            values = [low, low + 1, 0, 1, 2, high // 2, high // 2 + 1, high - 1, high]
            bits = 8 * np.dtype(type_).itemsize
            for op, name, exact in (("add", "add", lambda a, b: a + b), ("sub", "sub", lambda a, b: a - b),
                                    ("mul", "mul", lambda a, b: a * b), ("in place", "add", lambda a, b: a + b),
                                    ("function", "add", lambda a, b: a + b)):
                for a in values:
                    for b in (low, 1, 2, high):
                        x, y, out = np.zeros(4, type_), np.zeros(4, type_), np.zeros(4, type_)
                        x[2], y[2] = a, b

                        def launch():
                            arithmetic[(1,)](x, y, out, OP=op, B=4, device="cpu", debug=True)

                        if low <= exact(int(a), int(b)) <= high:
                            launch()
                            self.assertEqual(int(out[2]), exact(int(a), int(b)))
                        else:
                            with self.assertRaisesRegex(tegula.errors.KernelFault,
                                                        f"int{bits} overflow detected for operation {name}"):
                                launch()
            x = np.full(4, high, type_)
            for op in ("unchecked function", "sums"):
                arithmetic[(1,)](x, x, np.zeros(4, type_), OP=op, B=4, device="cpu", debug=True)
        for type_ in (np.int64, np.uint64, np.float32):
            x = np.full(4, np.iinfo(type_).max if type_ != np.float32 else 3e38, type_)
            arithmetic[(1,)](x, x, np.zeros(4, type_), OP="add", B=4, device="cpu", debug=True)


if __name__ == "__main__":
    unittest.main()
