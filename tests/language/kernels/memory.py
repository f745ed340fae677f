# Loads, stores, pointers and block pointers.
import triton
import triton.language as tl


@triton.jit
def unmasked(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i))


@triton.jit
def masked(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n))


@triton.jit
def masked_other(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n, other=-float("inf")))


@triton.jit
def masked_other_tile(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i, i < n, i * 2))


@triton.jit
def masked_store(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i), mask=i < n)


@triton.jit
def mask_broadcast(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    columns = tl.arange(0, N)[None, :]
    offsets = rows * N + columns
    x = tl.load(x_ptr + offsets, mask=rows < m, other=-1.0)
    tl.store(y_ptr + offsets, x, mask=(rows < M) & (columns < n))


@triton.jit
def scalar_access(x_ptr, y_ptr, n):
    x = tl.load(x_ptr + 2)
    y = tl.load(x_ptr + 1, mask=n > 100, other=5.0)
    tl.store(y_ptr, x + y)
    tl.store(y_ptr + 1, 9.0, mask=n > 100)


@triton.jit
def store_casts(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    accumulator = tl.load(x_ptr + i).to(tl.float32) * 1.5
    tl.store(y_ptr + i, accumulator)


@triton.jit
def store_scalar(y_ptr, N: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, N), 3)


@triton.jit
def hints(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, cache_modifier=".ca", eviction_policy="evict_last")
    x += tl.load(x_ptr + i, cache_modifier=".cg", eviction_policy="evict_first", volatile=True)
    x += tl.load(x_ptr + i, cache_modifier=".cs") + tl.load(x_ptr + i, cache_modifier=".cv")
    tl.store(y_ptr + i, x, cache_modifier=".wb")
    tl.store(y_ptr + i, x, cache_modifier=".wt", eviction_policy="evict_first")


@triton.jit
def pointer_arithmetic(x_ptr, y_ptr, stride, N: tl.constexpr):
    x_ptr += stride
    i = tl.arange(0, N)
    ahead = x_ptr + i + 1
    behind = ahead - 1
    tl.store(y_ptr + i, tl.load(behind) + tl.load(i + x_ptr))


@triton.jit
def advancing(x_ptr, y_ptr, steps, N: tl.constexpr):
    pointers = x_ptr + tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    for _ in range(steps):
        total += tl.load(pointers)
        pointers += N
    tl.store(y_ptr + tl.arange(0, N), total)


@triton.jit
def strided(x_ptr, y_ptr, stride_m, stride_n, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    columns = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * stride_m + columns[None, :] * stride_n)
    tl.store(y_ptr + rows[:, None] * N + columns[None, :], x)


@triton.jit
def far_offsets(x_ptr, y_ptr, n):
    # The intermediate offset exceeds 32 bits, so it must be computed in 64.
    far = n.to(tl.int64) * n
    tl.store(y_ptr, tl.load(x_ptr + far - far + 3))


@triton.jit
def booleans(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, x)
    tl.store(z_ptr + i, tl.where(x, 1.0, -1.0))


@triton.jit
def block_pointer(x_ptr, y_ptr, m, n, stride_m, stride_n, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, shape=(m, n), strides=(stride_m, stride_n), offsets=(1, 2),
                               block_shape=(M, N), order=(1, 0))
    x = tl.load(source, boundary_check=(0, 1), padding_option="zero")
    target = tl.make_block_ptr(base=y_ptr, shape=(M, N), strides=(N, 1), offsets=(0, 0), block_shape=(M, N),
                               order=(1, 0))
    tl.store(target, x)


@triton.jit
def block_pointer_nan(x_ptr, y_ptr, n, N: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (N,), (0,))
    target = tl.make_block_ptr(y_ptr, (N,), (1,), (0,), (N,), (0,))
    tl.store(target, tl.load(source, boundary_check=(0,), padding_option="nan"))


@triton.jit
def block_pointer_store(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    x = tl.load(x_ptr + rows * N + tl.arange(0, N)[None, :])
    target = tl.make_block_ptr(y_ptr, (m, n), (n, 1), (0, 0), (M, N), (1, 0))
    tl.store(target, x, boundary_check=(1, 0))


@triton.jit
def advance(x_ptr, y_ptr, k, M: tl.constexpr, K: tl.constexpr):
    block = tl.make_block_ptr(x_ptr, (M, k), (k, 1), (0, 0), (M, K), (1, 0))
    total = tl.zeros((M, K), tl.float32)
    for _ in range(0, k, K):
        total += tl.load(block, boundary_check=(1,))
        block = tl.advance(block, (0, K))
    tl.store(tl.make_block_ptr(y_ptr, (M, K), (K, 1), (0, 0), (M, K), (1, 0)), total)
