# Sorting, choosing and counting elements.
import triton
import triton.language as tl


@triton.jit
def at(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def sort_1d(x_ptr, y_ptr, N: tl.constexpr, DESCENDING: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.sort(tl.load(x_ptr + i), descending=DESCENDING))


@triton.jit
def sort_rows(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, DESCENDING: tl.constexpr):
    tl.store(y_ptr + at(M, N), tl.sort(tl.load(x_ptr + at(M, N)), dim=1, descending=DESCENDING))


@triton.jit
def topk(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    tl.store(y_ptr + at(M, K), tl.topk(tl.load(x_ptr + at(M, N)), K))


@triton.jit
def bitonic_merge(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, DESCENDING: tl.constexpr):
    tl.store(y_ptr + at(M, N), tl.bitonic_merge(tl.load(x_ptr + at(M, N)), descending=DESCENDING))


@triton.jit
def flip_1d(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.flip(tl.load(x_ptr + i), dim=0))


@triton.jit
def flip_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    tl.store(y_ptr + at(M, N), tl.flip(tl.load(x_ptr + at(M, N)), dim=AXIS))


@triton.jit
def last_axis(x_ptr, sorted_ptr, flipped_ptr, M: tl.constexpr, N: tl.constexpr):
    # The axis that functions take when none is named.
    x = tl.load(x_ptr + at(M, N))
    tl.store(sorted_ptr + at(M, N), tl.sort(x))
    tl.store(flipped_ptr + at(M, N), tl.flip(x))


@triton.jit
def gather_1d(x_ptr, i_ptr, y_ptr, N: tl.constexpr, COUNT: tl.constexpr):
    i = tl.load(i_ptr + tl.arange(0, COUNT))
    tl.store(y_ptr + tl.arange(0, COUNT), tl.gather(tl.load(x_ptr + tl.arange(0, N)), i, 0))


@triton.jit
def gather_2d(x_ptr, i_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, P: tl.constexpr, Q: tl.constexpr,
              AXIS: tl.constexpr):
    # P x Q indices into an M x N tile; off the axis the extents are the same.
    y = tl.gather(tl.load(x_ptr + at(M, N)), tl.load(i_ptr + at(P, Q)), axis=AXIS)
    tl.store(y_ptr + at(P, Q), y)


@triton.jit
def histogram(x_ptr, y_ptr, N: tl.constexpr, BINS: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, BINS), tl.histogram(tl.load(x_ptr + tl.arange(0, N)), BINS))


@triton.jit
def histogram_masked(x_ptr, y_ptr, n, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + tl.arange(0, BINS), tl.histogram(tl.load(x_ptr + i, mask=i < n), BINS, mask=i < n))


@triton.jit
def rank_of_each(x_ptr, y_ptr, N: tl.constexpr):
    # How many elements are smaller: all pairs meet.
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(y_ptr + tl.arange(0, N), tl.sum((x[None, :] < x[:, None]).to(tl.int32), axis=1))
