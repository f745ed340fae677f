"""Kernels in notebooks' cells and in texts that were executed: their files are not on the disk."""
import linecache
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import nbformat
import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient

import tegula
import tegula.language as tl  # noqa: F401  a name of the executed texts

SAMPLES = pathlib.Path(sys.argv.pop(1))
SPIN = """
import io, numpy as np, signal, sys, tegula, tegula.language as tl

@tegula.jit
def spin(x, n):
    v = tl.load(x + tl.program_id(0))
    while v < n:
        v = tl.load(x + tl.program_id(0), volatile=True)
    tl.store(x, v)

@tegula.jit
def chatter(x, n):
    while tl.load(x, volatile=True) > n:
        tl.device_print("x", n)

@tegula.jit
def double(x):
    tl.store(x, 2 * tl.load(x))

x = np.full(4, 4, np.int32)
def launch(grid, *values):
    x[:] = values
    print("started", flush=True)
    spin[grid](x, 4)
"""


def cells(*texts):
    """Runs the cells one after another in a new shell; the last one's error is raised."""
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    for text in ("import numpy as np\nimport tegula as triton, tegula, tegula.language as tl", *texts):
        result = shell.run_cell(text, store_history=True)
        if text is texts[-1]:
            result.raise_error()
    return shell.user_ns


