# Inline assembly, which becomes ordinary operations on every target.
import triton
import triton.language as tl


@triton.jit
def floats(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n, other=1.0)
    sum = tl.inline_asm_elementwise("add.rn.f32 $0, $1, $2;", "=f,f,f", [x, y], tl.float32, True, 1)
    tl.store(z_ptr + i, sum, mask=i < n)
    down = tl.inline_asm_elementwise("mul.rm.f32 $0, $1, $2;", "=f,f,f", [x, y], tl.float32, True, 1)
    tl.store(z_ptr + n + i, down, mask=i < n)
    # A block with registers of its own, a comment, constants by their bits, and a predicate.
    clipped = tl.inline_asm_elementwise(
        """
        {
            .reg .f32 twice, low;
            .reg .pred p, q;
            mov.f32 low, -0f40000000;  // -2
            fma.rn.ftz.f32 twice, $1, 0f40000000, $2;
            setp.lt.f32 p, twice, low;
            not.pred q, p;
            mov.b32 $0, twice;
            @p mov.f32 $0, low;
            @!q neg.f32 $0, $0;
        }
        """, "=r,r,r", [x, y], tl.float32, True, 1)
    tl.store(z_ptr + 2 * n + i, clipped, mask=i < n)
    larger = tl.inline_asm_elementwise("abs.f32 $0, $1; max.f32 $0, $0, $2; min.f32 $0, $0, 0f40800000;", "=f,f,f",
                                       [x, y], tl.float32, True, 1)
    tl.store(z_ptr + 3 * n + i, larger, mask=i < n)


@triton.jit
def functions(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=1.0)
    tl.store(z_ptr + i, tl.inline_asm_elementwise("ex2.approx.f32 $0, $1;", "=f,f", [x], tl.float32, True, 1),
             mask=i < n)
    tl.store(z_ptr + n + i, tl.inline_asm_elementwise("lg2.approx.f32 $0, $1;", "=f,f", [x], tl.float32, True, 1),
             mask=i < n)
    tl.store(z_ptr + 2 * n + i, tl.inline_asm_elementwise("rcp.approx.ftz.f32 $0, $1;", "=f,f", [x], tl.float32, True,
                                                          1),
             mask=i < n)
    tl.store(z_ptr + 3 * n + i, tl.inline_asm_elementwise("rsqrt.approx.f32 $0, $1;", "=f,f", [x], tl.float32, True, 1),
             mask=i < n)
    tl.store(z_ptr + 4 * n + i, tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [x], tl.float32, True, 1),
             mask=i < n)
    tl.store(z_ptr + 5 * n + i, tl.inline_asm_elementwise("div.full.f32 $0, 0f3E800000, $1; mul.f32 $0, $0, 40.0e-1; "
                                                          "sqrt.approx.f32 $0, $0;",
                                                          "=f,f", [x], tl.float32, True, 1), mask=i < n)


