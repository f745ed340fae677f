import triton
import triton.language as tl


# Every element adds one to its bin. Programs meet at the same bins, so the addition must be atomic.
@triton.jit
def histogram_direct(data_ptr, bins_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    value = tl.load(data_ptr + index, mask=inside, other=0).to(tl.int32)
    tl.atomic_add(bins_ptr + value, 1, mask=inside, sem='relaxed')


# Each program counts its own block first, then adds one number for each bin to memory: BINS atomics instead of BLOCK,
# and less contention at frequent bins.
@triton.jit
def histogram_private(data_ptr, bins_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    index = start + tl.arange(0, BLOCK)
    value = tl.load(data_ptr + index, mask=index < n, other=0).to(tl.int32)
    counts = tl.histogram(value, BINS)
    # Elements beyond n were loaded as zero and counted in bin 0: subtract them.
    missing = BLOCK - tl.minimum(n - start, BLOCK)
    bin = tl.arange(0, BINS)
    counts = tl.where(bin == 0, counts - missing, counts)
    tl.atomic_add(bins_ptr + bin, counts, mask=counts > 0, sem='relaxed')
