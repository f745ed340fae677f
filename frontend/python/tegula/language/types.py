"""What stands for parts of the language in Python: element types, constants, and functions that only kernels call."""

import enum
import operator
import typing

LANGUAGE = "tegula.language"


class KernelOnly:
    """A function or type of the language. Kernels are compiled from their source, so Python never calls it."""

    def __init__(self, module, name):
        self.__module__, self.__name__ = module, name

    def _refuse(self):
        raise RuntimeError(f"{self!r} has a meaning only inside of a kernel: in a function that is decorated with "
                           "@jit and launched as kernel[grid](...)")

    def __call__(self, *arguments, **named):
        self._refuse()

    def __getattr__(self, name):
        raise AttributeError(f"{self!r} has no '{name}' here; it has a meaning only inside of a kernel")

    def __repr__(self):
        return f"{self.__module__}.{self.__name__}".replace(LANGUAGE, "tl", 1)


class OnHost(KernelOnly):
    """A function of the language that Python may call, too."""

    def __init__(self, module, name, function):
        super().__init__(module, name)
        self._function = function

    def __call__(self, *arguments, **named):
        return self._function(*map(unwrapped, arguments), **{name: unwrapped(named[name]) for name in named})


class KernelType(KernelOnly):
    """A type of the language, which nothing in Python is an instance of. It stands in annotations."""

    def __instancecheck__(self, value):
        return False

    def __subclasscheck__(self, type_):
        return False

    def __or__(self, other):
        return typing.Union[self, other]

    def __ror__(self, other):
        return typing.Union[other, self]


class constexpr:
    """A constant for kernels: `N: tl.constexpr = tl.constexpr(8)` at module level, and the annotation of parameters.
    Operators give a constant of what they give for its value. The value stays: kernels are compiled with it."""

    def __init__(self, value):
        self._value = unwrapped(value)

    @property
    def value(self):
        return self._value

    def __repr__(self):
        return f"constexpr[{self.value!r}]"

    def __eq__(self, other):
        return self.value == unwrapped(other)

    def __hash__(self):
        return hash(self.value)

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return self.value.__index__()

    def __float__(self):
        return float(self.value)

    def __getitem__(self, index):
        return self.value[unwrapped(index)]

    def __call__(self, *arguments, **named):
        return self.value(*arguments, **named)


def unwrapped(value):
    """The value of a constexpr; others as they are."""
    return value.value if isinstance(value, constexpr) else value


def _add_operators():
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"):
        of_two = getattr(operator, name + "_" if name in ("and", "or") else name)
        setattr(constexpr, f"__{name}__", lambda self, other, of_two=of_two: _constant(of_two, self, other))
        setattr(constexpr, f"__r{name}__", lambda self, other, of_two=of_two: _constant(of_two, other, self))
    for name in ("lt", "le", "gt", "ge"):
        setattr(constexpr, f"__{name}__", lambda self, other, of_two=getattr(operator, name): _constant(of_two, self,
                                                                                                      other))
    for name in ("neg", "pos", "invert"):
        setattr(constexpr, f"__{name}__", lambda self, of_one=getattr(operator, name): _constant(of_one, self))


def _constant(function, *operands):
    return constexpr(function(*map(unwrapped, operands)))


_add_operators()


class base_value:
    """Of the values in kernels: nothing in Python is one."""


class base_type:
    """Of their types."""


class dtype(base_type):
    """An element type, by Triton's name ("fp32"), whose name in the language is `attribute`; `tegula_name` is ours."""

    class KIND(enum.IntEnum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name):
        self.name = unwrapped(name)
        if not self.is_dtype(self.name):
            raise ValueError(f"there is no element type {self.name!r}; there are {', '.join(_ROWS)}")
        self.attribute, self.tegula_name, self.primitive_bitwidth = _ROWS[self.name]
        self.itemsize = max(1, self.primitive_bitwidth // 8)

    @staticmethod
    def is_dtype(name):
        return name in _ROWS

    @property
    def scalar(self):
        return self

    @property
    def int_bitwidth(self):
        return self.primitive_bitwidth

    def is_fp8(self):
        return self.name.startswith("fp8")

    def is_standard_floating(self):
        return self.is_floating() and not self.is_fp8()

    @staticmethod
    def is_ptr():
        return False

    is_block = is_const = is_fp8e4b15 = is_ptr

    def is_floating(self):
        return "f" in self.tegula_name

    def is_bool(self):
        return self.tegula_name == "i1"

    def is_int(self):
        return not self.is_floating()

    def kind(self):
        """One of `KIND`. Of operands of different kinds, the one of the larger kind decides the type of the result."""
        return self.KIND.BOOLEAN if self.is_bool() else self.KIND.INTEGRAL if self.is_int() else self.KIND.FLOATING

    def is_int_signed(self):
        return self.is_int() and not self.is_int_unsigned()

    def is_int_unsigned(self):
        return self.tegula_name.startswith("u")

    def to(self, *arguments, **named):
        raise RuntimeError(f"{self!r}.to has a meaning only inside of a kernel")

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"tl.{self.attribute}"

    def __eq__(self, other):
        return isinstance(other, dtype) and other.tegula_name == self.tegula_name

    def __hash__(self):
        return hash(self.tegula_name)


# Name in the language, Triton's short name, ours, bits. A type has a function is_NAME() for each of the short names.
_TABLE = (("int1", "int1", "i1", 1), ("int8", "int8", "i8", 8), ("int16", "int16", "i16", 16),
          ("int32", "int32", "i32", 32), ("int64", "int64", "i64", 64), ("uint8", "uint8", "u8", 8),
          ("uint16", "uint16", "u16", 16), ("uint32", "uint32", "u32", 32), ("uint64", "uint64", "u64", 64),
          ("float16", "fp16", "f16", 16), ("bfloat16", "bf16", "bf16", 16), ("float32", "fp32", "f32", 32),
          ("float64", "fp64", "f64", 64), ("float8e4nv", "fp8e4nv", "f8e4m3", 8), ("float8e5", "fp8e5", "f8e5m2", 8),
          ("float8e4b8", "fp8e4b8", "f8e4m3fnuz", 8), ("float8e5b16", "fp8e5b16", "f8e5m2fnuz", 8))
_ROWS = {name: (attribute, ours, bits) for attribute, name, ours, bits in _TABLE}
DTYPES = {attribute: dtype(name) for attribute, name, _, _ in _TABLE}
for _name in _ROWS:
    setattr(dtype, f"is_{_name}", lambda self, _name=_name: self.name == _name)
_BY_NAME = {item.tegula_name: item for item in DTYPES.values()}


def dtype_of_name(name):
    """The type that Tegula calls `name`."""
    return _BY_NAME[name]


def int_dtype(bitwidth, signed):
    return dtype(f"{'int' if signed else 'uint'}{bitwidth}")
