# === function defined in both branches of an unknown condition
# signature: *f32, *f32
# expect: 24:25: error: 'act' has 2 definitions, and 'if HAS_FAST' at line 10 decides between them, which cannot be known without running the host code; write its condition as a constant (True or False), or give each a name of its own
# expect: 12:9: note: one definition is here
# expect: 17:9: note: another is here
import triton
import triton.language as tl

HAS_FAST = probe()
if HAS_FAST:
    @triton.jit
    def act(x):
        return x + 1.0

else:
    @triton.jit
    def act(x):
        return x + 2.0


@triton.jit
def kernel(x_ptr, y_ptr):
    i = tl.arange(0, 16)
    tl.store(y_ptr + i, act(tl.load(x_ptr + i)))


# === constant with two possible values
# signature: *f32
# expect: 17:35: error: 'SIZE' has 2 definitions, and 'if sys.platform == "win32"' at line 10 decides between them, which cannot be known without running the host code; write its condition as a constant (True or False), or give each a name of its own
# expect: 9:1: note: one definition is here
# expect: 11:5: note: another is here
import sys
import triton
import triton.language as tl
SIZE = 16
if sys.platform == "win32":
    SIZE = 32


@triton.jit
def kernel(y_ptr):
    # The use is what is wrong, not that there are two.
    tl.store(y_ptr + tl.arange(0, SIZE), 0.0)


# === import that may fail
# signature: *f32, *f32
# expect: 20:25: error: 'act' has 2 definitions, and 'try' at line 9 decides between them, which cannot be known without running the host code; keep one of them, or give each a name of its own
# expect: 10:5: note: one definition is here
# expect: 14:9: note: another is here
import triton
import triton.language as tl

try:
    from fast_kernels import act
except ImportError:

    @triton.jit
    def act(x):
        return x + 2.0

@triton.jit
def kernel(x_ptr, y_ptr):
    i = tl.arange(0, 16)
    tl.store(y_ptr + i, act(tl.load(x_ptr + i)))


# === kernel with two definitions
# signature: *f32
# expect: 10:9: error: 'kernel' has 2 definitions, and 'if torch.probe()' at line 8 decides between them, which cannot be known without running the host code; write its condition as a constant (True or False), or give each a name of its own
# expect: 10:9: note: one definition is here
# expect: 14:9: note: another is here
import torch, triton
import triton.language as tl
if torch.probe():
    @triton.jit
    def kernel(y_ptr):
        tl.store(y_ptr, 1.0)
else:
    @triton.jit
    def kernel(y_ptr, n):
        tl.store(y_ptr, 2.0)


# === host function takes the name
# signature: *f32
# expect: 18:21: error: 'act' is host code (a function at line 12) and cannot be used in a kernel; pass it as an argument or decorate it with @triton.jit
import triton
import triton.language as tl

@triton.jit
def act(x):
    return x + 1.0

# Python's order: from here on the name is this function's.
def act(x):
    return x

@triton.jit
def kernel(y_ptr):
    # The use of the last definition.
    tl.store(y_ptr, act(1.0))


# === constructor: a field without a value
# signature: *i32
# expect: 19:9: error: the constructor of Pair has not assigned its field 'B'
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    a: tl.tensor
    B: tl.constexpr

    def __init__(self, a, b):
        self.a = a


@triton.jit
def kernel(x_ptr):
    p = Pair(tl.load(x_ptr), 2)


# === constructor: no such field
# signature: *i32
# expect: 15:14: error: Pair declares no field 'c'; add 'c: tl.tensor' or ': tl.constexpr' to the class
# expect: 20:9: note: in __init__, called from here
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    a: tl.tensor
    B: tl.constexpr

    def __init__(self, a, b):
        self.c = b


@triton.jit
def kernel(x_ptr):
    p = Pair(tl.load(x_ptr), 2)


# === constructor: a constant that is a tensor
# signature: *i32
# expect: 16:9: error: the field 'B' of Pair must be known when the kernel is compiled, found a scalar of i32; make it a tl.constexpr parameter
# expect: 21:9: note: in __init__, called from here
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    a: tl.tensor
    B: tl.constexpr

    def __init__(self, a, b):
        self.a = a
        self.B = b


@triton.jit
def kernel(x_ptr):
    p = Pair(tl.load(x_ptr), tl.load(x_ptr + 1))


# === constructor: a field that is read before it is assigned
# signature: *i32
# expect: 15:23: error: the constructor of Pair has not assigned its field 'B'
# expect: 20:9: note: in __init__, called from here
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    a: tl.tensor
    B: tl.constexpr

    def __init__(self, a, b):
        self.a = self.B


@triton.jit
def kernel(x_ptr):
    p = Pair(tl.load(x_ptr), 2)


# === constructor: a missing argument
# signature: *i32
# expect: 19:30: error: __init__ has no parameter 'c'
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    a: tl.tensor
    B: tl.constexpr

    def __init__(self, a, b):
        self.a = a


@triton.jit
def kernel(x_ptr):
    p = Pair(tl.load(x_ptr), c=3)


# === constants of carried instances
# signature: *i32
# expect: 17:5: error: 'p' is an instance of Pair whose B is the constant 2 before the loop at line 17 and an instance of Pair whose B is the constant 4 after a step of it; a tl.constexpr field is part of an instance's type
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    a: tl.tensor
    B: tl.constexpr


@triton.jit
def kernel(x_ptr):
    p = Pair(tl.load(x_ptr), 2)
    for i in range(3):
        p = Pair(p.a, p.B * 2)


# === constructor: a run-time condition
# signature: *i32
# expect: 14:23: error: the condition of 'x if c else y' in a constructor must be known when the kernel is compiled; use tl.where, or decide in a @triton.jit function
# expect: 19:9: note: in __init__, called from here
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    a: tl.tensor

    def __init__(self, a):
        self.a = a if a > 3 else -a


@triton.jit
def kernel(x_ptr):
    p = Pair(tl.load(x_ptr))


# === constructor: another value for self
# signature: *i32
# expect: 14:9: error: a constructor cannot give 'self' another value; assign to its fields
# expect: 19:9: note: in __init__, called from here
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    a: tl.tensor

    def __init__(self, a):
        self = a


@triton.jit
def kernel(x_ptr):
    p = Pair(tl.load(x_ptr))


# === constructor: a loop over self
# signature: *i32
# expect: 14:13: error: a constructor cannot give 'self' another value; assign to its fields
# expect: 20:9: note: in __init__, called from here
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    a: tl.tensor

    def __init__(self, a):
        for self in range(3):
            pass


@triton.jit
def kernel(x_ptr):
    p = Pair(tl.load(x_ptr))


# === constructor: self as a value
# signature: *i32
# expect: 14:18: error: the instance that a constructor makes is no value before the constructor's end; use its fields
# expect: 19:9: note: in __init__, called from here
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    a: tl.tensor

    def __init__(self, a):
        self.a = self


@triton.jit
def kernel(x_ptr):
    p = Pair(tl.load(x_ptr))
