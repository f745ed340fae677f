"""Tensors over NumPy for Triton's interpreter, which asks of a tensor only where it is and what it holds.

The interpreter (TRITON_INTERPRET=1, set before triton is imported) copies the storages of its arguments, runs the
kernel's Python over addresses, and copies the storages back.
"""

import numpy as np

# The element types of the language by their names in TEGULA's launches, with the NumPy type of the same size. NumPy has
# no bf16 and no 8-bit floats: their bits are held as integers.
NUMPY_TYPES = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64,
    "f8e4m3fn": np.uint8, "f8e5m2": np.uint8,
}  # fmt: skip
TORCH_NAMES = {
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
}  # fmt: skip


class DType:
    """An element type; its text is what Triton reads types from, "torch.float32"."""

    def __init__(self, name):
        self.name = name
        self.itemsize = np.dtype(NUMPY_TYPES[name]).itemsize

    def __str__(self):
        return "torch." + TORCH_NAMES[self.name]

    __repr__ = __str__


DTYPES = {name: DType(name) for name in NUMPY_TYPES}


class Storage:
    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data

    def cpu(self):
        return Storage(aligned(self.array))

    def copy_(self, other):
        self.array[...] = other.array


def aligned(array):
    """A flat copy that begins at a multiple of 64 bytes."""
    count = array.size * array.itemsize
    bytes_ = np.empty(count + 64, np.uint8)
    start = -bytes_.ctypes.data % 64
    copy = bytes_[start : start + count].view(array.dtype)
    copy[...] = array.reshape(-1)
    return copy


class Tensor:
    """A contiguous tensor of one axis, unless a shape is given."""

    def __init__(self, array, type_name, shape=None):
        self.storage = Storage(aligned(array))
        self.dtype = DTYPES[type_name]
        self.set_(self.storage, 0, shape or (array.size,), None)

    @property
    def array(self):
        return self.storage.array

    def set_(self, storage, offset, shape, strides):
        self.storage, self.offset, self.shape = storage, offset, tuple(shape)
        strides_ = [1]
        for extent in self.shape[:0:-1]:
            strides_.insert(0, strides_[0] * extent)
        self.strides = tuple(strides) if strides else tuple(strides_)

    def new_empty(self, size, device=None):
        other = object.__new__(Tensor)
        other.dtype = self.dtype
        return other

    def data_ptr(self):
        return self.storage.data_ptr() + self.offset * self.dtype.itemsize

    def untyped_storage(self):
        return self.storage

    def storage_offset(self):
        return self.offset

    def size(self, axis=None):
        return self.shape if axis is None else self.shape[axis]

    def stride(self, axis=None):
        return self.strides if axis is None else self.strides[axis]

    def numel(self):
        return self.storage.array.size

    def element_size(self):
        return self.dtype.itemsize

    def is_contiguous(self):
        return True


def bf16_bits(values):
    """The bits of f32 values rounded to bf16, ties to even; NaNs stay NaNs."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits.astype(np.uint64) + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(values), bits >> 16 | 0x40, rounded).astype(np.uint16)


def mend_interpreter():
    """Mends four things in which Triton's interpreter departs from Triton's compiler.

    `maximum`, `minimum` and `clamp` without propagate_nan give the other operand where one is NaN; the interpreter
    gives NaN. f32 becomes bf16 by rounding to the nearest even; the interpreter cuts. Atomic operations on values of
    stride 0 (broadcast ones) read what stands behind them in memory.
    """
    import triton.language as tl
    from triton.runtime import interpreter

    builder = interpreter.InterpreterBuilder
    builder.create_maxnumf = lambda self, a, b: self.binary_op(a, b, np.fmax)
    builder.create_minnumf = lambda self, a, b: self.binary_op(a, b, np.fmin)
    clamp, narrow = builder.create_clampf, builder.create_fp_trunc

    def clamp_numbers(self, value, low, high, propagate):
        if propagate == interpreter._ir.PROPAGATE_NAN.ALL:
            return clamp(self, value, low, high, propagate)
        return self.create_minnumf(self.create_maxnumf(value, low), high)

    def narrow_to_nearest(self, source, type_):
        if source.dtype.scalar != tl.float32 or type_.scalar != tl.bfloat16:
            return narrow(self, source, type_)
        return interpreter.TensorHandle(bf16_bits(source.data), type_.scalar)

    builder.create_clampf, builder.create_fp_trunc = clamp_numbers, narrow_to_nearest
    atomic = builder.create_atomic_rmw

    def contiguous(self, operation, pointer, value, mask, sem, scope):
        for operand in (pointer, value, mask):
            operand.data = np.ascontiguousarray(operand.data)
        return atomic(self, operation, pointer, value, mask, sem, scope)

    builder.create_atomic_rmw = contiguous
    np.seterr(all="ignore")
