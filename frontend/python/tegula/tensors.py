"""Tensors in memory of a device, as other packages describe them: PyTorch's, and objects with
`__cuda_array_interface__`."""

import sys

from . import errors, pytorch

INTERFACE = "__cuda_array_interface__"
# DLPack's numbers of devices.
DLPACK_DEVICES = {"cpu": 1, "cuda": 2, "vulkan": 7, "rocm": 10}


class DeviceTensor:
    """`address` is of the first element, as kernels use it; `type_text` is the element type's name, or NumPy's code;
    `span` counts elements from the first to the last, 0 where that is not known."""

    def __init__(self, device, address, type_text, span, read_only=False):
        self.device, self.address, self.type_text, self.span = device, address, type_text, span
        self.read_only = read_only


def span_of(shape, strides):
    """Of a tensor whose strides count elements; 0 where it has none, or a stride is negative."""
    if 0 in shape or any(stride < 0 for stride in strides):
        return 0
    return 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))


def device_tensor(value, parameter):
    """The tensor that `value` is, or None where its memory is of the host."""
    if hasattr(value, "data_ptr"):
        name = pytorch.device_name(value.device)
        if name == "cpu":
            return None
        span = span_of(value.shape, value.stride()) if hasattr(value, "stride") else 0
        return DeviceTensor(name, address_of(value, parameter), type_name(value.dtype), span)
    interface = getattr(value, INTERFACE, None)
    if interface is None:
        return None
    if interface.get("mask") is not None:
        raise errors.UseError(f"{parameter}: an array with a mask was given; kernels cannot be given masks of arrays")
    address, read_only = interface["data"]
    shape = interface["shape"]
    span = 0 if interface.get("strides") else span_of(shape, dense_strides(shape))
    return DeviceTensor(f"{pytorch.vendor()}:{getattr(getattr(value, 'device', None), 'id', 0)}",
                        with_memory(address, shape, parameter), interface["typestr"], span, bool(read_only))


def address_of(tensor, parameter):
    """Of the first element. Sparse tensors, for example, have none."""
    try:
        address = tensor.data_ptr()
    except (RuntimeError, NotImplementedError) as error:
        raise errors.UseError(f"{parameter}: the tensor has no address of elements: {error}") from None
    return address or with_memory(address, tensor.shape, parameter)


def with_memory(address, shape, parameter):
    """The address of a tensor's elements, which is 0 only where it has none."""
    if not address and 0 not in shape:
        raise errors.UseError(f"{parameter}: the tensor has elements, but their address is 0; a tensor with memory is "
                              "expected, not one that stands for a shape, such as PyTorch's FakeTensor")
    return address


def type_name(type_):
    """What a package calls an element type, without the package; one of this package's own as it is."""
    return type_ if hasattr(type_, "tegula_name") else str(type_).rsplit(".", 1)[-1]


def dense_strides(shape):
    """Of a row-major array, in elements."""
    result, step = [], 1
    for extent in reversed(shape):
        result.insert(0, step)
        step *= extent
    return tuple(result)


class TensorWrapper:
    """A tensor whose elements a kernel takes for another type of the same size; made by `reinterpret`."""

    def __init__(self, base, type_):
        self.base, self.dtype = base, type_
        self.device, self.shape = base.device, base.shape

    def data_ptr(self):
        return self.base.data_ptr()

    def stride(self, *axis):
        return self.base.stride(*axis)

    def __getattr__(self, name):
        return getattr(self.base, name)


def reinterpret(tensor, type_):
    """The tensor with elements of the type `type_` (tl.float8e5, ...), which has as many bytes as its own."""
    if isinstance(tensor, TensorWrapper):
        tensor = tensor.base
    size = getattr(tensor.dtype, "itemsize", None) or tensor.element_size()
    if size != type_.itemsize:
        raise errors.UseError(f"elements of {size} bytes cannot be taken for {type_!r}, which has {type_.itemsize}")
    return TensorWrapper(tensor, type_)


class MockTensor:
    """Stands for a tensor when a kernel is compiled without one: dense, in memory of the current device, at an address
    that is a multiple of 16 and never used."""

    def __init__(self, type_, shape=None):
        self.dtype, self.shape = type_, tuple(shape or (1,))
        self.device = pytorch.current_name()

    @staticmethod
    def wrap_dtype(value):
        """A MockTensor for an element type of PyTorch's, other values as they are."""
        torch = sys.modules.get("torch")
        return MockTensor(value) if torch and isinstance(value, torch.dtype) else value

    @staticmethod
    def data_ptr():
        return 16

    def stride(self):
        return dense_strides(self.shape)
