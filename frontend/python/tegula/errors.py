"""Exceptions. Their texts are the library's messages: one sentence and, where there is one, the place in the kernel's
file with the source line and a caret below it."""


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


class OutOfResources(DeviceError):
    """The kernel needs more than the device has. Caught while configurations are compared."""


class InternalError(TritonError, RuntimeError):
    """A defect of Tegula."""
