"""A kernel that accesses memory outside of its arrays ends the process, on devices that are the process itself: one
line says which kernel it was. $TEGULA_DEVICE names the device."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

DEVICE = os.environ["TEGULA_DEVICE"]
PROGRAM = """
import sys, numpy as np, tegula, tegula.language as tl

@tegula.jit
def far(x, distance, B: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) // 3 * distance + tl.arange(0, B)  # the last program
    tl.store(x + at, 1.0)

far[(4,)](np.zeros(16, np.float32), 2**44, B=16)
"""


class Crash(unittest.TestCase):
    def crashed(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "far.py"
            program.write_text(PROGRAM)
            done = subprocess.run([sys.executable, *options, program], capture_output=True, text=True, timeout=120,
                                  cwd=folder)
        self.assertEqual(done.returncode, -signal.SIGSEGV, done.stderr)
        return done.stderr

    def test_one_line_says_what_crashed(self):
        text = self.crashed()
        if DEVICE == "cpu":
            self.assertRegex(text, r"^tegula: kernel far \(/.*/far\.py:7\) crashed at (an )?address .*, program "
                             r"\(3, 0, 0\), which is outside of its arrays; run it with --check "
                             r"\(TRITON_INTERPRET=1\) to find the access\n$")
        else:
            self.assertRegex(text, r"^tegula: a kernel crashed at (an )?address .*, which is outside of its arrays; "
                             r"under way: far \(/.*/far\.py:5\); run it on the CPU with --check ")

    def test_the_handler_of_python_still_works(self):
        text = self.crashed("-X", "faulthandler")
        self.assertEqual(text.count("tegula: "), 1)
        self.assertIn("Fatal Python error: Segmentation fault", text)
        if DEVICE == "cpu":
            self.assertIn('far.py", line 9', text)


if __name__ == "__main__":
    unittest.main()
