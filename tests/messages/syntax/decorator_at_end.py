import triton


@triton.jit
# expect: 4:12: error: expected "def" after the decorators of a function, found the end of the file
