# === unknown name
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:25: error: 'BLOKC' is not defined; did you mean 'BLOCK'?
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOKC)


# === unknown function of tl
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:12: error: tl has no 'lod'; did you mean 'load'?
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.lod(x_ptr)


# === host function
# signature: *f32, i32
# const: BLOCK=64
# expect: 15:9: error: 'helper' is host code (a function at line 9) and cannot be used in a kernel; pass it as an argument or decorate it with @triton.jit
import triton
import triton.language as tl


def helper(n):
    return n + 1


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    m = helper(n)


# === foreign import
# signature: *f32, i32
# const: BLOCK=64
# expect: 14:9: error: 'np' is imported from 'numpy', which is not read; a kernel can use triton, math, and what its own file defines
import triton
import triton.language as tl


import numpy as np


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    m = np.zeros(3)


# === assigned in one branch
# signature: *f32, i32
# const: BLOCK=64
# expect: 13:21: error: 'y' is assigned only in one branch of the if at line 11; assign it before the if or in both branches
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n > 3:
        y = 1
    tl.store(x_ptr, y)


# === assigned in a loop
# signature: *f32, i32
# const: BLOCK=64
# expect: 13:21: error: 'last' is first assigned inside the loop at line 11, which may run zero times; assign it before the loop
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    for i in range(n):
        last = i
    tl.store(x_ptr, last)


# === unknown tensor method
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:11: error: a tensor has no attribute 'summ'; did you mean 'sum'?
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK)
    y = x.summ()


# === constexpr reassigned
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: 'BLOCK' is a tl.constexpr parameter and cannot be assigned in a loop; choose another name
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    for i in range(n):
        BLOCK = 3


# === a function that libdevice does not have
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:28: error: tl.libdevice has no 'nope'
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    r = tl.extra.libdevice.nope(tl.arange(0, BLOCK))
