import triton
import triton.language as tl


@triton.jit
def tile_position(tile, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    band = tile // (GROUP_M * tiles_n)
    within = tile % (GROUP_M * tiles_n)
    height = min(tiles_m - band * GROUP_M, GROUP_M)
    return band * GROUP_M + within % height, within // height


# PROGRAMS programs share all tiles: program p computes tiles p, p + PROGRAMS, p + 2 PROGRAMS, ... A program starts once
# for many tiles, and a compiler may overlap the end of one tile with the loads of the next.
@triton.jit
def matmul_persistent(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr, PROGRAMS: tl.constexpr,
):
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    k_tiles = tl.cdiv(K, BLOCK_K)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, PROGRAMS, flatten=True):
        tile_m, tile_n = tile_position(tile, tiles_m, tiles_n, GROUP_M)
        m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
        n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for step in range(k_tiles):
            k = step * BLOCK_K + tl.arange(0, BLOCK_K)
            a = tl.load(a_ptr + m[:, None].to(tl.int64) * stride_am + k[None, :].to(tl.int64) * stride_ak,
                        mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
            b = tl.load(b_ptr + k[:, None].to(tl.int64) * stride_bk + n[None, :].to(tl.int64) * stride_bn,
                        mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
            total = tl.dot(a, b, total)
        c_ptrs = c_ptr + m[:, None].to(tl.int64) * stride_cm + n[None, :].to(tl.int64) * stride_cn
        tl.store(c_ptrs, total.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))
