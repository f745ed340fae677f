"""Kernels of the tree's samples, imported as Triton programs and launched on NumPy arrays on the device in
$TEGULA_DEVICE. usage: samples_test.py FOLDER"""
import glob
import os
import sys
import unittest

import numpy as np

import programs
import tegula
from programs import normal

FOLDER = sys.argv.pop(1)


def sample(number):
    (path,) = glob.glob(os.path.join(FOLDER, f"{number:02}_*", "*.py"))
    return programs.load(path)


class Samples(unittest.TestCase):
    def test_vector_add(self):
        x, y, out = normal(1000), normal(1000), np.zeros(1000, np.float32)
        sample(1).add_kernel[(4,)](x, y, out, 1000, BLOCK=256)
        np.testing.assert_array_equal(out, x + y)

    def test_copy(self):
        x = normal(70, 50)
        out = np.zeros((50, 70), np.float32)
        sample(2).copy_kernel[(3, 2)](x, out, 70, 50, 50, 1, 1, 70, BLOCK_ROWS=32, BLOCK_COLS=32)
        np.testing.assert_array_equal(out, x.T)

    def test_softmax(self):
        x = normal(20, 300)
        out = np.zeros_like(x)
        sample(3).softmax_fused[(20,)](x, out, 300, 300, 300, BLOCK=512)
        programs.check_close(out, programs.softmax(x), 2e-6)

    def test_layernorm(self):
        x, weight, bias = normal(20, 300, dtype=np.float16), normal(300), normal(300)
        y, mean, rstd = np.zeros((20, 300), np.float32), np.zeros(20, np.float32), np.zeros(20, np.float32)
        sample(4).layernorm_kernel[(20,)](x, weight, bias, y, mean, rstd, 300, 300, 300, 1e-5, BLOCK=512)
        programs.check_close(y, programs.layernorm(x, weight, bias, 1e-5), 2e-5)
        programs.check_close(mean, x.astype(np.float64).mean(axis=1), 1e-6)

    def test_products(self):
        a, b = normal(100, 70), normal(70, 90)
        want = a.astype(np.float64) @ b.astype(np.float64)
        blocks = dict(BLOCK_M=32, BLOCK_N=32, BLOCK_K=16)
        kernels = ((sample(5).matmul_2d, (4, 3), dict(PRECISION="ieee")),
                   (sample(5).matmul_grouped, (12,), dict(PRECISION="ieee", GROUP_M=2)),
                   (sample(6).matmul_persistent, (5,), dict(GROUP_M=2, PROGRAMS=5)))
        for kernel, grid, constants in kernels:
            c = np.zeros((100, 90), np.float32)
            kernel[grid](a, b, c, 100, 90, 70, 70, 1, 90, 1, 90, 1, **blocks, **constants)
            programs.check_close(c, want, 1e-6 + 5e-7 * 70)

    def test_descriptors(self):
        a, b, c = normal(100, 72, dtype=np.float16), normal(88, 72, dtype=np.float16), np.zeros((100, 88), np.float16)
        blocks = dict(BLOCK_M=32, BLOCK_N=32, BLOCK_K=16)
        describe = tegula.TensorDescriptor.from_tensor
        descriptors = describe(a, [32, 16]), describe(b, [32, 16]), describe(c, [32, 32])
        sample(7).matmul_descriptor[(4, 3)](*descriptors, 100, 88, 72, **blocks)
        want = a.astype(np.float64) @ b.astype(np.float64).T
        programs.check_close(c, want, 1e-3 * np.sqrt(72) + float(np.abs(want).max()) * 2**-11)

    def test_attention(self):
        q, k, v = (normal(2, 40, 16) for _ in range(3))
        out = np.zeros_like(q)
        sample(8).attention_forward[(2, 2)](q, k, v, out, 40, 40, 0.25, HEAD=16, BLOCK_Q=32, BLOCK_K=32, CAUSAL=True)
        scores = np.einsum("hqd,hkd->hqk", q.astype(np.float64), k) * 0.25
        scores[:, np.triu(np.ones((40, 40), bool), 1)] = -np.inf
        programs.check_close(out, programs.softmax(scores) @ v, 1e-5)

    def test_histograms(self):
        data = programs.random.integers(0, 64, 5000).astype(np.uint8)
        want = np.bincount(data, minlength=64)
        for kernel, constants in ((sample(9).histogram_direct, {}), (sample(9).histogram_private, dict(BINS=64))):
            bins = np.zeros(64, np.int32)
            kernel[(10,)](data, bins, 5000, BLOCK=512, **constants)
            np.testing.assert_array_equal(bins, want)


if __name__ == "__main__":
    unittest.main()
