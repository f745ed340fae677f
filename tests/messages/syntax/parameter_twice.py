import triton


@triton.jit
def kernel(x_ptr, n, x_ptr):
    pass
# expect: 5:22: error: the parameter "x_ptr" is declared twice; rename one
# expect: 5:12: note: the first one is here
