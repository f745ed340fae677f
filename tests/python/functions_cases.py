"""What functions_test.py runs: for each case the text of a kernel's body, which computes `result` from x and y (f32, 64
elements of 0.1 to 3), i (i32, -50 to 50) and j (i32, 1 to 31), and what NumPy computes from the same, in f64 and i64.
`at` is arange(0, 64), `scratch` points to 64 elements of i32 that are 5 each."""
import math

import numpy as np

AT = np.arange(64)
erf = np.vectorize(math.erf)


def philox(seed, counter, rounds=10):
    """Philox4x32: 'Parallel random numbers: as easy as 1, 2, 3', Salmon et al., SC 2011. Four arrays of u32."""
    c = [np.asarray(counter, np.uint64), *(np.zeros_like(counter, dtype=np.uint64) for _ in range(3))]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(rounds):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        low, high = np.uint64(0xFFFFFFFF), np.uint64(32)
        c = [(b >> high) ^ c[1] ^ np.uint64(key[0]), b & low, (a >> high) ^ c[3] ^ np.uint64(key[1]), a & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def uniform(bits):
    """Of [0, 1), from u32 as i32, as the language does."""
    number = bits.astype(np.uint32).view(np.int32).astype(np.int64)
    return np.where(number < 0, -number - 1, number) * 4.6566127342e-10


def normal(first, second):
    """Box and Muller's pair."""
    radius = np.sqrt(-2 * np.log(np.maximum(1e-7, first)))
    return radius * np.cos(2 * np.pi * second), radius * np.sin(2 * np.pi * second)


def scan(x, y):
    """Of the recurrence h = x * h + y."""
    state, result = 0.0, []
    for factor, term in zip(x, y):
        state = factor * state + term
        result.append(state)
    return np.array(result)


def high_product(i, j):
    """The upper half of the product of u32."""
    return i.astype(np.uint32).astype(np.int64) * j >> 32


def normals(seed, at):
    parts = [uniform(part) for part in philox(seed, at)]
    return [*normal(*parts[:2]), *normal(*parts[2:])]


# Functions of x, of x and y: what NumPy does, by the function's name.
UNARY = {"abs": np.abs, "ceil": np.ceil, "cos": np.cos, "erf": erf, "exp": np.exp, "exp2": np.exp2, "floor": np.floor,
         "log": np.log, "log2": np.log2, "rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
         "sin": np.sin, "sqrt": np.sqrt, "sqrt_rn": np.sqrt, "cumsum": np.cumsum, "sort": np.sort,
         "softmax": lambda x: np.exp(x) / np.exp(x).sum(), "flip": np.flip, "ravel": np.ravel,
         "cumprod": np.cumprod, "zeros_like": np.zeros_like}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div_rn": np.divide, "fdiv": np.divide,
          "maximum": np.maximum, "minimum": np.minimum}
MATH = {"acos": None, "cosh": np.cosh, "expm1": np.expm1, "log1p": np.log1p, "rint": np.rint, "round": np.rint,
        "sinh": np.sinh, "tan": None, "tanh": np.tanh, "trunc": np.trunc, "fast_expf": np.exp}
MATH = {**{name: function for name, function in MATH.items() if function},
        **{name: UNARY[name] for name in ("abs", "ceil", "cos", "erf", "exp", "exp2", "floor", "log", "log2", "rsqrt",
                                          "sigmoid", "sin", "softmax", "sqrt", "sqrt_rn")}}
MATH_BINARY = {"copysign": np.copysign, "pow": np.power, "div_rn": np.divide,
               "fdiv": np.divide, "fast_dividef": np.divide}
ATOMIC = {"add": lambda i: 5 + i, "and": lambda i: 5 & i, "or": lambda i: 5 | i, "xor": lambda i: 5 ^ i,
          "max": lambda i: np.maximum(5, i), "min": lambda i: np.minimum(5, i), "xchg": lambda i: i}
REDUCE = {"sum": np.sum, "max": np.max, "min": np.min, "argmax": np.argmax, "argmin": np.argmin}
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
         "float64", "float8e4nv", "float8e5", "float8e4b8", "float8e5b16")

