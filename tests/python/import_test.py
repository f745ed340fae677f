"""Imports of a package that is not built, or not whole: the message names what is missing and the target that builds
it. usage: import_test.py SOURCE_DIR BUILD_DIR"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(folder) for folder in sys.argv[1:3])
PACKAGE = SOURCE / "frontend/python"
LAUNCH = BUILD / "python/tegula/_launch.abi3.so"


def message(folder, text="import tegula", **variables):
    """The last line of what Python writes that imports from the folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder), **variables}
    done = subprocess.run([sys.executable, "-c", text], env=environment, cwd="/", capture_output=True, text=True,
                          check=False)
    return done.returncode, (done.stderr.splitlines() or [""])[-1]


class Import(unittest.TestCase):
    def expect(self, folder, start, **options):
        status, line = message(folder, **options)
        self.assertEqual(status, 1, line)
        self.assertTrue(line.startswith("ImportError: " + start), line)
        self.assertIn("build the target tegula-python, e.g. `cmake --build build/cpu --target tegula-python`", line)
        self.assertIn("pip install .", line)

    def test_source_tree(self):
        for text in ("import tegula", "import tegula.language as tl", "from tegula import jit"):
            self.expect(PACKAGE, f"the extension module tegula._launch is not in {PACKAGE / 'tegula'};", text=text)

    def test_without_libraries(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copytree(PACKAGE / "tegula", folder / "tegula")
            shutil.copy(LAUNCH, folder / "tegula")
            self.expect(folder, "libtegula-runtime.so.0: cannot open shared object file", LD_LIBRARY_PATH="")

    def test_broken_module(self):
        """What the loader says of a module that is there stays as it is."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copytree(PACKAGE / "tegula", folder / "tegula")
            (folder / "tegula/_launch.abi3.so").write_text("no library")
            status, line = message(folder)
            self.assertEqual(status, 1, line)
            self.assertIn("_launch.abi3.so", line)
            self.assertNotIn("tegula-python", line)

    def test_links(self):
        """Python files that are links: the libraries are those beside the extension module, as in a build folder."""
        self.assertEqual(message(BUILD / "python")[0], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
