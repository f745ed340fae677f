import triton


@triton.jit
def kernel(x_ptr, *, n, *m):
    pass
# expect: 5:25: error: a function can have one "*" only among its parameters; drop this one
