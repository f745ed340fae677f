# Whole kernels, as people write them.
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x_ptr, y_ptr, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + j, mask=j < columns, other=-float("inf"))
    weight = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * stride + j, weight / tl.sum(weight, axis=0), mask=j < columns)


@triton.jit
def softmax_online(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    # One pass for maximum and sum together, over rows longer than a block.
    row = tl.program_id(0) * columns
    largest = -float("inf")
    total = 0.0
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + j, mask=j < columns, other=-float("inf"))
        new = tl.maximum(largest, tl.max(x, axis=0))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(x - new), axis=0)
        largest = new
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + j, mask=j < columns)
        tl.store(y_ptr + row + j, tl.exp(x - largest) / total, mask=j < columns)


@triton.jit
def softmax_tile(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y_ptr + i, tl.softmax(tl.load(x_ptr + i), dim=1, keep_dims=True))


@triton.jit
def softmax_columns(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    # The axis that is taken when none is named is the first.
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y_ptr + i, tl.softmax(tl.load(x_ptr + i)))


@triton.jit
def layernorm(x_ptr, w_ptr, b_ptr, y_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    j = tl.arange(0, BLOCK)
    inside = j < columns
    x = tl.load(x_ptr + row + j, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(inside, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    y = centred * rstd * tl.load(w_ptr + j, mask=inside) + tl.load(b_ptr + j, mask=inside)
    tl.store(y_ptr + row + j, y, mask=inside)


@triton.jit
def rmsnorm(x_ptr, w_ptr, y_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row + j, mask=j < columns, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / columns + eps)
    tl.store(y_ptr + row + j, x * scale * tl.load(w_ptr + j, mask=j < columns), mask=j < columns)


@triton.jit
def cross_entropy(x_ptr, label_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + j, mask=j < columns, other=-float("inf"))
    top = tl.max(x, axis=0)
    lse = top + tl.log(tl.sum(tl.exp(x - top), axis=0))
    tl.store(y_ptr + row, lse - tl.load(x_ptr + row * columns + tl.load(label_ptr + row)))


@triton.jit
def rotary(x_ptr, c_ptr, s_ptr, y_ptr, HALF: tl.constexpr):
    # Each row's first half is rotated against its second by given cosines and sines.
    row = tl.program_id(0)
    j = tl.arange(0, HALF)
    a = tl.load(x_ptr + row * 2 * HALF + j)
    b = tl.load(x_ptr + row * 2 * HALF + HALF + j)
    c = tl.load(c_ptr + row * HALF + j)
    s = tl.load(s_ptr + row * HALF + j)
    tl.store(y_ptr + row * 2 * HALF + j, a * c - b * s)
    tl.store(y_ptr + row * 2 * HALF + HALF + j, b * c + a * s)


@triton.jit
def dropout(x_ptr, keep_ptr, y_ptr, n, p, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.load(keep_ptr + i, mask=i < n) > p
    tl.store(y_ptr + i, tl.where(keep, tl.load(x_ptr + i, mask=i < n) / (1 - p), 0.0), mask=i < n)


@triton.jit
def embedding(table_ptr, index_ptr, y_ptr, WIDTH: tl.constexpr):
    row = tl.load(index_ptr + tl.program_id(0))
    j = tl.arange(0, WIDTH)
    tl.store(y_ptr + tl.program_id(0) * WIDTH + j, tl.load(table_ptr + row * WIDTH + j))


@triton.jit
def segment_sum(x_ptr, segment_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.atomic_add(y_ptr + tl.load(segment_ptr + i, mask=i < n, other=0), x, mask=i < n)


@triton.jit
def matvec(a_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        row = tl.load(a_ptr + tl.program_id(0) * n + j, mask=j < n, other=0)
        total += row * tl.load(x_ptr + j, mask=j < n, other=0)
    tl.store(y_ptr + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def convolve(x_ptr, w_ptr, y_ptr, n, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for t in tl.static_range(TAPS):
        at = i + t - TAPS // 2
        total += tl.load(w_ptr + t) * tl.load(x_ptr + at, mask=(at >= 0) & (at < n), other=0.0)
    tl.store(y_ptr + i, total, mask=i < n)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, n, scale, D: tl.constexpr, BLOCK: tl.constexpr, CAUSAL: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + i[:, None] * D + d[None, :], mask=i[:, None] < n, other=0.0)
    largest = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    out = tl.zeros((BLOCK, D), tl.float32)
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        k = tl.load(k_ptr + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        score = tl.dot(q, tl.trans(k)) * scale
        seen = j[None, :] < n
        if CAUSAL:
            seen = seen & (j[None, :] <= i[:, None])
        score = tl.where(seen, score, -1.0e6)
        new = tl.maximum(largest, tl.max(score, axis=1))
        shrink = tl.exp(largest - new)
        weight = tl.exp(score - new[:, None])
        total = total * shrink + tl.sum(weight, axis=1)
        v = tl.load(v_ptr + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        out = tl.dot(weight.to(v.dtype), v, out * shrink[:, None])
        largest = new
    tl.store(o_ptr + i[:, None] * D + d[None, :], out / total[:, None], mask=i[:, None] < n)


# The sums that the gradients of a block of keys need, over blocks of queries from `start` on: of the values, and of the
# keys. `top`: the logarithms of the rows' sums of weights; `delta`: the rows' products of result and gradient.
@triton.jit
def add_gradients_of_keys(dk, dv, k, v, q_ptr, g_ptr, top_ptr, delta_ptr, j, start, end, D: tl.constexpr,
                          ROWS: tl.constexpr, MASKED: tl.constexpr):
    d = tl.arange(0, D)
    for first in range(start, end, ROWS):
        i = first + tl.arange(0, ROWS)
        qt = tl.load(q_ptr + i[None, :] * D + d[:, None])
        weight = tl.exp2(tl.dot(k, qt) - tl.load(top_ptr + i)[None, :])
        if MASKED:
            weight = tl.where(i[None, :] >= j[:, None], weight, 0.0)
        g = tl.load(g_ptr + i[:, None] * D + d[None, :])
        dv += tl.dot(weight.to(g.dtype), g)
        change = weight * (tl.dot(v, tl.trans(g)) - tl.load(delta_ptr + i)[None, :])
        dk += tl.dot(change.to(g.dtype), tl.trans(qt))
    return dk, dv


@triton.jit
def add_gradients_of_queries(dq, q, g, top, delta, k_ptr, v_ptr, i, start, end, D: tl.constexpr, COLUMNS: tl.constexpr,
                             MASKED: tl.constexpr):
    d = tl.arange(0, D)
    for first in range(start, end, COLUMNS):
        j = first + tl.arange(0, COLUMNS)
        kt = tl.load(k_ptr + j[None, :] * D + d[:, None])
        vt = tl.load(v_ptr + j[None, :] * D + d[:, None])
        weight = tl.exp2(tl.dot(q, kt) - top[:, None])
        if MASKED:
            weight = tl.where(i[:, None] >= j[None, :], weight, 0.0)
        change = weight * (tl.dot(g, vt) - delta[:, None])
        dq += tl.dot(change.to(q.dtype), tl.trans(kt))
    return dq


# The backward pass of an attention of one head, n a multiple of BLOCK: gradients of the keys and values of a block,
# then of the queries of the same block. Four loops where it is causal, with half steps at the diagonal; else two.
@triton.jit
def attention_gradients(q_ptr, k_ptr, v_ptr, g_ptr, top_ptr, delta_ptr, dq_ptr, dk_ptr, dv_ptr, n, D: tl.constexpr,
                        BLOCK: tl.constexpr, STEP: tl.constexpr, CAUSAL: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    i = first + tl.arange(0, BLOCK)
    at = i[:, None] * D + tl.arange(0, D)[None, :]
    k = tl.load(k_ptr + at)
    v = tl.load(v_ptr + at)
    dk = tl.zeros((BLOCK, D), tl.float32)
    dv = tl.zeros((BLOCK, D), tl.float32)
    start = 0
    if CAUSAL:
        start = first + BLOCK
        dk, dv = add_gradients_of_keys(dk, dv, k, v, q_ptr, g_ptr, top_ptr, delta_ptr, i, first, start, D, STEP // 2,
                                       True)
    dk, dv = add_gradients_of_keys(dk, dv, k, v, q_ptr, g_ptr, top_ptr, delta_ptr, i, start, n, D, STEP, False)
    tl.store(dk_ptr + at, dk)
    tl.store(dv_ptr + at, dv)
    q = tl.load(q_ptr + at)
    g = tl.load(g_ptr + at)
    top = tl.load(top_ptr + i)
    delta = tl.load(delta_ptr + i)
    dq = tl.zeros((BLOCK, D), tl.float32)
    end = n
    if CAUSAL:
        end = first
        dq = add_gradients_of_queries(dq, q, g, top, delta, k_ptr, v_ptr, i, first, first + BLOCK, D, STEP // 2, True)
    dq = add_gradients_of_queries(dq, q, g, top, delta, k_ptr, v_ptr, i, 0, end, D, STEP, False)
    tl.store(dq_ptr + at, dq)
