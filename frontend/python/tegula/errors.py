"""Exceptions. Their texts are the library's messages: one sentence and, where there is one, the place in the kernel's
file with the source line and a caret below it. Warnings, at the place of the program."""

import os
import sys
import warnings


class TritonError(Exception):
    """The base of all errors of kernels; `file`, `line` and `column` are None where there is no place."""

    file = line = column = None


class UseError(TritonError, ValueError):
    """A wrong argument, type or name."""


class CompilationError(TritonError):
    """The kernel does not compile."""


class KernelFault(TritonError, RuntimeError):
    """The kernel failed while it ran: an access out of bounds in a checked launch, a failed device_assert."""


class DeviceError(TritonError, RuntimeError):
    """The device or its driver failed, or cannot do what was asked for."""


class OutOfResources(TritonError, RuntimeError):
    """The kernel needs more of a resource than its target or device has: `required` and `limit`, of `name`, which is
    "shared memory" (bytes), "threads" (of a program) or "registers" (of a thread); the numbers are 0 where unknown.
    Configurations that need too much lose while they are compared."""

    def __init__(self, required, limit, name, message=None):
        self.required, self.limit, self.name = required, limit, name
        super().__init__(message or f"out of resource: {name}, required: {required}, hardware limit: {limit}")

    def __reduce__(self):
        return type(self), (self.required, self.limit, self.name, self.args[0])


class InternalError(TritonError, RuntimeError):
    """A defect of Tegula."""


def warn(text):
    """A warning at the place of the program that called the package."""
    folder = os.path.dirname(os.path.abspath(__file__))
    frame, level = sys._getframe(1), 2
    while frame and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == folder:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)
