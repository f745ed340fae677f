import triton


@triton.jit
def (x_ptr):
    pass
# expect: 5:5: error: expected a function's name after def, found "("
