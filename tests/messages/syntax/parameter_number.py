import triton


@triton.jit
def kernel(x_ptr, 3):
    pass
# expect: 5:19: error: expected a parameter's name, found "3"
