"""What PyTorch knows of its devices: names, streams, properties; and what Triton's driver answers from it."""

import dataclasses
import os
import sys

# PyTorch calls devices of both vendors "cuda"; which it was built for, `torch.version.hip` tells.
_SHARED_NAME = "cuda"


def has_gpu():
    """Whether PyTorch was imported and has a GPU."""
    torch = sys.modules.get("torch")
    return bool(torch and torch.cuda.is_available())


def vendor():
    torch = sys.modules.get("torch")
    return "rocm" if torch and getattr(torch.version, "hip", None) else _SHARED_NAME


def device_name(device):
    """Tegula's name of PyTorch's device."""
    kind, _, index = str(device).partition(":")
    if kind == "cpu":
        return "cpu"
    return f"{vendor() if kind == _SHARED_NAME else kind}:{index or 0}"


def active_torch_device():
    """The device of PyTorch on which programs put their tensors: its current GPU, or the CPU where it has none."""
    import torch

    return torch.device(_SHARED_NAME, torch.cuda.current_device()) if torch.cuda.is_available() else torch.device("cpu")


def current_device():
    """The number of PyTorch's current GPU; 0 where it has none."""
    return sys.modules["torch"].cuda.current_device() if has_gpu() else 0


def current_name():
    """The name of the current device: of the GPU, or "cpu" where there is none."""
    return f"{_SHARED_NAME}:{current_device()}" if has_gpu() else "cpu"


def _properties(index):
    return sys.modules["torch"].cuda.get_device_properties(index)


@dataclasses.dataclass(frozen=True)
class GPUTarget:
    """Triton's description of what to compile for; see current_target."""

    backend: str
    arch: object
    warp_size: int = 32


def target_name(target):
    """Tegula's name of a target that is a name, Triton's description, or None for the current one."""
    target = current_target() if target is None else target
    if isinstance(target, str):
        return target
    arch = str(target.arch)
    return {"90": "sm_90a"}.get(arch, f"sm_{arch}") if target.backend == _SHARED_NAME else arch


def device_interface():
    """PyTorch's module of the current device: streams, synchronize()."""
    import torch

    return torch.cuda if torch.cuda.is_available() else torch.cpu


def current_stream_of(index):
    """The handle of the stream that PyTorch uses on the GPU with this number; 0 where it has none."""
    return sys.modules["torch"].cuda.current_stream(index).cuda_stream if has_gpu() else 0


def current_target():
    """Triton's description of PyTorch's current GPU: `backend` is PyTorch's name of the vendor's interface, `arch` a
    number or name of the processor; backend "cpu" where there is none."""
    if not has_gpu():
        return GPUTarget("cpu", "cpu", 1)
    properties = _properties(current_device())
    if vendor() == _SHARED_NAME:
        return GPUTarget(_SHARED_NAME, properties.major * 10 + properties.minor)
    return GPUTarget("hip", properties.gcnArchName.split(":")[0], properties.warp_size)


def device_properties(index):
    """What Triton's `driver.active.utils.get_device_properties` gives of a GPU; of the CPU (None, or where PyTorch has
    no GPU) the number of its processors."""
    if index is None or not has_gpu():
        return {"multiprocessor_count": os.cpu_count(), "warpSize": 1, "max_num_regs": 0, "max_shared_mem": 0,
                "max_threads_per_sm": 1, "sm_clock_rate": 0, "mem_clock_rate": 0, "mem_bus_width": 0}
    properties = _properties(index)
    return {"multiprocessor_count": properties.multi_processor_count, "warpSize": properties.warp_size,
            "max_num_regs": properties.regs_per_multiprocessor,
            "max_shared_mem": properties.shared_memory_per_block_optin,
            "max_threads_per_sm": properties.max_threads_per_multi_processor,
            "sm_clock_rate": getattr(properties, "clock_rate", 0),  # kHz; 0 where this PyTorch does not tell
            "mem_clock_rate": getattr(properties, "memory_clock_rate", 0),
            "mem_bus_width": getattr(properties, "memory_bus_width", 0)}


def has_streams(device):
    """Whether the device's streams have handles that PyTorch knows."""
    return device.partition(":")[0] == vendor()


def current_stream(device):
    """The handle of the stream that PyTorch uses on such a device; without PyTorch 0, the default stream."""
    torch = sys.modules.get("torch")
    return torch.cuda.current_stream(int(device.partition(":")[2])).cuda_stream if torch else 0


def _enqueue(work):
    """Gives `work` to PyTorch's current stream between two events, which it returns."""
    torch = sys.modules["torch"]
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    work()
    end.record()
    return start, end


def _elapsed(work):
    """Milliseconds that the current GPU takes for what `work` gives to PyTorch's current stream."""
    start, end = _enqueue(work)
    sys.modules["torch"].cuda.synchronize()
    return start.elapsed_time(end)


def milliseconds(fn, warmup, rep, before_each):
    """Of calls of `fn` on the current GPU, each with an empty second-level cache: after `warmup` milliseconds, for
    about `rep` milliseconds of calls and at least three. `before_each` is called before each and not measured. The GPU
    is waited for once, behind all calls: else it would be idle while the host launches the next one, and that would be
    measured."""
    torch = sys.modules["torch"]
    cache = torch.empty(1 << 26, dtype=torch.int32, device=_SHARED_NAME)  # 256 MB, more than any device has
    fn()
    once = max(_elapsed(lambda: [fn() for _ in range(5)]) / 5, 1e-3)
    for _ in range(int(warmup / once)):
        fn()
    spans = []
    for _ in range(max(3, int(rep / once))):
        before_each()
        cache.zero_()
        spans.append(_enqueue(fn))
    torch.cuda.synchronize()
    return [start.elapsed_time(end) for start, end in spans]


def graph_milliseconds(fn, calls):
    """Of one call of `fn` on the current GPU, in a graph of `calls` calls that is replayed."""
    torch = sys.modules["torch"]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            fn()
    graph.replay()
    return _elapsed(graph.replay) / calls