@triton.jit
def integers(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.store(z_ptr + i, tl.inline_asm_elementwise("mad.lo.s32 $0, $1, $2, 17;", "=r,r,r", [x, y], tl.int32, True, 1),
             mask=i < n)
    tl.store(z_ptr + n + i, tl.inline_asm_elementwise("mul.hi.u32 $0, $1, $2;", "=r,r,r", [x, y], tl.int32, True, 1),
             mask=i < n)
    tl.store(z_ptr + 2 * n + i, tl.inline_asm_elementwise("lop3.b32 $0, $1, $2, 0x0F0F0F0F, 0xCA;", "=r,r,r", [x, y],
                                                          tl.int32, True, 1), mask=i < n)
    tl.store(z_ptr + 3 * n + i, tl.inline_asm_elementwise("prmt.b32 $0, $1, $2, 0x5140;", "=r,r,r", [x, y], tl.int32,
                                                          True, 1), mask=i < n)
    tl.store(z_ptr + 4 * n + i, tl.inline_asm_elementwise("bfe.s32 $0, $1, 5, 11;", "=r,r", [x], tl.int32, True, 1),
             mask=i < n)
    tl.store(z_ptr + 5 * n + i, tl.inline_asm_elementwise("bfi.b32 $0, $1, $2, 7, 9;", "=r,r,r", [x, y], tl.int32, True,
                                                          1), mask=i < n)
    tl.store(z_ptr + 6 * n + i, tl.inline_asm_elementwise("shf.l.wrap.b32 $0, $1, $2, 9;", "=r,r,r", [x, y], tl.int32,
                                                          True, 1), mask=i < n)
    tl.store(z_ptr + 7 * n + i, tl.inline_asm_elementwise(
        "{ .reg .s64 w; mul.wide.s32 w, $1, $2; shr.s64 w, w, 16; cvt.u32.u64 $0, w; }", "=r,r,r", [x, y], tl.int32,
        True, 1), mask=i < n)
    tl.store(z_ptr + 8 * n + i, tl.inline_asm_elementwise(
        "{ .reg .pred p<2>; setp.gt.s32 p0, $1, $2; setp.eq.or.s32 p1, $1, 0, p0; selp.b32 $0, $1, $2, p1; }", "=r,r,r",
        [x, y], tl.int32, True, 1), mask=i < n)
    tl.store(z_ptr + 9 * n + i, tl.inline_asm_elementwise("shl.b32 $0, $1, 40; popc.b32 $0, $1; add.u32 $0, $0, 0b101;",
                                                          "=r,r", [x], tl.int32, True, 1), mask=i < n)
    # Bytes 0 and 5, then the signs of bytes 0 and 4.
    tl.store(z_ptr + 10 * n + i, tl.inline_asm_elementwise(
        "{ .reg .b32 t; prmt.b32 t, $1, $2, 0xC850; sad.u32 $0, t, $2, 010; }", "=r,r,r", [x, y], tl.int32, True, 1),
        mask=i < n)
    tl.store(z_ptr + 11 * n + i, tl.inline_asm_elementwise(
        "{ .reg .u64 a, b; cvt.u64.u32 a, $1; cvt.u64.u32 b, $2; shl.b64 a, a, 9; sad.u64 a, a, b, b; shr.u64 a, a, 8; "
        "cvt.u32.u64 $0, a; }", "=r,r,r", [x, y], tl.int32, True, 1), mask=i < n)
    tl.store(z_ptr + 12 * n + i, tl.inline_asm_elementwise("min.relu.s32 $0, $1, $2;", "=r,r,r", [x, y], tl.int32, True,
                                                           1), mask=i < n)
    tl.store(z_ptr + 13 * n + i, tl.inline_asm_elementwise(
        "{ .reg .b32 t; .reg .pred p; mov.pred p, 1; @!p mov.b32 $0, 3; @p shl.b32 $0, $1, 40; "
        "shr.s32 t, $1, 40; xor.b32 $0, $0, t; bfe.s32 t, $2, 0, 32; "
        "add.u32 $0, $0, t; }", "=r,r,r", [x, y], tl.int32, True, 1), mask=i < n)


@triton.jit
def two_results(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    low, high = tl.inline_asm_elementwise("min.s32 $0, $2, $3; max.s32 $1, $2, $3;", "=r,=r,r,r", [x, y],
                                          dtype=(tl.int32, tl.int32), is_pure=True, pack=1)
    tl.store(z_ptr + i, low, mask=i < n)
    tl.store(z_ptr + n + i, high, mask=i < n)


# Four bytes to a register; each becomes 16 bits, four of which take two registers.
@triton.jit
def packed_bytes(x_ptr, z_ptr, wide_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    flipped = tl.inline_asm_elementwise("xor.b32 $0, $1, 0x80808080;", "=r,r", [x], tl.uint8, True, 4)
    tl.store(z_ptr + i, flipped)
    wide = tl.inline_asm_elementwise("prmt.b32 $0, $2, 0, 0x4140; prmt.b32 $1, $2, 0, 0x4342;", "=r,=r,r", [x],
                                     tl.uint16, True, 4)
    tl.store(wide_ptr + i, wide)


@triton.jit
def halves(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    z = tl.inline_asm_elementwise("fma.rn.f16x2 $0, $1, $2, $1; sub.f16x2 $0, $0, $2;", "=r,r,r", [x, y], tl.float16,
                                  True, 2)
    tl.store(z_ptr + i, z)


@triton.jit
def conversions(x_ptr, whole_ptr, byte_ptr, rounded_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(whole_ptr + i, tl.inline_asm_elementwise("cvt.rni.s32.f32 $0, $1;", "=r,f", [x], tl.int32, True, 1))
    tl.store(whole_ptr + N + i, tl.inline_asm_elementwise("cvt.rmi.s32.f32 $0, $1;", "=r,f", [x], tl.int32, True, 1))
    tl.store(byte_ptr + i, tl.inline_asm_elementwise("{ .reg .s32 t; cvt.rzi.s32.f32 t, $1; cvt.sat.u8.s32 $0, t; }",
                                                     "=r,f", [x], tl.int32, True, 1).to(tl.uint8))
    tl.store(rounded_ptr + i, tl.inline_asm_elementwise("cvt.rna.tf32.f32 $0, $1;", "=r,f", [x], tl.float32, True, 1))


# Beyond the range of the narrow type: its largest number. Braces one behind the other may declare a name again.
@triton.jit
def saturated(x_ptr, half_ptr, wide_ptr, whole_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    half = tl.inline_asm_elementwise(
        "{ .reg .b16 t; cvt.rn.satfinite.f16.f32 t, $1; cvt.f32.f16 $0, t; } { .reg .b16 t; }", "=f,f", [x], tl.float32,
        True, 1)
    tl.store(half_ptr + i, half)
    wide = tl.inline_asm_elementwise("{ .reg .b16 t; cvt.rn.satfinite.bf16.f32 t, $1; cvt.f32.bf16 $0, t; }", "=f,f",
                                     [x * float("inf")], tl.float32, True, 1)
    tl.store(wide_ptr + i, wide)
    whole = tl.inline_asm_elementwise("cvt.rni.s32.f32 $0, $1;", "=r,f", [x * float("inf")], tl.int32, True, 1)
    tl.store(whole_ptr + i, whole)
    whole = tl.inline_asm_elementwise("cvt.rzi.u32.f32 $0, $1;", "=r,f", [x * 1e20], tl.int32, True, 1)
    tl.store(whole_ptr + N + i, whole)


# By bits, so that NaNs are compared, too.
@triton.jit
def to_tf32(x_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(z_ptr + i, tl.inline_asm_elementwise("cvt.rz.tf32.f32 $0, $1;", "=r,r", [x], tl.int32, True, 1))
    tl.store(z_ptr + N + i, tl.inline_asm_elementwise("cvt.rna.tf32.f32 $0, $1;", "=r,r", [x], tl.int32, True, 1))
    tl.store(z_ptr + 2 * N + i, tl.inline_asm_elementwise("cvt.rn.tf32.f32 $0, $1;", "=r,r", [x], tl.int32, True, 1))


# Two floats become one register of two 8-bit floats or of two bf16; the first operand is the upper one.
@triton.jit
def narrowed(x_ptr, byte_ptr, half_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    bytes = tl.inline_asm_elementwise(
        """
        {
            .reg .b16 low, high;
            cvt.rn.satfinite.e4m3x2.f32 low, $2, $1;
            cvt.rn.satfinite.e4m3x2.f32 high, $4, $3;
            mov.b32 $0, {low, high};
        }
        """, "=r,f,f,f,f", [x], tl.float8e4nv, True, 4)
    tl.store(byte_ptr + i, bytes)
    pairs = tl.inline_asm_elementwise("cvt.rn.bf16x2.f32 $0, $2, $1;", "=r,f,f", [x], tl.bfloat16, True, 2)
    tl.store(half_ptr + i, pairs)


@triton.jit
def widened(x_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    z = tl.inline_asm_elementwise(
        """
        {
            .reg .b16 low, high;
            mov.b32 {low, high}, $2;
            cvt.rn.f16x2.e5m2x2 $0, low;
            cvt.rn.f16x2.e5m2x2 $1, high;
        }
        """, "=r,=r,r", [x], tl.float16, True, 4)
    tl.store(z_ptr + i, z)


@triton.jit
def barrier(x_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.inline_asm_elementwise("bar.sync 0;", "=r", [], tl.int32, False, 1)
    tl.store(z_ptr + i, tl.reshape(tl.reshape(x, [2] * 3 + [N // 8]), [N]))
