"""Kernels with mistakes, and kernels that messages_test.py launches wrongly."""
import math

import numpy as np

import helpers
import tegula
import tegula.language as tl


class Settings:
    BLOCK = 16


@tegula.jit
def fill(x, n, value, B: tl.constexpr = 16):
    at = tl.arange(0, B)
    tl.store(x + at, value, mask=at < n)


@tegula.jit
def typed(x, n: tl.int32, p: "*fp16"):
    tl.store(x, n + tl.load(p))


@tegula.jit
def not_a_power(x):
    tl.store(x + tl.arange(0, 12), 1)


@tegula.jit
def wrong_keyword(x):
    tl.store(x, tl.load(x, masks=True))


@tegula.jit
def unknown_function(x):
    tl.store(x, tl.lod(x))


@tegula.jit
def unknown_name(x):
    tl.store(x, undefined_name)


@tegula.jit
def names_an_object(x):
    tl.store(x + tl.arange(0, Settings.BLOCK), 1)


@tegula.jit
def shapes_differ(x):
    tl.store(x + tl.arange(0, 16), tl.arange(0, 8))


@tegula.jit
def helper_fails(x):
    tl.store(x, helpers.twice(x))


@tegula.jit
def asserts(x, N: tl.constexpr):
    tl.static_assert(N % 2 == 0, "N has to be even")
    tl.store(x, N)


@tegula.jit
def device_asserts(x):
    tl.device_assert(tl.load(x) > 0, "x is not positive")


@tegula.jit
def wants_a_constant(x, n):
    tl.store(x + tl.arange(0, n), 1)


@tegula.jit
def returns_in_a_loop(x, n):
    for i in range(n):
        if i == 3:
            return
        tl.store(x, i)


@tegula.jit
def block_of(x, out):
    out.store([0, 0], x.load([0, 0]))


def inner():
    @tegula.jit
    def nested(x):
        tl.store(x, tl.nothing)

    return nested


def same_name(sign):
    @tegula.jit
    def helper(v):
        return v * sign

    return helper


def two_helpers(first, second):
    @tegula.jit
    def uses_two(x):
        tl.store(x, first(tl.load(x)) + second(tl.load(x)))

    return uses_two


@tegula.jit
def exp_of_numpy(x):
    tl.store(x, np.exp(tl.load(x)))


@tegula.jit
def type_of_numpy(x):
    tl.store(x, tl.load(x).to(np.float16))


@tegula.jit
def sine_of_math(x):
    tl.store(x, math.sin(tl.load(x)))


@tegula.jit
def without_tl(x):
    store(x, 1.0)
