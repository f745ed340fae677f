"""Tensor descriptors that the host makes."""

from typing import Any, Sequence

class TensorDescriptor:
    """A tensor and the block that `desc.load` reads; extents and strides in elements."""

    base: Any
    shape: list[int]
    strides: list[int]
    block_shape: list[int]
    padding: str
    def __init__(self, base: Any, shape: Sequence[int], strides: Sequence[int], block_shape: Sequence[int],
                 padding: str = "zero") -> None: ...
    @staticmethod
    def from_tensor(tensor: Any, block_shape: Sequence[int], padding: str = "zero") -> TensorDescriptor: ...
    def host_array(self, parameter: str) -> Any: ...
