#!/usr/bin/env python3
"""Times one matrix product in a dozen forms, in turns with the first: no form may be much slower than it."""
import argparse
import pathlib
import statistics
import sys

EPILOG = """\
The forms differ in names, the order of arguments, epilogues, the order of A and B in memory, types, and how the tiles
are placed and addressed (variations_kernels.py). Each is checked against PyTorch's product first. The ratio is the
first form's time over the form's; the median of the rounds.

--check runs on the CPU with NumPy: small, results only.

Examples, in an unpacked package:
  PYTHONPATH=python python3 tests/bench/variations.py
  PYTHONPATH=python python3 tests/bench/variations.py --size 8192 --least 0.9

Exit status: 0; 1, a result is wrong or a ratio below --least; 2, bad use, or there is no GPU.
"""

FLUSH_BYTES = 1 << 28


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=4096, help="rows, columns and depth (default: 4096)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each form (default: 5)")
    parser.add_argument("--least", type=float, default=0.95, help="the smallest ratio that is accepted (default: 0.95)")
    parser.add_argument("--check", action="store_true", help="only whether results are right, on the CPU with NumPy")
    return parser.parse_args()


class Forms:
    """The forms for arrays of one package; `array(rows, columns, type)` makes one of random numbers."""

    def __init__(self, kernels, size, block, options, array, empty, cdiv):
        self.kernels, self.size, self.block, self.options = kernels, size, block, options
        self.array, self.empty, self.cdiv = array, empty, cdiv

    def product(self, name, right, type="float16", result="float16", left_by_columns=False, right_by_columns=False,
                epilogue="none"):
        n, (bm, bn, bk) = self.size, self.block
        a, b = self.array(n, n, type), self.array(n, n, type)
        bias, residual = self.array(1, n, "float32"), self.array(n, n, "float16")
        c = self.empty(n, n, result)
        grid = (self.cdiv(n, bm) * self.cdiv(n, bn),)

        def run():
            self.kernels.product[grid](
                a, b, c, bias, residual, n, n, n, *((1, n) if left_by_columns else (n, 1)),
                *((1, n) if right_by_columns else (n, 1)), n, 0.5, BLOCK_M=bm, BLOCK_N=bn, BLOCK_K=bk, GROUP=8,
                EPILOGUE=epilogue, **self.options)
        return name, run, c, lambda: right(a.T if left_by_columns else a, b.T if right_by_columns else b, bias,
                                           residual)

    def renamed(self, name, right):
        n, (bm, bn, bk) = self.size, self.block
        a, b, c = self.array(n, n, "float16"), self.array(n, n, "float16"), self.empty(n, n, "float16")
        grid = (self.cdiv(n, bm) * self.cdiv(n, bn),)
        return name, lambda: self.kernels.multiply[grid](c, n, b, n, a, n, n, n, n, H=bm, W=bn, D=bk, G=8,
                                                         **self.options), c, lambda: right(a, b, None, None)

    def plain(self, name, right):
        n, (bm, bn, bk) = self.size, self.block
        a, b, c = self.array(n, n, "float16"), self.array(n, n, "float16"), self.empty(n, n, "float16")
        grid = (self.cdiv(n, bn), self.cdiv(n, bm))
        return name, lambda: self.kernels.plain[grid](a, b, c, n, n, A_ROW=n, BLOCK_M=bm, BLOCK_N=bn, BLOCK_K=bk,
                                                      **self.options), c, lambda: right(a, b, None, None)

    def all(self, multiply, sigmoid, relu):
        def with_epilogue(function):
            return lambda a, b, bias, residual: function(multiply(a, b), bias, residual)

        def gated(s, bias, _):
            return (s + bias) * sigmoid(s + bias)
        same = with_epilogue(lambda s, bias, residual: s)
        yield self.product("pointers, in groups of rows", same)
        yield self.renamed("other names, other order", same)
        yield self.plain("grid of two axes, no masks", same)
        yield self.product("bias", with_epilogue(lambda s, bias, _: s + bias), epilogue="bias")
        yield self.product("relu", with_epilogue(lambda s, *_: relu(s)), epilogue="relu")
        yield self.product("bias and x sigmoid(x)", with_epilogue(gated), epilogue="bias and sigmoid")
        yield self.product("scaled", with_epilogue(lambda s, *_: s * 0.5), epilogue="scaled")
        yield self.product("residual", with_epilogue(lambda s, _, residual: s + residual), epilogue="residual")
        yield self.product("A by columns", same, left_by_columns=True)
        yield self.product("B by columns", same, right_by_columns=True)
        yield self.product("A and B by columns", same, left_by_columns=True, right_by_columns=True)
        yield self.product("bf16", same, type="bfloat16", result="bfloat16")
        yield self.product("result of f32", same, result="float32")


