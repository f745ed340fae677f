"""Arguments of one launch: from Python's values to tegula_argument, with copies of arrays where the device cannot use
them in place."""

import ctypes
import numbers
import operator
from ctypes import addressof, byref

from . import _abi, arrays, errors, tensors
from .buffers import Buffer
from .descriptor import TensorDescriptor
from .language.types import constexpr, dtype


def constant(value, parameter):
    """A tegula_value; `parameter` names the parameter in messages."""
    if isinstance(value, constexpr):
        value = value.value
    result = _abi.Value(_abi.VALUE_NONE)
    if value is None:
        return result
    if isinstance(value, dtype):
        result.kind, result.as_.dtype = _abi.VALUE_DTYPE, _abi.DTYPES.index(value.tegula_name)
    elif isinstance(value, str):
        result.kind, result.as_.text = _abi.VALUE_TEXT, value.encode()
    elif isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        result.kind, result.as_.integer = _abi.VALUE_BOOL, bool(value)
    elif isinstance(value, numbers.Integral):
        result.kind, result.as_.integer = _abi.VALUE_INTEGER, _integer(value, parameter, -2**63, 2**63)
    elif isinstance(value, numbers.Real):
        result.kind, result.as_.real = _abi.VALUE_REAL, float(value)
    else:
        raise errors.UseError(f"{parameter} is constexpr: a number, bool, text, dtype or None is expected, not a value "
                              f"of type '{type(value).__name__}'")
    return result


def number_kind(type_):
    """What a launch takes values of the type for, as the code of a letter: boolean, integer, real; 0: no number."""
    if issubclass(type_, bool) or type_.__name__ in ("bool_", "bool"):
        return ord("b")
    return ord("i") if issubclass(type_, numbers.Integral) else ord("r") if issubclass(type_, numbers.Real) else 0


def stages_of(options):
    """num_stages for the library, where 0 says that none is given: Triton's 0, no pipelining, is 1."""
    value = options.get("num_stages")
    return 0 if value is None else value or 1


def _integer(value, parameter, low, high):
    number = operator.index(value)
    if not low <= number < high:
        raise errors.UseError(f"{parameter}: the integer {number} does not fit in 64 bits")
    return number


