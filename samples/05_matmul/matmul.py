import triton
import triton.language as tl


# One tile of C = A B. Strides describe the storage of A and B, so a transposed matrix uses the same kernel.
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
        # Elements outside of the matrices are zero and add nothing to the sums.
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


# Grid (all tiles). Programs with adjacent numbers run at the same time, so they get tiles in bands of GROUP_M rows of
# tiles: together they need fewer rows of A and columns of B, and find more of them in the cache.
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
    # The last band may have fewer rows of tiles.
    height = min(tiles_m - band * GROUP_M, GROUP_M)
    tile_m = band * GROUP_M + within % height
    tile_n = within // height
    multiply_tile(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  tile_m, tile_n, BLOCK_M, BLOCK_N, BLOCK_K, PRECISION)


# The same kernel with configurations of its own, for devices and sizes of all kinds. A launch that gives no block sizes
# takes the one that a record or the table of its device names (docs/tuning.md), else measures them.
CONFIGURATIONS = [
    # BLOCK_M, BLOCK_N, BLOCK_K, num_warps, num_stages
    (64, 64, 32, 4, 2), (32, 32, 32, 4, 2), (32, 32, 64, 8, 3), (32, 64, 32, 4, 3), (32, 64, 32, 8, 4),
    (32, 128, 32, 4, 3), (64, 32, 64, 4, 3), (64, 64, 64, 4, 3), (64, 128, 32, 4, 3), (64, 128, 64, 8, 3),
    (128, 32, 64, 4, 4), (128, 64, 32, 4, 3), (128, 128, 32, 4, 3), (128, 128, 64, 4, 3), (128, 128, 64, 8, 3),
    (128, 128, 128, 4, 3), (128, 256, 32, 8, 3), (128, 256, 64, 8, 3), (128, 256, 128, 8, 3), (256, 256, 128, 8, 3),
]
matmul_tuned = triton.autotune(
    configs=[triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 8}, num_warps=warps, num_stages=stages)
             for m, n, k, warps, stages in CONFIGURATIONS],
    key=["M", "N", "K"],
)(matmul_grouped)
