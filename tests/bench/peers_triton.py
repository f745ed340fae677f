"""Triton kernels that peers.py measures: good kernels of the usual form, without tricks for one machine."""
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(z_ptr + at, tl.load(x_ptr + at, mask=mask) + tl.load(y_ptr + at, mask=mask), mask=mask)


def add(x, y, z):
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, z, x.numel(), BLOCK=1024)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * stride
    at = tl.arange(0, BLOCK)
    values = tl.load(x_ptr + row + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(y_ptr + row + at, powers / tl.sum(powers, axis=0), mask=at < columns)


def softmax(x, y):
    rows, columns = x.shape
    softmax_kernel[(rows,)](x, y, x.stride(0), columns, BLOCK=triton.next_power_of_2(columns), num_warps=4)


def _config(m, n, k, stages, warps):
    return triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}, num_stages=stages, num_warps=warps)


@triton.autotune(key=["m", "n", "k", "b_k", "b_n"],
                 configs=[_config(128, 256, 64, 3, 8), _config(128, 256, 64, 4, 8), _config(128, 128, 64, 4, 4),
                          _config(128, 128, 64, 3, 8), _config(128, 128, 32, 4, 4), _config(256, 128, 64, 3, 8)])
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, a_m, a_k, b_k, b_n, c_m, c_n, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    # Tiles are numbered down groups of GROUP rows of tiles, so that programs that run at the same time share operands.
    program = tl.program_id(0)
    across = tl.cdiv(n, BLOCK_N)
    group = program // (GROUP * across)
    height = min(tl.cdiv(m, BLOCK_M) - group * GROUP, GROUP)
    row = (group * GROUP + program % (GROUP * across) % height) * BLOCK_M
    column = program % (GROUP * across) // height * BLOCK_N
    rows = (row + tl.arange(0, BLOCK_M)) % m
    columns = (column + tl.arange(0, BLOCK_N)) % n
    inner = tl.arange(0, BLOCK_K)
    a = a_ptr + rows[:, None] * a_m + inner[None, :] * a_k
    b = b_ptr + inner[:, None] * b_k + columns[None, :] * b_n
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, k, BLOCK_K):
        left = k - start
        total = tl.dot(tl.load(a, mask=inner[None, :] < left, other=0.0),
                       tl.load(b, mask=inner[:, None] < left, other=0.0), total)
        a += BLOCK_K * a_k
        b += BLOCK_K * b_k
    rows = row + tl.arange(0, BLOCK_M)
    columns = column + tl.arange(0, BLOCK_N)
    tl.store(c_ptr + rows[:, None] * c_m + columns[None, :] * c_n, total.to(tl.float16),
             mask=(rows[:, None] < m) & (columns[None, :] < n))


def matmul(a, b, c):
    (m, k), n = a.shape, b.shape[1]
    matmul_kernel[lambda meta: (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)](
        a, b, c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1), GROUP=8)
