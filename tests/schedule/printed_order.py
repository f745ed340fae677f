"""In what printers emit for a chain of ops on a large tile, elements are computed one after the other: the first
is stored before the last has been begun. usage: printed_order.py TEGULA KERNELS TARGET EMIT STORE FUNCTION"""
import re
import subprocess
import sys

TEGULA, KERNELS, TARGET, EMIT, STORE, FUNCTION = sys.argv[1:]


def code_of(block):
    command = [TEGULA, "compile", f"{KERNELS}::gate", f"--target={TARGET}", "--signature=*fp32:16,*fp32:16",
               "--const", f"BLOCK={block}", f"--emit={EMIT}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def is_by_use(code):
    stores, calls = ([match.start() for match in re.finditer(word, code)] for word in (STORE, FUNCTION))
    assert stores and calls, (len(stores), len(calls))
    return stores[0] < calls[-1]


large, small = is_by_use(code_of(8192)), is_by_use(code_of(512))
print(f"{TARGET}: 64 elements a thread {'by use' if large else 'op by op'}, 4 {'by use' if small else 'op by op'}")
sys.exit(not large or small)
