"""Before an atomic operation that releases, the machine code waits for the stores and write-backs before it, also in a
loop, whose first block LLVM enters with nothing under way. usage: releases.py TEGULA"""
import pathlib
import subprocess
import sys
import tempfile

KERNEL = """import triton
import triton.language as tl

@triton.jit
def publish(data_ptr, flag_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for k in range(n):
        tl.atomic_add(flag_ptr, 1, sem="release")
        tl.store(data_ptr + k * BLOCK + i, k)

@triton.jit
def publish_once(data_ptr, flag_ptr, other_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(data_ptr + i, i)
    tl.atomic_add(flag_ptr, tl.sum(tl.load(other_ptr + i)), sem="release")
"""
SIGNATURES = {"publish": "*i32:16, *i32, i32", "publish_once": "*i32:16, *i32, *i32:16"}
# What waits for stores: on gfx9 they count as all other accesses of memory do.
WAITS = {"gfx90a": " vmcnt(0)", "gfx942": " vmcnt(0)", "gfx1030": "s_waitcnt_vscnt null, 0x0",
         "gfx1100": "s_waitcnt_vscnt null, 0x0", "gfx1201": "s_wait_storecnt 0x0"}
ACCESSES = ("global_store", "buffer_wbl2", "flat_store")


def is_waited_for(lines, atomic, wait):
    """Whether the atomic operation stands behind such a wait, without an access between them."""
    for line in reversed(lines[:atomic]):
        if wait in line:
            return True
        if any(access in line for access in ACCESSES):
            return False
    return False


def main():
    tegula, wrong, seen = sys.argv[1], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "publish.py"
        path.write_text(KERNEL)
        for target in WAITS:
            for warps in (1, 4):
                for kernel, signature in SIGNATURES.items():
                    text = subprocess.run([tegula, "compile", f"{path}::{kernel}", "--target", target, "--emit", "asm",
                                           "--signature", signature, "--const", "BLOCK=256", "--num-warps", str(warps)],
                                          check=True, capture_output=True, text=True).stdout
                    lines = [line.split(";")[0].strip() for line in text.splitlines()]
                    atomics = [i for i, line in enumerate(lines) if line.startswith("global_atomic_add")]
                    seen += len(atomics)
                    if not atomics or not all(is_waited_for(lines, i, WAITS[target]) for i in atomics):
                        wrong += 1
                        print(f"{kernel} for {target} with {warps} warps releases before its stores are visible")
    print(f"{seen} atomic operations, {wrong} kernels wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
