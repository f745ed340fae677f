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
# expect: 14:9: error: 'lib' is imported from 'toolbox', which is not read; a kernel can use triton, math, and what its own file defines
import triton
import triton.language as tl


import toolbox as lib


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    m = lib.zeros(3)


# === a function of NumPy
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: np.exp is Python's; in a kernel write tl.exp
import numpy as np
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    m = np.exp(n * 1.0)


# === a function of NumPy that a kernel has nothing like
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: np.linspace is Python's; a kernel can use triton, math, and what its own file defines
import numpy as np
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    m = np.linspace(0, 1, 4)


# === a type of PyTorch
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:32: error: torch.float16 is Python's; in a kernel write tl.float16
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK).to(torch.float16)


# === a type that PyTorch spells otherwise
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:32: error: torch.half is Python's; in a kernel write tl.float16
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK).to(torch.half)


# === a name imported from PyTorch
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: 'sigmoid' of torch is Python's; in a kernel write tl.sigmoid
from torch import sigmoid
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    m = sigmoid(n * 1.0)


# === math on a tensor
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:18: error: math.sin is Python's and takes constants, found a tensor of f32 [64]; in a kernel write tl.sin
import math
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    m = math.sin(tl.load(x_ptr + tl.arange(0, BLOCK)))


# === a function of math that takes no constants either
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:14: error: math.tanh is Python's; in a kernel write tl.tanh
import math
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    m = math.tanh(tl.load(x_ptr))


# === a forgotten tl
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: 'load' is not defined; did you mean 'tl.load'?
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = load(x_ptr)


# === a forgotten tl of a misspelt name
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: 'arrange' is not defined; did you mean 'tl.arange'?
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = arrange(0, BLOCK)


# === a name of one letter
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:13: error: 'm' is not defined
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = n + m


# === a list that grows
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:11: error: a list of a kernel is a tuple and has no 'append'; make a longer one by '+', as in items = items + [x]
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    parts = []
    parts.append(n)


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
