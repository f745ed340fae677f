# Loops that never end for n = 1, and at once for n = 0.
import triton
import triton.language as tl


@triton.jit
def endless(out_ptr, n):
    i = 0
    while i < n:
        i = i + 0
    tl.store(out_ptr, i)


@triton.jit
def endless_unused(out_ptr, n):
    # Nothing behind the loop depends on it.
    i = n
    if n > 0:
        while i * 2 > i:
            i = tl.maximum(i, n)
    tl.store(out_ptr, 5)


@triton.jit
def endless_wait(out_ptr, n):
    while tl.load(out_ptr) < n:
        pass
    tl.store(out_ptr, 5)
