"""Memory of any device as tensors: `empty`, `zeros`, `to_device`. Kernels use them in place, as they use PyTorch's."""

import ctypes
import operator
from ctypes import byref

from . import _abi, _devices as devices, arrays, dlpack, errors, tensors


class Buffer:
    """A dense tensor in memory of a device. `numpy()` gives its elements; other packages take it by DLPack, of the CPU
    in place (`numpy.from_dlpack(buffer)`)."""

    def __init__(self, shape, type_, device):
        self._device = devices.get(str(device))
        self.device, self.dtype, self.shape = self._device.name, type_, tuple(shape)
        self.handle = _abi.Handle("buffer", "buffer_create", self._device.handle,
                                   _abi.DTYPES.index(type_.tegula_name), len(self.shape),
                                   _abi.int64_array(self.shape))
        info = _abi.BufferInfo()
        _abi.call("buffer_get_info", self.handle.pointer, byref(info))
        self._address = info.address
        self._size = info.elements

    def data_ptr(self):
        return self._address

    def stride(self, *axis):
        strides = tensors.dense_strides(self.shape)
        return strides[axis[0]] if axis else strides

    def numel(self):
        return self._size

    def write(self, array):
        """Takes the elements of a dense array of the host, as many and of the type that numpy() gives."""
        host = arrays.host_array(array, "the array")
        same = arrays.numpy_name(host.type) == arrays.numpy_name(self.dtype)
        if not same or host.span != self._size or host.strides != self.stride():
            raise ValueError(f"a dense array of {self._size} elements of {self.dtype} is expected, not of shape "
                             f"{host.shape} with strides {host.strides} and {host.type}")
        devices.synchronize()
        if self._size:
            _abi.call("stream_write", self._device.stream, self.handle.pointer, host.address)
            self._device.synchronize()

    def numpy(self):
        """The elements as an array of NumPy's; those of types that NumPy lacks as integers of as many bytes."""
        import numpy as np

        result = np.empty(self.shape, arrays.numpy_name(self.dtype))
        devices.synchronize()
        if self._size:
            _abi.call("stream_read", self._device.stream, self.handle.pointer, result.ctypes.data)
        return result

    def __array__(self, dtype=None, copy=None):
        """What NumPy asks for: of the CPU the memory itself, of other devices a copy."""
        import numpy as np

        is_here = self._device.has_host_memory
        array = self._memory() if is_here else self.numpy()
        wanted = array.dtype if dtype is None else np.dtype(dtype)
        if wanted != array.dtype and not arrays.is_in_numpy(self.dtype):
            raise TypeError(f"a buffer of {self.dtype!r} was asked for as {wanted}; NumPy lacks its element type, and "
                            f"has its elements as the bits of {array.dtype}")
        if copy is False and (not is_here or wanted != array.dtype):
            raise ValueError(f"an array of {wanted} for a buffer of {self.dtype!r} on '{self.device}' is a copy, and "
                             "copy=False was given")
        return array.astype(wanted, copy=bool(copy) and is_here)

    def _memory(self):
        """The elements in place, of a buffer in memory of the host."""
        import numpy as np

        devices.synchronize()
        type_ = np.dtype(arrays.numpy_name(self.dtype))
        memory = (ctypes.c_char * (self._size * type_.itemsize)).from_address(self._address)
        memory.owner = self  # which the array keeps alive by its base
        return np.frombuffer(memory, type_).reshape(self.shape)

    def fill(self, value):
        """Sets all elements; of types that NumPy lacks their bits."""
        elements = self.numpy()
        elements[...] = value
        self.write(elements)

    def clone(self):
        result = Buffer(self.shape, self.dtype, self.device)
        result.write(self.numpy())
        return result

    def __dlpack__(self, **options):
        devices.synchronize()
        return dlpack.exported(self, self._address, self.device, self.dtype, self.shape, self.stride())

    def __dlpack_device__(self):
        return dlpack.device_numbers(self.device)

    def __repr__(self):
        return f"Buffer(shape={self.shape}, dtype={self.dtype!r}, device={self.device!r})"


def empty(shape, dtype, device="cpu"):
    """A buffer whose elements are not set. `shape` is a tuple, or an integer for one axis; `dtype` is a type of tl's,
    NumPy's or PyTorch's, or its name."""
    return Buffer(_axes(shape), arrays.type_of(dtype), device)


def zeros(shape, dtype, device="cpu"):
    """The same with elements of 0."""
    result = empty(shape, dtype, device)
    if result.numel():
        _abi.call("stream_fill", result._device.stream, result.handle.pointer, 0)
        result._device.synchronize()  # a launch may be in another stream
    return result


def _axes(shape):
    try:
        axes = tuple(map(operator.index, shape if isinstance(shape, (tuple, list)) else (shape,)))
    except TypeError:
        raise errors.UseError(f"a shape is an integer or a tuple of integers; {shape!r} was given") from None
    if any(axis < 0 for axis in axes):
        raise errors.UseError(f"the axes of a shape are not negative; {shape!r} was given")
    return axes


def to_device(array, device):
    """A buffer on the device with the elements of an array of the host."""
    host = arrays.host_array(array, "the array")
    result = Buffer(host.shape, host.type, device)
    if host.strides != result.stride():
        raise ValueError(f"a dense array is expected, not one of shape {host.shape} with strides {host.strides}")
    result.write(array)
    return result
