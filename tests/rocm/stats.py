#!/usr/bin/env python3
"""Machine code for AMD GPUs, counted by the emulator: for each matrix instruction of a kernel's inner loop, the other
instructions, and the cycles that LDS accesses lose to bank conflicts.

    tests/rocm/stats.py build/all/bin/tegula build/all/lib/libtegula-amd-emulator.so

The inner loop's counts are the differences of two runs with different depths.
docs/lab/2026-11-25-amd-machine-code.md has the figures; this test fails where one exceeds its bound.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
COUNTED = ("scalar instructions", "vector instructions", "global accesses", "LDS accesses", "branches")
MATRIX = "matrix instructions"
CONFLICTS = "cycles lost to LDS bank conflicts"


def matmul(depth_of_block):
    def arguments(blocks):
        depth = blocks * depth_of_block
        return [str(SAMPLES / "05_matmul/matmul.py::matmul_grouped"), "--grid=1", "--num-warps=4",
                f"a_ptr=rand:f16:128x{depth}:1", f"b_ptr=rand:f16:{depth}x128:2", "c_ptr=empty:f32:128x128",
                "M=128", "N=128", f"K={depth}", f"stride_am={depth}", "stride_ak=1", "stride_bk=128", "stride_bn=1",
                "stride_cm=128", "stride_cn=1", "BLOCK_M=128", "BLOCK_N=128", f"BLOCK_K={depth_of_block}",
                "GROUP_M=8", "PRECISION=ieee"]
    return arguments


def attention(queries, keys_of_block, warps):
    def arguments(blocks):
        keys = blocks * keys_of_block
        return [str(SAMPLES / "08_flash_attention/flash_attention.py::attention_forward"), "--grid=1,1",
                f"--num-warps={warps}", f"q_ptr=rand:f16:{queries}x128:1", f"k_ptr=rand:f16:{keys}x128:2",
                f"v_ptr=rand:f16:{keys}x128:3", f"out_ptr=empty:f16:{queries}x128", f"queries={queries}",
                f"keys={keys}", "scale=0.088", "HEAD=128", f"BLOCK_Q={queries}", f"BLOCK_K={keys_of_block}",
                "CAUSAL=False"]
    return arguments


# kernel, architecture, arguments, most other instructions and lost cycles for each matrix instruction
CASES = [
    ("matmul 128x128x64", "gfx942", matmul(64), 3, 0),
    ("matmul 128x128x32", "gfx1100", matmul(32), 3.1, 0),
    ("matmul 128x128x32", "gfx1201", matmul(32), 3, 0),
    ("attention 64 queries, 64 keys, 4 warps", "gfx942", attention(64, 64, 4), 4, 0),
    ("attention 64 queries, 32 keys, 4 warps", "gfx942", attention(64, 32, 4), 6, 0),
    ("attention 128 queries, 64 keys, 4 warps", "gfx1100", attention(128, 64, 4), 6, 0),
    ("attention 64 queries, 64 keys, 4 warps", "gfx1100", attention(64, 64, 4), 8, 0),
    ("attention 64 queries, 32 keys, 4 warps", "gfx1100", attention(64, 32, 4), 10.5, 0.5),
    ("attention 128 queries, 64 keys, 4 warps", "gfx1201", attention(128, 64, 4), 5, 0),
    ("attention 128 queries, 64 keys, 8 warps", "gfx1201", attention(128, 64, 8), 6, 0.25),
    ("attention 64 queries, 64 keys, 4 warps", "gfx1201", attention(64, 64, 4), 6, 0),
]


def run(tegula, emulator, architecture, arguments, cache):
    environment = dict(os.environ, TEGULA_HIP_LIBRARY=emulator, TEGULA_EMULATED_GPUS=architecture,
                       TEGULA_CACHE_DIR=cache)
    done = subprocess.run([tegula, "run", *arguments, "--device=rocm:0", "--stats"], env=environment, text=True,
                          capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    return {name: int(number) for number, name in re.findall(r"(\d+) ([a-zA-Z][\w -]*)", done.stdout + done.stderr)}


def main():
    tegula, emulator = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory() as cache:
        for name, architecture, arguments, most_others, most_lost in CASES:
            few, many = (run(tegula, emulator, architecture, arguments(blocks), cache) for blocks in (4, 8))
            products = many[MATRIX] - few[MATRIX]
            others = sum(many[each] - few[each] for each in COUNTED) / products
            lds = (many["LDS accesses"] - few["LDS accesses"]) / products
            lost = (many[CONFLICTS] - few[CONFLICTS]) / products
            isRight = products > 0 and others <= most_others and lost <= most_lost
            failed |= not isRight
            print(f"{name}, {architecture}: {others:.2f} other instructions (at most {most_others}), {lds:.2f} of them "
                  f"on LDS, {lost:.2f} cycles lost (at most {most_lost}){'' if isRight else '  FAILED'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
