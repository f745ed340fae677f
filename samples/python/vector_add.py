"""The first lesson from Python: the kernel file of samples/01_vector_add, imported as a module and launched on arrays
of NumPy. On the CPU the kernel works on the arrays in place; for other devices each launch copies them, which its time
here includes.

    $ PYTHONPATH=build/cpu/python python3 samples/python/vector_add.py
    python/vector_add on cpu
      numpy f32   5000000   52.4 ms   1.15 GB/s   largest error 0.0   ok

samples/run-all runs it, too. --help shows the options."""
import argparse
import os
import pathlib
import statistics
import sys
import time

import numpy as np
import tegula
import tegula.triton

tegula.triton.install()  # the kernel file says `import triton`
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "01_vector_add"))
from vector_add import add_kernel  # noqa: E402

BLOCK = 1024


def run(size, device, repeat):
    """Returns the median of the launches' seconds, without the first, which compiles, and the largest error."""
    generator = np.random.default_rng(1)
    x, y = (generator.uniform(-1, 1, size).astype(np.float32) for _ in range(2))
    total = np.full(size, np.nan, np.float32)  # an element that the kernel misses is found
    grid = (tegula.cdiv(size, BLOCK),)
    seconds = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        add_kernel[grid](x, y, total, size, BLOCK=BLOCK, device=device)  # arrays of the host: it waits for the device
        seconds.append(time.perf_counter() - start)
    # A sum of two f32 is exact in f64, but for the rounding to f32, which the kernel makes, too: no error is allowed.
    exact = (x.astype(np.float64) + y).astype(np.float32)
    return statistics.median(seconds[1:]), float(np.abs(total - exact).max())


def seconds_text(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:.3g} {unit}"


def main():
    parser = argparse.ArgumentParser(description="z = x + y with NumPy's arrays: the launch of a kernel from Python.")
    parser.add_argument("--size", type=int, default=5_000_000, help="elements of each vector (default: %(default)s)")
    parser.add_argument("--device", default=os.environ.get("TEGULA_DEVICE") or "cpu",
                        help="cpu, cuda:0, ... (default: $TEGULA_DEVICE, else cpu)")
    parser.add_argument("--repeat", type=int, default=5, help="timed launches (default: %(default)s)")
    parser.add_argument("--record", metavar="FILE",
                        help="append the result to this file as the other samples do: one line, fields between tabs")
    options = parser.parse_args()
    if options.size < 1 or options.repeat < 1:
        parser.error("--size and --repeat are at least 1")
    try:
        seconds, error = run(options.size, options.device, options.repeat)
    except tegula.errors.UseError as unknown_device:
        parser.error(str(unknown_device))
    row = ("numpy f32", str(options.size), seconds_text(seconds), f"{12 * options.size / seconds / 1e9:.3g} GB/s",
           (f"{error:.1e}" if error else "0.0") + " / 0.0", "ok" if error == 0 else "WRONG")
    print("python/vector_add on", options.device)
    print("  " + "   ".join(row[:4]), f"  largest error {row[4]}   {row[5]}")
    if options.record:
        with open(options.record, "a") as file:
            print(options.device, "python/vector_add", *row, sep="\t", file=file)
    return error != 0


if __name__ == "__main__":
    sys.exit(main())
