import triton
import triton.language as tl


# One tile of C = A B. Strides say how A and B lie in memory, so a transposed matrix is the same kernel.
@triton.jit
def multiply_tile(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    tile_m, tile_n,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    PRECISION: tl.constexpr,
):
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None].to(tl.int64) * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + n[None, :].to(tl.int64) * stride_bn
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        # Zeros outside: they add nothing to the sums that are kept.
        a = tl.load(a_ptrs, mask=(m[:, None] < M) & (k[None, :] < K - start), other=0.0)
        b = tl.load(b_ptrs, mask=(k[:, None] < K - start) & (n[None, :] < N), other=0.0)
        total = tl.dot(a, b, total, input_precision=PRECISION)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    c_ptrs = c_ptr + m[:, None].to(tl.int64) * stride_cm + n[None, :].to(tl.int64) * stride_cn
    tl.store(c_ptrs, total.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


# Grid (tiles of M, tiles of N): the simplest map from programs to tiles.
@triton.jit
def matmul_2d(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    PRECISION: tl.constexpr,
):
    multiply_tile(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  tl.program_id(0), tl.program_id(1), BLOCK_M, BLOCK_N, BLOCK_K, PRECISION)


# Grid (all tiles). Neighbouring programs run at the same time, so they are laid out in bands GROUP_M tiles high: the
# rows of A and columns of B that they need together are fewer, and more of them are found in the cache.
@triton.jit
def matmul_grouped(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr, PRECISION: tl.constexpr,
):
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    band = pid // (GROUP_M * tiles_n)
    within = pid % (GROUP_M * tiles_n)
    # The last band may be lower than the others.
    height = min(tiles_m - band * GROUP_M, GROUP_M)
    tile_m = band * GROUP_M + within % height
    tile_n = within // height
    multiply_tile(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  tile_m, tile_n, BLOCK_M, BLOCK_N, BLOCK_K, PRECISION)
