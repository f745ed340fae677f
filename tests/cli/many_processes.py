#!/usr/bin/env python3
"""64 processes at once with one empty cache: kernels that are compiled, launched and tuned by several at a time.
usage: many_processes.py TEGULA KERNELS.py

Each result is compared with sums that this script computes; afterwards every entry of the cache is whole, and a record
is there that a later process takes.
"""

import array
import os
import pathlib
import subprocess
import sys
import tempfile

PROCESSES, N = 64, 5000


def npy(path, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + values.tobytes())


def values_of(path):
    data = path.read_bytes()
    return array.array("f", data[10 + int.from_bytes(data[8:10], "little"):])


def main():
    tegula, kernels = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = os.environ | {"TEGULA_CACHE_DIR": f"{name}/cache", "TEGULA_TUNING_PATH": "", "TEGULA_LOG": ""}

        def start(*words):
            return subprocess.Popen([tegula, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    text=True)

        x, y = (array.array("f", [scale * i for i in range(N)]) for scale in (0.5, 2))
        npy(folder / "x.npy", x)
        npy(folder / "y.npy", y)
        common = [f"{kernels}::add", "--device=cpu", "--grid=cdiv(n, BLOCK)", f"x_ptr=@{name}/x.npy",
                  f"y_ptr=@{name}/y.npy", f"z_ptr=empty:f32:{N}"]
        started = []
        for i in range(PROCESSES):
            if i % 4:
                started.append(start("run", *common, f"n={N}", f"BLOCK={64 << i % 3}", "--out",
                                     f"z_ptr={name}/{i}.npy"))
            else:
                started.append(start("tune", *common, f"--shapes=n={N}", "--space=BLOCK=256|1024", "--budget=120s"))
        failures = []
        for i, process in enumerate(started):
            said = process.communicate()[0]
            if process.returncode or "warning" in said:
                failures.append(f"process {i} ends with {process.returncode}: {said}")
            elif i % 4 and values_of(folder / f"{i}.npy") != array.array("f", [a + b for a, b in zip(x, y)]):
                failures.append(f"process {i} computes something else")
        verified = subprocess.run([tegula, "cache", "verify"], env=environment, capture_output=True, text=True)
        if verified.returncode:
            failures.append(f"the cache is damaged: {verified.stdout}{verified.stderr}")
        later = subprocess.run([tegula, "run", *common, f"n={N}"], env=environment | {"TEGULA_LOG": "tuning"},
                               capture_output=True, text=True)
        if later.returncode or "a record, " not in later.stderr:
            failures.append(f"a later process takes no record: {later.stderr}")
        sys.exit("\n".join(failures) or print(f"{PROCESSES} processes: all results are right, all entries are whole"))


main()
