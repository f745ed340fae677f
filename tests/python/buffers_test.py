"""Memory of the device in $TEGULA_DEVICE as tensors: launches in place, DLPack, interpretation on a copy."""
import gc
import os
import unittest
import weakref

import numpy as np

import tegula
import tegula.language as tl

DEVICE = os.environ["TEGULA_DEVICE"]


@tegula.jit
def add_to(out, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(out + at, tl.load(out + at, mask=at < n) + 2, mask=at < n)


@tegula.jit
def scale(x, out, n, factor, B: tl.constexpr = 64):
    at = tl.arange(0, B)
    tl.store(out + at, (tl.load(x + at, mask=at < n) * factor).to(out.dtype.element_ty), mask=at < n)


@tegula.jit
def write_both(x, y):
    tl.store(x, 1.0)
    tl.store(y + 1, 2.0)


@tegula.jit
def total(rows, out, count, n, B: tl.constexpr = 64):
    at = tl.arange(0, B)
    result = tl.zeros((B,), tl.float32)
    for row in range(count):
        result += tl.load(tl.load(rows + row) + at, mask=at < n, other=0)
    tl.store(out + at, result, mask=at < n)


class OnlyDlpack:
    """A tensor that says nothing of itself but by DLPack."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self):
        return self.tensor.__dlpack__()


class Buffers(unittest.TestCase):
    def setUp(self):
        self.array = np.arange(60, dtype=np.float32).reshape(5, 12)
        self.x = tegula.to_device(self.array, DEVICE)
        self.out = tegula.to_device(np.full((5, 12), 77, np.float32), DEVICE)

    def test_numpy_takes_them_as_arrays(self):
        for type_ in (np.float32, np.int8, np.bool_):
            array = self.array.astype(type_)
            buffer = tegula.to_device(array, DEVICE)
            for taken in (np.asarray(buffer), np.array(buffer), np.asarray(buffer, type_), np.stack([buffer] * 2)[1]):
                self.assertEqual((taken.dtype, taken.shape), (array.dtype, array.shape))
                np.testing.assert_array_equal(taken, array)
            np.testing.assert_array_equal(np.asarray(buffer, np.float64), array.astype(np.float64))
        self.assertEqual(np.asarray(tegula.to_device(np.zeros((3, 0), np.float32), DEVICE)).shape, (3, 0))
        self.assertEqual(np.asarray(tegula.empty((4,), tl.bfloat16, DEVICE)).dtype, np.uint16)
        copied = self.x.__array__(copy=True)
        with self.assertRaisesRegex(ValueError, "is a copy, and copy=False was given"):
            self.x.__array__(np.float64, copy=False)
        if DEVICE == "cpu":
            in_place = self.x.__array__(copy=False)
            add_to[(1,)](self.x, 59, B=64)
            in_place[4, 11] = 5
            np.testing.assert_array_equal(np.asarray(self.x), in_place)
            self.assertEqual(in_place[0, 1], 3)
            kept, self.x = weakref.ref(self.x), None
            gc.collect()
            self.assertIsNotNone(kept(), "the array keeps the memory")
            del in_place
            gc.collect()
            self.assertIsNone(kept())
        else:
            with self.assertRaisesRegex(ValueError, "copy=False was given"):
                self.x.__array__(copy=False)
            add_to[(1,)](self.x, 59, B=64)
            self.assertEqual(np.asarray(self.x)[0, 1], 3)
        np.testing.assert_array_equal(copied, self.array)

    def test_in_place(self):
        for factor in (2, 3.0, 4):
            scale[(1,)](self.x, self.out, 59, factor)
            np.testing.assert_array_equal(self.out.numpy().ravel()[:59], self.array.ravel()[:59] * factor)
            self.assertEqual(self.out.numpy()[-1, -1], 77)
        np.testing.assert_array_equal(self.x.numpy(), self.array)

    def test_every_type(self):
        for name in ("int8", "uint16", "int64", "float16", "bfloat16", "float32", "float64", "float8e5"):
            x = tegula.empty((4, 2), getattr(tl, name), DEVICE)
            bits = np.zeros((4, 2), x.numpy().dtype)
            x.write(bits)
            self.assertEqual((x.numel(), x.stride(), x.numpy().tolist()), (8, (2, 1), bits.tolist()))

    def test_a_tensor_of_dlpack_as_argument(self):
        scale[(1,)](OnlyDlpack(self.x), OnlyDlpack(self.out), 60, 2.0)
        np.testing.assert_array_equal(self.out.numpy(), self.array * 2)
        numbers = np.arange(60.0).reshape(5, 12).T if DEVICE == "cpu" else np.arange(60.0)
        out = np.zeros(60)
        scale[(1,)](OnlyDlpack(numbers), out, 60, 3.0)
        np.testing.assert_array_equal(out, np.arange(60) * 3.0)

    def test_lists_are_arrays_of_pointers(self):
        rows, out = [self.array[row].copy() for row in (3, 0, 4)], np.zeros(12, np.float32)
        for given in (rows, tuple(rows), rows[:1]):
            total[(1,)](given, out, len(given), 12)
            np.testing.assert_array_equal(out, sum(given))
        total[(1,)]([tegula.to_device(row, DEVICE) for row in rows], self.out, 3, 12)
        np.testing.assert_array_equal(self.out.numpy().ravel()[:12], sum(rows))
        for given, message in ((rows + [3], "parameter 'rows' of kernel 'total', element 3: an array is expected"),
                               ([rows[0], rows[1].astype(np.int32)], "one type|same type|i32")):
            with self.assertRaisesRegex(tegula.errors.UseError, message):
                total[(1,)](given, out, 1, 12)

    def test_arrays_of_numpy_over_a_buffer(self):
        if DEVICE != "cpu":
            with self.assertRaises((RuntimeError, BufferError)):  # NumPy has arrays of the host only
                np.from_dlpack(self.x)
            return
        array = np.from_dlpack(self.x)
        alive = weakref.ref(self.x)
        scale[(1,)](self.x, self.x, 60, 2.0)
        self.x = None
        gc.collect()
        np.testing.assert_array_equal(array, self.array * 2)
        self.assertIsNotNone(alive())
        del array
        gc.collect()
        self.assertIsNone(alive())

    def test_capsules_that_nobody_takes(self):
        alive = weakref.ref(self.x)
        capsule = self.x.__dlpack__()
        self.x = None
        gc.collect()
        self.assertIsNotNone(alive())
        del capsule
        gc.collect()
        self.assertIsNone(alive())

    def test_interpreted(self):
        os.environ["TRITON_INTERPRET"] = "1"
        try:
            scale[(1,)](self.x, self.out, 60, 2.0)
            np.testing.assert_array_equal(self.out.numpy(), self.array * 2)
            scale[(1,)](self.out, self.out, 60, 2.0)
            np.testing.assert_array_equal(self.out.numpy(), self.array * 4)
            write_both[(1,)](self.out, self.out)
            self.assertEqual(self.out.numpy().ravel()[:2].tolist(), [1, 2])
            with self.assertRaisesRegex(tegula.errors.KernelFault, r"reads x\[60\], past its end"):
                scale[(1,)](self.x, self.out, 61, 2.0)
            bits = tegula.to_device(np.array([0x3C, 0x3E, 0x40, 0xBC], np.uint8), DEVICE)  # 1, 1.5, 2, -1
            scale[(1,)](tegula.reinterpret(bits, tl.float8e5), self.out, 4, 2.0)
            self.assertEqual(self.out.numpy().ravel()[:4].tolist(), [2, 3, 4, -2])
            halves = tegula.empty((2,), tl.bfloat16, DEVICE)
            halves.write(np.array([0x3F80, 0x4000], np.uint16))  # 1, 2
            scale[(1,)](halves, self.out, 2, 3.0)
            self.assertEqual(self.out.numpy().ravel()[:2].tolist(), [3, 6])
        finally:
            del os.environ["TRITON_INTERPRET"]

    def test_autotune_resets_and_restores(self):
        for options, want in (({"reset_to_zero": ["out"]}, 2), ({"restore_value": ["out"]}, 7)):
            kernel = tegula.autotune([tegula.Config({"B": 64}), tegula.Config({"B": 128})], rep=1, **options)(add_to)
            out = tegula.to_device(np.full(3, 5, np.float32), DEVICE)
            kernel[(1,)](out, 3)
            self.assertEqual(out.numpy().tolist(), [want] * 3)

    def test_element_types_by_any_package(self):
        class Torch:  # as str() gives PyTorch's types
            def __str__(self):
                return "torch.float32"

        for dtype in (tl.float32, np.float32, np.dtype(np.float32), "float32", "fp32", "f32", "tl.float32", Torch()):
            self.assertEqual(tegula.empty(4, dtype, DEVICE).dtype, tl.float32, dtype)
        self.assertEqual(tegula.empty((2, 3), "bfloat16", DEVICE).dtype, tl.bfloat16)
        self.assertEqual(tegula.empty(3, np.bool_, DEVICE).numpy().dtype, np.bool_)
        for dtype, message in ((float, "<class 'float'> is no element type; write float32 or float64"),
                               ("double", "'double' is no element type; write float64"),
                               ("complex64", "'complex64' is no element type; the element types are .*float16"),
                               (32, "32 is no element type")):
            with self.assertRaisesRegex(tegula.errors.UseError, message):
                tegula.empty(4, dtype, DEVICE)
        for shape, message in ((2.5, "a shape is an integer or a tuple of integers; 2.5 was given"),
                               ((2, "3"), "a tuple of integers; "), ((2, -1), "are not negative")):
            with self.assertRaisesRegex(tegula.errors.UseError, message):
                tegula.empty(shape, "float32", DEVICE)

    def test_zeros(self):
        for dtype, shape in ((np.float32, (3, 5)), ("int8", 7), (tl.float16, (2, 0)), (np.float64, ())):
            buffer = tegula.zeros(shape, dtype, DEVICE)
            self.assertEqual(buffer.shape, shape if isinstance(shape, tuple) else (shape,))
            np.testing.assert_array_equal(np.asarray(buffer), np.zeros(shape, buffer.numpy().dtype))
        x = tegula.zeros(60, np.float32, DEVICE)
        add_to[(1,)](x, 60, B=64)
        tegula.synchronize()
        self.assertEqual(x.numpy().tolist(), [2] * 60)

    def test_devices(self):
        found = {device.name: device for device in tegula.devices()}
        self.assertIn("cpu", found)
        self.assertEqual(found["cpu"].target, "cpu")
        self.assertFalse(found["cpu"].is_real_gpu)
        mine = tegula.zeros(1, np.float32, DEVICE).device
        self.assertIn(mine, found)
        self.assertTrue(found[mine].description)

    def test_what_is_refused(self):
        for array, message in ((self.array.T, "dense"), (np.zeros(3, np.float32), "60 elements"),
                               (self.array.astype(np.int32), "fp32")):
            with self.assertRaisesRegex(ValueError, message):
                self.x.write(array)
        with self.assertRaisesRegex(tegula.errors.UseError, "parameter 'x' of kernel 'scale': .*DLPack's type 5"):
            scale[(1,)](OnlyDlpack(np.zeros(60, np.complex64)), self.array, 60, 1)


if __name__ == "__main__":
    unittest.main()
