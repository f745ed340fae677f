"""Arrays of other packages as memory: NumPy arrays, and tensors with data_ptr(), dtype, shape and stride()."""

from . import errors, tensors
from .language.types import dtype, dtype_of_name

# Names of element types in NumPy and PyTorch.
_NAMES = {"bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
          "uint32": "u32", "uint64": "u64", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
          "float8_e4m3fn": "f8e4m3", "float8_e5m2": "f8e5m2", "float8_e4m3fnuz": "f8e4m3fnuz",
          "float8_e5m2fnuz": "f8e5m2fnuz"}


class HostArray:
    """Elements in memory of the host: strides count elements. Keeps the array alive."""

    def __init__(self, owner, address, type_, shape, strides, writable):
        self.owner, self.address, self.type = owner, address, type_
        self.shape, self.strides, self.writable = tuple(shape), tuple(strides), writable

    @property
    def span(self):
        """Elements from the first to the last, 0 of an empty array."""
        if 0 in self.shape:
            return 0
        return 1 + sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides))

    @property
    def is_aligned(self):
        """Whether the elements stand at multiples of their size, as kernels expect."""
        return self.address % self.type.itemsize == 0

    @property
    def end(self):
        return self.address + self.span * self.type.itemsize


# What interfaces of arrays call them (tensors.INTERFACE).
_CODES = {"|b1": "i1", "|i1": "i8", "<i2": "i16", "<i4": "i32", "<i8": "i64", "|u1": "u8", "<u2": "u16", "<u4": "u32",
          "<u8": "u64", "<f2": "f16", "<f4": "f32", "<f8": "f64"}


# Types that NumPy lacks, as integers of as many bytes.
_AS_INTEGERS = {"bf16": "uint16", "f8e4m3": "uint8", "f8e5m2": "uint8", "f8e4m3fnuz": "uint8", "f8e5m2fnuz": "uint8"}


def numpy_name(type_):
    """What NumPy calls a type, or the integers that stand for it."""
    ours = type_.tegula_name
    return _AS_INTEGERS.get(ours) or next(name for name, known in _NAMES.items() if known == ours)


def is_in_numpy(type_):
    """Whether NumPy has the type, so that no integers stand for it."""
    return type_.tegula_name not in _AS_INTEGERS


def is_array(value):
    return (hasattr(value, "data_ptr") or hasattr(value, "__array_interface__") or hasattr(value, tensors.INTERFACE))


def element_type(name, parameter):
    """The type that another package calls `name`, or one of this package's own."""
    if isinstance(name, dtype):
        return name
    ours = _NAMES.get(name) or _CODES.get(name)
    if not ours:
        raise errors.UseError(f"{parameter}: arrays of {name} cannot be passed to a kernel; the element types are "
                              f"{', '.join(sorted(_NAMES))}")
    return dtype_of_name(ours)


# Names that are two types: Python's and C's, or PyTorch's and NumPy's.
_AMBIGUOUS = {"float": "float32 or float64", "double": "float64", "half": "float16", "int": "int32 or int64",
              "long": "int64", "short": "int16"}


def type_of(given):
    """The element type of tl's that `given` stands for: a type of tl's, NumPy's or PyTorch's, or a name of one."""
    if isinstance(given, dtype):
        return given
    name = given.__name__ if isinstance(given, type) else str(given).rsplit(".", 1)[-1]  # np.float32, torch.float32
    if name == "bool_":
        name = "bool"
    if name in _NAMES or name in _NAMES.values():  # "float32", "f32"
        return dtype_of_name(_NAMES.get(name, name))
    if dtype.is_dtype(name):  # Triton's own: "fp32"
        return dtype(name)
    near = _AMBIGUOUS.get(name)
    raise errors.UseError(f"{given!r} is no element type; " + (f"write {near}" if near else
                          f"the element types are {', '.join(sorted(_NAMES))}, of tl, NumPy or PyTorch, or by name"))


def host_array(value, parameter):
    """`parameter` names the parameter in messages."""
    if hasattr(value, "data_ptr"):
        type_ = element_type(tensors.type_name(value.dtype), parameter)
        return HostArray(value, tensors.address_of(value, parameter), type_, value.shape, value.stride(), True)
    of_host = getattr(value, "__array_interface__", None)
    interface = of_host or getattr(value, tensors.INTERFACE)
    type_ = element_type(tensors.type_name(value.dtype) if of_host else interface["typestr"], parameter)
    address, read_only = interface["data"]
    shape = interface["shape"]
    tensors.with_memory(address, shape, parameter)
    strides = _element_strides(interface.get("strides"), shape, type_, parameter)
    return HostArray(value, address, type_, shape, strides, not read_only)


def _element_strides(strides, shape, type_: dtype, parameter):
    if strides is None:
        return tensors.dense_strides(shape)
    for axis, stride in enumerate(strides):
        if stride < 0 or stride % type_.itemsize:
            raise errors.UseError(f"{parameter}: axis {axis} of the array has a stride of {stride} bytes; a multiple "
                                  f"of the {type_.itemsize} bytes of an element is expected, and not a negative one")
    return [stride // type_.itemsize for stride in strides]
