"""A matrix product and an attention in the forms that the loops of real programs have. loop_forms.py compiles this file
with Tegula and, where it is installed, with Triton."""
import triton
import triton.language as tl
from triton.language.extra import libdevice

LOG2_E = tl.constexpr(1.4426950408889634)
LN_2 = tl.constexpr(0.6931471805599453)
HIDDEN = tl.constexpr(-1e30)  # the score of a key that a query does not see; finite, so that differences are numbers


@triton.jit
def place(M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP: tl.constexpr):
    # Tiles are numbered down groups of GROUP rows of tiles.
    program = tl.program_id(0)
    across = tl.cdiv(N, BLOCK_N)
    group = program // (GROUP * across)
    height = min(tl.cdiv(M, BLOCK_M) - group * GROUP, GROUP)
    within = program % (GROUP * across)
    return group * GROUP + within % height, within // height


# C = A B, all by rows. FORM "base" uses no pointer but the first three; a form's own pointer is not None.
@triton.jit
def product(a_ptr, b_ptr, c_ptr, residual_ptr, a_scale_ptr, b_scale_ptr, index_ptr, sum_ptr, M, N, K, stride_a,
            stride_b, stride_c, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
            GROUP: tl.constexpr, FORM: tl.constexpr):
    tile_m, tile_n = place(M, N, BLOCK_M, BLOCK_N, GROUP)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    blocks = tl.cdiv(K, BLOCK_K)
    begin = 0
    end = blocks
    if FORM == "atomics":  # axis 1 of the grid divides the depth
        share = tl.cdiv(blocks, tl.num_programs(1))
        begin = tl.program_id(1) * share
        end = min(begin + share, blocks)
    rows_of_a = rows
    if FORM == "gathered A":
        rows_of_a = tl.load(index_ptr + rows, mask=rows < M, other=0)
    a_ptrs = a_ptr + rows_of_a[:, None] * stride_a + (begin * BLOCK_K + depth)[None, :]
    b_ptrs = b_ptr + (begin * BLOCK_K + depth)[:, None] * stride_b + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    if FORM == "summed A":
        sums = tl.zeros((BLOCK_M,), dtype=tl.float32)
    for k in range(begin, end):
        if FORM == "assertion":
            tl.device_assert(k * BLOCK_K < stride_a, "the depth exceeds a row of A")
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (depth[None, :] < K - k * BLOCK_K), other=0.0)
        b = tl.load(b_ptrs, mask=(depth[:, None] < K - k * BLOCK_K) & (columns[None, :] < N), other=0.0)
        if FORM == "int8 B":
            b = b.to(tl.float16)
        if FORM == "silu A":
            wide = a.to(tl.float32)
            a = (wide * tl.sigmoid(wide)).to(tl.float16)
        if FORM == "summed A":
            sums += tl.sum(a.to(tl.float32), axis=1)
        if FORM == "block scales":
            a_scale = tl.load(a_scale_ptr + rows * blocks + k, mask=rows < M, other=0.0)
            b_scale = tl.load(b_scale_ptr + columns * blocks + k, mask=columns < N, other=0.0)
            total += tl.dot(a, b) * a_scale[:, None] * b_scale[None, :]
        else:
            total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_b
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    at = rows[:, None] * stride_c + columns[None, :]
    if FORM == "residual":
        total += tl.load(residual_ptr + at, mask=inside, other=0.0)
    if FORM == "summed A":
        tl.store(sum_ptr + rows, sums, mask=(rows < M) & (tile_n == 0))
    if FORM == "atomics":
        tl.atomic_add(c_ptr + at, total, mask=inside)
    else:
        tl.store(c_ptr + at, total.to(c_ptr.dtype.element_ty), mask=inside)


# Blocks of the depth whose flag is 0 are left out.
@triton.jit
def flagged_product(a_ptr, b_ptr, c_ptr, flag_ptr, M, N, K, stride_a, stride_b, stride_c, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    tile_m, tile_n = place(M, N, BLOCK_M, BLOCK_N, GROUP)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_a + depth[None, :]
    b_ptrs = b_ptr + depth[:, None] * stride_b + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        if tl.load(flag_ptr + k) != 0:
            a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (depth[None, :] < K - k * BLOCK_K), other=0.0)
            b = tl.load(b_ptrs, mask=(depth[:, None] < K - k * BLOCK_K) & (columns[None, :] < N), other=0.0)
            total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_b
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * stride_c + columns[None, :], total.to(c_ptr.dtype.element_ty), mask=inside)


