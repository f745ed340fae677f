#!/usr/bin/env python3
"""Kernels with very large blocks (large.py): results on the CPU in 20 seconds each; for AMD GPUs the largest that are
compiled, in 20 seconds, with their results on the emulator; on targets that cannot compile them, a message with the
number and the limit in 5 seconds.

    tests/cli/large_kernels.py build/all/bin/tegula cpu,cuda,rocm,vulkan [build/all/lib/libtegula-amd-emulator.so]
"""
import array
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

FILE = str(pathlib.Path(__file__).resolve().parent / "large.py")
CPU_SECONDS, COMPILE_SECONDS, REFUSAL_SECONDS = 20, 20, 5
SIDE = 256
ELEMENTS = {"f": "<f4", "i": "<i4"}
BLOCK = ("large_block", "*fp32:16, *fp32:16", ("N=1048576", ))
SORT = ("large_sort", "*fp32:16, *fp32:16", ("N=65536", ))
VALUES = r"large\.py:28:9: error: a tensor of 1048576 elements is 8192 values in each of 128 threads, at most 4096 "
OPERATIONS = r"large\.py:9:25: error: the code of kernel 'large_sort' has \d+ operations for each thread, \d+ of them "
REFUSED = {  # by backend: target, kernel, message
    "cuda": [("sm_90a", BLOCK, VALUES), ("sm_80", BLOCK, VALUES), ("sm_90a", SORT, OPERATIONS),
             ("sm_80", SORT, OPERATIONS)],
    "rocm": [("gfx1100", BLOCK, VALUES), ("gfx1100", SORT, OPERATIONS), ("gfx942", SORT, OPERATIONS)],
    "vulkan": [("spirv:sg32", BLOCK, VALUES), ("spirv:sg32", SORT, OPERATIONS)],
}
EMULATED = {"gfx90a": 1 << 20, "gfx942": 1 << 20, "gfx1100": 1 << 19, "gfx1201": 1 << 19}  # 4,096 values a thread
CANARY = -7.0


def write_npy(path, values):
    header = f"{{'descr': '{ELEMENTS[values.typecode]}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + values.tobytes())


class Runner:
    def __init__(self, tegula, folder, device):
        self.tegula, self.folder, self.device = tegula, folder, device

    def run(self, kernel, inputs, output, count, constants):
        """The output's values, and the seconds that the command took."""
        arguments = []
        for name, values in inputs.items():
            write_npy(self.folder / f"{name}.npy", values)
            arguments.append(f"{name}=@{self.folder / name}.npy")
        kind = "i" if kernel == "large_histogram" else "f"
        if output not in inputs:
            arguments.append(f"{output}=empty:{kind}32:{count}")
        out = self.folder / "out.npy"
        begin = time.monotonic()
        subprocess.run([self.tegula, "run", f"{FILE}::{kernel}", f"--device={self.device}", "--grid=1", *arguments,
                        *constants, f"--out={output}={out}"], check=True, stdout=subprocess.DEVNULL)
        values = array.array(kind)
        values.frombytes(out.read_bytes()[-4 * count:])
        return values, time.monotonic() - begin


def numbers(count):
    return array.array("f", (float(i * 7919 % 104729) - 5000 for i in range(count)))


def block(runner, count):
    x = numbers(count)
    y, seconds = runner.run("large_block", {"x_ptr": x}, "y_ptr", count, [f"N={count}"])
    return all(b == a * 2 + 1 for a, b in zip(x, y)), seconds


def sort(runner, count):
    x = numbers(count)
    y, seconds = runner.run("large_sort", {"x_ptr": x}, "y_ptr", count, [f"N={count}"])
    return list(y) == sorted(x), seconds


def histogram(runner, bins, count=1024):
    x = array.array("i", (i * i * 31 % bins for i in range(count)))
    y, seconds = runner.run("large_histogram", {"x_ptr": x}, "y_ptr", bins, [f"N={count}", f"BINS={bins}"])
    expected = [0] * bins
    for value in x:
        expected[value] += 1
    return list(y) == expected, seconds


