"""Each file of the specification's kernels, unchanged, imported as a Triton program and launched on NumPy arrays on the
device in $TEGULA_DEVICE. usage: seed_kernels_test.py FOLDER

Tolerances are those of tests/specification/seed_kernels.py: products of f16 within 1e-3 * sqrt(K), of f32 within
5e-7 * K."""
import contextlib
import io
import os
import sys
import unittest

import numpy as np

import programs
import tegula
from programs import normal

FOLDER = sys.argv.pop(1)


def seed(name):
    return programs.load(os.path.join(FOLDER, name + ".py"))


class Elementwise(unittest.TestCase):
    def test_s2_vector_add(self):
        kernel = seed("s2_vector_add").vector_add_kernel
        for n in (10000, 1, 3500):
            a, b, c = normal(n), normal(n), np.zeros(n, np.float32)
            kernel[lambda meta: (tegula.cdiv(n, meta["BLOCK_SIZE"]),)](a, b, c, n, BLOCK_SIZE=1024)
            np.testing.assert_array_equal(c, a + b)

    def test_s1_additions(self):
        slides = seed("s1_slides")
        a, b, c = normal(781), normal(781), np.zeros(781, np.float32)
        slides.add_kernel[(4,)](a, b, c, 781, BLOCK_SIZE=256)
        np.testing.assert_array_equal(c, a + b)
        x, y = (np.arange(1300, dtype=np.int32) * k for k in (3, -7))
        for kernel in (slides.add, slides.add_global):
            z = np.zeros(1300, np.int32)
            kernel[(3,)](x, y, z, 1300)
            np.testing.assert_array_equal(z, x + y)

    def test_s2_concepts(self):
        x, y = normal(3500), np.zeros(3500, np.float32)
        seed("s2_concepts").my_kernel[(4,)](x, y, 3500, BLOCK_SIZE=1024)
        np.testing.assert_array_equal(y, x * 2)

    def test_s2_debugging(self):
        x, text = normal(100), io.StringIO()
        with contextlib.redirect_stdout(text):
            seed("s2_debugging").debug_kernel[(2,)](x, 100, BLOCK=64)
        lines = text.getvalue().splitlines()
        values = [float(line.split("values: ")[1]) for line in lines if "First block values: " in line]
        np.testing.assert_allclose(sorted(values), sorted(x[:64]), atol=1e-6)
        self.assertEqual(sum("Max: " in line for line in lines), 1)


class Rows(unittest.TestCase):
    def test_softmax(self):
        for rows, columns in ((64, 781), (1, 1)):
            x = normal(rows, columns)
            block = tegula.next_power_of_2(columns)
            y = np.zeros_like(x)
            seed("s2_softmax").softmax_kernel[(rows,)](x, y, columns, columns, columns, BLOCK_SIZE=block)
            programs.check_close(y, programs.softmax(x), 2e-6)
            y = np.zeros_like(x)
            seed("s1_slides").softmax_kernel[(rows,)](y, x, columns, columns, columns, BLOCK_SIZE=block)
            programs.check_close(y, programs.softmax(x), 2e-6)

    def test_layernorm(self):
        x, weight, bias = normal(33, 1000), normal(1000), normal(1000)
        y = np.zeros_like(x)
        seed("s2_layernorm").layernorm_kernel[(33,)](x, y, weight, bias, 1000, 1e-5, 1000, BLOCK_SIZE=1024)
        programs.check_close(y, programs.layernorm(x, weight, bias, 1e-5), 2e-5)

    def test_copy(self):
        x = normal(64, 32)
        for view in (x, np.asfortranarray(x)):
            z = np.zeros((64, 32), np.float32)
            seed("s1_slides").copy_kernel[(1,)](view, *programs.element_strides(view), z, 32, 1, BLOCK_M=64, BLOCK_N=32)
            np.testing.assert_array_equal(z, x)


class Products(unittest.TestCase):
    def check(self, kernel, grid, sizes, dtype, out, transposed=False, **constants):
        m, n, k = sizes
        a, b = normal(m, k, dtype=dtype), normal(k, n, dtype=dtype)
        if transposed:
            a, b = np.asfortranarray(a), np.asfortranarray(b)
        c = np.zeros((m, n), out)
        kernel[grid](a, b, c, m, n, k, *(s for x in (a, b, c) for s in programs.element_strides(x)), **constants)
        want = a.astype(np.float64) @ b.astype(np.float64)
        half = np.float16 in (dtype, out)
        tolerance = 1e-3 * np.sqrt(k) if half else 1e-6 + 5e-7 * k
        programs.check_close(c, want, tolerance + (float(np.abs(want).max()) * 2**-11 if out == np.float16 else 0))

    def test_masked(self):
        s0 = dict(BLOCK_SIZE_M=64, BLOCK_SIZE_N=64, BLOCK_SIZE_K=32)
        s23 = dict(BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
        flat = lambda meta: (tegula.cdiv(meta["M"], 64) * tegula.cdiv(meta["N"], 64),)  # noqa: E731
        tiles = lambda meta: (tegula.cdiv(meta["M"], meta["BLOCK_M"]),  # noqa: E731
                              tegula.cdiv(meta["N"], meta["BLOCK_N"]))
        kernels = ((seed("s0_matmul").matmul_kernel, flat, s0), (seed("s2_matmul").matmul_kernel, tiles, s23),
                   (seed("s3_matmul").matmul_kernel, tiles, s23))
        for kernel, grid, constants in kernels:
            self.check(kernel, grid, (133, 77, 100), np.float32, np.float32, **constants)
            self.check(kernel, grid, (133, 77, 100), np.float32, np.float32, transposed=True, **constants)
            self.check(kernel, grid, (64, 128, 96), np.float16, np.float32, **constants)

    def test_s2_matmul_autotuned(self):
        kernel = seed("s2_matmul_autotuned").matmul_kernel_autotuned
        kernel.configs = kernel.configs[-2:]  # the others take long on a CPU
        tiles = lambda meta: (tegula.cdiv(meta["M"], meta["BLOCK_M"]),  # noqa: E731
                              tegula.cdiv(meta["N"], meta["BLOCK_N"]))
        self.check(kernel, tiles, (133, 77, 100), np.float32, np.float32)
        self.assertIn(kernel.best_config, kernel.configs)

    def test_s1_grouped_and_persistent(self):
        slides = seed("s1_slides")
        constants = dict(BLOCK_SIZE_M=64, BLOCK_SIZE_N=64, BLOCK_SIZE_K=64, GROUP_SIZE_M=2)
        for kernel, grid, more in ((slides.matmul_kernel, (12,), {}), (slides.matmul_kernel_persistent, (3,),
                                                                      {"NUM_SMS": 3})):
            self.check(kernel, grid, (256, 192, 128), np.float16, np.float16, **constants, **more)

    def test_s1_descriptors(self):
        m, n, k = 128, 192, 128
        a, b, c = normal(m, k, dtype=np.float16), normal(n, k, dtype=np.float16), np.zeros((m, n), np.float16)
        descriptors = [tegula.TensorDescriptor(x, x.shape, (x.shape[1], 1), [64, 64]) for x in (a, b, c)]
        seed("s1_slides").matmul_kernel_tma[(6,)](*descriptors, m, n, k, BLOCK_SIZE_M=64, BLOCK_SIZE_N=64,
                                                  BLOCK_SIZE_K=64, GROUP_SIZE_M=1)
        want = a.astype(np.float64) @ b.astype(np.float64).T
        programs.check_close(c, want, 1e-3 * np.sqrt(k) + float(np.abs(want).max()) * 2**-11)


if __name__ == "__main__":
    unittest.main()
