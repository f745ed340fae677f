# Products whose loop over blocks of the depth skips some blocks, by a branch.
import triton
import triton.language as tl


# c = the sum of a b over blocks of the depth, but for some. FORM "flags": those whose flag is 0; "limit": those from
# `limit` on; "indexed": as "flags", and the flag is one more than the number of the block of b that is read; "either":
# blocks whose flag is 0 are multiplied by 2 b, read from the end of b; "stored": a store in the branch changes the
# block of b that is then read.
@triton.jit
def product(a_ptr, b_ptr, flag_ptr, c_ptr, m, n, k, limit, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
            FORM: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    p = tl.arange(0, K)
    blocks = tl.cdiv(k, K)
    total = tl.zeros((M, N), tl.float32)
    for block in range(0, blocks):
        depth = block * K + p
        a_ptrs = a_ptr + i[:, None] * k + depth[None, :]
        b_ptrs = b_ptr + depth[:, None] * n + j[None, :]
        inside_a = (i[:, None] < m) & (depth[None, :] < k)
        inside_b = (depth[:, None] < k) & (j[None, :] < n)
        if FORM == "limit":
            if block * K < limit:
                a = tl.load(a_ptrs, mask=inside_a, other=0.0)
                b = tl.load(b_ptrs, mask=inside_b, other=0.0)
                total = tl.dot(a, b, total)
        else:
            flag = tl.load(flag_ptr + block)
            if flag != 0:
                if FORM == "indexed":
                    depth = (flag - 1) * K + p
                    b_ptrs = b_ptr + depth[:, None] * n + j[None, :]
                    inside_b = (depth[:, None] < k) & (j[None, :] < n)
                if FORM == "stored":  # one program stores, and it reads what it has stored
                    tl.store(b_ptrs, tl.full((K, N), 3.0, b_ptr.dtype.element_ty), mask=inside_b)
                    tl.debug_barrier()
                a = tl.load(a_ptrs, mask=inside_a, other=0.0)
                b = tl.load(b_ptrs, mask=inside_b, other=0.0)
                total = tl.dot(a, b, total)
            elif FORM == "either":
                a = tl.load(a_ptrs, mask=inside_a, other=0.0)
                depth = (blocks - 1 - block) * K + p
                b = tl.load(b_ptr + depth[:, None] * n + j[None, :], mask=(depth[:, None] < k) & (j[None, :] < n),
                            other=0.0)
                total = tl.dot(a, b * 2, total)
    inside = (i[:, None] < m) & (j[None, :] < n)
    tl.store(c_ptr + i[:, None] * n + j[None, :], total.to(c_ptr.dtype.element_ty), mask=inside)
