# Tensor descriptors: from the host, and made in the kernel.
import triton
import triton.language as tl


@triton.jit
def host_descriptor(x_desc, y_desc, M: tl.constexpr, N: tl.constexpr):
    x = x_desc.load([M, N])
    y_desc.store([0, 0], x * 2)


@triton.jit
def outside(x_desc, y_ptr, i, j, M: tl.constexpr, N: tl.constexpr):
    x = x_desc.load([i, j])
    tl.store(y_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], x)


@triton.jit
def store_outside(x_ptr, y_desc, i, j, M: tl.constexpr, N: tl.constexpr):
    y_desc.store([i, j], tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]))


@triton.jit
def made_in_kernel(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[m, n], strides=[n, 1], block_shape=[M, N])
    y_desc = tl.make_tensor_descriptor(y_ptr, [m, n], [n, 1], [M, N])
    row = tl.program_id(0) * M
    column = tl.program_id(1) * N
    y_desc.store([row, column], tl.abs(x_desc.load([row, column])))


@triton.jit
def functions(x_desc, y_desc, M: tl.constexpr, N: tl.constexpr):
    x = tl.load_tensor_descriptor(x_desc, [0, 0])
    tl.store_tensor_descriptor(y_desc, [0, 0], x.T.T + 1)


@triton.jit
def attributes(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    desc = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [M, N])
    tl.static_assert(desc.block_shape[0] == M and desc.block_shape[1] == N)
    tl.static_assert(desc.dtype == tl.float32)
    tl.store(y_ptr, desc.shape[0] * 1000 + desc.shape[1])
    tl.store(y_ptr + 1, desc.strides[0])


@triton.jit
def nan_padding(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    desc = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [M, N], padding_option="nan")
    tl.store(y_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], desc.load([0, 0]))


@triton.jit
def gather(x_desc, rows_ptr, y_ptr, column, ROWS: tl.constexpr, N: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, ROWS))
    x = x_desc.gather(rows, column)
    tl.store(y_ptr + tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)[None, :], x)


@triton.jit
def scatter(x_ptr, rows_ptr, y_desc, column, ROWS: tl.constexpr, N: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, ROWS))
    x = tl.load(x_ptr + tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)[None, :])
    y_desc.scatter(x, rows, column)


@triton.jit
def atomics(x_ptr, add_desc, min_desc, max_desc, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * M * N + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    add_desc.atomic_add([0, 0], x)
    min_desc.atomic_min([0, 0], x)
    max_desc.atomic_max([0, 0], x)


@triton.jit
def bit_atomics(x_ptr, and_desc, or_desc, xor_desc, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * M * N + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    and_desc.atomic_and([0, 0], x)
    or_desc.atomic_or([0, 0], x)
    xor_desc.atomic_xor([0, 0], x)


@triton.jit
def far_stride(x_ptr, other_ptr, row, stride):
    desc = tl.make_tensor_descriptor(x_ptr, shape=[4, 4], strides=[stride, 1], block_shape=[1, 4])
    desc.store([row, 0], tl.full([1, 4], 7.0, tl.float32))
    tl.store(other_ptr, tl.load(other_ptr))
