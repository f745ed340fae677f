import triton


@triton.jit
def kernel(x_ptr, **meta):
    pass
# expect: 5:19: error: parameters of the form "**meta" are not part of the kernel language; name each parameter