CASES = [
    *((f"result = tl.{name}(x)", lambda v, f=f: f(v.x)) for name, f in UNARY.items()),
    *((f"result = tl.{name}(x, y)", lambda v, f=f: f(v.x, v.y)) for name, f in BINARY.items()),
    ("result = tl.cdiv(j * 7, j % 5 + 1)", lambda v: -(-v.j * 7 // (v.j % 5 + 1))),
    ("result = tl.math.max(x, axis=0) + tl.math.min(y, axis=0) + at * 0", lambda v: v.x.max() + v.y.min() + AT * 0),
    *((f"result = tl.math.{name}(x)", lambda v, f=f: f(v.x)) for name, f in MATH.items()),
    *((f"result = tl.math.{name}(x, y)", lambda v, f=f: f(v.x, v.y)) for name, f in MATH_BINARY.items()),
    ("result = tl.math.tan(x * 0.4)", lambda v: np.tan(v.x * 0.4)),
    ("result = tl.math.clamp(x, 1.0, 2.0)", lambda v: np.clip(v.x, 1, 2)),
    ("result = tl.math.fma(x, y, x)", lambda v: v.x * v.y + v.x),
    ("result = tl.math.umulhi(i * 99999999, j)", lambda v: high_product(v.i * 99999999, v.j)),
    *((f"old = tl.atomic_{name}(scratch + at, i)\ntl.debug_barrier()\nresult = tl.load(scratch + at) * 8 + old",
       lambda v, f=f: f(v.i) * 8 + 5) for name, f in ATOMIC.items()),
    ("old = tl.atomic_cas(scratch + at, tl.where(at < 9, 5, 6), i)\ntl.debug_barrier()\n"
     "result = tl.load(scratch + at) * 8 + old", lambda v: np.where(AT < 9, v.i, 5) * 8 + 5),
    *((f"result = tl.{name}(x, axis=0) + tl.zeros((64,), tl.float32)", lambda v, f=f: f(v.x) + AT * 0)
      for name, f in REDUCE.items()),
    *((f"result = x.to(tl.{name}).to(tl.float32).to(tl.int32)", lambda v: np.floor(v.x)) for name in ("int8", "int16")),
    *((f"result = (at % 8).to(tl.{name}).to(tl.float64)", lambda v: AT % 8) for name in TYPES),
    ("result = (i > 3).to(tl.int1).to(tl.int32)", lambda v: v.i > 3),
    ("result = tl.xor_sum(i, axis=0) + at", lambda v: np.bitwise_xor.reduce(v.i) + AT),
    ("result = tl.reduce_or(j, axis=0) + at", lambda v: np.bitwise_or.reduce(v.j) + AT),
    ("result = tl.reduce(x, 0, larger) + at * 0", lambda v: v.x.max() + AT * 0),
    ("_, result = tl.associative_scan((x * 0.3, y), 0, linear)", lambda v: scan(v.x * 0.3, v.y)),
    ("result = tl.map_elementwise(larger, x, y)", lambda v: np.maximum(v.x, v.y)),
    ("result = tl.bitonic_merge(tl.where(at < 32, at, 200 - at))", lambda v: np.sort(np.where(AT < 32, AT, 200 - AT))),
    ("a, b = tl.broadcast(x[:, None], tl.full((1, 2), 3.0, tl.float32))\nresult = tl.sum(a * b, axis=1)",
     lambda v: v.x * 6),
    ("result = tl.broadcast_to(tl.sum(i, axis=0), (64,))", lambda v: v.i.sum() + AT * 0),
    ("result = tl.cast(x, tl.int32, bitcast=True)", lambda v: v.x.astype(np.float32).view(np.int32)),
    ("result = tl.sort(tl.cat(i, j, can_reorder=True))", lambda v: np.sort(np.concatenate([v.i, v.j]))),
    ("result = tl.clamp(x, 1.0, 2.0)", lambda v: np.clip(v.x, 1, 2)),
    ("k = 0\nwhile tl.condition(k < 5):\n    k += 1\nresult = at + k", lambda v: AT + 5),
    ("a = x[:, None] + tl.arange(0, 16)[None, :]\n"
     "result = tl.sum(tl.dot(a, tl.trans(a), input_precision=\"ieee\"), axis=1)",
     lambda v: ((v.x[:, None] + np.arange(16)) @ (v.x[:, None] + np.arange(16)).T).sum(axis=1)),
    ("a = (at[:, None] % 4 + tl.zeros((64, 32), tl.int32)).to(tl.float8e4nv)\n"
     "s = tl.full((64, 1), 128, tl.uint8)\n"  # 2^(128 - 127)
     "result = tl.sum(tl.dot_scaled(a, s, \"e4m3\", tl.trans(a), s, \"e4m3\"), axis=1)",
     lambda v: 4 * 32 * (AT % 4) * (AT % 4).sum()),
    ("result = tl.reshape(tl.expand_dims(x, 1) + tl.unsqueeze(y, 1), (64,))", lambda v: v.x + v.y),
    ("result = tl.squeeze(x[:, None], 1) + tl.view(y, (64,))", lambda v: v.x + v.y),
    ("result = tl.ravel(tl.trans(tl.reshape(x, (4, 16))))", lambda v: v.x.reshape(4, 16).T.ravel()),
    ("result = tl.ravel(tl.permute(tl.reshape(x, (2, 4, 8)), (2, 0, 1)))",
     lambda v: v.x.reshape(2, 4, 8).transpose(2, 0, 1).ravel()),
    ("result = tl.fma(x, y, x)", lambda v: v.x * v.y + v.x),
    ("result = tl.full((64,), 7, tl.int32) + tl.zeros((64,), tl.int32)", lambda v: AT * 0 + 7),
    ("result = tl.gather(x, j, 0)", lambda v: v.x[v.j]),
    ("result = tl.histogram(j, 32)", lambda v: np.bincount(v.j, minlength=32)),
    ("result = tl.topk(x, 8)", lambda v: np.sort(v.x)[:-9:-1]),
    ("result = tl.inline_asm_elementwise(\"mad.lo.s32 $0, $1, $2, $1;\", \"=r,r,r\", [i, j], tl.int32, True, 1)",
     lambda v: v.i * v.j + v.i),
    ("result = tl.interleave(i, j)", lambda v: np.stack([v.i, v.j], 1).ravel()),
    ("a, b = tl.split(tl.join(i, j))\nresult = a * 100 + b", lambda v: v.i * 100 + v.j),
    ("result = tl.where(i > 0, x, y)", lambda v: np.where(v.i > 0, v.x, v.y)),
    ("a, b = tl.swizzle2d(at // 8, at % 8, 8, 8, 4)\nresult = a * 8 + b",
     lambda v: (AT // 32 * 4 + AT % 4) * 8 + AT % 32 // 4),
    ("result = tl.umulhi(i * 99999999, j)", lambda v: high_product(v.i * 99999999, v.j)),
    ("d = tl.make_tensor_descriptor(scratch, [8, 8], [8, 1], [4, 8])\n"
     "d.store([4, 0], tl.reshape(at, (2, 4, 8)).sum(axis=0))\ntl.debug_barrier()\nresult = tl.load(scratch + at)",
     lambda v: np.where(AT < 32, 5, AT * 2 - 32)),
    ("d = tl.make_tensor_descriptor(scratch, [8, 8], [8, 1], [8, 8])\n"
     "tl.store_tensor_descriptor(d, [0, 0], tl.load_tensor_descriptor(d, [0, 0]) + tl.reshape(i, (8, 8)))\n"
     "tl.debug_barrier()\nresult = tl.load(scratch + at)", lambda v: v.i + 5),
    ("tl.store(scratch + at, at)\ntl.debug_barrier()\np = tl.make_block_ptr(scratch, (64,), (1,), (0,), (32,), (0,))\n"
     "result = tl.load(tl.advance(p, (32,)))", lambda v: AT[32:]),
    ("a = tl.max_constancy(tl.max_contiguous(tl.multiple_of(at, 1), 1), 1)\ntl.assume(a.shape[0] == 64)\nresult = a",
     lambda v: AT),
    ("result = tl.expect_zero(tl.where(at < 32, 0.0, x), at < 32)", lambda v: np.where(AT < 32, 0, v.x)),
    ("tl.static_assert(B == 64)\ntl.static_print(B)\ntl.device_assert(at < 64)\n"
     "tl.device_print(\"pid\", tl.program_id(0))\nresult = at + tl.program_id(0) + tl.num_programs(0)",
     lambda v: AT + 1),
    ("k = 0\nfor n in tl.static_range(3):\n    k += n\nfor n in tl.range(0, 5):\n    k += n\nresult = at + k",
     lambda v: AT + 13),
    ("result = at + tl.to_tensor(3)", lambda v: AT + 3),
    ("result = tl.maximum(x / (at - at), x - x, propagate_nan=tl.PropagateNan.ALL) * 0 + 1", lambda v: AT * np.nan),
    ("a, b, c, d = tl.philox(77, at.to(tl.uint32), 0, 0, 0)\nresult = (a ^ b ^ c ^ d).to(tl.int64)",
     lambda v: np.bitwise_xor.reduce(philox(77, AT)).astype(np.int64)),
    ("z = at.to(tl.uint32) * 0\na, b, c, d = tl.philox_impl(at.to(tl.uint32), z, z, z, z + 77, z, 10)\n"
     "result = (a ^ d).to(tl.int64)", lambda v: (philox(77, AT)[0] ^ philox(77, AT)[3]).astype(np.int64)),
    ("result = tl.rand(77, at)", lambda v: uniform(philox(77, AT)[0])),
    ("a, b, c, d = tl.rand4x(77, at)\nresult = a + b + c + d", lambda v: sum(uniform(part) for part in philox(77, AT))),
    ("result = tl.randint(77, at).to(tl.uint32, bitcast=True).to(tl.int64)",
     lambda v: philox(77, AT)[0].astype(np.int64)),
    ("a, b, c, d = tl.randint4x(77, at)\nresult = (b ^ d).to(tl.uint32, bitcast=True).to(tl.int64)",
     lambda v: (philox(77, AT)[1] ^ philox(77, AT)[3]).astype(np.int64)),
    ("result = tl.randn(77, at)", lambda v: normals(77, AT)[0]),
    ("a, b, c, d = tl.randn4x(77, at)\nresult = a + b * 2 + c * 3 + d * 4",
     lambda v: sum(part * factor for part, factor in zip(normals(77, AT), (1, 2, 3, 4)))),
    ("result = tl.uint_to_uniform_float(i * 9999999)",
     lambda v: uniform((v.i * 9999999).astype(np.int64).astype(np.uint32))),
    ("a, b = tl.pair_uniform_to_normal(x * 0.3, y * 0.3)\nresult = a + b * 3",
     lambda v: normal(v.x * 0.3, v.y * 0.3)[0] + 3 * normal(v.x * 0.3, v.y * 0.3)[1]),
    ("result = tl.load(scratch.to(tl.int64).to(tl.pointer_type(tl.int32)) + at)", lambda v: AT * 0 + 5),
    ("pair = tl.tuple((i, j))\nresult = pair[0] + pair[1]", lambda v: v.i + v.j),
    ("result = at + (i, 2, 3, 4)[tl.slice(1, 3, None)][1]", lambda v: AT + 3),
    ("a: tl.constexpr = tl.constexpr(4)\nresult = at * a + (1 if isinstance(x, tl.tensor) else 0)",
     lambda v: AT * 4 + 1),
    ("result = at + (1 if x.dtype == tl.dtype(\"fp32\") else 0)", lambda v: AT + 1),
    ("result = at + (0 if tl.TRITON_MAX_TENSOR_NUMEL < 64 else 1)", lambda v: AT + 1),
]

# Names that are no functions: annotations, types that isinstance asks for, modules.
NOT_CALLED = {"block_type", "const", "constexpr_type", "pi32_t", "tensor_descriptor", "tensor_descriptor_type",
              "tuple_type", "void", "core", "extra", "math", "random", "standard", "target_info", "types"}
