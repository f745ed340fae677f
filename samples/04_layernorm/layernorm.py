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
    # Sums of many elements are computed in 32 bits, whatever the storage type.
    x = tl.load(x_ptr + row * x_row_stride + col, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / cols
    # Columns beyond the row were loaded as zero; without the select each would add mean * mean to the variance.
    centred = tl.where(inside, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / cols + eps)
    weight = tl.load(weight_ptr + col, mask=inside).to(tl.float32)
    bias = tl.load(bias_ptr + col, mask=inside).to(tl.float32)
    # The store rounds to the element type of y.
    tl.store(y_ptr + row * y_row_stride + col, centred * rstd * weight + bias, mask=inside)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