def executed(text, name):
    """The names that a text binds, which linecache knows by the name."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"tegula": tegula, "tl": tl}
    exec(compile(text, name, "exec"), names)
    return names


class Cells(unittest.TestCase):
    def test_the_decorator_is_the_first_line(self):
        names = cells("@triton.jit\ndef k(o, B: tl.constexpr):\n    tl.store(o + tl.arange(0, B), 3)\n",
                      "o = np.zeros(16, np.int32)\nk[(1,)](o, B=16)")
        self.assertTrue((names["o"] == 3).all())

    def test_functions_and_names_of_other_cells(self):
        names = cells("FACTOR = 5\n@triton.jit\ndef helper(v, F: tl.constexpr = FACTOR):\n    return v * F + OFFSET\n",
                      "OFFSET = 1",
                      "@triton.jit\ndef k(o, B: tl.constexpr):\n    tl.store(o + tl.arange(0, B), helper(2))\n",
                      "o = np.zeros(16, np.int32)\nk[(1,)](o, B=16)\nbefore = o.copy()",
                      "OFFSET = 2",
                      "k[(1,)](o, B=16)")
        self.assertTrue((names["before"] == 11).all())
        self.assertTrue((names["o"] == 12).all())

    def test_a_cell_that_runs_again(self):
        helper = "@triton.jit\ndef helper(v):\n    return v + {}\n"
        names = cells(helper.format(1),
                      "@triton.jit\ndef k(o, B: tl.constexpr):\n    tl.store(o + tl.arange(0, B), helper(2))\n",
                      "o = np.zeros(16, np.int32)\nk[(1,)](o, B=16)\nbefore = o.copy()", helper.format(7),
                      "k[(1,)](o, B=16)")
        self.assertTrue((names["before"] == 3).all())
        self.assertTrue((names["o"] == 9).all())

    def test_defaults_that_name_something(self):
        names = cells("@triton.jit\ndef k(o, B: tl.constexpr, then=tl.abs, kind: tl.constexpr = tl.float32):\n"
                      "    tl.store(o + tl.arange(0, B), then(tl.full((B,), -3, kind)))\n",
                      "o = np.zeros(16, np.float32)\nk[(1,)](o, B=16)")
        self.assertTrue((names["o"] == 3).all())

    def test_functions_inside_of_functions(self):
        names = cells("def make(factor):\n    @triton.jit\n    def helper(v):\n        return v * factor\n"
                      "    @triton.jit\n    def k(o, B: tl.constexpr):\n"
                      "        tl.store(o + tl.arange(0, B), helper(2))\n    return k\n",
                      "@triton.jit\ndef outer(o, B: tl.constexpr):\n    helper(o, B)\nhelper = make(7)",
                      "o = np.zeros(16, np.int32)\nmake(5)[(1,)](o, B=16)\nbefore = o.copy()\nouter[(1,)](o, B=16)")
        self.assertTrue((names["before"] == 10).all())
        self.assertTrue((names["o"] == 14).all())

    def test_aggregates(self):
        names = cells("from tegula.language.core import _aggregate as aggregate",
                      "@aggregate\nclass Pair:\n    a: tl.tensor\n    b: tl.tensor\n\n    @triton.jit\n"
                      "    def total(self):\n        return self.a + self.b\n",
                      "@triton.jit\ndef k(o, B: tl.constexpr):\n"
                      "    tl.store(o + tl.arange(0, B), Pair(tl.arange(0, B), tl.arange(0, B)).total())\n",
                      "o = np.zeros(16, np.int32)\nk[(1,)](o, B=16)")
        np.testing.assert_array_equal(names["o"], 2 * np.arange(16))

    def test_messages_name_the_line_of_the_cell(self):
        with self.assertRaises(tegula.CompilationError) as caught:
            cells("@triton.jit\ndef helper(v):\n    return tl.lod(v)\n",
                  "@triton.jit\ndef k(o, B: tl.constexpr):\n    tl.store(o + tl.arange(0, B), helper(o))\n",
                  "o = np.zeros(16, np.int32)\nk[(1,)](o, B=16)")
        self.assertRegex(caught.exception.file, "^<ipython-input-2-")
        self.assertEqual(caught.exception.line, 3)
        self.assertIn("return tl.lod(v)", str(caught.exception))


class Texts(unittest.TestCase):
    def test_executed_text(self):
        names = executed("@tegula.jit\ndef k(o, B: tl.constexpr):\n    tl.store(o + tl.arange(0, B), 3)\n", "<made 1>")
        o = np.zeros(16, np.int32)
        names["k"][(1,)](o, B=16)
        self.assertTrue((o == 3).all())

    def test_a_definition_on_the_first_line(self):
        text = "def k(o, B: tl.constexpr):\n    tl.store(o + tl.arange(0, B), f(3))\ndef f(v):\n    return v + 1\n" \
            "f = tegula.jit(f)\nk = tegula.jit(k)\n"
        for name in ("<made 2>", "/not/there/made.py"):
            o = np.zeros(16, np.int32)
            executed(text, name)["k"][(1,)](o, B=16)
            self.assertTrue((o == 4).all())

    def test_a_text_that_changes_under_its_name(self):
        """The caches' keys have the texts: names and the kernel's own text are the same."""
        o = np.zeros(16, np.int32)
        for value in (3, 5):
            helper = executed(f"@tegula.jit\ndef helper(v):\n    return v + {value}\n", "<helper>")["helper"]
            names = executed("@tegula.jit\ndef k(o, B: tl.constexpr):\n    tl.store(o + tl.arange(0, B), helper(1))\n",
                             "<kernel>")
            names["helper"] = helper
            names["k"][(1,)](o, B=16)
            self.assertTrue((o == value + 1).all())

    def test_text_that_nobody_knows(self):
        names = {"tegula": tegula, "tl": tl}
        exec("@tegula.jit\ndef k(o):\n    tl.store(o, 3)\n", names)
        with self.assertRaisesRegex(tegula.errors.UseError, "the source of 'k' is not known"):
            names["k"][(1,)](np.zeros(1, np.int32))


class Interruption(unittest.TestCase):
    def interrupted(self, call):
        """What a program prints that is interrupted while it launches, and the seconds until it has ended."""
        text = SPIN + f"try:\n    {call}\nexcept KeyboardInterrupt as error:\n    sys.stdout = sys.__stdout__\n" \
            "    print(repr(error))\ndouble[(1,)](x)\nprint('then', x[0])\n"
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "spin.py"
            program.write_text(text)
            with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as child:
                self.assertEqual(child.stdout.readline(), "started\n")
                time.sleep(1)
                start = time.monotonic()
                child.send_signal(signal.SIGINT)
                try:
                    printed, _ = child.communicate(timeout=30)
                finally:
                    child.kill()
        return printed, time.monotonic() - start

    def test_launches_on_the_cpu(self):
        calls = {"one program": "launch((1,), 0, 4, 4, 4)", "another thread's program": "launch((4,), 4, 4, 4, 0)",
                 "a prepared launch": "spin[(1,)](x, 4); launch((1,), 0, 4, 4, 4)",
                 "a kernel that prints":
                     "print('started', flush=True); sys.stdout = io.StringIO(); chatter[(1,)](x, 0)"}
        for name, call in calls.items():
            with self.subTest(name):
                printed, seconds = self.interrupted(call)
                self.assertRegex(printed, r"^KeyboardInterrupt\(\)\nthen \d+\n$")
                print(f"{name}: {seconds:.2f} s", file=sys.stderr)

    def test_what_a_handler_raises_is_raised(self):
        text = SPIN + "def handler(*_):\n    raise TimeoutError('too long')\nsignal.signal(signal.SIGALRM, handler)\n" \
            "signal.alarm(1)\ntry:\n    launch((4,), 0, 0, 0, 0)\nexcept TimeoutError as error:\n    print(error)\n"
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "spin.py"
            program.write_text(text)
            printed = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60).stdout
        self.assertEqual(printed, "started\ntoo long\n")


class Notebook(unittest.TestCase):
    def test_the_sample(self):
        file = SAMPLES / "notebooks" / "first_kernel.ipynb"
        notebook = nbformat.read(file, as_version=4)
        NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
        texts = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))
        self.assertIn("largest difference from NumPy: 0.0", texts)
        self.assertRegex(texts, r"ipykernel_.*:3:\d+: error: tl has no 'lod'")


if __name__ == "__main__":
    unittest.main()
