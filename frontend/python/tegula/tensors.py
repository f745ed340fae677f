"""Tensors in memory of a device, as other packages describe them: PyTorch's, and objects with
`__cuda_array_interface__`."""

import os
import sys

from . import errors

INTERFACE = "__cuda_array_interface__"
# PyTorch calls devices of both vendors "cuda"; which it was built for, `torch.version.hip` tells.
_SHARED_NAME = "cuda"


class DeviceTensor:
    """`address` is of the first element, as kernels use it; `type_text` is the element type's name, or NumPy's code."""

    def __init__(self, device, address, type_text):
        self.device, self.address, self.type_text = device, address, type_text


def device_tensor(value, parameter):
    """The tensor that `value` is, or None where its memory is of the host."""
    if hasattr(value, "data_ptr"):
        name = _device_name(value.device)
        return None if name == "cpu" else DeviceTensor(name, address_of(value, parameter), type_name(value.dtype))
    interface = getattr(value, INTERFACE, None)
    if interface is None:
        return None
    if interface.get("mask") is not None:
        raise errors.UseError(f"{parameter}: an array with a mask was given; kernels cannot be given masks of arrays")
    return DeviceTensor(f"{_vendor()}:{getattr(getattr(value, 'device', None), 'id', 0)}", interface["data"][0],
                        interface["typestr"])


def address_of(tensor, parameter):
    """Of the first element. Sparse tensors, for example, have none."""
    try:
        return tensor.data_ptr()
    except (RuntimeError, NotImplementedError) as error:
        raise errors.UseError(f"{parameter}: the tensor has no address of elements: {error}") from None


def type_name(type_):
    """What a package calls an element type, without the package; one of this package's own as it is."""
    return type_ if hasattr(type_, "tegula_name") else str(type_).rsplit(".", 1)[-1]


def _vendor():
    torch = sys.modules.get("torch")
    return "rocm" if torch and getattr(torch.version, "hip", None) else _SHARED_NAME


def _device_name(device):
    """Tegula's name of PyTorch's device."""
    kind, _, index = str(device).partition(":")
    if kind == "cpu":
        return "cpu"
    return f"{_vendor() if kind == _SHARED_NAME else kind}:{index or 0}"


def active_torch_device():
    """The device of PyTorch on which programs put their tensors: its current GPU, or the CPU where it has none."""
    import torch

    return torch.device(_SHARED_NAME, torch.cuda.current_device()) if torch.cuda.is_available() else torch.device("cpu")


def current_device():
    """The number of PyTorch's current GPU; 0 where it has none."""
    torch = sys.modules.get("torch")
    return torch.cuda.current_device() if torch and torch.cuda.is_available() else 0


def _properties(index):
    return sys.modules["torch"].cuda.get_device_properties(index)


class GPUTarget:
    """Triton's description of what to compile for; see current_target."""

    def __init__(self, backend, arch, warp_size=32):
        self.backend, self.arch, self.warp_size = backend, arch, warp_size

    def __repr__(self):
        return f"GPUTarget(backend={self.backend!r}, arch={self.arch!r}, warp_size={self.warp_size})"


def target_name(target):
    """Tegula's name of a target that is a name, Triton's description, or None for the current one."""
    target = current_target() if target is None else target
    if isinstance(target, str):
        return target
    arch = str(target.arch)
    return {"90": "sm_90a"}.get(arch, f"sm_{arch}") if target.backend == _SHARED_NAME else arch


def device_interface():
    """PyTorch's module of the current device: streams, synchronize()."""
    import torch

    return torch.cuda if torch.cuda.is_available() else torch.cpu


def current_stream_of(index):
    """The handle of the stream that PyTorch uses on the GPU with this number; 0 where it has none."""
    torch = sys.modules.get("torch")
    return torch.cuda.current_stream(index).cuda_stream if torch and torch.cuda.is_available() else 0


def current_target():
    """Triton's description of PyTorch's current GPU: `backend` is PyTorch's name of the vendor's interface, `arch` a
    number or name of the processor; backend "cpu" where there is none."""
    torch = sys.modules.get("torch")
    if not torch or not torch.cuda.is_available():
        return GPUTarget("cpu", "cpu", 1)
    properties = _properties(torch.cuda.current_device())
    if _vendor() == _SHARED_NAME:
        return GPUTarget(_SHARED_NAME, properties.major * 10 + properties.minor)
    return GPUTarget("hip", properties.gcnArchName.split(":")[0], properties.warp_size)


def device_properties(index):
    """What Triton's `driver.active.utils.get_device_properties` gives of a GPU; of the CPU (None, or where PyTorch has
    no GPU) the number of its processors."""
    torch = sys.modules.get("torch")
    if index is None or not torch or not torch.cuda.is_available():
        return {"multiprocessor_count": os.cpu_count(), "warpSize": 1, "max_num_regs": 0, "max_shared_mem": 0}
    properties = _properties(index)
    return {"multiprocessor_count": properties.multi_processor_count, "warpSize": properties.warp_size,
            "max_num_regs": properties.regs_per_multiprocessor,
            "max_shared_mem": properties.shared_memory_per_block_optin}


def has_streams(device):
    """Whether the device's streams have handles that PyTorch knows."""
    return device.partition(":")[0] == _vendor()


def current_stream(device):
    """The handle of the stream that PyTorch uses on such a device; without PyTorch 0, the default stream."""
    torch = sys.modules.get("torch")
    return torch.cuda.current_stream(int(device.partition(":")[2])).cuda_stream if torch else 0


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
        self.device = "cpu" if current_target().backend == "cpu" else f"{_SHARED_NAME}:{current_device()}"

    @staticmethod
    def wrap_dtype(value):
        """A MockTensor for an element type of PyTorch's, other values as they are."""
        torch = sys.modules.get("torch")
        return MockTensor(value) if torch and isinstance(value, torch.dtype) else value

    @staticmethod
    def data_ptr():
        return 16

    def stride(self):
        result, step = [], 1
        for extent in reversed(self.shape):
            result.insert(0, step)
            step *= extent
        return tuple(result)
