import triton


@triton.jit
def kernel(x_ptr)
    pass
# expect: 5:18: error: expected ":" after the parameters of "kernel", found the end of the line
