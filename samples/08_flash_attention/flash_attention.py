import triton
import triton.language as tl


# softmax(Q K^T * scale) V for one block of queries of one head, in one pass over the keys: the queries x keys matrix of
# scores never exists in memory. Method: 'FlashAttention-2', Dao, arXiv 2307.08691, algorithm 1.
# Q is [heads, queries, HEAD], K and V are [heads, keys, HEAD], all dense.
@triton.jit
def attention_forward(
    q_ptr, k_ptr, v_ptr, out_ptr,
    queries, keys, scale,
    HEAD: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, CAUSAL: tl.constexpr,
):
    head = tl.program_id(1).to(tl.int64)
    first = tl.program_id(0) * BLOCK_Q
    i = first + tl.arange(0, BLOCK_Q)
    d = tl.arange(0, HEAD)
    q_offset = head * queries * HEAD + i[:, None] * HEAD + d[None, :]
    q = tl.load(q_ptr + q_offset, mask=i[:, None] < queries, other=0.0)

    # Powers of two are cheaper than powers of e: exp(s) = exp2(s * log2(e)).
    to_log2 = scale * 1.4426950408889634
    largest = tl.full((BLOCK_Q,), -float('inf'), dtype=tl.float32)
    total = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    result = tl.zeros((BLOCK_Q, HEAD), dtype=tl.float32)

    # Causal: the last query attends to all keys, each earlier query to one key less.
    shift = keys - queries
    last = keys
    if CAUSAL:
        last = tl.minimum(keys, first + BLOCK_Q + shift)
    # Offsets within a block are constants; only the block's start is a run-time scalar.
    j = tl.arange(0, BLOCK_K)
    block = j[:, None] * HEAD + d[None, :]
    for start in range(0, last, BLOCK_K):
        kv_offset = (head * keys + start) * HEAD
        k = tl.load(k_ptr + kv_offset + block, mask=j[:, None] < keys - start, other=0.0)
        score = tl.dot(q, tl.trans(k)) * to_log2
        visible = j[None, :] < keys - start
        if CAUSAL:
            visible = visible & (j[None, :] <= i[:, None] + shift - start)
        score = tl.where(visible, score, -float('inf'))
        # A new largest score rescales the sums computed with the old one. Every query attends to key 0, so the maximum
        # is finite from the first block on.
        new_largest = tl.maximum(largest, tl.max(score, axis=1))
        shrink = tl.exp2(largest - new_largest)
        weight = tl.exp2(score - new_largest[:, None])
        total = total * shrink + tl.sum(weight, axis=1)
        v = tl.load(v_ptr + kv_offset + block, mask=j[:, None] < keys - start, other=0.0)
        result = tl.dot(weight.to(v.dtype), v, result * shrink[:, None])
        largest = new_largest

    result = result / total[:, None]
    tl.store(out_ptr + q_offset, result.to(out_ptr.dtype.element_ty), mask=i[:, None] < queries)


# The same through descriptors of [heads * length, HEAD]: no pointers and no masks. Every head has `length` queries and
# keys, a multiple of both blocks, so that no block reaches into the next head.
@triton.jit
def attention_descriptor(
    q_desc, k_desc, v_desc, out_desc,
    length, scale,
    HEAD: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):
    first = tl.program_id(1) * length
    row = first + tl.program_id(0) * BLOCK_Q
    q = q_desc.load([row, 0])
    to_log2 = scale * 1.4426950408889634
    largest = tl.full((BLOCK_Q,), -float('inf'), dtype=tl.float32)
    total = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    result = tl.zeros((BLOCK_Q, HEAD), dtype=tl.float32)
    for start in range(0, length, BLOCK_K):
        k = k_desc.load([first + start, 0])
        score = tl.dot(q, k.T) * to_log2
        new_largest = tl.maximum(largest, tl.max(score, axis=1))
        shrink = tl.exp2(largest - new_largest)
        weight = tl.exp2(score - new_largest[:, None])
        total = total * shrink + tl.sum(weight, axis=1)
        v = v_desc.load([first + start, 0])
        result = tl.dot(weight.to(tl.float16), v, result * shrink[:, None])
        largest = new_largest
    out_desc.store([row, 0], (result / total[:, None]).to(tl.float16))


# The first kernel with configurations of its own: lesson 5 says how a launch without block sizes chooses among them.
CONFIGURATIONS = [
    # BLOCK_Q, BLOCK_K, num_warps, num_stages
    (64, 64, 4, 3), (32, 32, 4, 2), (32, 64, 4, 3), (32, 128, 8, 2), (64, 32, 4, 2), (64, 128, 4, 2), (128, 64, 8, 3),
    (128, 128, 8, 3),
]
attention_tuned = triton.autotune(
    configs=[triton.Config({"BLOCK_Q": queries, "BLOCK_K": keys}, num_warps=warps, num_stages=stages)
             for queries, keys, warps, stages in CONFIGURATIONS],
    key=["queries", "keys"],
)(attention_forward)
