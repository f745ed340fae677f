"""Tensors in memory of a device, as other packages describe them: PyTorch's, and objects with
`__cuda_array_interface__`."""

import sys
import types

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
        return None if name == "cpu" else DeviceTensor(name, value.data_ptr(), str(value.dtype).rsplit(".", 1)[-1])
    interface = getattr(value, INTERFACE, None)
    if interface is None:
        return None
    if interface.get("mask") is not None:
        raise errors.UseError(f"{parameter}: an array with a mask was given; kernels cannot be given masks of arrays")
    return DeviceTensor(f"{_vendor()}:{getattr(getattr(value, 'device', None), 'id', 0)}", interface["data"][0],
                        interface["typestr"])


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


def current_target():
    """Triton's description of PyTorch's current GPU: `backend` is PyTorch's name of the vendor's interface, `arch` a
    number or name of the processor; backend "cpu" where there is none."""
    torch = sys.modules.get("torch")
    if not torch or not torch.cuda.is_available():
        return types.SimpleNamespace(backend="cpu", arch="cpu", warp_size=1)
    properties = _properties(torch.cuda.current_device())
    if _vendor() == _SHARED_NAME:
        return types.SimpleNamespace(backend=_SHARED_NAME, arch=properties.major * 10 + properties.minor, warp_size=32)
    return types.SimpleNamespace(backend="hip", arch=properties.gcnArchName.split(":")[0],
                                 warp_size=properties.warp_size)


def device_properties(index):
    """What Triton's `driver.active.utils.get_device_properties` gives of a GPU."""
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
