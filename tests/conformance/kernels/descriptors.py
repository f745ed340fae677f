# Tensor descriptors: from the host, and made in the kernel.
import triton
import triton.language as tl


@triton.jit
def at(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def copy(x_desc, y_desc, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M
    j = tl.program_id(1) * N
    y_desc.store([i, j], x_desc.load([i, j]))


@triton.jit
def copy_1d(x_desc, y_desc, N: tl.constexpr):
    i = tl.program_id(0) * N
    y_desc.store([i], x_desc.load([i]))


@triton.jit
def copy_3d(x_desc, y_desc, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    i = [tl.program_id(0) * A, tl.program_id(1) * B, tl.program_id(2) * C]
    y_desc.store(i, x_desc.load(i))


@triton.jit
def outside(x_desc, y_ptr, i, j, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + at(M, N), x_desc.load([i, j]))


@triton.jit
def store_outside(x_ptr, y_desc, i, j, M: tl.constexpr, N: tl.constexpr):
    y_desc.store([i, j], tl.load(x_ptr + at(M, N)))


@triton.jit
def transposing(x_desc, y_desc, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M
    j = tl.program_id(1) * N
    y_desc.store([j, i], x_desc.load([i, j]).T)


@triton.jit
def made_in_kernel(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[m, n], strides=[n, 1], block_shape=[M, N])
    y_desc = tl.make_tensor_descriptor(y_ptr, [m, n], [n, 1], [M, N])
    row = tl.program_id(0) * M
    column = tl.program_id(1) * N
    y_desc.store([row, column], tl.abs(x_desc.load([row, column])))


@triton.jit
def padded_rows(x_ptr, y_ptr, m, n, stride, M: tl.constexpr, N: tl.constexpr):
    # Rows that are longer in memory than in the tensor.
    x_desc = tl.make_tensor_descriptor(x_ptr, [m, n], [stride, 1], [M, N])
    tl.store(y_ptr + at(M, N), x_desc.load([0, 0]))


@triton.jit
def nan_padding(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    desc = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [M, N], padding_option="nan")
    tl.store(y_ptr + at(M, N), desc.load([0, 0]))


@triton.jit
def functions(x_desc, y_desc, M: tl.constexpr, N: tl.constexpr):
    x = tl.load_tensor_descriptor(x_desc, [0, 0])
    tl.store_tensor_descriptor(y_desc, [0, 0], x + 1)


@triton.jit
def attributes(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    desc = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [M, N])
    tl.static_assert(desc.block_shape[0] == M and desc.block_shape[1] == N)
    tl.static_assert(desc.dtype == tl.float32)
    tl.store(y_ptr, desc.shape[0] * 1000 + desc.shape[1])
    tl.store(y_ptr + 1, desc.strides[0])


@triton.jit
def in_loop(x_desc, y_ptr, k, M: tl.constexpr, N: tl.constexpr):
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, k, N):
        total += x_desc.load([0, start])
    tl.store(y_ptr + at(M, N), total)


@triton.jit
def gather(x_desc, rows_ptr, y_ptr, column, ROWS: tl.constexpr, N: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, ROWS))
    tl.store(y_ptr + at(ROWS, N), x_desc.gather(rows, column))


@triton.jit
def scatter(x_ptr, rows_ptr, y_desc, column, ROWS: tl.constexpr, N: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, ROWS))
    y_desc.scatter(tl.load(x_ptr + at(ROWS, N)), rows, column)


@triton.jit
def atomics(x_ptr, add_desc, min_desc, max_desc, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * M * N + at(M, N))
    add_desc.atomic_add([0, 0], x)
    min_desc.atomic_min([0, 0], x)
    max_desc.atomic_max([0, 0], x)


@triton.jit
def bit_atomics(x_ptr, and_desc, or_desc, xor_desc, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * M * N + at(M, N))
    and_desc.atomic_and([0, 0], x)
    or_desc.atomic_or([0, 0], x)
    xor_desc.atomic_xor([0, 0], x)


@triton.jit
def single_product(a_desc, b_desc, c_desc, first, M: tl.constexpr, N: tl.constexpr):
    # Nothing stands before the loads but what their coordinates need.
    row = tl.program_id(0) * M
    a = a_desc.load([row, 0])
    b = b_desc.load([0, 0])
    c_desc.store([row, 0], tl.dot(a, b, tl.full((M, N), first, tl.float32)))


@triton.jit
def decaying(q_desc, k_desc, v_desc, out_desc, keys, factor, M: tl.constexpr, N: tl.constexpr, WIDTH: tl.constexpr):
    # Attention without a softmax; each iteration scales the sum first.
    row = tl.program_id(0) * M
    q = q_desc.load([row, 0])
    total = tl.zeros((M, WIDTH), tl.float32)
    for start in range(0, keys, N):
        total = total * factor
        score = tl.dot(q, k_desc.load([start, 0]).T)
        total = tl.dot(score.to(tl.float16), v_desc.load([start, 0]), total)
    out_desc.store([row, 0], total)
