"""What programs ask of Triton beside launches: parameters of kernels, levels of code, helpers of its modules."""
import ctypes
import os
import types
import unittest
import unittest.mock

import numpy as np

import tegula.triton

tegula.triton.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

DEVICE = os.environ["TEGULA_DEVICE"]
SCALE = 8


@tl.constexpr
def bits(bytes_):
    return bytes_ * SCALE


@triton.jit(do_not_specialize=["n", 2])
def fill(x, n, m, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), n + m + bits(4) + tl.standard._log2(B))


@triton.jit
def maybe(x, y, n, B: tl.constexpr):
    v = tl.arange(0, B) + n
    if y is not None:
        v += tl.load(y + tl.arange(0, B))
    tl.store(x + tl.arange(0, B), v)


class Compatibility(unittest.TestCase):
    def test_parameters(self):
        self.assertEqual([(p.name, p.is_constexpr, p.do_not_specialize) for p in fill.params],
                         [("x", False, False), ("n", False, True), ("m", False, True), ("B", True, False)])

    def test_functions_of_constants(self):
        from triton.language.standard import _log2

        self.assertEqual([_log2(number) for number in (1, 2, 3, 64, 65)], [0, 1, 1, 6, 6])
        self.assertEqual(bits(2).value if isinstance(bits(2), tl.constexpr) else bits(2), 16)
        x = np.zeros(16, np.int32)
        fill[(1,)](x, 100, 1000, 16, device=DEVICE)
        np.testing.assert_array_equal(x, 1136)
        with unittest.mock.patch.dict(globals(), SCALE=2):
            fill[(1,)](x, 100, 1000, 16, device=DEVICE)
        np.testing.assert_array_equal(x, 1112)

    def test_sources_with_values(self):
        def text(signature, constants):
            source = triton.compiler.ASTSource(maybe, signature, constants)
            return triton.compile(source, target="cpu").asm["ttir"]

        plain = text({"x": "*i32", "y": "*i32", "n": "i32"}, {"B": 64})
        for none in (text({"x": "*i32", "y": "constexpr", "n": "i32", "B": "constexpr"}, {"y": None, "B": 64}),
                     text({"x": "*i32", "n": "i32"}, {(1,): None, (3,): 64})):
            self.assertIn("tile.load", plain)
            self.assertNotIn("tile.load", none)
        self.assertIn("77", text({"x": "*i32", "y": "constexpr", "n": "constexpr"}, {"y": None, "n": 77, "B": 64}))

    def test_bytes_and_texts(self):
        levels = tegula.compiled.Levels
        with unittest.mock.patch.object(tegula._abi, "call") as call:
            def give(function, *arguments):
                if function == "compiled_get_levels":
                    arguments[1]._obj.value = b"tile,object,text,binary"
                else:
                    contents = {b"tile": b"text", b"text": b"ELF", b"object": b"\x7fELF\xff"}
                    self.content = contents.get(arguments[1], b"7")
                    arguments[2]._obj.value = ctypes.cast(self.content, ctypes.c_void_p).value
                    arguments[3]._obj.value = len(self.content)

            call.side_effect = give
            found = levels(types.SimpleNamespace(pointer=None))
            self.assertEqual([found[level] for level in ("ttir", "text", "object", "binary")],
                             ["text", "ELF", b"\x7fELF\xff", b"7"])

    def test_speed_of_a_gpu(self):
        properties = {"multiprocessor_count": 100}
        with unittest.mock.patch.object(tegula.pytorch, "device_properties", lambda device: properties):
            found = {name: triton.testing.get_max_simd_tflops(name, 1e6, 0) for name in ("float32", "torch.float16")}
            self.assertEqual(found, {"float32": 12.8, "torch.float16": 25.6})
            with self.assertRaisesRegex(RuntimeError, "not for int8"):
                triton.testing.get_max_simd_tflops("int8", 1e6, 0)

    def test_grids_of_four_axes(self):
        x = np.zeros(16, np.int32)
        for _ in range(2):
            fill[(1, 1, 1, 5)](x, 1, 1, 16, device=DEVICE)
            fill[lambda meta: (1, 1, 1, 5)](x, 1, 1, 16, device=DEVICE)
            self.assertTrue(x.any())
            x[:] = 0


if __name__ == "__main__":
    unittest.main()
