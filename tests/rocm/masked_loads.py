#!/usr/bin/env python3
"""Masked loads of a loop whose offsets are negative, which cannot go through a buffer resource: results of emulated
devices beside those of the CPU. In some steps of the depth all masks hold, in others some.

    tests/rocm/masked_loads.py build/all/bin/tegula build/all/lib/libtegula-amd-emulator.so
"""
import array
import os
import pathlib
import subprocess
import sys
import tempfile

KERNEL = str(pathlib.Path(__file__).resolve().parent / "kernels.py") + "::backwards"
DEVICES = ("cpu", "rocm:0", "rocm:1", "rocm:2")
ROWS, SIDE = 50, 64


def result(tegula, device, depth, folder):
    out = os.path.join(folder, device.replace(":", "") + ".npy")
    subprocess.run([tegula, "run", KERNEL, f"--device={device}", "--grid=1", "--num-warps=4",
                    f"a=rand:f16:{ROWS}x{depth}:1", f"b=rand:f16:{depth}x{SIDE}:2", f"c=empty:f32:{SIDE}x{SIDE}",
                    f"rows={ROWS}", f"depth={depth}", f"SIDE={SIDE}", "STEP=32", f"--out=c={out}"], check=True,
                   stdout=subprocess.DEVNULL)
    values = array.array("f")
    values.frombytes(pathlib.Path(out).read_bytes()[-4 * SIDE * SIDE:])
    return values


def main():
    tegula, os.environ["TEGULA_HIP_LIBRARY"] = sys.argv[1:]
    os.environ["TEGULA_EMULATED_GPUS"] = "gfx942,gfx1100,gfx1201"
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for depth in (128, 120, 40):
            expected, *others = (result(tegula, device, depth, folder) for device in DEVICES)
            assert max(map(abs, expected)) > 1
            for device, values in zip(DEVICES[1:], others):
                error = max(abs(value - wanted) for value, wanted in zip(values, expected))
                failed |= not error < 1e-3
                print(f"{device}, depth {depth}: error {error:.1e}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
