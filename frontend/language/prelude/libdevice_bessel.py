# Bessel functions of triton.language.extra.libdevice, for f32 and f64. Up to 25, J comes from its recurrence run
# downwards (Miller's algorithm: from an arbitrary small start, scaled by J0 + 2 (J2 + J4 + ...) = 1) and Y from
# Neumann's series in J (Abramowitz and Stegun, 9.1.46, 9.1.88, 9.1.89); beyond, both from Hankel's expansion (9.2.5 to
# 9.2.10).
import triton
import triton.language as tl


# J0, J1, and the sums over J of the series of Y0 and Y1, for 0 <= x <= 25.
@triton.jit
def bessel_near(x):
    x = tl.maximum(x, 1e-6).to(x.dtype)
    over = tl.div_rn(2.0, x)
    above = tl.zeros_like(x)
    here = above + 1e-20
    total, even, odd = above, above, above
    for i in range(70):
        k = 70 - i
        half = tl.maximum(k // 2, 1).to(x.dtype)
        sign = (1 - 2 * (k // 2 % 2)).to(x.dtype)
        isEven = k % 2 == 0
        total += here * tl.where(isEven, 2.0, 0.0).to(x.dtype)
        even += here * tl.where(isEven, tl.div_rn(sign, half), 0.0)
        odd += here * tl.where(isEven | (k == 1), 0.0, tl.div_rn(sign * k.to(x.dtype), half * (half + 1.0)))
        below = k.to(x.dtype) * over * here - above
        scale = tl.where(tl.abs(below) > 1e10, 1e-10, 1.0).to(x.dtype)
        above, here = here * scale, below * scale
        total, even, odd = total * scale, even * scale, odd * scale
    norm = tl.div_rn(1.0, total + here)
    return here * norm, above * norm, even * norm, odd * norm


# The factor of cos(x - ORDER pi/2 - pi/4) in J and of the sine in Y, and that of the others, for x >= 25.
@triton.jit
def bessel_far(x, ORDER: tl.constexpr):
    term = tl.zeros_like(x) + 1.0
    p, q = tl.zeros_like(x), tl.zeros_like(x)
    over = tl.div_rn(0.125, x)
    for k in tl.static_range(20):
        if k % 4 == 0:
            p += term
        elif k % 4 == 1:
            q += term
        elif k % 4 == 2:
            p -= term
        else:
            q -= term
        factor: tl.constexpr = (4.0 * ORDER * ORDER - (2 * k + 1) * (2 * k + 1)) / (k + 1)
        term = term * over * factor
    sine, cosine = tl.sin(x), tl.cos(x)
    c = cosine + sine if ORDER == 0 else sine - cosine
    s = sine - cosine if ORDER == 0 else -(sine + cosine)
    scale = tl.div_rn(tl.zeros_like(x) + 0.56418958354775628695, tl.sqrt(x))
    return scale * (p * c - q * s), scale * (p * s + q * c)


# J of order 0 or 1 for |x|, and Y, which is meant for x > 0.
@triton.jit
def bessel_both(x, ORDER: tl.constexpr):
    size = tl.abs(x)
    near = tl.minimum(size, 25.0).to(x.dtype)
    j0, j1, even, odd = bessel_near(near)
    log = tl.log(near * 0.5)
    if ORDER == 0:
        j = tl.where(near < 1e-6, 1.0, j0).to(x.dtype)
        y = 0.63661977236758134308 * ((log + 0.57721566490153286061) * j) - 1.27323954473516268615 * even
    else:
        j = tl.where(near < 1e-6, near * 0.5, j1)
        y = 0.63661977236758134308 * ((log - 0.42278433509846713939) * j - tl.div_rn(j0, near) - odd)
    farJ, farY = bessel_far(tl.maximum(size, 25.0).to(x.dtype), ORDER)
    isNear = (size < 25.0) | (x != x)
    limit = size == float("inf")
    j = tl.where(isNear, j, tl.where(limit, 0.0, farJ))
    y = tl.where(isNear, y, tl.where(limit, 0.0, farY))
    j = tl.where(x != x, x, j)
    y = tl.where(x < 0, float("nan"), tl.where(x == 0, -float("inf"), tl.where(x != x, x, y)))
    return j, y


@triton.jit
def libdevice_j0(x):
    j, _ = bessel_both(x, 0)
    return j


@triton.jit
def libdevice_j1(x):
    j, _ = bessel_both(x, 1)
    return tl.where(x < 0, -j, j)


@triton.jit
def libdevice_y0(x):
    _, y = bessel_both(x, 0)
    return y


@triton.jit
def libdevice_y1(x):
    _, y = bessel_both(x, 1)
    return y


# Y of order n >= 0 by its recurrence upwards; negative orders give NaN.
@triton.jit
def libdevice_yn(n, x):
    n, x = tl.broadcast(tl.to_tensor(n), tl.to_tensor(x))
    before, here = libdevice_y0(x), libdevice_y1(x)
    result = tl.where(n == 0, before, here)
    over = tl.div_rn(2.0, x)
    for k in range(1, tl.max(n)):
        before, here = here, tl.where(here == -float("inf"), here, k.to(x.dtype) * over * here - before)
        result = tl.where(n == k + 1, here, result)
    return tl.where(n < 0, float("nan"), tl.where(x == float("inf"), 0.0, result))


# J of order n >= 0: upwards where n < |x|, otherwise downwards; negative orders give NaN.
@triton.jit
def libdevice_jn(n, x):
    n, x = tl.broadcast(tl.to_tensor(n), tl.to_tensor(x))
    size = tl.abs(x)
    last = tl.max(n)
    before, here = libdevice_j0(size), libdevice_j1(size)
    result = tl.where(n == 0, before, here)
    over = tl.div_rn(2.0, tl.maximum(size, 1e-6).to(x.dtype))
    for k in range(1, last):
        before, here = here, k.to(x.dtype) * over * here - before
        result = tl.where(n == k + 1, here, result)
    # Downwards, for elements with n >= |x|; the others must not overflow.
    over = tl.div_rn(2.0, tl.minimum(tl.maximum(size, 1e-6), tl.maximum(last, 1).to(x.dtype)).to(x.dtype))
    above = tl.zeros_like(x)
    here = above + 1e-20
    total, found = above, above
    start = last + last // 2 + 60
    for i in range(start):
        k = start - i
        total += here * tl.where(k % 2 == 0, 2.0, 0.0).to(x.dtype)
        found = tl.where(n == k, here, found)
        below = k.to(x.dtype) * over * here - above
        scale = tl.where(tl.abs(below) > 1e10, 1e-10, 1.0).to(x.dtype)
        above, here = here * scale, below * scale
        total, found = total * scale, found * scale
    downwards = tl.div_rn(found, total + here)
    result = tl.where((n >= 2) & (n.to(x.dtype) >= size), downwards, result)
    result = tl.where((x < 0) & (n % 2 == 1), -result, result)
    result = tl.where((x == 0) & (n > 0), 0.0, tl.where(size == float("inf"), 0.0, result))
    return tl.where(n < 0, float("nan"), tl.where(x != x, x, result))


# I of order 0 or 1 for |x|: its power series, beyond 30 its expansion for large arguments (9.7.1).
@triton.jit
def bessel_modified(x, ORDER: tl.constexpr):
    size = tl.abs(x)
    near = tl.minimum(size, 30.0).to(x.dtype)
    square = near * near * 0.25
    sum = tl.zeros_like(x) + 1.0
    for i in range(70):
        k = (70 - i).to(x.dtype)
        sum = 1.0 + tl.div_rn(square * sum, k * (k + ORDER))
    sum = sum if ORDER == 0 else sum * near * 0.5
    far = tl.maximum(size, 30.0).to(x.dtype)
    over = tl.div_rn(0.125, far)
    term = tl.zeros_like(x) + 1.0
    series = term
    for k in tl.static_range(18):
        factor: tl.constexpr = ((2 * k + 1) * (2 * k + 1) - 4.0 * ORDER * ORDER) / (k + 1)
        term = term * over * factor
        series += term
    root = tl.exp(far * 0.5)  # twice, because its square overflows before the result does
    large = root * (root * (tl.div_rn(series * 0.39894228040143267794, tl.sqrt(far))))
    result = tl.where(size < 30.0, sum, tl.where(size == float("inf"), size, large))
    return tl.where(x != x, x, result)


@triton.jit
def libdevice_cyl_bessel_i0(x):
    return bessel_modified(x, 0)


@triton.jit
def libdevice_cyl_bessel_i1(x):
    result = bessel_modified(x, 1)
    return tl.where(x < 0, -result, result)