class Arguments:
    """`items` are valid as long as this object lives. `place`: the device whose memory all arrays are in, or None for
    memory of the host; `stream`: the launch's, None where it is only prepared, which needs no lists."""

    def __init__(self, device, place, stream):
        self._device, self._place, self._stream = device, place, stream
        self._names, self._values = [], []
        self._buffers = {}  # by parameter
        self._tensors = {}  # those in memory of the device, by parameter
        self._back = []  # (buffer, host address)
        self._keep = []

    def add(self, name, value, parameter):
        self._names.append((name, parameter))
        self._values.append(value.value if isinstance(value, constexpr) else value)

    def items(self):
        self._make_buffers()
        pairs = zip(self._names, self._values)
        return (_abi.Argument * len(self._names))(*(self._item(name, value) for name, value in pairs))

    def _parts(self):
        """The arguments, and instead of a list its elements, as (name, parameter, value, whether a list has it)."""
        for (name, parameter), value in zip(self._names, self._values):
            if isinstance(value, (list, tuple)):
                yield from (((name, index), f"{parameter}, element {index}", element, True)
                            for index, element in enumerate(value))
            else:
                yield name, parameter, value, False

    def _make_buffers(self):
        staged = []
        for name, parameter, value, is_listed in self._parts():
            is_descriptor = isinstance(value, TensorDescriptor)
            if is_listed and (is_descriptor or not arrays.is_array(value)):
                raise errors.UseError(f"{parameter}: an array is expected in a list, not a value of type "
                                      f"'{type(value).__name__}'")
            if not is_descriptor and (not arrays.is_array(value) or _is_scalar(value)):
                continue
            tensor = tensors.device_tensor(value.base if is_descriptor else value, parameter)
            where = tensor.device if tensor else None
            if where != self._place:
                raise errors.UseError(f"{parameter}: an array on '{where or 'cpu'}' was given, but other arguments are "
                                      f"on '{self._place}'")
            if is_listed and isinstance(value, Buffer):
                self._buffers[name] = value.handle
                continue
            if tensor and not (is_descriptor or is_listed or tensor.read_only):
                type_ = arrays.element_type(tensor.type_text, parameter)
                self._tensors[name] = type_, _abi.Span(tensor.address, tensor.span * type_.itemsize)
                continue
            array = value.host_array(parameter) if is_descriptor else arrays.host_array(value, parameter)
            # What nobody writes to may be copied where it cannot be used in place.
            if tensor or (self._device.has_host_memory and (array.writable or array.is_aligned)):
                self._buffers[name] = _as_given(self._wrapped(array), array)
            else:
                staged.append((name, parameter, array))
        for group in _overlapping(staged):
            self._stage(group)

    def _wrapped(self, array):
        shape, strides = _extents(array)
        memory = _abi.Memory(address=array.address, bytes=array.end - array.address,
                             type=_abi.DTYPES.index(array.type.tegula_name), rank=len(shape), shape=shape,
                             strides=strides)
        return _abi.Handle("buffer", "buffer_wrap", self._device.handle, byref(memory))

    def _stage(self, group):
        """One buffer with the elements of arrays that share memory, and a view of it for each."""
        _, first_parameter, first = group[0]
        size, end = first.type.itemsize, max(array.end for _, _, array in group)
        for _, parameter, array in group:
            if array.type != first.type or (array.address - first.address) % size:
                raise errors.UseError(f"{parameter} and {first_parameter} share memory with different element types or "
                                      f"alignment, which the device '{self._device.name}' cannot be given")
        extent = _abi.int64_array([(end - first.address) // size])
        buffer = _abi.Handle("buffer", "buffer_create", self._device.handle,
                             _abi.DTYPES.index(first.type.tegula_name), 1, extent)
        self._keep.append(buffer)
        if extent[0]:
            _abi.call("stream_write", self._device.stream, buffer.pointer, first.address)
            if any(array.writable for _, _, array in group):
                self._back.append((buffer, first.address))
        for name, _, array in group:
            shape, strides = _extents(array)
            view = _abi.Handle("buffer", "buffer_view", buffer.pointer, len(shape), shape, strides,
                               (array.address - first.address) // size)
            self._buffers[name] = _as_given(view, array)

    def _item(self, named, value):
        name, parameter = named
        item = _abi.Argument(name.encode(), _abi.ARG_NONE)
        if value is None:
            return item
        if name in self._tensors:
            type_, span = self._tensors[name]
            item.kind, item.type = _abi.ARG_SPAN, _abi.DTYPES.index(type_.tegula_name)
            item.as_.span = addressof(span)
        elif isinstance(value, (list, tuple)):
            item.kind, item.as_.pointers = _abi.ARG_POINTERS, self._pointers(name, value)
        elif name in self._buffers:
            if isinstance(value, TensorDescriptor):
                item.kind, item.as_.descriptor = _abi.ARG_DESCRIPTOR, self._descriptor(name, value)
            else:
                item.kind, item.as_.buffer = _abi.ARG_BUFFER, self._buffers[name].pointer
        elif isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
            item.kind, item.as_.integer = _abi.ARG_BOOL, bool(value)
        elif isinstance(value, numbers.Integral):
            self._set_integer(item, _integer(value, parameter, -2**63, 2**64))
        elif isinstance(value, numbers.Real):
            item.kind, item.as_.real = _abi.ARG_REAL, float(value)
        else:
            raise errors.UseError(f"{parameter}: an array, a list of arrays, a number, a bool, a TensorDescriptor or "
                                  f"None is expected, not a value of type '{type(value).__name__}'")
        return item

    @staticmethod
    def _set_integer(item, number):
        if number < 2**63:
            item.kind, item.as_.integer = _abi.ARG_INTEGER, number
        else:
            item.kind, item.type, item.as_.bits = _abi.ARG_SCALAR, _abi.DTYPES.index("u64"), number

    def _pointers(self, name, value):
        targets = (ctypes.c_void_p * len(value))(*(self._buffers[name, index].pointer.value
                                                   for index in range(len(value))))
        pointers = _abi.Handle("pointers", "pointers_create", self._stream, len(value), targets)
        self._keep.append(pointers)
        return pointers.pointer

    def _descriptor(self, name, value):
        block = _abi.int64_array(value.block_shape)
        result = _abi.Descriptor(tensor=self._buffers[name].pointer, block=block,
                                 padding_nan=value.padding == "nan")
        self._keep += [block, result]
        return ctypes.pointer(result)

    def copy_back(self):
        """Behind the launch: what kernels wrote, into the arrays."""
        for buffer, address in self._back:
            _abi.call("stream_read", self._device.stream, buffer.pointer, address)


def place_of(values, describe):
    """The device that the first tensor in memory of a device is on; None where there is none. `describe` gives a
    parameter's description by its name."""
    for name, value in values.items():
        if isinstance(value, (list, tuple)):
            value = value[0] if value else None
        base = value.base if isinstance(value, TensorDescriptor) else value
        if arrays.is_array(base) and not _is_scalar(base):
            tensor = tensors.device_tensor(base, describe(name))
            if tensor:
                return tensor.device
    return None


def _is_scalar(value):
    """NumPy's scalars offer their value as an array, too."""
    return isinstance(value, numbers.Number) or type(value).__name__ in ("bool_", "bool")


def _as_given(buffer, array):
    """The buffer of an array; where that is read-only, one that kernels must not write to."""
    return buffer if array.writable else _abi.Handle("buffer", "buffer_read_only", buffer.pointer)


def _extents(array):
    """Shape and strides as the library takes them; arrays of more than 8 axes as their span."""
    if len(array.shape) > 8:
        return _abi.int64_array([array.span]), _abi.int64_array([1])
    return _abi.int64_array(array.shape), _abi.int64_array(array.strides)


def _overlapping(staged):
    """Groups of arrays that share memory, each in the order of addresses."""
    groups, end = [], None
    for entry in sorted(staged, key=lambda entry: entry[2].address):
        if groups and entry[2].address < end:
            groups[-1].append(entry)
            end = max(end, entry[2].end)
        else:
            groups.append([entry])
            end = entry[2].end
    return groups
