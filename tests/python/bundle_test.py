"""A bundle for `cpu` and `spirv:generic` where nothing may be compiled, through the C interface: what a program ships
runs on every device that the targets' names promise. `bundle_test.py TEGULA`; $TEGULA_DEVICE names the device."""
import ctypes
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import tegula
from tegula import _abi, _devices
from tegula.arguments import Arguments

TEGULA, DEVICE = sys.argv.pop(1), os.environ["TEGULA_DEVICE"]
KERNELS = """
import triton
import triton.language as tl


@triton.jit
def count(out, n, BLOCK: tl.constexpr):
    total = 0
    for i in range(n):
        total += i & 1
    tl.store(out + tl.arange(0, BLOCK), total)
"""


class Bundle(_abi.Handle):
    def kernel(self, name):
        return _abi.Handle("kernel", "bundle_kernel", self.pointer, name.encode())


for _function in ("tegula_bundle_open", "tegula_bundle_kernel"):
    getattr(_abi._library, _function).argtypes = None
_abi._library.tegula_bundle_release.argtypes = [ctypes.c_void_p]


def launch(kernel, **values):
    """On one program; arrays are copied in and back."""
    device = _devices.get(DEVICE)
    arguments = Arguments(device, None, device.stream)
    for name, value in values.items():
        arguments.add(name, value, name)
    items = arguments.items()
    _abi.call("kernel_launch", kernel.pointer, device.stream, _abi.int64_array((1, 1, 1)), len(items), items,
              ctypes.byref(_abi.LaunchOptions()))
    arguments.copy_back()
    device.synchronize()


class Shipped(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(f"{self.folder}/k.py", "w") as file:
            file.write(KERNELS)
        self.addCleanup(_abi.call, "allow_compiler", 1)

    def bundle(self, targets):
        done = subprocess.run([TEGULA, "build", f"{self.folder}/k.py::count", "-o", f"{self.folder}/k.tgb",
                               f"--targets={targets}", "--signature=*i32, i32", "--const", "BLOCK=16"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return Bundle("bundle", "bundle_open", f"{self.folder}/k.tgb".encode())

    def test_its_code_runs_without_a_compiler(self):
        bundle = self.bundle("cpu,spirv:generic")
        seen = subprocess.run([TEGULA, "inspect", f"{self.folder}/k.tgb"], capture_output=True, text=True).stdout
        self.assertIn("spirv:generic-bounded", seen)  # which some devices need
        _abi.call("allow_compiler", 0)
        out = np.zeros(16, np.int32)
        launch(bundle.kernel("count"), out=out, n=1001)
        self.assertTrue((out == 500).all())

    def test_code_that_it_lacks_is_not_compiled(self):
        bundle = self.bundle("sm_80")
        out = np.zeros(16, np.int32)
        _abi.call("allow_compiler", 0)
        expected = "has no code that runs on .*; it has code for sm_80; kernels are not compiled at run time, " \
            "because the program has switched that off"
        with self.assertRaisesRegex(tegula.errors.UseError, expected):
            launch(bundle.kernel("count"), out=out, n=1001)
        _abi.call("allow_compiler", 1)
        launch(bundle.kernel("count"), out=out, n=1001)  # from its tile IR
        self.assertTrue((out == 500).all())

    def test_a_kernel_from_source_is_refused_even_where_the_cache_has_it(self):
        run = [TEGULA, "run", f"{self.folder}/k.py", "--grid=1", "out=zeros:i32:16", "n=5", "BLOCK=16",
               f"--device={DEVICE}"]
        self.assertEqual(subprocess.run(run, capture_output=True).returncode, 0)
        done = subprocess.run(run, capture_output=True, text=True, env={**os.environ, "TEGULA_NO_COMPILER": "1"})
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"kernels are not compiled at run time, because \$TEGULA_NO_COMPILER is set; "
                         r"ship their code in a bundle \('tegula build'\)\n$")


if __name__ == "__main__":
    unittest.main()
