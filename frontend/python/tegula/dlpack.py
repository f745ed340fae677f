"""Tensors of packages that offer nothing but DLPack (`__dlpack__`), and the numbers by which DLPack names types and
devices."""

from . import _launch, errors, tensors
from .language.types import dtype_of_name

# (code, bits) by Tegula's names of types.
_TYPES = {"i1": (6, 8), "i8": (0, 8), "i16": (0, 16), "i32": (0, 32), "i64": (0, 64), "u8": (1, 8), "u16": (1, 16),
          "u32": (1, 32), "u64": (1, 64), "f16": (2, 16), "bf16": (4, 16), "f32": (2, 32), "f64": (2, 64),
          "f8e4m3": (10, 8), "f8e4m3fnuz": (11, 8), "f8e5m2": (12, 8), "f8e5m2fnuz": (13, 8)}
_NAMES = {numbers: name for name, numbers in _TYPES.items()}
# Pinned memory of the host has numbers of its own.
_PLACES = {3: "cpu", 11: "cpu", **{number: kind for kind, number in tensors.DLPACK_DEVICES.items()}}


class Exchanged:
    """A tensor as another package describes it; keeps it alive."""

    def __init__(self, value, parameter):
        self._capsule = value.__dlpack__()
        address, kind, index, code, bits, lanes, self.shape, self._strides = _launch.describe_tensor(self._capsule)
        if kind not in _PLACES:
            raise errors.UseError(f"{parameter}: a tensor on a device that DLPack calls {kind} was given; kernels run "
                                  f"on {', '.join(tensors.DLPACK_DEVICES)}")
        if (code, bits) not in _NAMES or lanes != 1:
            raise errors.UseError(f"{parameter}: a tensor of DLPack's type {code} with {bits} bits was given, which "
                                  "kernels do not have")
        self.device = "cpu" if _PLACES[kind] == "cpu" else f"{_PLACES[kind]}:{index}"
        self.dtype = dtype_of_name(_NAMES[code, bits])
        self._address = address

    def data_ptr(self):
        return self._address

    def stride(self):
        return tensors.dense_strides(self.shape) if self._strides is None else self._strides


def adopted(value, parameter):
    """The value, or an Exchanged where nothing but DLPack says what it is."""
    known = ("data_ptr", "__array_interface__", tensors.INTERFACE)
    if not hasattr(value, "__dlpack__") or any(hasattr(value, name) for name in known):
        return value
    return Exchanged(value, parameter)


def exported(owner, address, device, type_, shape, strides):
    """A capsule for memory that `owner` keeps; `device` is Tegula's name."""
    kind, _, index = device.partition(":")
    code, bits = _TYPES[type_.tegula_name]
    return _launch.export_tensor(owner, address, tensors.DLPACK_DEVICES[kind], int(index or 0), code, bits,
                                 tuple(shape), tuple(strides))


def device_numbers(device):
    """DLPack's (type, index) of a device by Tegula's name."""
    kind, _, index = device.partition(":")
    return tensors.DLPACK_DEVICES[kind], int(index or 0)
