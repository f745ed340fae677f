import triton


@triton.jit
def kernel:
    pass
# expect: 5:11: error: expected "(" after the function's name, found ":"
