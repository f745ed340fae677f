"""Compilation ahead of a launch, for any target and without a device: `compile(ASTSource(...), target=...)`."""

import functools
from ctypes import byref

from . import _abi, errors, options as known, pytorch
from .arguments import constant, stages_of
from .compiled import Code
from .source import literal


class ASTSource:
    """A kernel with the types of its parameters.

    `signature`: by name the type as the command line takes it ("*fp32:16", "i32"; `tegula compile --help`), or
    "constexpr". `constexprs`: values by name, or by (index,); of parameters that are no constants, too, for which the
    code is then made. `attrs`: pairs ("tt.divisibility", 16) by (index,)."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn, self.signature = fn, dict(signature)
        named = {}
        for key, value in (constexprs or {}).items():
            named[fn.arg_names[key[0]] if isinstance(key, tuple) else key] = value
        self.constexprs = named
        self.attrs = {fn.arg_names[key[0]]: dict(pairs) for key, pairs in (attrs or {}).items()}
        unknown = [name for name in (*self.signature, *named) if name not in fn.arg_names]
        if unknown:
            raise errors.UseError(f"kernel '{fn.__name__}' has no parameter '{unknown[0]}'; it has "
                                  f"{', '.join(fn.arg_names)}")

    def types(self, constants=None):
        """The signature as text, in order, without `constants`: types, and values where they are given for parameters
        that are no constants to the compiler. By default, only types."""
        if constants is None:
            constants = {name for name in self.fn.arg_names
                         if name in self.constexprs or self.signature.get(name) == "constexpr"}
        return ", ".join(self._type(name) for name in self.fn.arg_names if name not in constants)

    def _type(self, name):
        if name in self.constexprs:
            return str(literal(self.constexprs[name]))
        if name not in self.signature:
            raise errors.UseError(f"the signature has no type for parameter '{name}' of kernel '{self.fn.__name__}'")
        divisor = self.attrs.get(name, {}).get("tt.divisibility")
        return self.signature[name] + (f":{divisor}" if divisor and ":" not in self.signature[name] else "")


class CompiledSource(Code):
    """The code of one kernel for one target."""

    def __init__(self, handle):
        self._compiled = handle

    @functools.cached_property
    def _handle(self):
        return self._compiled


def compile(src, target=None, options=None):  # noqa: A001  Triton's name
    """`target`: a name (docs/architecture.md) or Triton's GPUTarget; None: that of the GPU that PyTorch uses, else the
    CPU. `options`: by name, as launches take them (docs/python/launches.md)."""
    loaded = src.fn._load()
    constants = [_abi.Constant(name.encode(), constant(value, src.fn._describe(name)))
                 for name, value in src.constexprs.items() if name in loaded.constexprs]
    options = options or {}
    for name, value in options.items():
        if name not in known.TABLE:
            raise errors.UseError(f"there is no option '{name}'; there are {', '.join(sorted(known.TABLE))}")
        known.note(name, value)
    constants += known.constants_of(options, src.fn.debug, src.fn.arg_names)
    how = _abi.CompileOptions(target=pytorch.target_name(target).encode(),
                              signature=src.types(loaded.constexprs).encode(),
                              constants=(_abi.Constant * len(constants))(*constants), constant_count=len(constants),
                              num_warps=options.get("num_warps") or 0, num_stages=stages_of(options))
    try:
        return CompiledSource(_abi.Handle("compiled", "kernel_compile", loaded.handle, byref(how)))
    except errors.CompilationError as error:
        raise loaded.source.explained(error)
