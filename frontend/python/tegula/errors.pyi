"""Exceptions."""

from typing import Any

class TritonError(Exception):
    """The base of all errors of kernels; the place is None where there is none."""

    file: str | None
    line: int | None
    column: int | None

class UseError(TritonError, ValueError): ...
class CompilationError(TritonError): ...
class KernelFault(TritonError, RuntimeError): ...
class DeviceError(TritonError, RuntimeError): ...

class OutOfResources(TritonError, RuntimeError):
    """`required` and `limit` of the resource `name`; 0 where unknown."""

    required: int
    limit: int
    name: str
    def __init__(self, required: int, limit: int, name: str, message: str | None = None) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class InternalError(TritonError, RuntimeError): ...

def warn(text: str) -> None: ...
