"""What random_kernels.py rests on, without Triton: the files of `kernel_fuzz --write`, and the comparison."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from numpy_tensor import Tensor, bf16_bits
from random_kernels import arrays, difference


def same_turn():
    """The environment without the number of the run, to which kernel_fuzz adds its seed."""
    return {name: value for name, value in os.environ.items() if name != "TEGULA_TEST_SEED"}


def files_of_kernels(kernel_fuzz):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([kernel_fuzz, f"--write={folder}", "--seed=1", "--count=3"], check=True, env=same_turn())
        stored = 0
        for seed in (1, 2, 3):
            base = folder / str(seed)
            launch = json.loads(base.with_suffix(".json").read_text())
            before, after = (arrays(base.with_suffix(s).read_bytes(), launch["buffers"]) for s in (".before", ".after"))
            text = base.with_suffix(".py").read_text()
            assert "bfloat16" not in text and all(b["type"] != "bf16" for b in launch["buffers"])
            for buffer, a, b in zip(launch["buffers"], before, after):
                assert f"{buffer['name']}, " in text
                isInput = buffer["name"].startswith("x")
                assert not isInput or a.tobytes() == b.tobytes(), buffer
                assert isInput or set(a) == {77}, buffer
                stored += not isInput and a.tobytes() != b.tobytes()
        assert stored >= 3, stored


def differences():
    a = np.array([1, 0.0, np.nan, -np.inf], np.float32)
    assert difference("o", a, np.array([1, -0.0, np.nan, -np.inf], np.float32)) == ""
    for wrong in ([2, 0, np.nan, -np.inf], [1, 0, 0, -np.inf], [1, 0, np.nan, np.nan], [1, 0, np.nan, np.inf]):
        assert "1 of 4 elements differ" in difference("o", a, np.array(wrong, np.float32))
    assert difference("o", np.array([3], np.int8), np.array([4], np.int8)).endswith("[0] is 4, the interpreter has 3")


def tensors():
    tensor = Tensor(np.arange(6, dtype=np.float16), "f16", (2, 3))
    assert tensor.stride() == (3, 1) and tensor.size(0) == 2 and tensor.data_ptr() % 64 == 0
    assert str(tensor.dtype) == "torch.float16" and tensor.element_size() == 2
    copy = tensor.new_empty(0)
    copy.set_(tensor.untyped_storage().cpu(), 0, tensor.size(), tensor.stride())
    copy.array[1] = 9
    assert tensor.array[1] == 1
    tensor.untyped_storage().copy_(copy.untyped_storage())
    assert tensor.array[1] == 9


def roundings():
    # 1 + 2^-8 and 1 + 3 * 2^-8 are ties; below and above them; the largest f32 becomes infinite.
    values = np.array([1, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, -2.5, 3.4e38, -np.inf], np.float32)
    assert [hex(b) for b in bf16_bits(values)] == "0x3f80 0x3f80 0x3f82 0x3f81 0xc020 0x7f80 0xff80".split()
    nan = np.array([0x7F800001], np.uint32).view(np.float32)
    assert bf16_bits(nan)[0] & 0x7F == 0x40 and bf16_bits(nan)[0] >> 7 == 0xFF


if __name__ == "__main__":
    files_of_kernels(sys.argv[1])
    differences()
    tensors()
    roundings()
