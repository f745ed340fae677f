"""Repeated launches. The first launch with new types of arguments goes through Arguments; the next ones find a prepared
launch by one look-up and fill in eight bytes for each argument (frontend/python/launch,
tegula_launcher_launch_sized).

That is for arrays that the device uses in place, descriptors of PyTorch's tensors, numbers, None, and functions and
tuples that are a part of the source. Other launches stay with Arguments: arrays that are copied, other descriptors,
checked launches."""

from ctypes import byref, c_size_t

from . import _abi, _launch, pytorch
from .compiled import CompiledKernel
from .descriptor import TensorDescriptor

# Types of scalars that have no slots: few kernels have parameters of them.
_WITHOUT_SLOTS = ("f16", "bf16", "f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz")


class PreparedLaunch(_launch.PreparedLaunch):
    """On arrays in memory of the device `place`, or of the host (None). `function` and `options` are what it launches:
    a JITFunction, and what beside its parameters was given by name."""

    def __init__(self, launcher, device, place, slots, program):
        self.function, self.options = None, {}
        self._launcher, self._device, self._place = launcher, device, place
        self.handle = launcher.pointer
        is_ours = not (place and pytorch.has_streams(place))
        super().__init__(self.handle.value, device.stream.value if is_ours else 0, is_ours, slots, program)

    @staticmethod
    def of(loaded, device, place, items, options, is_own):
        """The prepared launch for arguments of such types; None where one of them has no slot. `is_own`: `loaded` has
        arguments in its source, and the launch is prepared only as long as it is current."""
        launcher = _abi.Handle("launcher", "launcher_prepare", loaded.handle, device.handle, len(items), items,
                               byref(options))
        slots = tuple(_slots(launcher.pointer))
        return PreparedLaunch(launcher, device, place, slots, loaded if is_own else None) if all(slots) else None

    def stream_of(self, native):
        """The address of the stream for a vendor's handle; None: of the stream that is current now."""
        native = pytorch.current_stream(self._place) if native is None else native
        return self._device.stream_of(native).value


def _slots(launcher):
    """(parameter, kind, type) of each slot; None for one that the launch path does not fill in."""
    count = c_size_t()
    _abi.call("launcher_slot_count", launcher, byref(count))
    for index in range(count.value):
        slot = _abi.SlotInfo()
        _abi.call("launcher_get_slot", launcher, index, byref(slot))
        is_scalar = slot.kind == _abi.ARG_SCALAR and _abi.DTYPES[slot.type] not in _WITHOUT_SLOTS
        is_filled = is_scalar or slot.kind in (_abi.ARG_ADDRESS, _abi.ARG_DESCRIPTOR)
        yield (slot.parameter, slot.kind, slot.type) if is_filled else None


def stream_of(device, place):
    """The stream for a launch on arrays in memory of the device `place`, or of the host (None); and whether it is
    Tegula's own, for whose work a launch waits."""
    if place and pytorch.has_streams(place):
        return device.stream_of(pytorch.current_stream(place)), False
    return device.stream, True


_launch.bind(_abi.address("launcher_launch_sized"), _abi.address("stream_synchronize"), _abi.fail, CompiledKernel,
             TensorDescriptor)
