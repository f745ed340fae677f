import triton


@triton.jit
def kernel[T](x_ptr: T):
    pass
# expect: 5:11: error: type parameters are not part of the kernel language; drop them: a kernel is compiled for each type it meets
