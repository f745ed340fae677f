"""Memory of any device as tensors: `empty`, `to_device`. Kernels use them in place, as they use PyTorch's tensors."""

from ctypes import byref

from . import _abi, arrays, devices, dlpack, tensors


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


def empty(shape, dtype, device="cpu"):  # noqa: A002,F811  NumPy's name of the parameter
    """A buffer whose elements are not set; `dtype` is one of tl's."""
    return Buffer(shape, dtype, device)


def to_device(array, device):
    """A buffer on the device with the elements of an array of the host."""
    host = arrays.host_array(array, "the array")
    result = Buffer(host.shape, host.type, device)
    if host.strides != result.stride():
        raise ValueError(f"a dense array is expected, not one of shape {host.shape} with strides {host.strides}")
    result.write(array)
    return result
