import triton


@triton.jit
async def kernel(x_ptr):
    pass
# expect: 5:1: error: an async function cannot be a kernel; drop "async"
