"""The declarations of tegula/tegula.h for ctypes, and the library.

Structures have the members of version 1 of the header, which later libraries accept (docs/c-api.md)."""

import ctypes
import importlib
import os
import threading
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
                    c_uint8, c_uint32, c_uint64, c_void_p, sizeof)

from . import errors

ABI_VERSION = 1

# tegula_dtype, in its order.
DTYPES = ("i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2",
          "f8e4m3fnuz", "f8e5m2fnuz")
# tegula_value_kind and tegula_argument_kind.
VALUE_NONE, VALUE_BOOL, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT, VALUE_DTYPE = range(6)
(ARG_NONE, ARG_BOOL, ARG_INTEGER, ARG_REAL, ARG_SCALAR, ARG_BUFFER, ARG_ADDRESS, ARG_DESCRIPTOR, ARG_POINTERS,
 ARG_VALUE, ARG_SPAN) = range(11)


class _Sized(Structure):
    """A structure that begins with its size."""

    def __init__(self, **members):
        super().__init__(struct_size=sizeof(type(self)), **members)


class _ValueUnion(Union):
    _fields_ = [("integer", c_int64), ("real", c_double), ("text", c_char_p), ("dtype", c_int)]


class Value(Structure):
    _fields_ = [("kind", c_int), ("as_", _ValueUnion)]


class Constant(Structure):
    _fields_ = [("name", c_char_p), ("value", Value)]


class ErrorPlace(_Sized):
    _fields_ = [("struct_size", c_size_t), ("file", c_char_p), ("message", c_char_p), ("line", c_uint32),
                ("column", c_uint32)]


class ErrorShortage(_Sized):
    _fields_ = [("struct_size", c_size_t), ("resource", c_char_p), ("required", c_uint64), ("limit", c_uint64)]


class DeviceInfo(_Sized):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("description", c_char_p), ("target", c_char_p),
                ("absent", c_char_p), ("memory_bytes", c_uint64), ("is_real_gpu", c_int32),
                ("supports_checked", c_int32), ("supports_capture", c_int32)]


class Memory(_Sized):
    _fields_ = [("struct_size", c_size_t), ("address", c_uint64), ("bytes", c_size_t), ("type", c_int),
                ("rank", c_size_t), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("release", c_void_p),
                ("user", c_void_p), ("handle", c_void_p), ("handle_offset", c_size_t)]


class BufferInfo(_Sized):
    _fields_ = [("struct_size", c_size_t), ("address", c_uint64), ("bytes", c_size_t), ("elements", c_int64),
                ("type", c_int), ("rank", c_size_t), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64))]


class Global(Structure):
    _fields_ = [("file", c_char_p), ("name", c_char_p), ("value", c_char_p), ("from_", c_char_p)]


class SourceText(Structure):
    _fields_ = [("path", c_char_p), ("text", c_char_p)]


class LoadOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("module_path", POINTER(c_char_p)), ("module_path_count", c_size_t),
                ("globals", POINTER(Global)), ("global_count", c_size_t), ("texts", POINTER(SourceText)),
                ("text_count", c_size_t)]


class Parameter(_Sized):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("is_constexpr", c_int32), ("has_default", c_int32),
                ("default_value", Value), ("is_annotated", c_int32), ("is_annotated_pointer", c_int32),
                ("annotated_type", c_int), ("line", c_uint32), ("column", c_uint32)]


class Descriptor(_Sized):
    _fields_ = [("struct_size", c_size_t), ("tensor", c_void_p), ("block", POINTER(c_int64)), ("padding_nan", c_int32)]


class Span(Structure):
    _fields_ = [("address", c_uint64), ("bytes", c_uint64)]


class _ArgumentUnion(Union):
    _fields_ = [("integer", c_int64), ("real", c_double), ("bits", c_uint64), ("address", c_uint64),
                ("buffer", c_void_p), ("descriptor", POINTER(Descriptor)), ("pointers", c_void_p),
                ("value", POINTER(Value)),
                ("span", c_void_p)]


