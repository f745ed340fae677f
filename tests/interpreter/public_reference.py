"""A public kernel in Triton's own interpreter, in a process of its own."""

import ast
import functools
import inspect
import os
import pathlib
import resource
import signal
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "corpus"))

from made_up import element_type
from numpy_tensor import Tensor, mend_interpreter

# Functions of libdevice, which the interpreter lacks, by NumPy. They compute in the type of their first argument.
LIBDEVICE = {
    **{n: getattr(np, n) for n in "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan tanh sinh cosh".split()},
    **{n: getattr(np, n) for n in "floor ceil trunc rint fmod hypot copysign nextafter isnan isinf".split()},
    **{"a" + n: getattr(np, "arc" + n) for n in "sin cos tan tan2 sinh cosh tanh".split()},
    **{"fast_expf": np.exp, "fast_logf": np.log, "fast_powf": np.power, "pow": np.power, "nearbyint": np.rint},
    **{"div_rn": np.divide, "fast_dividef": np.divide, "rsqrt": lambda x: 1 / np.sqrt(x)},
    **{"isfinited": np.isfinite, "finitef": np.isfinite, "cbrt": np.cbrt, "fabs": np.abs, "abs": np.abs},
    "round": lambda x: np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x),
}


def logic_of_tensors(operation, *operands):
    """`and`, `or` and `not` as Triton's compiler has them: elementwise on tensors, early exits on constants only."""
    import triton.language as tl

    if operation == "not":
        value = operands[0]()
        return value.__not__() if isinstance(value, tl.tensor) else not value
    result = None
    for operand in operands:
        value = operand()
        if not isinstance(value, tl.tensor):
            if bool(value) == (operation == "or"):
                return value
            continue
        result = value if result is None else getattr(result, "logical_" + operation)(value)
    return value if result is None else result


class Logic(ast.NodeTransformer):
    """Rewrites `a and b` to logic_of_tensors("and", lambda: a, lambda: b)."""

    def call(self, operation, operands):
        none = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        lambdas = [ast.Lambda(args=none, body=o) for o in operands]
        name = ast.Name(id=logic_of_tensors.__name__, ctx=ast.Load())
        return ast.Call(func=name, args=[ast.Constant(value=operation), *lambdas], keywords=[])

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        return self.call("and" if isinstance(node.op, ast.And) else "or", node.values)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return self.call("not", [node.operand]) if isinstance(node.op, ast.Not) else node


class NoOrder(Exception):
    """The kernel's result depends on an order that the language does not define."""


def numpy_function(function):
    """A function of tensors that the interpreter can call, from one of arrays."""
    import triton.language as tl
    from triton.runtime.interpreter import TensorHandle

    def call(*args, _semantic=None):
        first = next(a for a in args if isinstance(a, tl.tensor))
        values = [a.handle.data if isinstance(a, tl.tensor) else getattr(a, "value", a) for a in args]
        result = np.asarray(function(*(np.asarray(v, first.handle.data.dtype) for v in values)))
        scalar = tl.int1 if result.dtype == np.bool_ else first.type.scalar
        type_ = tl.block_type(scalar, first.shape) if first.type.is_block() else scalar
        return tl.tensor(TensorHandle(result.astype(np.bool_ if scalar == tl.int1 else values[0].dtype), scalar), type_)

    return call


def mend_for_public_kernels():
    """What public kernels ask of the interpreter beyond what mend_interpreter mends.

    `and`, `or` and `not` (logic_of_tensors); libdevice (LIBDEVICE); decorators that look for a JITFunction, with its
    parameters and key, where the interpreter has an InterpretedFunction.
    """
    import triton
    from triton.language.extra import libdevice
    from triton.language.extra.cuda import libdevice as cuda_libdevice
    from triton.runtime import interpreter, jit

    class JITFunction(interpreter.InterpretedFunction):
        @functools.cached_property
        def params(self):
            given = inspect.signature(self.fn).parameters.values()
            return [jit.KernelParam(n, p, False, False) for n, p in enumerate(given)]

        __class_getitem__ = classmethod(lambda cls, types: cls)
        signature = property(lambda self: inspect.signature(self.fn))
        cache_key = property(lambda self: self.fn.__qualname__)

    compiled = jit.JITFunction
    interpreter.FunctionRewriter._get_jit_fn_file_line = lambda self: jit.get_jit_fn_file_line(compiled(self.fn))
    transform = interpreter.FunctionRewriter._transform_ast
    interpreter.FunctionRewriter._transform_ast = lambda self, text: ast.fix_missing_locations(
        Logic().visit(transform(self, text))
    )
    interpreter.logic_of_tensors = logic_of_tensors  # the rewriter hands its module's names to the functions
    interpreter.InterpretedFunction = jit.JITFunction = JITFunction
    triton.runtime.JITFunction = triton.JITFunction = JITFunction
    for name, function in LIBDEVICE.items():
        for module in (libdevice, cuda_libdevice):
            if hasattr(module, name):
                setattr(module, name, numpy_function(function))


