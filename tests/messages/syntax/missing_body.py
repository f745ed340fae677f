import triton


@triton.jit
def kernel(x_ptr):
    # nothing


N = 1
# expect: 9:1: error: expected an indented block after the "def" in line 5; write pass where there is nothing to do
