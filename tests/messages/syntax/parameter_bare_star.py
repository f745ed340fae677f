import triton


@triton.jit
def kernel(x_ptr, *, **m):
    pass
# expect: 5:22: error: expected a named parameter after "*", found "**"