class Argument(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int), ("type", c_int), ("as_", _ArgumentUnion)]


PRINT = CFUNCTYPE(None, c_void_p, POINTER(ctypes.c_char), c_size_t)
DEVICE_CALLBACK = CFUNCTYPE(None, c_void_p, POINTER(DeviceInfo))


class LaunchOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("constants", POINTER(Constant)), ("constant_count", c_size_t),
                ("num_warps", c_int32), ("num_stages", c_int32), ("checked", c_int), ("print", PRINT),
                ("print_user", c_void_p), ("grid", c_void_p), ("grid_user", c_void_p)]


class SlotInfo(_Sized):
    _fields_ = [("struct_size", c_size_t), ("parameter", c_size_t), ("kind", c_int), ("type", c_int)]


class CompileOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("target", c_char_p), ("signature", c_char_p),
                ("constants", POINTER(Constant)), ("constant_count", c_size_t), ("num_warps", c_int32),
                ("num_stages", c_int32)]


class CompiledInfo(_Sized):
    _fields_ = [("struct_size", c_size_t), ("target", c_char_p), ("entry", c_char_p), ("source_hash", c_char_p),
                ("num_warps", c_int32), ("num_stages", c_int32), ("threads", c_uint32), ("shared_bytes", c_uint32),
                ("registers", c_int32), ("spill_bytes", c_int32)]


_HANDLE = POINTER(c_void_p)
# The parameters of the functions that are called, which all return a tegula_status.
_FUNCTIONS = {
    "require": [c_uint32],
    "last_error_place": [POINTER(ErrorPlace)],
    "last_error_shortage": [POINTER(ErrorShortage)],
    "set_interruption": [c_void_p, c_void_p],
    "devices": [DEVICE_CALLBACK, c_void_p],
    "device_open": [c_char_p, _HANDLE],
    "device_get_info": [c_void_p, POINTER(DeviceInfo)],
    "stream_create": [c_void_p, _HANDLE],
    "stream_wrap": [c_void_p, c_void_p, _HANDLE],
    "stream_write": [c_void_p, c_void_p, c_void_p],
    "stream_read": [c_void_p, c_void_p, c_void_p],
    "stream_fill": [c_void_p, c_void_p, c_uint8],
    "stream_synchronize": [c_void_p],
    "buffer_create": [c_void_p, c_int, c_size_t, POINTER(c_int64), _HANDLE],
    "buffer_get_info": [c_void_p, POINTER(BufferInfo)],
    "buffer_wrap": [c_void_p, POINTER(Memory), _HANDLE],
    "buffer_view": [c_void_p, c_size_t, POINTER(c_int64), POINTER(c_int64), c_int64, _HANDLE],
    "buffer_read_only": [c_void_p, _HANDLE],
    "pointers_create": [c_void_p, c_size_t, POINTER(c_void_p), _HANDLE],
    "kernel_load_source": [c_char_p, c_char_p, c_char_p, POINTER(LoadOptions), _HANDLE],
    "kernel_get_parameter": [c_void_p, c_size_t, POINTER(Parameter)],
    "kernel_explain_repeats": [c_void_p, POINTER(c_char_p), c_size_t, POINTER(c_char_p)],
    "kernel_launch": [c_void_p, c_void_p, POINTER(c_int64), c_size_t, POINTER(Argument), POINTER(LaunchOptions)],
    "launcher_prepare": [c_void_p, c_void_p, c_size_t, POINTER(Argument), POINTER(LaunchOptions), _HANDLE],
    "launcher_slot_count": [c_void_p, POINTER(c_size_t)],
    "launcher_get_slot": [c_void_p, c_size_t, POINTER(SlotInfo)],
    "kernel_compile": [c_void_p, POINTER(CompileOptions), _HANDLE],
    "launcher_compile_sized": [c_void_p, c_char_p, c_char_p, _HANDLE],
    "compiled_get_info": [c_void_p, POINTER(CompiledInfo)],
    "compiled_get_levels": [c_void_p, POINTER(c_char_p)],
    "compiled_get_level": [c_void_p, c_char_p, _HANDLE, POINTER(c_size_t)],
    "launcher_launch_sized": [c_void_p, c_void_p, POINTER(c_uint32), c_char_p, c_char_p],
}
_RELEASES = ("buffer", "stream", "device", "kernel", "launcher", "compiled", "pointers")
_ERRORS = {1: errors.UseError, 2: errors.CompilationError, 3: errors.KernelFault, 4: errors.DeviceError,
           5: errors.InternalError}
