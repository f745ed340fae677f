"""Tensors of PyTorch on its GPU, or on the CPU where it has none: launches, and the lessons of samples/pytorch.
usage: pytorch_test.py SAMPLES_FOLDER"""
import gc
import math
import os
import sys
import tempfile
import unittest

import torch

import tegula
import tegula.language as tl

sys.path.insert(0, os.path.join(sys.argv.pop(1), "pytorch"))
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_default_device(DEVICE)


@tegula.jit
def scale(x, out, rows, columns, x_row, x_column, factor, R: tl.constexpr, C: tl.constexpr):
    row, column = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    inside = (row < rows) & (column < columns)
    value = tl.load(x + row * x_row + column * x_column, mask=inside)
    tl.store(out + row * columns + column, (value * factor).to(out.dtype.element_ty), mask=inside)


@tegula.jit
def widen(x, out, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(out + at, tl.load(x + at, mask=at < n).to(tl.float32), mask=at < n)


@tegula.jit
def move_block(x, out, row, column, R: tl.constexpr, C: tl.constexpr):
    out.store([0, 0], x.load([row, column]))


def scaled(x, factor=2, **options):
    """By the kernel; and what it returned."""
    out = torch.full(x.shape, 77, dtype=x.dtype)
    rows, columns = x.shape
    launched = scale[(1,)](x, out, rows, columns, *x.stride(), factor, R=16, C=16, **options)
    return out, launched


class Tensors(unittest.TestCase):
    def test_types(self):
        for name in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8",
                     "uint16", "uint32", "bool", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"):
            type_ = getattr(torch, name)
            x = torch.arange(7 * 8).reshape(7, 8).to(torch.float32).mul(0.25).to(type_)
            out = torch.zeros(7, 8)
            for _ in range(2):  # the second launch is a prepared one
                widen[(1,)](x, out.zero_(), 56, B=64)
                torch.testing.assert_close(out, x.float(), rtol=0, atol=0, msg=name)

    def test_views_and_changes(self):
        whole = torch.arange(400.0).reshape(20, 20)
        for x in (whole[2:9, 3:15], whole.T[:5, 1:12:2], whole[::3, ::4], whole[4:5].expand(6, 20)[:, :9], whole[:0]):
            for factor in (2, 2.5, True, 2**40):
                out, _ = scaled(x, factor)
                torch.testing.assert_close(out, x * factor, rtol=1e-6, atol=0)

    def test_extents_of_memory(self):
        """From an address to the end of the last element, as a launch compares them."""
        whole = torch.arange(400.0).reshape(20, 20)
        for x, elements in ((whole, 400), (whole[2:9, 3:15], 132), (whole.T[:5, 1:12:2], 205),
                            (whole[4:5].expand(6, 20)[:, :9], 9)):
            for _ in range(2):
                _, launched = scaled(x, 2)
            extents = memoryview(launched.extents).cast("Q").tolist()
            self.assertEqual(extents[:2], [elements * 4, x.numel() * 4])
            self.assertEqual(sum(extents[2:]), 0)

    def test_descriptors(self):
        whole = torch.arange(40 * 30.0).reshape(40, 30)
        out = torch.zeros(8, 16)
        to = tegula.TensorDescriptor.from_tensor(out, [8, 16])
        launched = []
        for size, at in (((40, 30), (3, 9)), ((10, 20), (5, 16)), ((40, 30), (3, 9)), ((0, 0), (0, 0))):
            for padding in ("zero", "nan", "zero"):
                view = tegula.TensorDescriptor(whole, list(size), [30, 1], [8, 16], padding)
                launched.append(move_block[(1,)](view, to, *at, R=8, C=16))
                want = torch.full((8, 16), math.nan if padding == "nan" else 0.0)
                inside = whole[:size[0], :size[1]][at[0]:, at[1]:][:8, :16]
                want[:inside.shape[0], :inside.shape[1]] = inside
                torch.testing.assert_close(out, want, rtol=0, atol=0, equal_nan=True)
        gc.collect()
        self.assertEqual({code.metadata.name for code in launched}, {"move_block"})
        for block in ([4, 16], [8, 16]):  # other blocks are other code
            move_block[(1,)](tegula.TensorDescriptor(whole, [40, 30], [30, 1], block),
                             tegula.TensorDescriptor(out.zero_(), [8, 16], [16, 1], block), 0, 0, R=8, C=16)
            self.assertEqual(out[:, 1].count_nonzero().item(), block[0])
        for _ in range(2):
            with self.assertRaisesRegex(tegula.errors.UseError, "parameter 'x'.*reaches element 1229"):
                beyond = tegula.TensorDescriptor(whole, [41, 30], [30, 1], [8, 16])
                move_block[(1,)](beyond, to, 0, 0, R=8, C=16)

    def test_parameters_and_gradients_are_memory(self):
        x = torch.nn.Parameter(torch.randn(5, 6))
        torch.testing.assert_close(scaled(x)[0], x.detach() * 2)
        torch.testing.assert_close(scaled(x)[0], x.detach() * 2)

    def test_what_a_launch_returns(self):
        first, second = (scaled(torch.ones(3, 4))[1] for _ in range(2))
        for launched in (first, second):
            self.assertEqual(launched.metadata.num_warps, 4)
            self.assertIn("tile.store", launched.asm["ttir"])
        self.assertEqual(first.asm["binary"], second.asm["binary"])

    def test_assert_close(self):
        for x, y in ((torch.ones(3, dtype=torch.bfloat16), 1), (torch.ones(3, requires_grad=True), torch.ones(3)),
                     (torch.ones(3).to(torch.float8_e5m2), torch.ones(3, dtype=torch.bool))):
            tegula.testing.assert_close(x, y, atol=lambda type_: 1e-6)
            with self.assertRaises(AssertionError):
                tegula.testing.assert_close(x, y.float() + 1 if hasattr(y, "float") else 2)

    def test_refused_tensors(self):
        for x, reason in ((torch.ones(2, 2, device="meta"), "meta|stands for a shape"),
                          (torch.ones(2, 2, dtype=torch.complex64), "arrays of complex64 cannot be passed"),
                          (torch.eye(2).to_sparse(), "parameter 'x'.*no address of elements")):
            with self.assertRaisesRegex(Exception, reason):
                out = torch.zeros(2, 2)
                scale[(1,)](x, out, 2, 2, 2, 1, 2, R=16, C=16)

    def test_reinterpreted(self):
        bits = torch.tensor([[0x38, 0x3C], [0x40, 0xB8]], dtype=torch.uint8)  # 1, 1.5, 2, -1 as e4m3
        out = torch.zeros(2, 2)
        for _ in range(2):
            scale[(1,)](tegula.reinterpret(bits, tl.float8e4nv), out, 2, 2, 2, 1, 3.0, R=16, C=16)
            self.assertEqual(out.tolist(), [[3, 4.5], [6, -3]])
        with self.assertRaisesRegex(ValueError, "1 bytes cannot be taken for tl.float16"):
            tegula.reinterpret(bits, tl.float16)

    def test_warmup_without_tensors(self):
        compiled = scale.warmup(torch.float16, torch.float32, 8, 8, 8, 1, 2.0, R=16, C=16, num_warps=2, grid=(1,))
        self.assertEqual((compiled.metadata.name, compiled.metadata.num_warps), ("scale", 2))
        self.assertIn("f16", compiled.asm["ttir"])

    def test_interpreted(self):
        os.environ["TRITON_INTERPRET"] = "1"
        try:
            torch.testing.assert_close(scaled(torch.ones(3, 4))[0], torch.full((3, 4), 2.0))
            with self.assertRaises(tegula.errors.KernelFault):
                scale[(1,)](torch.ones(3), torch.ones(4, 4), 4, 4, 4, 1, 2, R=16, C=16)
        finally:
            del os.environ["TRITON_INTERPRET"]


class Lessons(unittest.TestCase):
    def test_autograd(self):
        import softmax_autograd

        for shape in ((37, 781), (1, 1), (3, 1024)):
            self.assertLess(max(softmax_autograd.differences(*shape, DEVICE)), 1e-6)

    def test_custom_op(self):
        import custom_op

        torch.library.opcheck(custom_op.softmax, (torch.randn(4, 50, requires_grad=True),))
        self.assertLess(max(custom_op.compare(DEVICE, "aot_eager")), 1e-6)

    def test_attention(self):
        import attention_module

        for shape in ((2, 100, 64, 4), (1, 1, 16, 1), (3, 64, 128, 2)):
            limit = 1e-5 if DEVICE == "cpu" else 2e-2  # GPUs multiply f32 as tf32
            self.assertLess(attention_module.difference(*shape, DEVICE), limit)

    def test_benchmark(self):
        import benchmark

        benchmark.benchmark.benchmarks[0].x_vals = [64, 128]
        with tempfile.TemporaryDirectory() as folder:
            rows = benchmark.benchmark.run(save_path=folder)
            self.assertEqual([row[0] for row in rows], [64, 128])
            self.assertTrue(all(rate > 0 for row in rows for rate in row[1:]))
            with open(os.path.join(folder, f"softmax-{DEVICE}.csv")) as file:
                self.assertEqual(len(file.read().splitlines()), 3)


if __name__ == "__main__":
    unittest.main()
