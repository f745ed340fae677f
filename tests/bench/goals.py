"""The kernels of cpu_goals_bench: a masked matrix product in f32, and a softmax with one program for each row."""
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        inner = start + depth
        a = tl.load(a_ptr + rows[:, None] * a_row + inner[None, :] * a_column,
                    mask=(rows[:, None] < M) & (inner[None, :] < K), other=0.0)
        b = tl.load(b_ptr + inner[:, None] * b_row + columns[None, :] * b_column,
                    mask=(inner[:, None] < K) & (columns[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
    tl.store(c_ptr + rows[:, None] * c_row + columns[None, :] * c_column, total,
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def softmax(x_ptr, y_ptr, n, x_row, y_row, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    index = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row + index, mask=index < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row + index, e / tl.sum(e, axis=0), mask=index < n)
