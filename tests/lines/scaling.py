# A module of its own, so that its lines cannot be taken for the kernel's.
import triton
import triton.language as tl


@triton.jit
def scaled(value, factor):
    root = tl.sqrt(tl.abs(value))  # root
    return root * factor  # product
