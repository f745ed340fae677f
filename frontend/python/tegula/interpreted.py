"""TRITON_INTERPRET=1 with tensors in memory of a device: the checked execution on the CPU gets copies of their memory,
and what it wrote goes back. Tensors that share memory share the copy."""

import copy

from .buffers import Buffer
from .descriptor import TensorDescriptor
from .tensors import TensorWrapper


class HostCopies:
    """`values`: arguments by name, with tensors of PyTorch's devices and Tegula's buffers replaced by copies. Other
    tensors on devices stay, and the launch refuses them."""

    def __init__(self, values):
        self._storages = {}  # by address: (on the device, of the host)
        self._buffers = {}  # by id: (on the device, of the host)
        self.values = {name: self._copied(value) for name, value in values.items()}

    def _copied(self, value):
        if isinstance(value, TensorDescriptor):
            result = copy.copy(value)
            result.base = self._copied(value.base)
            return result
        if isinstance(value, TensorWrapper):
            return TensorWrapper(self._copied(value.base), value.dtype)
        if isinstance(value, Buffer) and value.device != "cpu":
            if id(value) not in self._buffers:
                self._buffers[id(value)] = value, Buffer(value.shape, value.dtype, "cpu")
                self._buffers[id(value)][1].write(value.numpy())
            return self._buffers[id(value)][1]
        if hasattr(value, "untyped_storage") and value.device.type not in ("cpu", "meta"):
            return self._tensor(value)
        return value

    def _tensor(self, tensor):
        storage = tensor.untyped_storage()
        _, host = self._storages.setdefault(storage.data_ptr(), (storage, storage.cpu()))
        result = tensor.detach().new_empty(0, device="cpu")
        return result.set_(host, tensor.storage_offset(), tensor.shape, tensor.stride())

    def copy_back(self):
        for on_device, host in self._storages.values():
            on_device.copy_(host)
        for on_device, host in self._buffers.values():
            on_device.write(host.numpy())