def product(runner):
    """Of small integers, whose sums are exact; every 16th row is compared."""
    a = array.array("f", (i * 31 % 17 - 8 for i in range(SIDE * SIDE)))
    b = array.array("f", (i * 13 % 11 - 5 for i in range(SIDE * SIDE)))
    c, seconds = runner.run("large_product", {"a_ptr": a, "b_ptr": b}, "c_ptr", SIDE * SIDE,
                            [f"{axis}={SIDE}" for axis in "MNK"])
    columns = [b[n::SIDE] for n in range(SIDE)]
    rows = range(0, SIDE, 16)
    expected = [[sum(x * y for x, y in zip(a[m * SIDE:(m + 1) * SIDE], column)) for column in columns] for m in rows]
    return all(list(c[m * SIDE:(m + 1) * SIDE]) == row for m, row in zip(rows, expected)), seconds


def check(name, result, limit):
    is_right, seconds = result
    print(f"{name}: {'right' if is_right else 'WRONG'} in {seconds:.2f} s")
    return is_right and seconds <= limit


def masked(runner, count, inside):
    """Elements behind `inside` are neither loaded nor stored: there, z keeps its value."""
    x, y = numbers(count), array.array("f", (float(i % 1000) for i in range(count)))
    z = array.array("f", [CANARY]) * count
    values, seconds = runner.run("large_masked", {"x_ptr": x[:inside], "y_ptr": y[:inside], "z_ptr": z}, "z_ptr", count,
                                 [f"n={inside}", f"N={count}"])
    expected = [a + b for a, b in zip(x[:inside], y)] + [CANARY] * (count - inside)
    return list(values) == expected, seconds


def compiles(tegula, target, folder, kernel, signature, count):
    begin = time.monotonic()
    subprocess.run([tegula, "compile", f"{FILE}::{kernel}", f"--target={target}", f"--signature={signature}",
                    f"N={count}", "-o", f"{folder}/out"], check=True, capture_output=True)
    return True, time.monotonic() - begin


def check_emulated(tegula, emulator, folder):
    os.environ["TEGULA_HIP_LIBRARY"] = emulator
    good = True
    for target, count in EMULATED.items():
        os.environ["TEGULA_EMULATED_GPUS"] = target
        runner = Runner(tegula, folder, "rocm:0")
        good &= check(f"{count} masked elements, compiled for {target}",
                      compiles(tegula, target, folder, "large_masked", "*fp32:16, *fp32:16, *fp32:16, i32", count),
                      COMPILE_SECONDS)
        good &= check(f"{count} masked elements on {target}", masked(runner, count, count * 3 // 5 + 7), math.inf)
        good &= check(f"block of {count}, compiled for {target}",
                      compiles(tegula, target, folder, "large_block", "*fp32:16, *fp32:16", count), COMPILE_SECONDS)
        good &= check(f"block of {count} on {target}", block(runner, count), math.inf)
    return good


def refuses(tegula, target, kernel, message):
    name, signature, constants = kernel
    begin = time.monotonic()
    done = subprocess.run([tegula, "compile", f"{FILE}::{name}", f"--target={target}", f"--signature={signature}",
                           *constants], text=True, capture_output=True)
    seconds = time.monotonic() - begin
    print(f"{name} for {target}, {seconds:.2f} s: {done.stderr}")
    return done.returncode == 2 and re.search(message, done.stderr) is not None and seconds <= REFUSAL_SECONDS


def main():
    tegula, backends = sys.argv[1], sys.argv[2].split(",")
    good = True
    with tempfile.TemporaryDirectory() as name:
        os.environ["TEGULA_CACHE_DIR"] = f"{name}/cache"
        cpu = Runner(tegula, pathlib.Path(name), "cpu")
        good &= check("block of 2^20 on the CPU", block(cpu, 1 << 20), CPU_SECONDS)
        good &= check("sort of 65,536 on the CPU", sort(cpu, 65536), CPU_SECONDS)
        good &= check("histogram of 131,072 bins on the CPU", histogram(cpu, 131072), CPU_SECONDS)
        good &= check("product of 256x256x256 on the CPU", product(cpu), CPU_SECONDS)
        if len(sys.argv) > 3:
            good &= check_emulated(tegula, sys.argv[3], pathlib.Path(name))
    for backend in backends:
        for target, kernel, message in REFUSED.get(backend, ()):
            good &= refuses(tegula, target, kernel, message)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
