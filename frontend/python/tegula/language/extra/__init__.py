"""Modules of `triton.language.extra`. The functions of libdevice have each target's module, too."""

import sys as _sys
import types as _types

from . import libdevice

# Triton has one for each vendor whose library of functions it uses.
VENDORS = ("cuda", "hip")
for _vendor in VENDORS:
    _module = globals()[_vendor] = _types.ModuleType(f"{__name__}.{_vendor}")
    _module.libdevice = libdevice
    _sys.modules[_module.__name__] = _module
    _sys.modules[_module.__name__ + ".libdevice"] = libdevice
