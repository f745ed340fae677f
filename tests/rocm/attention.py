#!/usr/bin/env python3
"""Attention with blocks of 128 queries, the most that the registers of RDNA hold
(docs/lab/2026-11-25-amd-machine-code.md), on emulated devices beside the CPU: keys that end within a block, causal
masks, and scores so far apart that most weights are subnormal or zero.

    tests/rocm/attention.py build/all/bin/tegula build/all/lib/libtegula-amd-emulator.so
"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

KERNEL = pathlib.Path(__file__).resolve().parents[2] / "samples/08_flash_attention/flash_attention.py"
DEVICES = ("cpu", "rocm:0", "rocm:1", "rocm:2")
HEADS, HEAD, BLOCK_Q, BLOCK_K = 2, 128, 128, 64
CASES = [(128, 256, False, 0.088), (200, 300, False, 0.088), (200, 300, True, 0.088), (128, 250, False, 60.0)]


def result(tegula, device, folder, queries, keys, causal, scale):
    out = folder / (device.replace(":", "") + ".npy")
    subprocess.run([tegula, "run", f"{KERNEL}::attention_forward", f"--device={device}",
                    f"--grid={-(-queries // BLOCK_Q)},{HEADS}", "--num-warps=4",
                    f"q_ptr=rand:f16:{HEADS * queries}x{HEAD}:1", f"k_ptr=rand:f16:{HEADS * keys}x{HEAD}:2",
                    f"v_ptr=rand:f16:{HEADS * keys}x{HEAD}:3", f"out_ptr=empty:f16:{HEADS * queries}x{HEAD}",
                    f"queries={queries}", f"keys={keys}", f"scale={scale}", f"HEAD={HEAD}", f"BLOCK_Q={BLOCK_Q}",
                    f"BLOCK_K={BLOCK_K}", f"CAUSAL={causal}", f"--out=out_ptr={out}"], check=True,
                   stdout=subprocess.DEVNULL)
    count = HEADS * queries * HEAD
    return struct.unpack(f"<{count}e", out.read_bytes()[-2 * count:])


def main():
    tegula, os.environ["TEGULA_HIP_LIBRARY"] = sys.argv[1:]
    os.environ["TEGULA_EMULATED_GPUS"] = "gfx942,gfx1100,gfx1201"
    failed = False
    with tempfile.TemporaryDirectory() as name:
        os.environ["TEGULA_CACHE_DIR"] = name
        for case in CASES:
            expected, *others = (result(tegula, device, pathlib.Path(name), *case) for device in DEVICES)
            for device, values in zip(DEVICES[1:], others):
                # Results are at most 1. Rounded weights, of f16, differ where sums are added in another order.
                wrong = sum(not abs(value - wanted) <= 4e-3 for value, wanted in zip(values, expected))
                failed |= wrong > 0
                print(f"{device}, {case}: {wrong} of {len(values)} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