def check(options):
    import numpy
    import tegula
    import variations_kernels
    random = numpy.random.default_rng(0)

    def array(rows, columns, type):
        made = random.standard_normal((rows, columns)).astype(numpy.float32)
        return made.astype(numpy.float16 if type != "float32" else numpy.float32)  # NumPy has no bfloat16

    def multiply(a, b):
        return a.astype(numpy.float64) @ b.astype(numpy.float64)
    forms = Forms(variations_kernels, 128, (64, 64, 32), {}, array,
                  lambda rows, columns, type: numpy.zeros((rows, columns), numpy.float32 if type == "float32" else
                                                          numpy.float16), tegula.cdiv)
    wrong = 0
    for name, run, c, right in forms.all(multiply, lambda x: 1 / (1 + numpy.exp(-x)), lambda x: numpy.maximum(x, 0)):
        run()
        expected = right()
        error = float(numpy.abs(c - expected).max() / numpy.abs(expected).max())
        is_right = error <= 2e-3  # not for NaN
        wrong += not is_right
        print(f"{name}: largest error {error:.1e} of the largest number{'' if is_right else ', wrong'}")
    return 1 if wrong else 0


def measure(options):
    try:
        import torch
        if not torch.cuda.is_available():
            raise ImportError("PyTorch finds no GPU")
    except ImportError as why:
        print(f"variations: {why}; --check runs on the CPU", file=sys.stderr)
        return 2
    import tegula
    import variations_kernels
    torch.manual_seed(0)
    flush = torch.empty(FLUSH_BYTES // 4, dtype=torch.int32, device="cuda")

    def array(rows, columns, type):
        return torch.randn(rows, columns, device="cuda", dtype=torch.float32).to(getattr(torch, type))

    def empty(rows, columns, type):
        return torch.full((rows, columns), float("nan"), device="cuda", dtype=getattr(torch, type))

    def median(run):
        marks = []
        for _ in range(15):
            flush.zero_()
            marks.append((torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)))
            marks[-1][0].record()
            run()
            marks[-1][1].record()
        torch.cuda.synchronize()
        return statistics.median(begin.elapsed_time(end) for begin, end in marks)
    forms = Forms(variations_kernels, options.size, (128, 256, 64), {"num_warps": 8, "num_stages": 4}, array, empty,
                  tegula.cdiv)
    first, slowest = None, (2.0, "")
    for name, run, c, right in forms.all(lambda a, b: (a @ b).float(), torch.sigmoid, torch.relu):
        run()
        expected = right()
        error = float((c.float() - expected).abs().max() / expected.abs().max())
        if not error <= 2e-2:  # of bf16 results
            print(f"{name}: wrong, by {error:.1e} of the largest number")
            return 1
        first = first or run
        ratios, times = [], []
        for _ in range(options.rounds):
            of_first, of_form = median(first), median(run)
            ratios.append(of_first / of_form)
            times.append(of_form)
        ratio, time = statistics.median(ratios), statistics.median(times)
        slowest = min(slowest, (ratio, name))
        print(f"{name:32s}{time * 1e3:9.1f} us {2 * options.size ** 3 / time / 1e9:7.1f} TFLOP/s {ratio:7.3f}",
              flush=True)
    print(f"slowest form: {slowest[0]:.3f} of the first, {slowest[1]}")
    return 0 if slowest[0] >= options.least else 1


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    given = parsed()
    sys.exit(check(given) if given.check else measure(given))
