import triton


@triton.jit
N = 1
# expect: 5:1: error: expected "def" after the decorators of a function, found "N"
