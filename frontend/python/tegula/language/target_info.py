"""Functions of `triton.language.target_info`. In kernels they tell of the kernel's target, in Python of PyTorch's
current device."""

from .. import pytorch
from .types import OnHost


def current_target():
    return pytorch.current_target()


def _is_hip_arch(arch):
    return current_target().backend == "hip" and current_target().arch == arch


def _cuda_capability_geq(major, minor=0):
    return current_target().backend == "cuda" and current_target().arch >= major * 10 + minor


is_cuda = OnHost(__name__, "is_cuda", lambda: current_target().backend == "cuda")
is_hip = OnHost(__name__, "is_hip", lambda: current_target().backend == "hip")
is_hip_cdna3 = OnHost(__name__, "is_hip_cdna3", lambda: _is_hip_arch("gfx942"))
is_hip_cdna4 = OnHost(__name__, "is_hip_cdna4", lambda: _is_hip_arch("gfx950"))
cuda_capability_geq = OnHost(__name__, "cuda_capability_geq", _cuda_capability_geq)
