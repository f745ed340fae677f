#!/usr/bin/env python3
"""What the machine code of a product and of an attention takes on every AMD target: no register may be spilled to
private memory, and LDS is at most 64 KiB.

    tests/rocm/reports.py build/all/bin/tegula [TARGET...]

Prints the rows of the table in docs/lab/2026-11-25-amd-machine-code.md.
"""
import math
import pathlib
import re
import subprocess
import sys

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201")
MOST_LDS = 64 << 10
BYTES = {"i1": 1, "i8": 1, "f8E4M3FN": 1, "f16": 2, "bf16": 2, "f32": 4, "i32": 4, "i64": 8, "f64": 8}


def is_cdna(target):
    return target in ("gfx90a", "gfx942")


def product(target):
    return (4, [f"{SAMPLES / '05_matmul/matmul.py'}::matmul_grouped",
                "--signature=*fp16:16, *fp16:16, *fp16:16" + 3 * ", i32:16" + 3 * ", i32:16, 1", "--const",
                "BLOCK_M=128", "BLOCK_N=128", f"BLOCK_K={64 if is_cdna(target) else 32}", "GROUP_M=8",
                "PRECISION='ieee'"])


def attention(queries, keys, warps):
    return (warps, [f"{SAMPLES / '08_flash_attention/flash_attention.py'}::attention_forward",
                    "--signature=" + 4 * "*fp16:16, " + "i32:16, i32:16, fp32", "--const", "HEAD=128",
                    f"BLOCK_Q={queries}", f"BLOCK_K={keys}", "CAUSAL=False"])


def kernels(target):
    yield ("product 128x128x64" if is_cdna(target) else "product 128x128x32"), product(target)
    keys = 32 if target == "gfx1030" else 64 # without matrix instructions, its sums take more registers
    yield f"attention, 64 queries, {keys} keys", attention(64, keys, 4)
    if target.startswith("gfx11"):
        yield "attention, 128 queries, 64 keys", attention(128, 64, 4)
    if target.startswith("gfx12"):
        yield "attention, 128 queries, 64 keys", attention(128, 64, 8)


def compiled(tegula, target, warps, arguments, level):
    done = subprocess.run([tegula, "compile", *arguments, f"--target={target}", f"--num-warps={warps}",
                           f"--emit={level}"], text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{target}: {done.stderr}")
    return done.stdout


def lds_bytes(simt):
    """The end of the last shared buffer."""
    paddings = {name: re.findall(r"pad (\d+) every (\d+)", layout)
                for name, layout in re.findall(r"(#\w+) = #layout\.shared<(.*)>", simt)}
    end = 0
    buffer = r"simt\.shared_alloc at (\d+) : (?:!simt\.shared)?<(\w+)(?:, (#\w+))?"
    for place, shape, layout in re.findall(buffer, simt):
        *extents, element = shape.split("x")
        last = math.prod(map(int, extents)) - 1
        last += sum(last // int(interval) * int(padding) for padding, interval in paddings.get(layout, ()))
        end = max(end, int(place) + (last + 1) * BYTES[element])
    return end


def warps_of_simd(target, warps, registers, lds):
    """By registers of a SIMD and how they are given out, and by LDS of four SIMDs (backends/rocm/instructions)."""
    given, unit, most, memory = ((512, 8, 8, 64 << 10) if is_cdna(target) else
                                 (1024, 8, 16, 128 << 10) if target == "gfx1030" else (1536, 24, 16, 128 << 10))
    by_registers = min(most, given // (-(-registers // unit) * unit))
    return min(by_registers, memory // lds * warps // 4)


def main():
    tegula, *targets = sys.argv[1:]
    failed = False
    for target in targets or TARGETS:
        for name, (warps, arguments) in kernels(target):
            assembly = compiled(tegula, target, warps, arguments, "asm")

            def field(key):
                return int(re.search(rf"\.{key}: +(\d+)", assembly)[1])

            registers = field("vgpr_count")
            spilled = field("vgpr_spill_count") + field("sgpr_spill_count")
            private = field("private_segment_fixed_size")
            lds = lds_bytes(compiled(tegula, target, warps, arguments, "simt"))
            is_right = spilled == 0 and private == 0 and 0 < lds <= MOST_LDS
            failed |= not is_right
            print(f"| {name} | {target} | {registers} | {field('sgpr_count')} | {spilled} | {private} | {lds} | "
                  f"{warps_of_simd(target, warps, registers, lds)} |{'' if is_right else '  FAILED'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
