# Control flow, at compile time and at run time.
import triton
import triton.language as tl


@triton.jit
def static_assert(y_ptr, N: tl.constexpr):
    tl.static_assert(N % 4 == 0, f"N must be a multiple of 4, found {N}")
    assert N > 0, "N must be positive"
    tl.store(y_ptr, N)


@triton.jit
def static_print(y_ptr, N: tl.constexpr):
    tl.static_print("N is", N, (1, 2), sep="|")
    tl.store(y_ptr, N)
