"""Tensor descriptors that the host makes."""

from . import arrays, errors


class TensorDescriptor:
    """A tensor and the block that `desc.load` reads. `shape`, `strides` (in elements) and `block_shape` have one entry
    for each axis; the last stride is 1. Elements outside of the tensor read as `padding` says: "zero" or "nan"."""

    def __init__(self, base, shape, strides, block_shape, padding="zero"):
        if padding not in ("zero", "nan"):
            raise errors.UseError(f"the padding of a TensorDescriptor is 'zero' or 'nan', not {padding!r}")
        if not len(shape) == len(strides) == len(block_shape):
            raise errors.UseError(f"a TensorDescriptor has as many extents as strides and block extents; {len(shape)}, "
                                  f"{len(strides)} and {len(block_shape)} were given")
        self.base, self.padding = base, padding
        self.shape, self.strides, self.block_shape = list(shape), list(strides), list(block_shape)

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero"):
        array = arrays.host_array(tensor, "the tensor of a TensorDescriptor")
        return TensorDescriptor(tensor, array.shape, array.strides, block_shape, padding)

    def host_array(self, parameter):
        whole = arrays.host_array(self.base, parameter)
        part = arrays.HostArray(self.base, whole.address, whole.type, self.shape, self.strides, whole.writable)
        if part.span > whole.span:
            raise errors.UseError(f"{parameter}: a descriptor of shape {self.shape} with strides {self.strides} "
                                  f"reaches element {part.span - 1}, but the tensor ends at element {whole.span - 1}")
        return part
