"""Repeated launches. The first launch with new types of arguments goes through Arguments; the next ones find a prepared
launch by one look-up and fill in eight bytes for each argument (tegula_launcher_launch).

That is for arrays that the device uses in place, numbers and None. Other launches stay with Arguments: arrays that are
copied, descriptors, scalars of NumPy's, checked launches."""

import struct
from ctypes import byref, c_size_t, c_uint32

from . import _abi, tensors
from .compiled import CompiledKernel
from .language.types import dtype

# The bytes of a slot by the scalar's type, as `struct` takes them. Types that few kernels have are not prepared.
_FORMATS = {"i1": "?7x", "i32": "i4x", "i64": "q", "f32": "f4x", "f64": "d"}
_ADDRESS = "Q"
_INT32 = range(-2**31, 2**31)
_INT64 = range(-2**63, 2**63)
_CONSTANTS = (int, bool, str, type(None), dtype)


def signature(values, constexprs):
    """What of the arguments decides about types and code, as a key; None where one of them cannot be prepared."""
    parts = []
    for name, value in values.items():
        kind = type(value)
        if name in constexprs:
            part = (kind, value) if kind in _CONSTANTS else (kind, repr(value)) if kind is float else None
        elif kind is int:
            part = int if value in _INT32 else "i64" if value in _INT64 else None
        elif kind is float or kind is bool or value is None:
            part = kind
        elif hasattr(value, "data_ptr"):
            part = value.device, value.dtype
        elif kind.__name__ == "ndarray" and value.flags.behaved and value.flags.forc:  # writable and dense
            part = kind, value.dtype
        else:
            return None
        if part is None:
            return None
        parts.append(part)
    return tuple(parts)


class PreparedLaunch:
    """`handle` is None where the arguments' types are not among those that are prepared."""

    def __init__(self, kernel, device, place, items, options, names):
        self._device, self._place = device, place
        self._launcher = _abi.Handle("launcher", "launcher_prepare", kernel, device.handle, len(items), items,
                                     byref(options))
        self.handle = self._launcher.pointer
        self._slots = []  # (parameter's name, whether it is an array)
        formats = "<"
        count = c_size_t()
        _abi.call("launcher_slot_count", self.handle, byref(count))
        for index in range(count.value):
            slot = _abi.SlotInfo()
            _abi.call("launcher_get_slot", self.handle, index, byref(slot))
            is_array = slot.kind == _abi.ARG_ADDRESS
            format_ = _ADDRESS if is_array else _FORMATS.get(_abi.DTYPES[slot.type])
            if slot.kind not in (_abi.ARG_ADDRESS, _abi.ARG_SCALAR) or format_ is None:
                self.handle = None
                return
            formats += format_
            self._slots.append((names[slot.parameter], is_array))
        self._struct = struct.Struct(formats)

    def slots(self, values):
        """The arguments' slots; None where a value has no place in its slot."""
        try:
            return self._struct.pack(*(_address(values[name]) if is_array else values[name]
                                       for name, is_array in self._slots))
        except (struct.error, OverflowError):
            return None

    def launch(self, axes, values):
        """The code that was launched; None where the arguments have no slots or an axis is no number of programs: then
        nothing was launched."""
        slots = self.slots(values)
        if slots is None or min(axes) < 0 or max(axes) not in _INT32:
            return None
        stream, is_ours = stream_of(self._device, self._place)
        _abi.call("launcher_launch", self.handle, stream, (c_uint32 * 3)(*axes), slots)
        if is_ours:
            self._device.synchronize()
        return CompiledKernel(self, slots)


def stream_of(device, place):
    """The stream for a launch on arrays in memory of the device `place`, or of the host (None); and whether it is
    Tegula's own, for whose work a launch waits."""
    native = tensors.current_stream(place) if place else None
    return (device.stream, True) if native is None else (device.stream_of(native), False)


def _address(array):
    return array.data_ptr() if hasattr(array, "data_ptr") else array.__array_interface__["data"][0]
