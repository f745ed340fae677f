"""What a launch from Python costs beside the same launch from C: five tensors, five integers, one constant.
usage: launch_cost.py [LAUNCH_LOOP_LIBRARY]     by default the one beside this file

On $TEGULA_DEVICE: the CPU with NumPy arrays, or another device, for which PyTorch makes the tensors; then an operation
of PyTorch's is measured, too, and on NVIDIA's devices cuLaunchKernel for the same machine code, with as many bytes of
parameters. Prints microseconds, and ends with status 1 where Python adds more than LIMIT to a launch from C."""
import ctypes
import os
import sys
import time

import tegula
import tegula.language as tl

LIMIT = 2.5  # of 6.6, which are 1.6 times the 4.1 us of a launch from C++ on a GPU
COUNT, ROUNDS = 100, 300  # the fastest round counts: others share the processor


@tegula.jit
def ten(a, b, c, d, e, i, j, k, l, m, B: tl.constexpr):
    if tl.program_id(0) == i + j + k + l + m:
        tl.store(a, tl.load(b) + tl.load(c) + tl.load(d) + tl.load(e))


def tensors():
    device = os.environ.get("TEGULA_DEVICE", "cpu")
    if device == "cpu":
        import numpy as np

        return [np.ones(64, np.float32) for _ in range(5)], lambda: None
    import torch

    return [torch.ones(64, device=device.replace("rocm", "cuda")) for _ in range(5)], torch.cuda.synchronize


def from_python(a, b, c, d, e):
    grid = (1,)
    start = time.perf_counter()
    for _ in range(COUNT):
        ten[grid](a, b, c, d, e, 16, 17, 33, 4, 5, B=64)
    return (time.perf_counter() - start) * 1e6 / COUNT


def operation(a, b, c, d, e):
    import torch

    start = time.perf_counter()
    for _ in range(COUNT):
        torch.add(a, b, out=c)
    return (time.perf_counter() - start) * 1e6 / COUNT


def from_c(library, launched):
    loop = ctypes.CDLL(library).launch_loop
    loop.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int]
    loop.restype = ctypes.c_double
    prepared = launched.prepared
    took = loop(prepared.handle, prepared.stream, launched.slots, prepared.is_ours, COUNT)
    assert took > 0, "a launch from C failed"
    return took


class Driver:
    """cuLaunchKernel for the machine code of a launch, in the current context."""

    def __init__(self, library, launched, address):
        self.loop = ctypes.CDLL(library).driver_loop
        self.loop.restype = ctypes.c_double
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        binary = launched.asm["binary"]
        self.call("cuModuleLoadData", ctypes.byref(self.module), ctypes.c_char_p(binary))
        self.call("cuModuleGetFunction", ctypes.byref(self.function), self.module, b"ten")
        self.values, offset, size = [], ctypes.c_size_t(), ctypes.c_size_t()
        while self.cuda.cuFuncGetParamInfo(self.function, ctypes.c_size_t(len(self.values)), ctypes.byref(offset),
                                           ctypes.byref(size)) == 0:
            # Addresses that may be accessed, and numbers for which the kernel accesses none.
            self.values.append(ctypes.c_uint64(address if size.value == 8 else 7))
        self.params = (ctypes.c_void_p * len(self.values))(*map(ctypes.addressof, self.values))
        self.threads = launched.metadata.num_warps * 32

    @staticmethod
    def tells_parameters():
        return hasattr(ctypes.CDLL("libcuda.so.1"), "cuFuncGetParamInfo")  # drivers from CUDA 12.4 on

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        assert status == 0, f"{name} gave {status}"

    def launches(self):
        took = self.loop(self.cuda.cuLaunchKernel, self.function, ctypes.c_uint(self.threads), ctypes.c_void_p(),
                         self.params, COUNT)
        assert took > 0, "a launch by the driver failed"
        return took


def main():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libtegula-launch-loop.so")
    library = sys.argv[1] if len(sys.argv) > 1 else beside
    given, synchronize = tensors()
    launched = [ten[(1,)](*given, 16, 17, 33, 4, 5, B=64) for _ in range(2)][-1]
    driver = None
    if os.environ.get("TEGULA_DEVICE", "cpu").startswith("cuda") and Driver.tells_parameters():
        driver = Driver(library, launched, given[0].data_ptr())
    times = []
    for _ in range(ROUNDS):
        times.append((from_python(*given), from_c(library, launched), driver.launches() if driver else 1.0))
        synchronize()
    python, c, bare = (min(column) for column in zip(*times))
    print(f"a launch from Python {python:.2f} us, from C {c:.2f} us, ratio {python / c:.2f}")
    if driver:
        print(f"cuLaunchKernel with {len(driver.values)} parameters {bare:.2f} us, "
              f"a launch from C is {c / bare:.2f} of it")
    if "torch" in sys.modules:
        fastest = min((operation(*given), synchronize())[0] for _ in range(ROUNDS))
        print(f"torch.add with out= {fastest:.2f} us, a launch from Python is {python / fastest:.2f} of it")
    sys.exit(python > c + LIMIT)


if __name__ == "__main__":
    main()
