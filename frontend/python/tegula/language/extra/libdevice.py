"""Functions of `triton.language.extra.libdevice`. docs/language.md lists those that kernels may call; the compiler says
so of another."""

from ..types import KernelOnly


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return KernelOnly("tegula.language.extra.libdevice", name)
