"""The messages of wrong kernels and wrong launches, compared as a whole with messages.txt; {here} is this folder.

usage: messages_test.py [--print]      --print: prints the messages in the form of messages.txt
"""
import os
import sys
import unittest

import numpy as np

import messages_kernels as kernels
import tegula

HERE = os.path.dirname(os.path.abspath(__file__))


def floats(*shape):
    return np.zeros(shape or (16,), np.float32)


class OtherTensor:
    """A tensor in memory of a device that does not exist."""

    device, dtype, shape = "elsewhere:0", "torch.float32", (16,)

    def data_ptr(self):
        return 4096

    def stride(self):
        return (1,)


def interpreted(launch):
    def run():
        os.environ["TRITON_INTERPRET"] = "1"
        try:
            launch()
        finally:
            del os.environ["TRITON_INTERPRET"]

    return run


def descriptor(array, shape, block, **options):
    return tegula.TensorDescriptor(array, shape, (shape[1], 1), block, **options)


def tuned(**options):
    return tegula.autotune(**{"configs": [tegula.Config({"B": 16})], "key": ["n"], **options})(kernels.fill)


CASES = {
    "missing argument": lambda: kernels.fill[(1,)](floats(), 3),
    "too many arguments": lambda: kernels.fill[(1,)](floats(), 3, 1.0, 16, 5),
    "unknown argument": lambda: kernels.fill[(1,)](floats(), 3, 1.0, BLOCK=16),
    "argument given twice": lambda: kernels.fill[(1,)](floats(), 3, 1.0, n=4),
    "array of complex numbers": lambda: kernels.fill[(1,)](np.zeros(4, np.complex64), 3, 1.0),
    "argument of no type": lambda: kernels.fill[(1,)](floats(), [3], 1.0),
    "integer of 65 bits": lambda: kernels.fill[(1,)](floats(), 2**64, 1.0),
    "array for a constant": lambda: kernels.fill[(1,)](floats(), 3, 1.0, B=floats()),
    "number for a pointer": lambda: kernels.fill[(1,)](5, 3, 1.0),
    "array for a number": lambda: kernels.fill[(1,)](floats(), floats(), 1.0),
    "array for an integer": lambda: kernels.typed[(1,)](floats(), floats(), np.zeros(4, np.float16)),
    "float for an integer": lambda: kernels.typed[(1,)](floats(), 1.5, np.zeros(4, np.float16)),
    "text for a number": lambda: kernels.fill[(1,)](floats(), "three", 1.0),
    "tensor on another device": lambda: kernels.fill[(1,)](OtherTensor(), 3, 1.0, device="cpu"),
    "interpreted tensor on a device": interpreted(lambda: kernels.fill[(1,)](OtherTensor(), 3, 1.0)),
    "negative stride": lambda: kernels.fill[(1,)](floats()[::-1], 3, 1.0),
    "stride within an element": lambda: kernels.fill[(1,)](
        np.zeros(4, [("a", np.int8), ("b", np.float32)])["b"], 3, 1.0),
    "grid of no axis": lambda: kernels.fill[()](floats(), 3, 1.0),
    "negative grid": lambda: kernels.fill[(-1,)](floats(), 3, 1.0),
    "warps": lambda: kernels.fill[(1,)](floats(), 3, 1.0, num_warps=3),
    "extent": lambda: kernels.not_a_power[(1,)](floats()),
    "keyword": lambda: kernels.wrong_keyword[(1,)](floats()),
    "function": lambda: kernels.unknown_function[(1,)](floats()),
    "name": lambda: kernels.unknown_name[(1,)](floats()),
    "object": lambda: kernels.names_an_object[(1,)](floats()),
    "shapes": lambda: kernels.shapes_differ[(1,)](floats()),
    "helper": lambda: kernels.helper_fails[(1,)](floats()),
    "static_assert": lambda: kernels.asserts[(1,)](floats(), 3),
    "device_assert": interpreted(lambda: kernels.device_asserts[(1,)](floats())),
    "out of bounds": interpreted(lambda: kernels.fill[(1,)](floats(4), 5, 1.0)),
    "constant": lambda: kernels.wants_a_constant[(1,)](floats(), floats()),
    "return": lambda: kernels.returns_in_a_loop[(1,)](floats(), 3),
    "nested": lambda: kernels.inner()[(1,)](floats()),
    "two functions of one name": lambda: kernels.two_helpers(kernels.same_name(1), kernels.same_name(-1))[(1,)](
        floats()),
    "descriptor beyond its tensor": lambda: kernels.block_of[(1,)](
        descriptor(floats(15, 16), (16, 16), (16, 16)), descriptor(floats(16, 16), (16, 16), (16, 16))),
    "descriptor with another block": lambda: kernels.block_of[(1,)](
        descriptor(floats(16, 16), (16, 16), (16, 12)), descriptor(floats(16, 16), (16, 16), (16, 16))),
    "descriptor of mixed ranks": lambda: tegula.TensorDescriptor(floats(16, 16), (16, 16), (1,), (16, 16)),
    "descriptor's padding": lambda: descriptor(floats(16, 16), (16, 16), (16, 16), padding="one"),
    "constant and configuration": lambda: tuned()[(1,)](floats(), 3, 1.0, B=8),
    "autotune of a function": lambda: tegula.autotune(configs=[])(len),
    "source that is no file": lambda: eval("tegula.jit(lambda x: x)", {"tegula": tegula})[(1,)](floats()),
    "parameters without end": lambda: tegula.jit(lambda *x: x)[(1,)](),
    "function of NumPy": lambda: kernels.exp_of_numpy[(1,)](floats()),
    "type of NumPy": lambda: kernels.type_of_numpy[(1,)](floats()),
    "function of math": lambda: kernels.sine_of_math[(1,)](floats()),
    "forgotten tl": lambda: kernels.without_tl[(1,)](floats()),
    "device of another name": lambda: kernels.fill[(1,)](floats(), 3, 1.0, device="CPU"),
    "Python's float as element type": lambda: tegula.empty(4, float),
}


def message(case):
    try:
        case()
    except tegula.TritonError as error:
        return f"{type(error).__name__}: {error}".replace(HERE, "{here}")
    return "no error"


def expected():
    """The texts of messages.txt by name."""
    texts = {}
    with open(os.path.join(HERE, "messages.txt"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("=== "):
                lines = texts[line[4:].strip()] = []
            else:
                lines.append(line)
    return {name: "".join(lines).rstrip("\n") for name, lines in texts.items()}


class Messages(unittest.TestCase):
    maxDiff = None

    def test_all(self):
        texts = expected()
        self.assertEqual(list(texts), list(CASES))
        for name, case in CASES.items():
            with self.subTest(name):
                self.assertEqual(message(case), texts[name])


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        for name, case in CASES.items():
            print(f"=== {name}\n{message(case)}")
    else:
        unittest.main()
