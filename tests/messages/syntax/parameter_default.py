import triton


@triton.jit
def kernel(x_ptr, n=1, BLOCK):
    pass
# expect: 5:24: error: the parameter "BLOCK" has no default but follows one that has; give it one, or move it forward
# expect: 5:19: note: this parameter has a default
