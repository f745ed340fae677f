"""The code that a launch runs: what `kernel[grid](...)` and `kernel.warmup(...)` return."""

import ctypes
import functools
import types
from collections.abc import Mapping
from ctypes import byref, c_char_p, c_size_t, c_void_p

from . import _abi, _launch

# Triton's names of levels that have other names here.
_LEVELS = {"ttir": "tile", "ttgir": "planned", "llir": "llvm"}
_BINARY = "binary"
_ELF = b"\x7fELF"  # how object files begin


class Levels(Mapping):
    """The texts of a kernel on its way by Triton's names or Tegula's (docs/architecture.md), and bytes: "binary", which
    the device loads, and the levels that are object files."""

    def __init__(self, handle):
        self._handle = handle
        names = c_char_p()
        _abi.call("compiled_get_levels", handle.pointer, byref(names))
        self._own = names.value.decode().split(",")
        self._names = [*self._own, *(name for name, level in _LEVELS.items() if level in self._own), _BINARY]

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(name)
        level = name if name in self._own else _LEVELS.get(name, name)
        data, size = c_void_p(), c_size_t()
        _abi.call("compiled_get_level", self._handle.pointer, level.encode(), byref(data), byref(size))
        content = ctypes.string_at(data.value, size.value)
        return content if level == _BINARY or content.startswith(_ELF) else content.decode()

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)


class Code:
    """Compiled code; `_handle` is a tegula_compiled."""

    @functools.cached_property
    def _info(self):
        info = _abi.CompiledInfo()
        _abi.call("compiled_get_info", self._handle.pointer, byref(info))
        return info

    @functools.cached_property
    def asm(self):
        return Levels(self._handle)

    @property
    def n_regs(self):
        """Registers of one thread; -1 where that is not known."""
        return self._info.registers

    @property
    def n_spills(self):
        """Registers of one thread that are kept in memory; -1 where that is not known."""
        return self._info.spill_bytes // 4 if self._info.spill_bytes >= 0 else -1

    @property
    def metadata(self):
        info = self._info
        return types.SimpleNamespace(name=info.entry.decode(), target=info.target.decode(), shared=info.shared_bytes,
                                     hash=info.source_hash.decode(), num_warps=info.num_warps,
                                     num_stages=info.num_stages, threads=info.threads)

    @property
    def name(self):
        return self.metadata.name

    @property
    def kernel(self):
        """The bytes that the device loads."""
        return self.asm[_BINARY]

    def _init_handles(self):
        """Triton's way to have the code ready before the first launch."""
        return self._handle


class CompiledKernel(_launch.Launched, Code):
    """The code for one set of arguments; it is looked up when it is first asked about. `code[grid](...)` launches the
    kernel with the options that this code was compiled with."""

    def __getitem__(self, grid):
        return functools.partial(self.prepared.function[grid], **self.prepared.options)

    @functools.cached_property
    def _handle(self):
        return _abi.Handle("compiled", "launcher_compile_sized", self.prepared.handle, self.slots, self.extents)
