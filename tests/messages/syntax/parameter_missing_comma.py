import triton


@triton.jit
def kernel(x_ptr n):
    pass
# expect: 5:18: error: expected "," or ")" after a parameter, found "n"
