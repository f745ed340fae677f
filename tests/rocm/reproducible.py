#!/usr/bin/env python3
"""Code objects do not depend on the machine that they are compiled on: the same bytes in an empty environment and
beside what an installation of ROCm brings (programs, libraries and variables, all of which fail or differ when used),
in another folder, with temporary files in another place. The compiler needs no library of AMD.

    tests/rocm/reproducible.py build/all/bin/tegula build/all/lib/libtegula-compiler.so
"""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201")
KERNELS = [
    [f"{SOURCES}/tests/rocm/kernels.py::matmul", "--signature=*fp16:16, *fp16:16, *fp32:16, i32, i32", "--const",
     "SIDE=64", "STEP=32"],
    [f"{SOURCES}/tests/rocm/kernels.py::powers", "--signature=*fp32:16, *fp32:16, i32, i32", "--const", "BLOCK=512"],
    [f"{SOURCES}/samples/03_softmax/softmax.py::softmax_fused", "--signature=*fp32:16, *fp32:16, i32, i32, i32",
     "--const", "BLOCK=1024"],
]
PROGRAMS = ("ld.lld", "lld", "clang", "clang++", "hipcc", "hipconfig", "llc", "opt", "rocm_agent_enumerator",
            "rocminfo")
LIBRARIES = ("libamdhip64.so", "libhsa-runtime64.so.1", "libamd_comgr.so.2")


def pretend_rocm(root):
    """A folder like /opt/rocm, and an environment that leads there."""
    for folder in ("bin", "lib", "amdgcn/bitcode"):
        (root / folder).mkdir(parents=True)
    for program in PROGRAMS:
        path = root / "bin" / program
        path.write_text("#!/bin/sh\nexit 97\n")
        path.chmod(0o755)
    for library in LIBRARIES:
        (root / "lib" / library).write_text("no library")
    for bitcode in ("ocml.bc", "ockl.bc", "oclc_abi_version_600.bc"):
        (root / "amdgcn/bitcode" / bitcode).write_text("no bitcode")
    variables = dict.fromkeys(("ROCM_PATH", "HIP_PATH", "ROCM_HOME"), str(root))
    return variables | {"HIP_DEVICE_LIB_PATH": str(root / "amdgcn/bitcode"), "HIP_PLATFORM": "amd",
                        "HSA_OVERRIDE_GFX_VERSION": "9.0.6", "LD_LIBRARY_PATH": str(root / "lib"),
                        "PATH": f"{root / 'bin'}:{os.environ['PATH']}"}


def compiled(tegula, target, arguments, folder, environment):
    out = folder / "kernel.hsaco"
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    environment = environment | {"TMPDIR": str(temporary), "TEGULA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([tegula, "compile", *arguments, f"--target={target}", "--num-warps=4", "--emit=hsaco", "-o",
                           str(out)], cwd=folder, env=environment, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{target}: {done.stderr}")
    made = out.read_bytes()
    assert made.startswith(b"\x7fELF")
    return made


def main():
    tegula, library = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:])
    read = subprocess.run(["readelf", "--dynamic", tegula, library], check=True, text=True, capture_output=True)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", read.stdout)
    assert needed, "readelf names no library"
    wrong = [name for name in needed if re.search("hip|hsa|amd|rocm|comgr", name)]
    if wrong:
        sys.exit(f"needs {', '.join(wrong)}")
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        bare, beside = pathlib.Path(first), pathlib.Path(second)
        rocm = pretend_rocm(beside / "rocm")
        for target in TARGETS:
            for arguments in KERNELS:
                one = compiled(tegula, target, arguments, bare, {})
                other = compiled(tegula, target, arguments, beside, rocm)
                name = arguments[0].split("::")[1]
                if one != other:
                    sys.exit(f"{target}, {name}: code objects differ")
                print(f"{target}, {name}: {len(one)} bytes, {hashlib.sha256(one).hexdigest()[:16]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
