#!/usr/bin/env python3
"""Masks and powers of two in a loop, which are left out or shortened where a test for a warp allows it: rows in which
all elements pass the tests, and rows with masked elements, subnormal results, infinities and numbers that are none, on
emulated devices beside the CPU.

    tests/rocm/uniform_tests.py build/all/bin/tegula build/all/lib/libtegula-amd-emulator.so
"""
import array
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

KERNEL = str(pathlib.Path(__file__).resolve().parent / "kernels.py") + "::powers"
DEVICES = ("cpu", "rocm:0", "rocm:1", "rocm:2", "rocm:3")
ROWS, COLUMNS = 12, 2048
# Row 1 has a single small operand, so that most warps see none; in rows 6 and later the masks cut elements off.
UNUSUAL = {1: [-126.5], 2: [-127.0, -140.25, -149.0, -149.5, -151.0] * 60,
           3: [math.nan, math.inf, -math.inf, 128.0] * 50, 9: [-130.0]}


def operands():
    chance = random.Random(5)
    rows = []
    for row in range(ROWS):
        values = [chance.uniform(-125.0, 127.0) for _ in range(COLUMNS)]
        for value, column in zip(UNUSUAL.get(row, []), chance.sample(range(COLUMNS), COLUMNS)):
            values[column] = value
        rows += values
    return array.array("f", rows)


def write(path, values):
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header = (text + " " * (-(len(text) + 11) % 64) + "\n").encode()
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + values.tobytes())


def result(tegula, device, source, folder, end, warps):
    out = folder / (device.replace(":", "") + ".npy")
    subprocess.run([tegula, "run", KERNEL, f"--device={device}", "--grid=1", f"--num-warps={warps}", f"a=@{source}",
                    f"out=empty:f32:{ROWS * COLUMNS}", f"steps={ROWS}", f"end={end}", f"BLOCK={COLUMNS}",
                    f"--out=out={out}"], check=True, stdout=subprocess.DEVNULL)
    values = array.array("f")
    values.frombytes(out.read_bytes()[-4 * ROWS * COLUMNS:])
    return values


def isWrong(value, wanted):
    """An error of more than 2 ulp, of a subnormal number of more than 2^-148."""
    if math.isnan(wanted) or math.isinf(wanted):
        return not (value == wanted or math.isnan(value) and math.isnan(wanted))
    return not abs(value - wanted) <= max(abs(wanted) * 2.0**-22, 2.0**-148)


def main():
    tegula, os.environ["TEGULA_HIP_LIBRARY"] = sys.argv[1:]
    os.environ["TEGULA_EMULATED_GPUS"] = "gfx942,gfx1030,gfx1100,gfx1201"
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder / "a.npy", operands())
        # With one warp a thread has so many elements that each branch has only a few of them.
        for end, warps in ((COLUMNS + ROWS, 4), (COLUMNS + 5, 4), (100, 4), (COLUMNS + 5, 1), (100, 1)):
            expected, *others = (result(tegula, device, folder / "a.npy", folder, end, warps) for device in DEVICES)
            subnormal = sum(0 < value < 2.0**-126 for value in expected)
            assert subnormal > 0, "the CPU has no subnormal results"
            for device, values in zip(DEVICES[1:], others):
                wrong = sum(map(isWrong, values, expected))
                failed |= wrong > 0
                print(f"{device}, end {end}, {warps} warps: {wrong} of {len(expected)} wrong, {subnormal} subnormal")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
