"""Options of a launch, given by name beside the kernel's parameters: what each of them is. docs/python/launches.md has
the same table, and a test compares."""

from typing import NamedTuple

from . import _abi, errors, knobs
from .arguments import constant

# Kinds of options.
HONOURED = "honoured"  # it does what it says
HINT = "hint"  # without effect on results
WARNS = "warns"  # without effect, which a warning says once in a process


class Option(NamedTuple):
    kind: str
    neutral: tuple = ()  # of WARNS: values that ask for nothing
    instead: str = ""  # of WARNS: what happens, and what to do


_HONOURED, _HINT = Option(HONOURED), Option(HINT)
TABLE = {
    "device": _HONOURED,
    "grid": _HONOURED,
    "num_warps": _HONOURED,
    "num_stages": _HONOURED,
    "depth_splits": _HONOURED,
    "maxnreg": _HONOURED,
    "default_dot_input_precision": _HONOURED,
    "max_num_imprecise_acc_default": _HONOURED,
    "debug": _HONOURED,
    "sanitize_overflow": _HONOURED,
    # What code may do to be faster.
    "num_ctas": _HINT,
    "waves_per_eu": _HINT,
    "matrix_instr_nonkdim": _HINT,
    "kpack": _HINT,
    "launch_pdl": _HINT,
    "allow_flush_denorm": _HINT,
    # What Triton's compiler is told of its target.
    "allowed_dot_input_precisions": _HINT,
    "backend_name": _HINT,
    "deprecated_fp8_dot_operand_dtypes": _HINT,
    "ptx_version": _HINT,
    "supported_fp8_dtypes": _HINT,
    "warp_size": _HINT,
    # What would change results, or whether a launch ends.
    "arch": Option(WARNS, (), "code is compiled for the launch's device; tegula.compile takes any target"),
    "enable_fp_fusion": Option(WARNS, (True,), "docs/math.md says where a product and a sum are rounded once"),
    "enable_reflect_ftz": Option(WARNS, (True,), "docs/math.md says where subnormal results become 0"),
    "extern_libs": Option(WARNS, ({}, (), []), "functions of device libraries are the ones of tl.extra.libdevice"),
    "instrumentation_mode": Option(WARNS, ("",), "code is not instrumented; TRITON_INTERPRET=1 checks accesses"),
    "ir_override": Option(WARNS, (), "code is compiled from the kernel's source"),
    "launch_cooperative_grid": Option(WARNS, (False,), "programs of a grid may run one after another, so that a kernel "
                                      "whose programs wait for each other may never end"),
    "ptx_options": Option(WARNS, ("", ()), "the assembler gets no options; maxnreg caps the registers"),
}
HINTS = tuple(name for name, option in TABLE.items() if option.kind == HINT)
# Those that are part of a prepared launch's key; a value that warns comes here once. `grid` is the launch's own, and
# the device stands for itself.
KEYED = tuple(name for name, option in TABLE.items() if option.kind != HINT and name not in ("device", "grid"))
# Those that the library takes among the constants, beside `debug` and sanitize_overflow, which depends on it.
_CONSTANTS = ("depth_splits", "maxnreg", "default_dot_input_precision", "max_num_imprecise_acc_default")
_warned = set()


def note(name, value):
    """Warns, once in a process, that an option asks for what does not happen."""
    option = TABLE[name]
    is_neutral = value is None or any(type(value) is type(known) and value == known for known in option.neutral)
    if option.kind != WARNS or is_neutral or name in _warned:
        return
    _warned.add(name)
    errors.warn(f"the option {name}={value!r} of a launch has no effect: {option.instead}")


def constants_of(given, debug=False, parameters=()):
    """The constants that the library knows options as; `debug`: where the options do not say. TRITON_DEBUG asks for it
    in any case. A parameter of the kernel hides the option of its name."""
    values = {name: given[name] for name in _CONSTANTS if given.get(name) is not None}
    if (debug if given.get("debug") is None else given["debug"]) or knobs.runtime.debug:
        values["debug"] = True
        if given.get("sanitize_overflow") is None or given["sanitize_overflow"]:
            values["sanitize_overflow"] = True
    return [_abi.Constant(name.encode(), constant(value, name)) for name, value in values.items()
            if name not in parameters]
