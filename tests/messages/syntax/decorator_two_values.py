import triton


@triton.jit
@cached 3
def kernel(x_ptr):
    pass
# expect: 5:9: error: expected an operator or the end of the line after a decorator, found "3"
