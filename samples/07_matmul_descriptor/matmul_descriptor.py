import triton
import triton.language as tl


# A descriptor holds shape, strides and block of a tensor: `load` takes the coordinates of a block's corner and needs no
# pointers and no mask. Elements outside of the tensor read as zero and are not written.
# B is stored N x K, as weights often are: its block is (BLOCK_N, BLOCK_K), and the result is A times B transposed.
@triton.jit
def matmul_descriptor(
    a_desc, b_desc, c_desc,
    M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    m = tl.program_id(0) * BLOCK_M
    n = tl.program_id(1) * BLOCK_N
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = a_desc.load([m, k])
        b = b_desc.load([n, k])
        total = tl.dot(a, b.T, total)
    c_desc.store([m, n], total.to(tl.float16))


# The same with descriptors that the kernel makes from pointers.
@triton.jit
def matmul_device_descriptor(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    m = tl.program_id(0) * BLOCK_M
    n = tl.program_id(1) * BLOCK_N
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        total = tl.dot(a_desc.load([m, k]), b_desc.load([n, k]).T, total)
    c_desc.store([m, n], total.to(tl.float16))
