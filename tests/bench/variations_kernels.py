"""Products of one problem in the forms that programs have. variations.py measures them."""
import tegula
import tegula.language as tl


@tegula.jit
def place(M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP: tl.constexpr):
    # Tiles are numbered down groups of GROUP rows of tiles.
    program = tl.program_id(0)
    across = tl.cdiv(N, BLOCK_N)
    group = program // (GROUP * across)
    height = min(tl.cdiv(M, BLOCK_M) - group * GROUP, GROUP)
    within = program % (GROUP * across)
    return group * GROUP + within % height, within // height


# C = A B, C = act(A B * scale + bias) + residual; strides for any orders of A and B.
@tegula.jit
def product(a_ptr, b_ptr, c_ptr, bias_ptr, residual_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
            stride_cm, scale, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
            GROUP: tl.constexpr, EPILOGUE: tl.constexpr):
    tile_m, tile_n = place(M, N, BLOCK_M, BLOCK_N, GROUP)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (rows % M)[:, None] * stride_am + depth[None, :] * stride_ak
    b_ptrs = b_ptr + depth[:, None] * stride_bk + (columns % N)[None, :] * stride_bn
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=depth[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=depth[:, None] < K - k * BLOCK_K, other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    if EPILOGUE == "scaled":
        total = total * scale
    if EPILOGUE == "bias" or EPILOGUE == "bias and sigmoid":
        total += tl.load(bias_ptr + columns, mask=columns < N, other=0.0)[None, :]
    if EPILOGUE == "relu":
        total = tl.maximum(total, 0.0)
    if EPILOGUE == "bias and sigmoid":
        total = total * tl.sigmoid(total)
    at = rows[:, None] * stride_cm + columns[None, :]
    if EPILOGUE == "residual":
        total += tl.load(residual_ptr + at, mask=inside, other=0.0)
    tl.store(c_ptr + at, total.to(c_ptr.dtype.element_ty), mask=inside)


# Other names, in another order, with nothing but what is needed.
@tegula.jit
def multiply(z, ldz, y, ldy, x, ldx, depth, height, width, H: tl.constexpr, W: tl.constexpr, D: tl.constexpr,
             G: tl.constexpr):
    down, across = place(height, width, H, W, G)
    i = down * H + tl.arange(0, H)
    j = across * W + tl.arange(0, W)
    sums = tl.zeros((H, W), tl.float32)
    for p in range(0, depth, D):
        q = p + tl.arange(0, D)
        left = tl.load(x + i[:, None] * ldx + q[None, :], mask=(i[:, None] < height) & (q[None, :] < depth), other=0.0)
        right = tl.load(y + q[:, None] * ldy + j[None, :], mask=(q[:, None] < depth) & (j[None, :] < width), other=0.0)
        sums += tl.dot(left, right)
    inside = (i[:, None] < height) & (j[None, :] < width)
    tl.store(z + i[:, None] * ldz + j[None, :], sums.to(z.dtype.element_ty), mask=inside)


# A grid of two axes, pointers that are moved, no masks along the depth: it must be a multiple of the block's.
@tegula.jit
def plain(a, b, c, n, k, A_ROW: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    i = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    p = tl.arange(0, BLOCK_K)
    left = a + i[:, None] * A_ROW + p[None, :]
    right = b + p[:, None] * n + j[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, k, BLOCK_K):
        sums = tl.dot(tl.load(left), tl.load(right), sums)
        left += BLOCK_K
        right += BLOCK_K * n
    tl.store(c + i[:, None] * n + j[None, :], sums.to(c.dtype.element_ty))