@triton.jit
def while_product(a_ptr, b_ptr, c_ptr, M, N, K, stride_a, stride_b, stride_c, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    tile_m, tile_n = place(M, N, BLOCK_M, BLOCK_N, GROUP)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_a + depth[None, :]
    b_ptrs = b_ptr + depth[:, None] * stride_b + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    left = K
    while left > 0:
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (depth[None, :] < left), other=0.0)
        b = tl.load(b_ptrs, mask=(depth[:, None] < left) & (columns[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_b
        left -= BLOCK_K
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * stride_c + columns[None, :], total.to(c_ptr.dtype.element_ty), mask=inside)


# Rows and columns beyond the last ones are the first ones again, so that no load needs a mask for them.
@triton.jit
def wrapped_product(a_ptr, b_ptr, c_ptr, M, N, K, stride_a, stride_b, stride_c, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    tile_m, tile_n = place(M, N, BLOCK_M, BLOCK_N, GROUP)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (rows % M)[:, None] * stride_a + depth[None, :]
    b_ptrs = b_ptr + depth[:, None] * stride_b + (columns % N)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=depth[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=depth[:, None] < K - k * BLOCK_K, other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_b
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * stride_c + columns[None, :], total.to(c_ptr.dtype.element_ty), mask=inside)


# Online softmax: the new maximum of each row, the weights of a block's keys, the factor of what was summed before.
# Scores are logarithms of base 2.
@triton.jit
def weigh(score, largest):
    now = tl.maximum(largest, tl.max(score, axis=1))
    return now, tl.exp2(score - now[:, None]), tl.exp2(largest - now)


# softmax(Q K^T scale) V of [entries, rows, HEAD]; an entry is a head of a batch's element. BLOCK_Q and BLOCK_K divide
# `rows`. A form's own pointer is not None.
@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, bias_ptr, lse_ptr, rows, heads, stride_entry, stride_row, scale, cap, keep,
              seed, window, HEAD: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, FORM: tl.constexpr):
    entry = tl.program_id(1)
    first = tl.program_id(0) * BLOCK_Q
    i = first + tl.arange(0, BLOCK_Q)
    j = tl.arange(0, BLOCK_K)
    d = tl.arange(0, HEAD)
    of_entry = entry.to(tl.int64) * stride_entry
    q_offset = of_entry + i[:, None] * stride_row + d[None, :]
    block = j[:, None] * stride_row + d[None, :]
    q = tl.load(q_ptr + q_offset)
    to_log2 = scale * LOG2_E
    if FORM == "scaled Q":
        q = (q.to(tl.float32) * to_log2).to(tl.float16)
    if FORM == "ALiBi":
        slope = tl.exp2(-8.0 * (entry % heads + 1) / heads) * LOG2_E
    largest = tl.full((BLOCK_Q,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    result = tl.zeros((BLOCK_Q, HEAD), dtype=tl.float32)
    begin = 0
    end = rows
    if FORM == "sliding window":  # a query sees its own key and the `window` - 1 before it
        begin = tl.maximum(first - window + 1, 0) // BLOCK_K * BLOCK_K
        end = first + BLOCK_Q
    for start in range(begin, end, BLOCK_K):
        offset = of_entry + start * stride_row
        k = tl.load(k_ptr + offset + block)
        score = tl.dot(q, tl.trans(k))
        if FORM == "softcap":
            score = libdevice.tanh(score * (scale / cap)) * (cap * LOG2_E)
        elif FORM != "scaled Q":
            score = score * to_log2
        if FORM == "ALiBi":
            score -= slope * tl.abs(i[:, None] - (start + j)[None, :]).to(tl.float32)
        if FORM == "loaded bias":
            score += tl.load(bias_ptr + i[:, None] * rows + (start + j)[None, :]).to(tl.float32) * LOG2_E
        if FORM == "sliding window":
            key = (start + j)[None, :]
            score = tl.where((key <= i[:, None]) & (key > i[:, None] - window), score, HIDDEN)
        now, weight, shrink = weigh(score, largest)
        total = total * shrink + tl.sum(weight, axis=1)
        if FORM == "dropout":
            at = i[:, None] * rows + (start + j)[None, :]
            weight = tl.where(tl.rand(seed, entry * rows * rows + at) < keep, weight, 0.0)
        v = tl.load(v_ptr + offset + block)
        result = tl.dot(weight.to(v.dtype), v, result * shrink[:, None])
        largest = now
    if FORM == "dropout":
        result = result / (total * keep)[:, None]
    else:
        result = result / total[:, None]
    tl.store(out_ptr + q_offset, result.to(out_ptr.dtype.element_ty))
    if FORM == "two outputs":
        tl.store(lse_ptr + entry * rows + i, (largest + tl.log2(total)) * LN_2)


# What the form "dropout" keeps of one entry's weights.
@triton.jit
def kept(mask_ptr, entry, rows, keep, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    at = i[:, None] * rows + j[None, :]
    tl.store(mask_ptr + at, (tl.rand(seed, entry * rows * rows + at) < keep).to(tl.int8))


# Keys and values in pages of BLOCK_K rows of all heads: [pages, BLOCK_K, heads, HEAD]. A row of the table has the
# numbers of the pages of one element of the batch.
@triton.jit
def paged_attention(q_ptr, k_ptr, v_ptr, out_ptr, table_ptr, rows, heads, stride_entry, stride_row, stride_page,
                    stride_key, scale, HEAD: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr):
    entry = tl.program_id(1)
    i = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    j = tl.arange(0, BLOCK_K)
    d = tl.arange(0, HEAD)
    q_offset = entry.to(tl.int64) * stride_entry + i[:, None] * stride_row + d[None, :]
    block = j[:, None] * stride_key + d[None, :]
    q = tl.load(q_ptr + q_offset)
    pages = rows // BLOCK_K
    table = table_ptr + entry // heads * pages
    largest = tl.full((BLOCK_Q,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    result = tl.zeros((BLOCK_Q, HEAD), dtype=tl.float32)
    for number in range(0, pages):
        page = tl.load(table + number).to(tl.int64)
        offset = page * stride_page + entry % heads * HEAD
        k = tl.load(k_ptr + offset + block)
        score = tl.dot(q, tl.trans(k)) * (scale * LOG2_E)
        now, weight, shrink = weigh(score, largest)
        total = total * shrink + tl.sum(weight, axis=1)
        v = tl.load(v_ptr + offset + block)
        result = tl.dot(weight.to(v.dtype), v, result * shrink[:, None])
        largest = now
    tl.store(out_ptr + q_offset, (result / total[:, None]).to(out_ptr.dtype.element_ty))


# The keys from `begin` to `end`; with DIAGONAL a query sees none behind its own.
@triton.jit
def attend(q, k_ptr, v_ptr, largest, total, result, i, begin, end, stride_row, to_log2, HEAD: tl.constexpr,
           BLOCK_K: tl.constexpr, DIAGONAL: tl.constexpr):
    j = tl.arange(0, BLOCK_K)
    block = j[:, None] * stride_row + tl.arange(0, HEAD)[None, :]
    for start in range(begin, end, BLOCK_K):
        k = tl.load(k_ptr + start * stride_row + block)
        score = tl.dot(q, tl.trans(k)) * to_log2
        if DIAGONAL:
            score = tl.where((start + j)[None, :] <= i[:, None], score, HIDDEN)
        now, weight, shrink = weigh(score, largest)
        total = total * shrink + tl.sum(weight, axis=1)
        v = tl.load(v_ptr + start * stride_row + block)
        result = tl.dot(weight.to(v.dtype), v, result * shrink[:, None])
        largest = now
    return largest, total, result


# Causal: a loop over the blocks of keys that all queries of the block see, then one over those on the diagonal.
@triton.jit
def causal_attention(q_ptr, k_ptr, v_ptr, out_ptr, rows, stride_entry, stride_row, scale, HEAD: tl.constexpr,
                     BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr):
    of_entry = tl.program_id(1).to(tl.int64) * stride_entry
    first = tl.program_id(0) * BLOCK_Q
    i = first + tl.arange(0, BLOCK_Q)
    q_offset = of_entry + i[:, None] * stride_row + tl.arange(0, HEAD)[None, :]
    q = tl.load(q_ptr + q_offset)
    to_log2 = scale * LOG2_E
    largest = tl.full((BLOCK_Q,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    result = tl.zeros((BLOCK_Q, HEAD), dtype=tl.float32)
    largest, total, result = attend(q, k_ptr + of_entry, v_ptr + of_entry, largest, total, result, i, 0, first,
                                    stride_row, to_log2, HEAD, BLOCK_K, False)
    largest, total, result = attend(q, k_ptr + of_entry, v_ptr + of_entry, largest, total, result, i, first,
                                    first + BLOCK_Q, stride_row, to_log2, HEAD, BLOCK_K, True)
    tl.store(out_ptr + q_offset, (result / total[:, None]).to(out_ptr.dtype.element_ty))
