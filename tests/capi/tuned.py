# The kernel of tuned_bundle_test.c, which the rows of tables/ are for.
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 512})], key=["n"])
@triton.jit
def saxpy(x_ptr, y_ptr, out_ptr, n, a, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, a * x + y, mask=at < n)
