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
