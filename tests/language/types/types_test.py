#!/usr/bin/env python3
"""Compares the types that functions and operators give with Triton's own, for all pairs of types and for literals.

  types_test.py TYPE_PROBE        TYPE_PROBE is the program of type_probe.cpp

Each case is an expression and the types of its operands. Triton is asked by triton_types.py, in an environment that is
made once in ${XDG_CACHE_HOME:-~/.cache}/tegula, ours by kernels that print the type of the expression. Where the two
differ, a row of DIFFERENCES must say why; a row that explains nothing any more is an error too.

Exit status: 0, as expected; 1, it differs; 77, Triton is not there and cannot be installed.
"""
import collections
import concurrent.futures
import fcntl
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

TRITON = "triton==3.6.0"

INTEGERS = ["i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
FLOATS = ["f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2"]
TYPES = INTEGERS + FLOATS
LITERALS = ["True", "3", "-3", "200", "2147483648", "1099511627776", "9223372036854775808", "1.5", "1e300"]
SOME_TYPES = ["i1", "i8", "u8", "i32", "i64", "f16", "bf16", "f32", "f64"]
SOME_LITERALS = ["3", "1.5", "1e300"]
SPELLED = {"i1": "tl.int1", "f8e4m3": "tl.float8e4nv", "f8e5m2": "tl.float8e5", "bf16": "tl.bfloat16"} | {
    short + bits: f"tl.{long}{bits}" for short, long in [("i", "int"), ("u", "uint"), ("f", "float")]
    for bits in ["8", "16", "32", "64"] if short + bits != "f8"}

COMPARISONS = ["{} == {}", "{} != {}", "{} < {}", "{} <= {}", "{} > {}", "{} >= {}"]
BINARY = COMPARISONS + [
    "{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} // {}", "{} % {}", "{} & {}", "{} | {}", "{} ^ {}", "{} << {}",
    "{} >> {}", "tl.add({}, {})", "tl.sub({}, {})", "tl.mul({}, {})", "tl.maximum({}, {})", "tl.minimum({}, {})",
    "max({}, {})", "min({}, {})", "tl.fdiv({}, {})", "tl.div_rn({}, {})", "tl.umulhi({}, {})", "tl.where(c, {}, {})",
    "tl.broadcast({}, {})[0]", "tl.broadcast({}, {})[1]"]
# Those for which Triton takes 10 ms a case, or mostly makes IR that has to be verified alone: a smaller table.
SLOW_BINARY = ["tl.cdiv({}, {})", "tl.join({}, {})", "tl.interleave({}, {})", "tl.cat({}, {}, can_reorder=True)"]
TERNARY = ["tl.clamp({}, {}, {})", "tl.fma({}, {}, {})"]
UNARY = [
    "-{}", "+{}", "~{}", "not {}", "abs({})", "float({})", "int({})", "tl.abs({})", "tl.exp({})", "tl.exp2({})",
    "tl.log({})", "tl.log2({})", "tl.sin({})", "tl.cos({})", "tl.sqrt({})", "tl.sqrt_rn({})", "tl.rsqrt({})",
    "tl.erf({})", "tl.floor({})", "tl.ceil({})", "tl.sigmoid({})", "tl.softmax({})", "tl.zeros_like({})",
    "tl.sum({})", "tl.sum({}, 0)", "tl.max({}, 0)", "tl.min({}, 0)", "tl.max({}, 0, return_indices=True)[0]",
    "tl.min({}, 0, return_indices=True)[1]", "tl.argmax({}, 0)", "tl.argmin({}, 0)", "tl.xor_sum({}, 0)",
    "tl.reduce_or({}, 0)", "tl.cumsum({}, 0)", "tl.cumprod({}, 0)", "tl.sort({})", "tl.topk({}, 4)",
    "tl.topk({}, 16)", "tl.flip({}, 0)", "tl.bitonic_merge({})", "tl.ravel({})", "tl.reshape({}, [4, 4])",
    "tl.expand_dims({}, 0)", "tl.broadcast_to({}, [16])", "tl.gather({}, i, 0)", "tl.histogram({}, 8)",
    "tl.reduce({}, 0, added)", "tl.reduce({}, 0, greater)", "tl.associative_scan({}, 0, added)", "{}[None, :]",
    "{}.to(tl.float32)"] + [f"{{}}.to({SPELLED[t]})" for t in TYPES] + [
    f"{{}}.to({SPELLED[t]}, bitcast=True)" for t in TYPES] + [f"tl.sum({{}}, 0, dtype={SPELLED[t]})" for t in TYPES]
ON_POINTERS = [
    "{p} + {y}", "{y} + {p}", "{p} - {y}", "tl.load({p}, m, {y})", "tl.atomic_add({p}, {y})", "tl.atomic_max({p}, {y})",
    "tl.atomic_min({p}, {y})", "tl.atomic_and({p}, {y})", "tl.atomic_xchg({p}, {y})", "tl.atomic_cas({p}, {y}, {y})"]
DOTS = ["tl.dot({}, {})", "tl.dot({}, {}, out_dtype=tl.float16)", "tl.dot({}, {}, a16)", "tl.dot({}, {}, a32)",
        "tl.dot({}, {}, ai)"]
PRELUDE = """import triton
import triton.language as tl


@triton.jit
def added(a, b):
    return a + b


@triton.jit
def greater(a, b):
    return tl.maximum(a, b)
"""


class Case:
    """`function` is the template that the expression was made from; `types` its operands' types or literals."""

    def __init__(self, function, expression, types, operands):
        self.function, self.expression, self.types, self.operands = function, expression, types, operands

    def __str__(self):
        where = ", ".join(f"{name}: {'*' * pointer}{type_} {shape}" for name, (type_, shape, pointer) in
                          self.operands.items())
        return f"{self.expression}  with {where}"

    def kernel(self, name):
        """Pointers and scalars are parameters, tiles are made."""
        lines, parameters = [], {}
        for operand, (type_, shape, pointer) in self.operands.items():
            parameter = f"{'p' if pointer else 's'}_{type_}"
            if pointer or not shape:
                parameters[parameter] = None
            value = f"tl.zeros({shape}, {SPELLED[type_]})" if shape and not pointer else parameter
            if pointer and shape:
                value = f"{parameter} + tl.zeros({shape}, tl.int32)"
            lines.append(f"    {operand} = {value}\n")
        return (f"\n\n@triton.jit\ndef {name}({', '.join(parameters)}):\n{''.join(lines)}"
                f"    r = {self.expression}\n    tl.static_print(r.dtype, r.shape)\n")


def case(function, names, types, shapes, extra=None):
    """Literals stand in the expression, types become operands."""
    operands, texts = {}, []
    for name, type_, shape in zip(names, types, shapes):
        texts.append(name if type_ in TYPES else type_)
        if type_ in TYPES:
            operands[name] = [type_, shape, False]
    for name, what in (extra or {}).items():
        if name in function.replace("{", " ").replace("}", " ").replace("(", " ").replace(",", " ").replace(
                ")", " ").split():
            operands[name] = what
    return Case(function, function.format(*texts), types, operands)


def all_cases():
    condition = {"c": ["i1", [16], False]}
    for function in BINARY + SLOW_BINARY:
        operands = SOME_TYPES + SOME_LITERALS + ["-3"] if function in SLOW_BINARY else TYPES + LITERALS
        for x, y in itertools.product(operands, repeat=2):
            if x in TYPES or y in TYPES:
                yield case(function, "xy", (x, y), ([16], [16]), condition)
        for x, y in itertools.product(["i8", "u64", "f16", "f32", "3", "1.5"], repeat=2):
            if x in TYPES or y in TYPES:
                yield case(function, "xy", (x, y), ([], [16]), condition)
                yield case(function, "xy", (x, y), ([], []), {"c": ["i1", [], False]})
        for type_ in ["i32", "f32"]:
            for shapes in [([1], [16]), ([16, 1], [1, 16]), ([4, 16], [16]), ([4, 16], [4, 1]), ([8], [16])]:
                yield case(function, "xy", (type_, type_), shapes, {"c": ["i1", [], False]})
    for function in TERNARY:
        for types in itertools.product(SOME_TYPES + SOME_LITERALS, repeat=3):
            if any(t in TYPES for t in types) and ("fma" not in function or any(t in FLOATS for t in types)):
                yield case(function, "xyz", types, ([16], [16], [16]))
        for types in itertools.product(["f16", "f32", "1.5"], repeat=3):
            if any(t in TYPES for t in types):
                yield case(function, "xyz", types, ([16], [], []))
    for function in UNARY:
        for type_ in TYPES:
            yield case(function, "x", (type_,), ([16],), {"i": ["i32", [16], False]})
            tensors_only = ["0)", "0,", "[", "sort", "topk", "merge", "softmax", "ravel", "sum"]
            if not any(word in function for word in tensors_only):
                yield case(function, "x", (type_,), ([],))
    for function, p, y in itertools.product(ON_POINTERS, TYPES, TYPES + LITERALS):
        operands = {"p": [p, [16], True]}
        if y in TYPES:
            operands["y"] = [y, [16], False]
        if " m," in function:
            operands["m"] = ["i1", [16], False]
        yield Case(function, function.format(p="p", y="y" if y in TYPES else y), (p, y), operands)
    accumulators = {"a16": ["f16", [32, 32], False], "a32": ["f32", [32, 32], False], "ai": ["i32", [32, 32], False]}
    for function, x, y in itertools.product(DOTS, TYPES, TYPES):
        yield case(function, "xy", (x, y), ([32, 32], [32, 32]), accumulators)


def has(types, *wanted):
    return any(t in wanted for t in types)


def is_fp8(types):
    return has(types, "f8e4m3", "f8e5m2")


MATH = [f for f in UNARY if f.startswith("tl.") and f.removeprefix("tl.").removesuffix("({})") in
        ["exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "erf", "floor", "ceil", "sigmoid", "softmax"]]
PAIRING = ["tl.join({}, {})", "tl.interleave({}, {})", "tl.cat({}, {}, can_reorder=True)", "tl.broadcast({}, {})[0]",
           "tl.broadcast({}, {})[1]"]

# Where we differ on purpose: (reason, functions or None for any, which operand types, what Triton's answer contains,
# how ours begins).
DIFFERENCES = [
    ("functions of narrow floats are computed in f32 and rounded; Triton asks for a conversion", MATH,
     lambda t: has(t, "f16", "bf16", "f8e4m3", "f8e5m2"), "Expected dtype", "types"),
    ("the same for sqrt_rn and f64", ["tl.sqrt_rn({})"], lambda t: t[0] in FLOATS,
     "Expected dtype", "types"),
    ("div_rn takes all floats; Triton takes f32", ["tl.div_rn({}, {})"], lambda t: True,
     "Expected dtype ['fp32']", "types"),
    ("fdiv promotes its operands; Triton's is valid for equal types only", ["tl.fdiv({}, {})"], lambda t: t[0] != t[1],
     "refused: invalid IR", "types"),
    ("fdiv takes integer constants beside floats", ["tl.fdiv({}, {})"], lambda t: has(t, *LITERALS),
     "both operands of fdiv must have floating", "types"),
    ("umulhi promotes narrow integers beside wide ones", ["tl.umulhi({}, {})"], lambda t: True,
     "Expected dtype", "types"),
    ("clamp takes integers", ["tl.clamp({}, {}, {})"], lambda t: not has(t, *FLOATS),
     "Unexpected dtype", "types"),
    ("join, cat and the like take constants, in the other operand's type", PAIRING, lambda t: has(t, *LITERALS),
     "refused", "types"),
    ("constants of 8-bit floats exist", None, is_fp8,
     "object has no attribute 'get_fp8", "types"),
    ("8-bit floats convert to integers and back", None, is_fp8, "cannot cast", "types"),
    ("the same by to() and by sum's dtype", [f for f in UNARY if ".to(" in f or "dtype=" in f], lambda t: True,
     "cannot cast", "types"),
    ("a bool may be divided by signed integers and divide them: its sign says nothing", None,
     lambda t: has(t, "i1", "True"), "Cannot use /, #, or %", "types"),
    ("bit operations of atomics need integers; Triton makes IR for f32 that no target compiles",
     ["tl.atomic_and({p}, {y})"], lambda t: t[0] in ["f16", "bf16", "f32", "f64"], "types",
     "refused: atomic_and is not defined"),
    ("atomic_cas converts its operands to the pointer's type; Triton makes invalid IR",
     ["tl.atomic_cas({p}, {y}, {y})"], lambda t: t[0] != t[1], "refused: invalid IR", "types"),
    ("atomic_cas gives the pointer's type; Triton that of the value, which may have another sign",
     ["tl.atomic_cas({p}, {y}, {y})"], lambda t: t[0] != t[1] and t[0][1:] == t[1][1:], "types", "types"),
    ("an accumulator decides the type of an f16 product; Triton wants out_dtype as well", ["tl.dot({}, {}, a16)"],
     lambda t: t == ("f16", "f16"), "refused", "types: f16"),
    ("an i32 accumulator is right for i8; Triton wants out_dtype as well", ["tl.dot({}, {}, ai)"],
     lambda t: has(t, "i8", "u8"), "refused", "types: i32"),
    ("an f32 accumulator is wrong for i8; Triton takes its bits as i32", ["tl.dot({}, {}, a32)"],
     lambda t: has(t, "i8", "u8"), "types: i32", "refused: dot's accumulator is f32, expected i32"),
    ("the same for f64", ["tl.dot({}, {}, a32)"], lambda t: t == ("f64", "f64"), "types: f64",
     "refused: dot's accumulator is f32, expected f64"),
    ("a combine function may return a float of another width; Triton asserts without a word",
     ["tl.reduce({}, 0, greater)"], lambda t: t == ("bf16",), "refused: AssertionError", "types: bf16"),
    ("Python's abs, float, int, not and unary plus take tensors", ["abs({})", "float({})", "int({})", "not {}", "+{}"],
     lambda t: True, "refused", "types"),
]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def triton_python():
    """The interpreter of an environment that has Triton; made at the first call."""
    base = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tegula"
    version = f"py{sys.version_info.major}.{sys.version_info.minor}"
    folder = base / f"{TRITON.replace('==', '-')}-{version}"
    python, complete = folder / "bin" / "python", folder / "complete"
    base.mkdir(parents=True, exist_ok=True)
    with open(base / f"{folder.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if complete.exists():
            return python
        for command in [[sys.executable, "-m", "venv", "--clear", folder],
                        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", TRITON]]:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                last = (done.stdout.strip().splitlines() or ["no output"])[-1]
                skip(f"{TRITON} cannot be installed in {folder}: {last}")
        complete.touch()
    return python


def ask_triton(python, cases):
    here = pathlib.Path(__file__).parent
    requests = json.dumps([{"expression": c.expression, "operands": c.operands} for c in cases])
    done = subprocess.run([python, here / "triton_types.py"], input=requests, stdout=subprocess.PIPE, text=True,
                          check=True)
    return json.loads(done.stdout)


def ask_ours(probe, cases):
    answers = {}
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for begin in range(0, len(cases), 500):
            files.append(pathlib.Path(folder) / f"{begin}.py")
            files[-1].write_text(PRELUDE + "".join(
                c.kernel(f"case_{i}") for i, c in enumerate(cases[begin:begin + 500], begin)))
        done = subprocess.run([probe, *files], stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        name, outcome, text, *computed = line.split("\t")
        if outcome == "refused":
            answers[name] = {"refused": text}
        else:
            dtype, shape = text.split(" ", 1)
            shape = [int(n) for n in shape.strip("()").split(",") if n.strip()]
            answers[name] = {"types": f"{dtype} {shape}", "computed": computed[0]}
    return [answers[f"case_{i}"] for i in range(len(cases))]


def same_comparison(theirs, ours):
    """Whether the types in which a comparison takes place mean the same: equality of integers has no sign."""
    if theirs.startswith("*"):
        return True
    sign = {"i": "s", "u": "u"}.get(theirs[0]) if theirs != "i1" else "u"
    return ours in ([sign + theirs[1:], "i" + theirs[1:]] if sign else [theirs])


def shown(answer):
    return f"refused: {answer['refused']}" if "refused" in answer else f"types: {answer['types']}"


def differs(c, theirs, ours):
    if "refused" in theirs or "refused" in ours:
        return ("refused" in theirs) != ("refused" in ours)
    if theirs["types"] != ours["types"]:
        return True
    return c.function in COMPARISONS and not same_comparison(theirs["computed"], ours["computed"])


def main():
    cases, began, python = list(all_cases()), time.monotonic(), triton_python()
    with concurrent.futures.ThreadPoolExecutor(max_workers=3) as pool:
        parts = [cases[begin:begin + 4000] for begin in range(0, len(cases), 4000)]
        tegula = pool.submit(ask_ours, sys.argv[1], cases)
        triton = [answer for part in pool.map(lambda part: ask_triton(python, part), parts) for answer in part]
        tegula = tegula.result()
    used, unexplained, explained = collections.Counter(), [], 0
    for c, theirs, ours in zip(cases, triton, tegula):
        if not differs(c, theirs, ours):
            continue
        rows = [i for i, (_, functions, applies, theirs_is, ours_is) in enumerate(DIFFERENCES)
                if (functions is None or c.function in functions) and applies(c.types) and theirs_is in shown(theirs)
                and shown(ours).startswith(ours_is)]
        used.update(rows)
        explained += bool(rows)
        if not rows:
            unexplained.append((c, theirs, ours))
    for c, theirs, ours in unexplained[:int(os.environ.get("SHOWN", 40))]:
        print(f"{c}\n  Triton  {shown(theirs)} {theirs.get('computed', '')}\n  Tegula  {shown(ours)} "
              f"{ours.get('computed', '')}")
    for i, row in enumerate(DIFFERENCES):
        print(f"{used[i]:6} cases: {row[0]}" + ("" if used[i] else "; THIS ROW EXPLAINS NOTHING ANY MORE: drop it"))
    pairs = {(c.function, c.types) for c in cases}
    print(f"{len(cases)} cases, {len(pairs)} combinations of a function and types; {explained} differ as listed, "
          f"{len(unexplained)} differ without a row; {time.monotonic() - began:.0f} s")
    sys.exit(bool(unexplained) or any(not used[i] for i in range(len(DIFFERENCES))))


if __name__ == "__main__":
    main()
