#!/usr/bin/env python3
"""Compares the results of peers_triton.py's kernels with NumPy's, on the CPU, by this package in Triton's place: a
peer that computes something else would be no peer. Exit status: 0; 1, a result is wrong."""
import sys

import numpy
import tegula.triton

tegula.triton.install()
import peers_triton as kernels  # noqa: E402


def difference(name, actual, expected, allowed):
    """Prints the largest difference; returns whether it is too large, or not a number."""
    largest = float(numpy.abs(actual.astype(numpy.float64) - expected).max())
    is_wrong = not largest <= allowed
    print(f"{name}: largest difference {largest:.1e}, allowed {allowed:.1e}{', wrong' if is_wrong else ''}")
    return is_wrong


class Tensor(numpy.ndarray):
    """Says its size and strides as PyTorch's tensors do, in elements."""

    def numel(self):
        return self.size

    def stride(self, axis=None):
        strides = tuple(each // self.itemsize for each in self.strides)
        return strides if axis is None else strides[axis]


def normal(shape, type=numpy.float16):
    return random.standard_normal(shape).astype(type).view(Tensor)


def nothing(shape, type=numpy.float16):
    return numpy.full(shape, numpy.nan, type).view(Tensor)


def product(a, b):
    return a.astype(numpy.float64) @ b.astype(numpy.float64)


def softmax(scores):
    powers = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def check_rows():
    x, y = (normal((7, 300), numpy.float32) for _ in range(2))
    z = nothing(x.shape, numpy.float32)
    kernels.add(x, y, z)
    yield difference("add", z, x + y, 0)
    kernels.softmax(x, z)
    yield difference("softmax", z, softmax(x.astype(numpy.float64)), 1e-6)


def check_products():
    m, n, k = 300, 200, 160
    a, b, stored, c = normal((m, k)), normal((k, n)), normal((n, k)), nothing((m, n))
    kernels.matmul_kernel.configs = [kernels._config(64, 64, 32, 2, 4)]
    kernels.matmul(a, b, c)
    yield difference("product", c, product(a, b), 0.05)
    for is_halved in (False, True):
        c = nothing((m, n))
        kernels.persistent_matmul_kernel.configs = [
            kernels._config(64, 64, 32, 2, 4, HALVES=is_halved, pre_hook=kernels.fit_product)]
        kernels.persistent_matmul_kernel.cache.clear()
        kernels.persistent_matmul(a, stored, c, 3)
        name = "persistent product" + (", stored in halves" if is_halved else "")
        yield difference(name, c, product(a, stored.T), 0.05)


def check_attention():
    q, k, v = (normal((2, 3, 256, 64)) for _ in range(3))
    out = nothing(q.shape)
    kernels.attention_kernel.configs = [kernels.triton.Config({"BLOCK_Q": 64, "BLOCK_K": 32}, num_warps=4,
                                                              pre_hook=kernels.fit_attention)]
    kernels.attention(q, k, v, out)
    expected = softmax(product(q, k.swapaxes(2, 3)) / 8) @ v.astype(numpy.float64)
    yield difference("attention", out, expected, 2e-3)


random = numpy.random.default_rng(5)
sys.exit(1 if any([*check_rows(), *check_products(), *check_attention()]) else 0)
