#!/usr/bin/env python3
"""Products on gfx942, whose programs change places (docs/rocm.md): each of them runs once, for grids that its dies
share evenly and not, also with a second axis. The result of a program holds its number.

    tests/rocm/programs.py build/all/bin/tegula build/all/lib/libtegula-amd-emulator.so
"""
import array
import os
import pathlib
import subprocess
import sys
import tempfile

KERNEL = str(pathlib.Path(__file__).resolve().parent / "kernels.py") + "::tiles"
SIDE = 16
GRIDS = ((1, 1), (7, 1), (8, 1), (10, 1), (23, 1), (16, 3), (9, 2))


def numbers(tegula, folder, columns, rows):
    """The number in each program's result: what its first element has more than that of program 0."""
    out = folder / "out.npy"
    count = columns * rows
    subprocess.run([tegula, "run", KERNEL, "--device=rocm:0", f"--grid={columns},{rows}", "--num-warps=1",
                    f"a=rand:f16:{SIDE}x{SIDE}:1", f"out=zeros:f32:{count * SIDE * SIDE}", f"SIDE={SIDE}",
                    f"--out=out={out}"], check=True, stdout=subprocess.DEVNULL)
    values = array.array("f")
    values.frombytes(out.read_bytes()[-4 * count * SIDE * SIDE:])
    firsts = values[::SIDE * SIDE]
    assert firsts[0] != 0, "program 0 did not run"
    return [round(first - firsts[0]) for first in firsts]


def is_permuted(tegula):
    """Whether the code for gfx942 computes with the grid's extent, as that for gfx90a does not."""
    code = [subprocess.run([tegula, "compile", KERNEL, f"--target={target}", "--signature=*fp16:16, *fp32:16",
                            "--const", f"SIDE={SIDE}", "--num-warps=1", "--emit=llvm"], check=True, text=True,
                           capture_output=True).stdout for target in ("gfx942", "gfx90a")]
    return ["umin.i32" in each for each in code] == [True, False]


def main():
    tegula, os.environ["TEGULA_HIP_LIBRARY"] = sys.argv[1:]
    os.environ["TEGULA_EMULATED_GPUS"] = "gfx942"
    if not is_permuted(tegula):
        sys.exit("programs of gfx942 keep their places, or those of gfx90a do not")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for columns, rows in GRIDS:
            found = numbers(tegula, pathlib.Path(folder), columns, rows)
            failed |= found != list(range(columns * rows))
            print(f"grid {columns} x {rows}: {found}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
