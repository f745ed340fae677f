"""Triton kernels that peers.py measures: good kernels of the usual form, tuned over the blocks, stages and warps that
Triton's public tutorials try on NVIDIA's GPUs. `peers_check.py` compares what they compute with NumPy."""
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


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


def _config(m, n, k, stages, warps, **more):
    pre_hook = more.pop("pre_hook", None)
    return triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, **more}, num_stages=stages, num_warps=warps,
                         pre_hook=pre_hook)


POINTER_CONFIGS = [_config(*each) for each in (
    (128, 256, 64, 3, 8), (128, 256, 64, 4, 8), (256, 128, 64, 3, 8), (128, 128, 64, 3, 8), (128, 128, 64, 4, 4),
    (128, 128, 32, 4, 4), (64, 256, 32, 4, 4), (128, 64, 32, 4, 4), (64, 128, 32, 4, 4), (128, 32, 32, 4, 4),
    (64, 32, 32, 5, 2), (32, 64, 32, 5, 2), (128, 128, 128, 4, 4), (256, 64, 128, 4, 4), (64, 256, 128, 4, 4),
    (128, 64, 64, 4, 4), (64, 128, 64, 4, 4), (128, 32, 64, 4, 4))]


@triton.jit
def place(tile, m, n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP: tl.constexpr):
    """The row and the column where a tile begins. Tiles are numbered down groups of GROUP rows of tiles, so that
    programs that run at the same time share operands."""
    across = tl.cdiv(n, BLOCK_N)
    group = tile // (GROUP * across)
    height = min(tl.cdiv(m, BLOCK_M) - group * GROUP, GROUP)
    row = group * GROUP + tile % (GROUP * across) % height
    return row * BLOCK_M, tile % (GROUP * across) // height * BLOCK_N


@triton.autotune(key=["m", "n", "k", "b_k", "b_n"], configs=POINTER_CONFIGS)
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, a_m, a_k, b_k, b_n, c_m, c_n, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    row, column = place(tl.program_id(0), m, n, BLOCK_M, BLOCK_N, GROUP)
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


def fit_product(values):
    """Gives descriptors the blocks of the configuration that is tried."""
    values["a_desc"].block_shape = [values["BLOCK_M"], values["BLOCK_K"]]
    values["b_desc"].block_shape = [values["BLOCK_N"], values["BLOCK_K"]]
    values["c_desc"].block_shape = [values["BLOCK_M"], values["BLOCK_N"] // (2 if values["HALVES"] else 1)]


PERSISTENT_CONFIGS = [_config(128, n, k, stages, warps, HALVES=halves, pre_hook=fit_product)
                      for n in (128, 256) for k in (64, 128) for stages in (2, 3, 4) for warps in (4, 8)
                      for halves in (False, True)]


@triton.autotune(key=["m", "n", "k"], configs=PERSISTENT_CONFIGS)
@triton.jit
def persistent_matmul_kernel(a_desc, b_desc, c_desc, m, n, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                             BLOCK_K: tl.constexpr, HALVES: tl.constexpr, GROUP: tl.constexpr,
                             PROGRAMS: tl.constexpr):
    """A B^T, B stored N x K. Each program computes every PROGRAMS-th tile; HALVES stores a tile in two halves of its
    columns, which takes half the shared memory."""
    tiles = tl.cdiv(m, BLOCK_M) * tl.cdiv(n, BLOCK_N)
    # The place where a tile is stored is computed again: the compiler then needs not keep it across the flat loop.
    stored = tl.program_id(0)
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=True):
        row, column = place(tile, m, n, BLOCK_M, BLOCK_N, GROUP)
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for step in range(tl.cdiv(k, BLOCK_K)):
            a = a_desc.load([row, step * BLOCK_K])
            b = b_desc.load([column, step * BLOCK_K])
            total = tl.dot(a, b.T, total)
        row, column = place(stored, m, n, BLOCK_M, BLOCK_N, GROUP)
        stored += PROGRAMS
        if HALVES:
            halves = tl.permute(tl.reshape(total, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1))
            left, right = tl.split(halves)
            c_desc.store([row, column], left.to(tl.float16))
            c_desc.store([row, column + BLOCK_N // 2], right.to(tl.float16))
        else:
            c_desc.store([row, column], total.to(tl.float16))


def persistent_matmul(a, b_stored, c, programs):
    """c = a b_stored^T; `programs`: how many run at a time, one a multiprocessor."""
    (m, k), n = a.shape, b_stored.shape[0]
    descriptors = [TensorDescriptor.from_tensor(each, [1, 1]) for each in (a, b_stored, c)]
    persistent_matmul_kernel[
        lambda meta: (min(programs, triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"])),)](
        *descriptors, m, n, k, GROUP=8, PROGRAMS=programs)


def fit_attention(values):
    for name, block in (("q_desc", "BLOCK_Q"), ("k_desc", "BLOCK_K"), ("v_desc", "BLOCK_K"), ("out_desc", "BLOCK_Q")):
        values[name].block_shape = [values[block], values["WIDTH"]]


ATTENTION_CONFIGS = [triton.Config({"BLOCK_Q": q, "BLOCK_K": k}, num_stages=stages, num_warps=warps,
                                   pre_hook=fit_attention)
                     for q in (64, 128) for k in (32, 64, 128) for stages in (2, 3, 4) for warps in (4, 8)]


@triton.autotune(key=["length", "WIDTH"], configs=ATTENTION_CONFIGS)
@triton.jit
def attention_kernel(q_desc, k_desc, v_desc, out_desc, length, scale, WIDTH: tl.constexpr, BLOCK_Q: tl.constexpr,
                     BLOCK_K: tl.constexpr):
    """softmax(Q K^T scale) V, all keys for each query; `scale` holds the factor log2(e). Tensors are
    [heads * length, WIDTH], `length` a multiple of the blocks. Method: 'FlashAttention-2', Dao, arXiv 2307.08691."""
    first = tl.program_id(1) * length
    row = first + tl.program_id(0) * BLOCK_Q
    q = q_desc.load([row, 0])
    largest = tl.full((BLOCK_Q,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    result = tl.zeros((BLOCK_Q, WIDTH), dtype=tl.float32)
    for start in range(0, length, BLOCK_K):
        score = tl.dot(q, k_desc.load([first + start, 0]).T)
        now = tl.maximum(largest, tl.max(score, axis=1) * scale)
        weight = tl.exp2(score * scale - now[:, None])
        shrink = tl.exp2(largest - now)
        total = total * shrink + tl.sum(weight, axis=1)
        result = tl.dot(weight.to(tl.float16), v_desc.load([first + start, 0]), result * shrink[:, None])
        largest = now
    out_desc.store([row, 0], (result / total[:, None]).to(tl.float16))


def attention(q, k, v, out):
    """All [batch, heads, length, width], dense."""
    batch, heads, length, width = q.shape
    rows = batch * heads * length
    descriptors = [TensorDescriptor(each, [rows, width], [width, 1], [1, 1]) for each in (q, k, v, out)]
    attention_kernel[lambda meta: (triton.cdiv(length, meta["BLOCK_Q"]), batch * heads)](
        *descriptors, length, 1.4426950408889634 / width ** 0.5, WIDTH=width)
