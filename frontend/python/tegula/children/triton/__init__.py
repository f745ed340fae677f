"""`import triton` in the processes that a program under `python -m tegula.triton` starts: this folder's parent is in
their PYTHONPATH. What the statement binds is what install() puts in this module's place."""

import os
import sys

sys.modules.pop("triton")
try:
    import tegula.triton
except ImportError:  # the program's process found the package by other means than its children
    sys.path.append(os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3)))
    import tegula.triton

tegula.triton.install()
