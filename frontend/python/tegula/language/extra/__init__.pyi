"""Modules of `triton.language.extra`."""

from typing import Any as _Any, Dict as _Dict

from . import libdevice as libdevice

VENDORS: _Dict[str, str]
cuda: _Any
hip: _Any
