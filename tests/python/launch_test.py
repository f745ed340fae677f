"""Launches on the device in $TEGULA_DEVICE: arguments of all kinds, grids, options, tuning. Compared with NumPy."""
import contextlib
import importlib.util
import io
import os
import tempfile
import unittest
import unittest.mock
import warnings

import numpy as np

import tegula
import tegula.language as tl
import helpers

N = 1000


@tegula.jit
def scale(x, out, n, factor, B: tl.constexpr = 128):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)


@tegula.jit
def copy_strided(x, out, rows, columns, x_row, x_column, R: tl.constexpr, C: tl.constexpr):
    row, column = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    inside = (row < rows) & (column < columns)
    value = tl.load(x + row * x_row + column * x_column, mask=inside)
    tl.store(out + row * columns + column, value, mask=inside)


@tegula.jit
def kinds(out, flag, big, real, nothing, kind: tl.constexpr, ty: tl.constexpr):
    tl.store(out, flag.to(tl.float64))
    tl.store(out + 1, (big // 1000000).to(tl.float64))
    tl.store(out + 2, real.to(tl.float64))
    if nothing is None:
        tl.store(out + 3, 1.0)
    if kind == "relu":
        tl.store(out + 4, 2.0)
    tl.store(out + 5, tl.full((), 300, tl.int32).to(ty).to(tl.float64))


@tegula.jit
def where_am_i(out, X: tl.constexpr, Y: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    tl.store(out + (z * Y + y) * X + x, x + 10 * y + 100 * z)


@tegula.jit
def accumulate(x, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


@tegula.jit
def row_sums(x, out, n, B: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for start in range(0, n, B):
        total += tl.load(x + row * n + start + at, mask=start + at < n, other=0.0)
    tl.store(out + row, tl.sum(total, axis=0))


@tegula.jit
def move_block(x, out, i, j, R: tl.constexpr, C: tl.constexpr):
    out.store([0, 0], x.load([i, j]))


@tegula.jit
def is_array(x, out):
    if x.dtype.is_ptr():
        tl.store(out, 1)
    else:
        tl.store(out, 2)


@tegula.jit
def width_of(number, out):
    tl.store(out, number.dtype.primitive_bitwidth)


@tegula.jit
def doubled(v):
    return v * 2


@tegula.jit
def scaled(v):
    return v * SCALE


@tegula.constexpr_function
def halved(n):
    return n // 2


@tegula.jit
def apply(x, out, n, FN: tl.constexpr, B: tl.constexpr):
    at = tl.arange(0, B)
    v = tl.load(x + at, mask=at < n)
    if FN is not None:
        v = FN(v)
    tl.store(out + at, v, mask=at < n)


@tegula.jit
def apply_all(x, out, steps, SHAPE: tl.constexpr):
    SIZE: tl.constexpr = SHAPE[0] * SHAPE[1][0]
    at = tl.arange(0, SIZE)
    v = tl.load(x + at)
    for i in tl.static_range(len(steps)):
        v = steps[i][0](v) + steps[i][1]
    tl.store(out + at, v)


@tegula.jit
def divide(out, values: tl.constexpr):
    tl.store(out, 1.0 / tl.full((), values[0], tl.float32))


@tegula.jit
def fill_halves(out, NEXT: tl.constexpr, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), NEXT(B))


@tegula.jit
def stages_of(out, num_stages: tl.constexpr):
    tl.store(out, num_stages)


@tegula.jit
def sum_of(first, *rest):
    for i in tl.static_range(len(rest)):
        first += rest[i]
    return first


@tegula.jit
def plus(v, *, amount):
    return sum_of(v, amount, amount + 1)


@tegula.jit
def with_kinds(x, *, B: tl.constexpr):
    tl.store(x, sum_of(plus(tl.load(x), amount=B)))


@tegula.jit
def say(x):
    tl.device_print("x:", tl.load(x))


def blocks(n):
    return lambda meta: (tegula.cdiv(n, meta["B"]),)


class Arrays(unittest.TestCase):
    def test_types(self):
        for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
                     "float64"):
            with self.subTest(name):
                x = np.arange(N).astype(name) // 9
                out = np.full(N + 7, 77, name)
                scale[blocks(N)](x, out, N, 2)
                np.testing.assert_array_equal(out[:N], x * x.dtype.type(2))
                np.testing.assert_array_equal(out[N:], 77)

    def test_strided_views_are_used_in_place(self):
        whole = np.arange(40 * 30, dtype=np.float32).reshape(40, 30)
        for view in (whole[3:20, 4:9], whole.T[2:10, ::3], whole[::7, 1::2]):
            rows, columns = view.shape
            out = np.zeros((rows, columns), np.float32)
            strides = [stride // 4 for stride in view.strides]
            copy_strided[(1,)](view, out, rows, columns, *strides, R=32, C=16)
            np.testing.assert_array_equal(out, view)

    def test_only_the_view_is_written(self):
        whole = np.zeros(64, np.int32)
        accumulate[(1,)](whole[10:20], 10, B=16)
        self.assertEqual(whole.tolist(), [0] * 10 + [1] * 10 + [0] * 44)

    def test_arrays_that_share_memory(self):
        whole = np.arange(100, dtype=np.float32)
        scale[(1,)](whole[:40], whole[50:90], 40, 3)
        expected = np.arange(100, dtype=np.float32)
        expected[50:90] = expected[:40] * 3
        np.testing.assert_array_equal(whole, expected)
        scale[(1,)](whole, whole, 10, 2)
        np.testing.assert_array_equal(whole[:10], np.arange(10) * 2)

    def test_read_only_arrays_keep_their_values(self):
        x = np.arange(16, dtype=np.int32)
        x.flags.writeable = False
        out = np.zeros(16, np.int32)
        scale[(1,)](x, out, 16, 5)
        np.testing.assert_array_equal(out, x * 5)
        with self.assertRaisesRegex(tegula.errors.UseError, "parameter .* read-only memory"):  # read_only_test.py
            accumulate[(1,)](x, 16, B=16)
        np.testing.assert_array_equal(x, np.arange(16))

    def test_no_element_one_element_and_many_axes(self):
        empty, out = np.zeros(0, np.float32), np.zeros(1, np.float32)
        scale[(1,)](empty, out, 0, 2)
        self.assertEqual(out[0], 0)
        scale[(1,)](np.array(3.0, np.float32), out, 1, 2)
        self.assertEqual(out[0], 6)
        deep = np.arange(512, dtype=np.float32).reshape((2,) * 9)
        result = np.zeros_like(deep)
        scale[blocks(512)](deep, result, 512, 2)
        np.testing.assert_array_equal(result, deep * 2)

    def test_arrays_and_scalars_at_one_parameter(self):
        out = np.zeros(1, np.int64)
        for value, expected in ((np.array([5], np.float32), 1), (np.float32(3), 2), (np.array([5], np.float32), 1)):
            for _ in range(2):  # the second launch finds the first one prepared
                is_array[(1,)](value, out)
                self.assertEqual(out[0], expected)
        for number, bits in ((5, 32), (2**40, 64), (6, 32)):
            for _ in range(2):
                width_of[(1,)](np.int64(number), out)
                self.assertEqual(out[0], bits)

    def test_tensors_with_data_ptr(self):
        class Tensor:
            """What a tensor of PyTorch on the CPU offers."""

            device = "cpu"

            def __init__(self, array):
                self.array, self.dtype, self.shape = array, f"torch.{array.dtype}", array.shape

            def data_ptr(self):
                return self.array.ctypes.data

            def stride(self):
                return tuple(stride // self.array.itemsize for stride in self.array.strides)

        x, out = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
        scale[blocks(N)](Tensor(x), Tensor(out), N, 0.5)
        np.testing.assert_array_equal(out, x / 2)

    def test_descriptors(self):
        x = np.arange(64 * 48, dtype=np.float32).reshape(64, 48)
        for i, j, padding, outside in ((16, 16, "zero", 0), (56, 40, "zero", 0), (56, 40, "nan", np.nan)):
            out = np.zeros((16, 16), np.float32)
            move_block[(1,)](tegula.TensorDescriptor(x, x.shape, (48, 1), [16, 16], padding),
                             tegula.TensorDescriptor.from_tensor(out, [16, 16]), i, j, R=16, C=16)
            expected = np.full((16, 16), outside, np.float32)
            part = x[i:i + 16, j:j + 16]
            expected[:part.shape[0], :part.shape[1]] = part
            np.testing.assert_array_equal(out, expected)
        with self.assertRaisesRegex(tegula.errors.UseError, "last stride is 2; it must be 1"):
            move_block[(1,)](tegula.TensorDescriptor(x, (64, 24), (48, 2), [16, 16]),
                             tegula.TensorDescriptor.from_tensor(out, [16, 16]), 0, 0, R=16, C=16)


class Values(unittest.TestCase):
    def test_kinds(self):
        for flag, big, real, ty, wrapped in ((True, 2**40, 0.25, tl.uint8, 44), (False, -2**40, 1.5, tl.int16, 300),
                                             (np.bool_(True), np.int64(2**40), np.float64(-2.0), tl.int8, 44)):
            out = np.zeros(6)
            kinds[(1,)](out, flag, big, real, None, "relu", ty)
            quotient = abs(int(big)) // 1000000 * (1 if big > 0 else -1)
            self.assertEqual(out.tolist(), [float(flag), quotient, float(real), 1, 2, wrapped])

    def test_defaults_names_and_constants_by_position(self):
        x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        scale[(1,)](factor=4.0, n=64, out=out, x=x)
        np.testing.assert_array_equal(out, x * 4)
        scale[(2,)](x, out, 64, 2.0, 32)
        np.testing.assert_array_equal(out, x * 2)
        scale[(2,)](x, out, 64, 3.0, tl.constexpr(32))
        np.testing.assert_array_equal(out, x * 3)

    def test_grids(self):
        for axes in (5, (5,), [5, 4], (5, 4, 3)):
            shape = (*(axes if isinstance(axes, (tuple, list)) else (axes,)), 1, 1)[:3]
            out = np.zeros(shape[::-1], np.int32)
            where_am_i[axes](out, shape[0], shape[1])
            z, y, x = np.indices(out.shape)
            np.testing.assert_array_equal(out, x + 10 * y + 100 * z)

    def test_an_axis_of_zero_launches_nothing(self):
        for axes in (0, (0,), (5, 0), (5, 4, 0), (0, 4, 3), (5, 0, 3)):
            out = np.full((3, 4, 5), 77, np.int32)
            for _ in range(3):  # the later ones are prepared
                where_am_i[axes](out, 5, 4)
            self.assertTrue((out == 77).all(), axes)

    def test_a_grid_function_is_called_once_for_each_launch(self):
        calls, x, out = [], np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        for launches, axis in enumerate((1, np.int64(1), np.int64(1), 1), 1):
            scale[lambda meta: calls.append(meta["B"]) or (axis,)](x, out, 64, launches)
            np.testing.assert_array_equal(out, x * launches)
            self.assertEqual(len(calls), launches)

    def test_a_grid_function_may_move_arrays(self):
        def grid(meta):
            meta["out"].resize(1 << 20, refcheck=False)
            return 1

        x = np.arange(64, dtype=np.float32)
        for factor in (2.0, 3.0, 4.0):
            out = np.zeros(64, np.float32)
            scale[grid](x, out, 64, factor)
            np.testing.assert_array_equal(out[:64], x * factor)
            self.assertFalse(out[64:].any())

    def test_options(self):
        x, out = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
        for warps, stages in ((1, 1), (2, 3), (8, 2), (4, 0)):
            scale[blocks(256)](x, out, 256, warps, num_warps=warps, num_stages=stages)
            np.testing.assert_array_equal(out, x * warps)
        scale[blocks(256)](x, out, 256, 7, device="cpu", num_ctas=1, extern_libs={}, ptx_version=80)
        np.testing.assert_array_equal(out, x * 7)

    def test_split_k(self):
        x = np.random.default_rng(1).integers(-9, 9, (4, 500)).astype(np.float32)
        for splits in (None, 1, 2, 5, 2, 64):
            out = np.zeros(4, np.float32)
            row_sums[(4,)](x, out, 500, B=16, depth_splits=splits)
            np.testing.assert_array_equal(out, x.sum(axis=1))
        for splits, message in ((0, "depth_splits is 0; it must be an integer from 1 to 64"),
                                (2.5, "depth_splits is no integer; it must be")):
            with self.assertRaisesRegex(tegula.errors.UseError, message):
                row_sums[(4,)](x, out, 500, B=16, depth_splits=splits)
        with self.assertRaisesRegex(tegula.errors.CompilationError, "depth_splits is 2, but the kernel has no loop"):
            scale[blocks(64)](x, out, 64, 2, depth_splits=2)

    def test_print(self):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            say[(2,)](np.array([2.5], np.float32))
        self.assertEqual(sorted(text.getvalue().splitlines()),
                         ["pid (0, 0, 0) idx () x: 2.500000", "pid (1, 0, 0) idx () x: 2.500000"])


    def test_what_options_and_grids_are_refused(self):
        x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        for _ in range(2):
            scale[(1,)](x, out, 64, 2)
            with self.assertRaisesRegex(tegula.errors.UseError, "kernel 'scale' is launched with 0 warps"):
                scale[(1,)](x, out, 64, 2, num_warps=0)
            for grid in ((2.7,), 1.0, None, lambda meta: (1, "2")):
                with self.assertRaisesRegex(tegula.errors.UseError, "axes of a grid are integers"):
                    scale[grid](x, out, 64, 2)
            for grid in ((2**64 + 1,), (1, -2**63 - 1)):
                with self.assertRaisesRegex(tegula.errors.UseError, "axes of a grid are integers of 64 bits"):
                    scale[grid](x, out, 64, 2)
            with self.assertRaisesRegex(tegula.errors.UseError, "num_warps is 4294967300; an integer of 32 bits"):
                scale[(1,)](x, out, 64, 2, num_warps=2**32 + 4)

    def test_a_file_that_changes_after_its_import(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "changing_kernel.py")
            text = "import tegula\nimport tegula.language as tl\n\n\n@tegula.jit\ndef store(x):\n    tl.store(x, 1)\n"
            with open(path, "w") as file:
                file.write(text)
            spec = importlib.util.spec_from_file_location("changing_kernel", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            with open(path, "w") as file:
                file.write(text.replace("(x, 1)", "(x, 2)"))
            x = np.zeros(1, np.int32)
            module.store[(1,)](x)
            self.assertEqual(x.tolist(), [1])

    def test_kinds_of_parameters(self):
        x = np.array([5, 7], np.int32)
        for _ in range(2):
            with_kinds[(1,)](x, B=2)
        self.assertEqual(x.tolist(), [5 + 2 * (2 + 3), 7])
        with self.assertRaisesRegex(tegula.errors.UseError, "kernel 'sum_of': the parameter '.rest'"):
            sum_of[(1,)](x, 1, 2)


class Functions(unittest.TestCase):
    """Functions and tuples as arguments."""

    def test_functions(self):
        global SCALE
        SCALE = 3
        x, out = np.arange(1, 9, dtype=np.float32), np.zeros(8, np.float32)
        for function, expected in ((doubled, x * 2), (scaled, x * 3), (None, x), (doubled, x * 2), (tl.exp, np.exp(x)),
                                   (helpers.times_factor, np.minimum(x * 8, 1000))):
            for _ in range(2):
                apply[(1,)](x, out, 8, function, B=8)
                np.testing.assert_allclose(out, expected, rtol=1e-6)
        SCALE = 5  # of a function that was given
        apply[(1,)](x, out, 8, FN=scaled, B=8)
        np.testing.assert_array_equal(out, x * 5)
        small = np.zeros(4, np.int32)
        fill_halves[(1,)](small, halved, B=4)
        np.testing.assert_array_equal(small, 2)
        self.assertLessEqual(len(apply._loaded_with), 4)

    def test_tuples(self):
        x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
        shape = (2, (4, "unused", None, 1.5, tl.float16))
        apply_all[(1,)](x, out, ((doubled, 1), (helpers.twice, tl.constexpr(0.5))), shape)
        np.testing.assert_array_equal(out, (x * 2 + 1) * 2 + 0.5)
        apply_all[(1,)](x, out, ((doubled, 2),), SHAPE=(2, (2,)))
        np.testing.assert_array_equal(out[:4], x[:4] * 2 + 2)
        apply_all[(1,)](x, out, (), shape)
        for zero, want in ((0.0, np.inf), (-0.0, -np.inf), (0.0, np.inf)):
            divide[(1,)](out[:1], (zero,))
            self.assertEqual(out[0], want)
        apply_all[(1,)](x, out, (), shape)
        np.testing.assert_array_equal(out, x)

    def test_messages(self):
        x = np.zeros(8, np.float32)
        with self.assertRaises(tegula.CompilationError) as caught:
            apply[(1,)](x, x, 8, (1, 2), B=8)
        self.assertIn("FN(v)", str(caught.exception))
        with self.assertRaises(ValueError) as refused:
            apply[(1,)](x, x, 8, lambda v: v, B=8)
        self.assertIn("parameter 'FN'", str(refused.exception))


class Compiled(unittest.TestCase):
    def test_what_a_launch_returns(self):
        x, out = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
        for _ in range(2):
            compiled = scale[blocks(256)](x, out, 256, 2.0, num_warps=2, device="cpu")
            self.assertIn("tile.kernel", compiled.asm["ttir"])
            self.assertEqual(compiled.asm["ttir"], compiled.asm["tile"])
            self.assertGreater(len(compiled.asm["binary"]), 100)
            self.assertIn("bytecode", list(compiled.asm))
            self.assertNotIn("nothing", compiled.asm)
            self.assertEqual((compiled.metadata.target, compiled.metadata.num_warps), ("cpu", 2))
            self.assertEqual((compiled.n_regs, compiled.n_spills), (-1, -1))
        for name in ("prepared", "slots", "extents"):
            with self.assertRaisesRegex(AttributeError, "of no launch"):
                getattr(type(compiled)(), name)

    def test_extents_of_memory(self):
        """What a prepared launch says of its arrays: the bytes from an address on; 0 of what is no address."""
        x, out = np.arange(256, dtype=np.float32), np.zeros((4, 64), np.float32)
        for count, x_bytes in ((256, 1024), (100, 400), (256, 1024), (0, 0)):
            for _ in range(2):
                launched = scale[blocks(256)](x[:count], out, count, 2.0, device="cpu")
            self.assertEqual(np.frombuffer(launched.extents, np.uint64).tolist(), [x_bytes, 1024, 0, 0])

    def test_code_is_launched_with_its_options(self):
        x, out = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
        compiled = scale.warmup(x, out, 256, 2.0, grid=(1,), num_warps=2, device="cpu")
        for _ in range(2):
            launched = compiled[(2, 1, 1)](x, out.fill(0) or out, 256, 3.0, 128)
            np.testing.assert_array_equal(out, x * 3)
            self.assertEqual(launched.metadata.num_warps, 2)
        staged = stages_of.warmup(out, 3, num_warps=1, grid=(1,), device="cpu")  # a parameter hides the option
        staged[lambda meta: (meta["num_stages"] // 5,)](out, 5)
        self.assertEqual(out[0], 5)

    def test_warmup_launches_nothing(self):
        x, out = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
        compiled = scale.warmup(x, out, 256, 2.0, grid=(2,), device="cpu")
        self.assertIn("tile.kernel", compiled.asm["tile"])
        self.assertFalse(out.any())
        with self.assertRaisesRegex(tegula.errors.UseError, "in place"):
            scale.warmup(x[::2], out, 128, 2.0, grid=(2,), device="cpu")
        compiled = scale.run(x, out, 256, 2.0, warmup=True, grid=(2,), device="cpu")
        self.assertEqual((compiled.metadata.name, out.any()), ("scale", False))
        scale.run(x, out, 256, 2.0, grid=(2,), warmup=False, device="cpu")
        np.testing.assert_array_equal(out, x * 2)


class Interpreted(unittest.TestCase):
    def setUp(self):
        os.environ["TRITON_INTERPRET"] = "1"

    def tearDown(self):
        del os.environ["TRITON_INTERPRET"]

    def test_values_of_the_variable(self):
        x = np.zeros(2, np.int32)
        for value, is_checked in (("1", True), ("TRUE", True), ("on", True), ("y", True), ("Yes", True), ("0", False),
                                  ("", False), ("no", False)):
            os.environ["TRITON_INTERPRET"] = value
            self.assertEqual(tegula.knobs.runtime.interpret, is_checked)
            launched = scale[(1,)](x, x, 1, 2, device="cpu")
            self.assertEqual(launched is None, is_checked)  # checked launches are not prepared
        tegula.knobs.runtime.interpret = True
        self.assertEqual(os.environ["TRITON_INTERPRET"], "1")

    def test_accesses_are_checked(self):
        x, out = np.arange(60, dtype=np.float32), np.zeros(60, np.float32)
        scale[(1,)](x, out, 60, 2.0)
        np.testing.assert_array_equal(out, x * 2)
        with self.assertRaises(tegula.errors.KernelFault) as caught:
            scale[(1,)](x, out, 61, 2.0)
        self.assertIn("x[60]", str(caught.exception))
        self.assertEqual(os.path.abspath(caught.exception.file), os.path.abspath(__file__))


class Tuning(unittest.TestCase):
    def tuned(self, configs, **options):
        @tegula.autotune(configs=configs, key=["n"], rep=1, **options)
        @tegula.jit
        def tuned(x, n, B: tl.constexpr):
            at = tl.program_id(0) * B + tl.arange(0, B)
            tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)

        return tuned

    def test_each_configuration_runs_and_values_are_restored(self):
        used = []
        configs = [tegula.Config({"B": size}, num_warps=2, pre_hook=lambda named: used.append(named["B"]))
                   for size in (64, 100, 128)]  # 100 does not compile
        kernel = self.tuned(configs, restore_value=["x"])
        x = np.zeros(N, np.int32)
        for launches in (1, 2):
            kernel[blocks(N)](x, N)
            np.testing.assert_array_equal(x, launches)
        self.assertEqual(set(used), {64, 100, 128})
        self.assertIn(kernel.best_config.kwargs["B"], (64, 128))
        self.assertEqual(len(kernel.cache), 1)
        kernel[blocks(N - 1)](x, N - 1)
        self.assertEqual(len(kernel.cache), 2)

    def test_configurations_out_of_resources_lose_and_failing_devices_do_not(self):
        def do_bench(launch, quantiles):
            launch()
            if tried[-1] == 128:
                raise tegula.OutOfResources(2, 1, "threads")
            if tried[-1] == 256:
                raise failure
            return 1.0, 1.0, 1.0

        configs = [tegula.Config({"B": size}, pre_hook=lambda named: tried.append(named["B"])) for size in (128, 64)]
        tried, x = [], np.zeros(N, np.int32)
        kernel = self.tuned(configs, do_bench=do_bench)
        kernel[blocks(N)](x, N)
        self.assertEqual((kernel.best_config.kwargs["B"], tried), (64, [128, 64, 64]))
        failure = tegula.errors.KernelFault("an address that is none")
        configs[1].kwargs["B"] = 256
        with self.assertRaises(tegula.errors.KernelFault):
            self.tuned(configs, do_bench=do_bench)[blocks(N)](x, N)

    def test_progress_is_told(self):
        configs = [tegula.Config({"B": size}, num_warps=2) for size in (64, 100, 128)]  # 100 does not compile
        text = io.StringIO()
        with unittest.mock.patch.dict(os.environ, TRITON_PRINT_AUTOTUNING="1"), contextlib.redirect_stderr(text):
            self.tuned(configs)[blocks(N)](np.zeros(N, np.int32), N)
        early = 2 if os.environ["TEGULA_DEVICE"] == "cpu" else 0  # others do not use a host array in place
        self.assertRegex(text.getvalue(), rf"^autotuning of tuned: {early} of 3 configurations compiled ahead, in .*\n"
                                          r"autotuning of tuned: best of 3 is B: (64|128), num_warps: 2, .* ms\n$")

    def test_results_that_add_up_are_warned_of(self):
        def tuned(**options):
            @tegula.autotune(configs=[tegula.Config({"B": size}, **more) for size in (64, 128)], key=["n"], rep=1,
                             **options)
            @tegula.jit
            def counted(x, n, B: tl.constexpr):
                at = tl.program_id(0) * B + tl.arange(0, B)
                tl.atomic_add(x + at, 1, mask=at < n)
                tl.atomic_max(x + at, 0, mask=at < n)

            return counted

        def warnings_of(kernel, *sizes):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for n in sizes:
                    kernel[blocks(N)](np.zeros(N, np.int32), n)
            return [str(warning.message) for warning in caught]

        more = {}
        said = warnings_of(tuned(), N, N - 1, N)  # two measurements, one warning
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0], "^kernel 'counted' adds to the memory of x by atomics, and is measured by repeated "
                         "launches, each of which adds again: name it in reset_to_zero or restore_value")
        for options in ({"reset_to_zero": ["x"]}, {"restore_value": ["x"]}, {"pre_hook": lambda *_, **__: None}):
            self.assertEqual(warnings_of(tuned(**options), N), [], options)
        more = {"pre_hook": lambda given: given["x"].fill(0)}
        self.assertEqual(warnings_of(tuned(), N), [])
        self.assertEqual(warnings_of(self.tuned([tegula.Config({"B": size}) for size in (64, 128)]), N), [])

    def test_split_k_is_a_part_of_configurations(self):
        configs = [tegula.Config({"B": 16, "depth_splits": splits}) for splits in (1, 4)]
        kernel = tegula.autotune(configs=configs, key=["n"], rep=1)(row_sums)
        x, out = np.ones((3, 200), np.float32), np.zeros(3, np.float32)
        kernel[(3,)](x, out, 200)
        np.testing.assert_array_equal(out, 200)
        self.assertIn(kernel.best_config.kwargs["depth_splits"], (1, 4))

    def test_one_configuration_is_not_measured(self):
        x = np.zeros(N, np.int32)
        kernel = self.tuned([tegula.Config({"B": 256})])
        kernel[blocks(N)](x, N)
        np.testing.assert_array_equal(x, 1)

    def test_arguments_are_reset_only_behind_measurements(self):
        x, seen = np.full(N, 5, np.int32), []
        self.tuned([tegula.Config({"B": 256})], reset_to_zero=["x"])[blocks(N)](x, N)
        np.testing.assert_array_equal(x, 6)
        configs = [tegula.Config({"B": size}) for size in (128, 256)]
        self.tuned(configs, pre_hook=lambda given, reset_only=False: seen.append((given["B"], reset_only)))[blocks(N)](
            x, N)
        self.assertEqual([reset_only for _, reset_only in seen].count(True), 1)
        self.assertTrue(seen[-1][1])

    def test_heuristics(self):
        @tegula.heuristics({"B": lambda named: tegula.next_power_of_2(named["n"]), "EVEN": lambda n: n["n"] % 2 == 0})
        @tegula.jit
        def filled(x, n, B: tl.constexpr, EVEN: tl.constexpr):
            at = tl.arange(0, B)
            tl.store(x + at, B + EVEN, mask=at < n)

        for n, value in ((10, 17), (33, 64)):
            x = np.zeros(n, np.int32)
            filled[(1,)](x, n)
            np.testing.assert_array_equal(x, value)


class Testing(unittest.TestCase):
    def test_do_bench(self):
        calls = []
        self.assertGreaterEqual(tegula.testing.do_bench(lambda: calls.append(0), warmup=0, rep=1), 0)
        self.assertGreaterEqual(len(calls), 4)
        low, high = tegula.testing.do_bench(lambda: None, warmup=0, rep=1, quantiles=[0.2, 0.8])
        self.assertLessEqual(low, high)

    def test_assert_close(self):
        tegula.testing.assert_close(np.array([1.0]), np.array([1.005]))
        tegula.testing.assert_close(np.array([3, 3]), 3.005)
        tegula.testing.assert_close(np.float32([1, 1]), [1, 1.05], atol=lambda type_: {"float32": 0.1}[str(type_)],
                                    rtol=lambda type_: 0)
        for x, y in (([1.0], [1.02]), ([1.0], [1.0, 1.0])):
            with self.assertRaises(AssertionError):
                tegula.testing.assert_close(np.array(x), np.array(y))

    def test_perf_report(self):
        benchmark = tegula.testing.Benchmark(["n"], [2, 4], "how", ["a", "b"], ["first", "second"], "sweep")
        rows = tegula.testing.perf_report(benchmark)(lambda n, how: n * (2.0 if how == "b" else 1.0))
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            self.assertEqual(rows.run(print_data=True), [[2, 2.0, 4.0], [4, 4.0, 8.0]])
        self.assertEqual(text.getvalue(), "sweep:\nn  first  second\n2      2       4\n4      4       8\n")


if __name__ == "__main__":
    unittest.main()