def refuse_shared_addresses():
    """Makes the interpreter raise NoOrder where two elements of one store have one address and different values."""
    from triton.runtime import interpreter

    builder = interpreter.InterpreterBuilder
    store = builder.create_masked_store

    def in_order(self, pointers, value, mask, cache, eviction):
        shape = pointers.data.shape
        kept = np.broadcast_to(mask.data, shape).astype(bool)
        addresses, values = pointers.data[kept], np.broadcast_to(value.data, shape)[kept]
        order = np.argsort(addresses, kind="stable")
        addresses, values = addresses[order], values[order]
        values = values.view(f"u{values.dtype.itemsize}")
        if np.any((addresses[1:] == addresses[:-1]) & (values[1:] != values[:-1])):
            raise NoOrder("two elements of one store have one address")
        return store(self, pointers, value, mask, cache, eviction)

    builder.create_masked_store = in_order


def reverse_programs():
    """Makes the interpreter run the programs of a grid from the last one to the first."""
    from triton.runtime import interpreter

    builder = interpreter.InterpreterBuilder
    index = builder.set_grid_idx
    builder.set_grid_idx = lambda self, *at: index(self, *(n - 1 - i for n, i in zip(self.grid_dim, at)))


def kernel_of(module, name):
    """The function that the interpreter runs, without autotune and heuristics, whose constants are given."""
    from triton.runtime.interpreter import InterpretedFunction

    kernel = getattr(module, name)
    while not isinstance(kernel, InterpretedFunction):
        kernel = getattr(kernel, "fn", None) or kernel.jit_function
    return kernel


def range_with_options(*args, **options):
    """The builtin `range` with the keywords that Triton's compiler takes: bounds by name, and hints."""
    named = [options[n] for n in ("start", "stop", "step") if n in options]
    return range(*map(int, (*args, *named)))


def interpret(record, attempt, arrays, values, folder, isReversed):
    """Writes each array as NAME.interpreted.npy or, from programs in reversed order, NAME.reversed.npy."""
    import judge
    import triton.language as tl

    mend_interpreter()
    mend_for_public_kernels()
    refuse_shared_addresses()
    if isReversed:
        reverse_programs()
    root = pathlib.Path(record["root"])
    module = judge.import_file(root / record["file"], root, judge.roots_of(root))
    kinds = {name: element_type(kind) for name, kind, _ in record["signature"] if kind.startswith("*")}
    tensors = {name: Tensor(array, kinds[name]) for name, array in arrays.items()}
    given = {k: getattr(tl, v["type"]) if isinstance(v, dict) else v for k, v in values.items()}
    kernel = kernel_of(module, record["kernel"])
    kernel.fn.__globals__["range"] = range_with_options
    kernel[attempt["grid"]](**tensors, **given)
    for name, tensor in tensors.items():
        np.save(folder / f"{name}.{'reversed' if isReversed else 'interpreted'}.npy", tensor.array)


def interpreted(record, attempt, arrays, values, folder, seconds, isReversed=False):
    """The message of a failure; empty if the interpreter's arrays lie in the folder.

    A process of its own, because the interpreter reads and writes memory at the kernel's own addresses.
    """
    sys.stdout.flush()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        try:
            interpret(record, attempt, arrays, values, folder, isReversed)
        except BaseException as error:
            while error.__cause__:
                error = error.__cause__
            os.write(write, f"{type(error).__name__}: {error}"[:300].encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        message = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "it takes too long" if number == signal.SIGXCPU else f"it ends by signal {number}"
    return message
