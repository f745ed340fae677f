"""Modules of `triton.language.extra`. The functions of libdevice have each target's module, too."""

import sys as _sys
import types as _types

from ..types import KernelOnly
from . import libdevice

# Triton has one for each vendor whose library of functions it uses, with functions of the vendor's own.
VENDORS = {
    "cuda": """
convert_custom_float8_sm70 convert_custom_float8_sm80 gdc_launch_dependents gdc_wait globaltimer num_threads num_warps
smid
""",
    "hip": "memrealtime",
}
for _vendor in VENDORS:
    _module = globals()[_vendor] = _types.ModuleType(f"{__name__}.{_vendor}")
    for _name in VENDORS[_vendor].split():
        setattr(_module, _name, KernelOnly(_module.__name__, _name))
    _module.libdevice = libdevice
    _sys.modules[_module.__name__] = _module
    _sys.modules[_module.__name__ + ".libdevice"] = libdevice