_OUT_OF_RESOURCES, _INTERRUPTED = 6, 7


def _extension():
    try:
        return importlib.import_module("._launch", __package__)
    except ModuleNotFoundError as error:
        if error.name != __package__ + "._launch":
            raise
        raise _not_built(f"the extension module {__package__}._launch is not in {os.path.dirname(__file__)}") from None


def _open():
    """The runtime library of the package, of the build or installation that holds the package, or of the system. The
    extension module stands where the libraries belong to, also where the Python files are links or elsewhere."""
    folder = os.path.dirname(os.path.abspath(_launch.__file__))
    name = "libtegula-runtime.so.0"
    for parent in (folder, os.path.dirname(os.path.dirname(folder))):
        candidate = os.path.join(parent, "lib", name)
        if os.path.exists(candidate):
            return ctypes.CDLL(candidate)
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise _not_built(str(error)) from None


def _not_built(reason):
    return ImportError(f"{reason}; build the target tegula-python, e.g. `cmake --build build/cpu --target "
                       "tegula-python`, or install the package by `pip install .` (docs/python.md)", name=__package__)


_launch = _extension()
_library = _open()
_library.tegula_last_error.restype = c_char_p
_library.tegula_version.restype = c_char_p
for _name, _parameters in _FUNCTIONS.items():
    getattr(_library, "tegula_" + _name).argtypes = _parameters
for _name in _RELEASES:
    getattr(_library, f"tegula_{_name}_release").argtypes = [c_void_p]
    getattr(_library, f"tegula_{_name}_release").restype = None


def call(name, *arguments):
    """Calls tegula_NAME; a status other than 0 becomes the exception that stands for it."""
    status = getattr(_library, "tegula_" + name)(*arguments)
    if status:
        raise last_error(status)
    if (raised := _launch.take_interruption()) is not None:
        raise raised


def last_error(status):
    if status == _INTERRUPTED:
        raised = _launch.take_interruption()
        return KeyboardInterrupt() if raised is None else raised
    text = _library.tegula_last_error().decode()
    if status == _OUT_OF_RESOURCES:
        shortage = ErrorShortage()
        _library.tegula_last_error_shortage(byref(shortage))
        error = errors.OutOfResources(shortage.required, shortage.limit, shortage.resource.decode(), text)
    else:
        error = _ERRORS.get(status, errors.InternalError)(text)
    place = ErrorPlace()
    _library.tegula_last_error_place(byref(place))
    if place.line:
        error.file, error.line, error.column = place.file.decode(), place.line, place.column
    return error


def fail(status):
    """Raises the exception of the last error."""
    raise last_error(status)


def address(name):
    """Of the function tegula_NAME, for the launch path."""
    return ctypes.cast(getattr(_library, "tegula_" + name), c_void_p).value


class Handle:
    """Owns what a function of the library gave; `kind` names the function that releases it."""

    def __init__(self, kind, function, *arguments):
        self.pointer = c_void_p()
        self._release = getattr(_library, f"tegula_{kind}_release")
        call(function, *arguments, byref(self.pointer))

    def __del__(self):
        if self.pointer:
            self._release(self.pointer)


def int64_array(values):
    return (c_int64 * len(values))(*values)


def version():
    return _library.tegula_version().decode()


call("require", ABI_VERSION)


def _watch_main_thread():
    _launch.set_main_thread(threading.main_thread().ident)


_watch_main_thread()
os.register_at_fork(after_in_child=_watch_main_thread)
call("set_interruption", _launch.interruption_address(), None)
