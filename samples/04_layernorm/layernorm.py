import triton
import triton.language as tl


@triton.jit
def layernorm_kernel(
    x_ptr, weight_ptr, bias_ptr,
    y_ptr, mean_ptr, rstd_ptr,
    x_row_stride, y_row_stride,
    cols, eps,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    # Whatever the storage type, sums of many elements are kept in 32 bits.
    x = tl.load(x_ptr + row * x_row_stride + col, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / cols
    # The columns that do not exist were loaded as zero: they would add mean * mean each.
    centred = tl.where(inside, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / cols + eps)
    weight = tl.load(weight_ptr + col, mask=inside).to(tl.float32)
    bias = tl.load(bias_ptr + col, mask=inside).to(tl.float32)
    # The store rounds to the element type of y.
    tl.store(y_ptr + row * y_row_stride + col, centred * rstd * weight + bias, mask=inside)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
