"""Asks Triton for the types of expressions. Runs in an environment where Triton is installed; needs no GPU.

Reads cases from standard input, a JSON list of {"expression": .., "operands": {name: [type, shape, is_pointer]}}, and
writes one answer for each: {"types": "f32 [16]", "computed": "f16"} or {"refused": why}. "computed" is the type in
which a comparison takes place.

The expressions are visited by Triton's own code generator inside of a kernel that has one call, probe(); its operands
are values without a definition. Modules are verified, because some functions build invalid IR where others refuse.
"""
import ast
import json
import os
import sys

import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend
from triton.compiler.code_generator import ast_to_ttir
from triton.compiler.compiler import ASTSource
from triton.language import core
from triton.language.semantic import TritonSemantic

NAMES = {"i1": tl.int1, "i8": tl.int8, "i16": tl.int16, "i32": tl.int32, "i64": tl.int64, "u8": tl.uint8,
         "u16": tl.uint16, "u32": tl.uint32, "u64": tl.uint64, "f16": tl.float16, "bf16": tl.bfloat16,
         "f32": tl.float32, "f64": tl.float64, "f8e4m3": tl.float8e4nv, "f8e5m2": tl.float8e5}
SPELLINGS = {str(dtype): name for name, dtype in NAMES.items()}

cases, answers, compared_in = [], [], []


def named(dtype):
    return "*" + named(dtype.element_ty) if dtype.is_ptr() else SPELLINGS.get(str(dtype), str(dtype))


def described(value):
    if not isinstance(value, core.tensor):
        return "no tensor"
    shape = [int(core._unwrap_if_constexpr(n)) for n in value.type.get_block_shapes()] if value.type.is_block() else []
    return f"{named(value.type.scalar)} {shape}"


def cause(error):
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {getattr(error, 'error_message', error)}".split("\n")[0]


def operand(semantic, name, shape, is_pointer):
    dtype = tl.pointer_type(NAMES[name]) if is_pointer else NAMES[name]
    type_ = tl.block_type(dtype, shape) if shape else dtype
    return core.tensor(semantic.builder.create_poison(type_.to_ir(semantic.builder)), type_)


@core.builtin
def probe(_semantic=None, _generator=None):
    for case in cases:
        block = _semantic.builder.get_insertion_block()
        compared_in.clear()
        try:
            for name, parts in case["operands"].items():
                _generator.lscope[name] = operand(_semantic, *parts)
            value = _generator.visit(ast.parse(case["expression"], mode="eval").body)
            answers.append({"types": described(value), "computed": compared_in[-1] if compared_in else ""})
        except Exception as error:  # whatever Triton raises is a refusal
            answers.append({"refused": cause(error)})
        _semantic.builder.set_insertion_point_to_end(block)


@triton.jit
def kernel():
    probe()


@triton.jit
def added(a, b):
    return a + b


@triton.jit
def greater(a, b):
    return tl.maximum(a, b)


def remember(self, value):
    compared_in.append(named(value.type.scalar))
    return value.type.with_element_ty(tl.int1)


def answer(batch):
    """One answer for each case, and the module that they come from is verified: of an invalid one each half alone."""
    cases[:], answers[:] = batch, []
    backend = CUDABackend(GPUTarget("cuda", 90, 32))
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    try:
        ast_to_ttir(kernel, ASTSource(kernel, {}), context, options, backend.get_codegen_implementation(options),
                    backend.get_module_map())
        return list(answers)
    except RuntimeError:
        if len(batch) == 1:
            return list(answers) if "refused" in answers[0] else [{"refused": "invalid IR"}]
        half = len(batch) // 2
        return answer(batch[:half]) + answer(batch[half:])


def main():
    TritonSemantic._bool_like = remember
    output = os.fdopen(os.dup(1), "w")
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)  # the verifier prints modules
    os.dup2(silent, 2)
    requests = json.load(sys.stdin)
    json.dump([found for begin in range(0, len(requests), 64) for found in answer(requests[begin:begin + 64])], output)


if __name__ == "__main__":
    main()
