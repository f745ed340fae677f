"""What a launch from Python costs beside the same launch from C: five tensors, five integers, one constant.
usage: launch_cost.py [LAUNCH_LOOP_LIBRARY]     by default the one beside this file

On $TEGULA_DEVICE: the CPU with NumPy arrays, or another device, for which PyTorch makes the tensors; then an operation
of PyTorch's is measured, too. Prints microseconds, and ends with status 1 where Python adds more than LIMIT to a launch
from C."""
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


def main():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libtegula-launch-loop.so")
    library = sys.argv[1] if len(sys.argv) > 1 else beside
    given, synchronize = tensors()
    launched = [ten[(1,)](*given, 16, 17, 33, 4, 5, B=64) for _ in range(2)][-1]
    times = []
    for _ in range(ROUNDS):
        times.append((from_python(*given), from_c(library, launched)))
        synchronize()
    python, c = (min(column) for column in zip(*times))
    print(f"a launch from Python {python:.2f} us, from C {c:.2f} us, ratio {python / c:.2f}")
    if "torch" in sys.modules:
        fastest = min((operation(*given), synchronize())[0] for _ in range(ROUNDS))
        print(f"torch.add with out= {fastest:.2f} us, a launch from Python is {python / fastest:.2f} of it")
    sys.exit(python > c + LIMIT)


if __name__ == "__main__":
    main()
