"""Devices by name, each with the stream that launches from Python use."""

import os
import sys
from ctypes import byref
from typing import NamedTuple

from . import _abi, _launch
from .locks import fork_safe_lock

_open = {}
_lock = fork_safe_lock()


class Device:
    def __init__(self, name):
        self._device = _abi.Handle("device", "device_open", name.encode())
        self.handle = self._device.pointer
        info = _abi.DeviceInfo()
        _abi.call("device_get_info", self.handle, byref(info))
        self.name, self.target = info.name.decode(), info.target.decode()
        self._process = os.getpid()
        self._stream = _abi.Handle("stream", "stream_create", self.handle)
        self.stream = self._stream.pointer
        self._wrapped = {}  # by the vendor's handles

    @property
    def has_host_memory(self):
        """Whether kernels access the memory of the host in place."""
        return self.name == "cpu"

    @property
    def is_usable(self):
        """False in a child after os.fork(), of a device whose driver does not survive that: each use raises
        DeviceError, and no work of the child's is under way there."""
        return self.has_host_memory or self._process == os.getpid()

    def stream_of(self, native):
        """The stream that has the vendor's handle `native`, an integer. It is kept, and `synchronize` waits for it: a
        stream that work was launched to must not be destroyed by its owner (docs/python/launches.md)."""
        wrapped = self._wrapped.get(native)
        if not wrapped:  # of several threads that come here the first one's is kept
            wrapped = self._wrapped.setdefault(native, _abi.Handle("stream", "stream_wrap", self.handle, native))
        return wrapped.pointer

    def synchronize(self):
        _abi.call("stream_synchronize", self.stream)

    def synchronize_wrapped(self):
        for stream in list(self._wrapped.values()):
            _abi.call("stream_synchronize", stream.pointer)


def get(name):
    """The device of that name ("cpu", "BACKEND:0"); opened once."""
    with _lock:
        if name not in _open:
            _open[name] = Device(name)
        return _open[name]


def synchronize():
    """Waits for all work of launches from Python."""
    with _lock:
        opened = [device for device in _open.values() if device.is_usable]
    for device in opened:
        device.synchronize()
        device.synchronize_wrapped()


def default_name():
    """The device of a launch on host arrays that names none."""
    return os.environ.get("TEGULA_DEVICE") or "cpu"


def interpreted():
    """Whether launches are checked executions on the CPU; the environment is read at each launch."""
    return is_on("TRITON_INTERPRET")


def is_on(variable):
    """Whether an environment variable of Triton's is on: by 1, true, yes, on or y."""
    return os.environ.get(variable, "").lower() in ("1", "true", "yes", "on", "y")


class DeviceInfo(NamedTuple):
    """A device: its name for `device=`, what it is, and the target that kernels are compiled for. `memory_bytes` is 0
    where it is not known."""

    name: str
    description: str
    target: str
    memory_bytes: int
    is_real_gpu: bool


def listing():
    """The devices that are here, as `tegula devices` prints them."""
    found = []

    @_abi.DEVICE_CALLBACK
    def each(_, pointer):
        info = pointer.contents
        if not info.absent:
            found.append(DeviceInfo(info.name.decode(), info.description.decode(), info.target.decode(),
                                    info.memory_bytes, bool(info.is_real_gpu)))

    _abi.call("devices", each, None)
    return found


def _write(text):
    """Receives what device_print writes; to sys.stdout as it is now."""
    sys.stdout.write(text)


print_text = _abi.PRINT(_launch.printer_address(_write))
