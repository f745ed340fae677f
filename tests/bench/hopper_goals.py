#!/usr/bin/env python3
"""Whether kernels reach what this project promises on Hopper: each goal is a ratio to a peer in the same run."""
import argparse
import importlib.util
import inspect
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

EPILOG = """\
A section measures in a process of its own, --processes times; a goal holds if the median of its ratios does. Above 1 is
faster than the peer. Results are compared with PyTorch's before they are timed; a wrong one fails the run.

Attention and its gradients are compared with the kernels of Triton's tutorial on fused attention, a file of its
repository: --tutorial names it. Without it these goals are left out, as launches are without --package.

Examples, beside an unpacked package P:
  PYTHONPATH=P/python tests/bench/hopper_goals.py --package P --tutorial 06-fused-attention.py
  PYTHONPATH=P/python tests/bench/hopper_goals.py --package P --only products,types --processes 1

Exit status: 0, all goals that were measured hold; 1, one falls short, a result is wrong, a section fails, or nothing
was measured; 2, bad use.
"""

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLUSH_BYTES = 1 << 28

SECTIONS = ["products", "shapes", "types", "attention", "gradients", "variations", "launches"]

# Rows, columns, depth: blocks of them, warps, stages, rows of blocks in a group.
SHAPES = {
    (8192, 8192, 8192): (128, 256, 64, 8, 4, 8), (4096, 4096, 4096): (128, 256, 64, 8, 4, 8),
    (2048, 2048, 2048): (128, 256, 64, 8, 4, 16), (1024, 1024, 1024): (64, 128, 128, 4, 4, 16),
    (512, 512, 512): (32, 64, 256, 4, 3, 16), (1000, 1000, 1000): (64, 128, 64, 8, 5, 16),
    (16, 4096, 14336): (16, 64, 128, 4, 6, 8), (128, 14336, 4096): (128, 128, 64, 8, 4, 8),
    (4096, 14336, 4096): (128, 256, 64, 8, 4, 8), (8192, 1024, 8192): (128, 256, 64, 8, 4, 8)}

# Goals that share what is measured, and the least ratio that holds.
FAMILIES = [
    (["descriptors 8192", "descriptors 4096"], "f16 through descriptors, of the best of cuBLAS and Triton", 1.00),
    (["bf16 8192", "bf16 4096"], "bf16 with results of f16, of f16, through descriptors", 0.97),
    (["pointers 8192", "pointers 4096", "pointers 2048"], "f16 through pointers, of descriptors", 0.95),
    (["x".join(map(str, shape)) for shape in SHAPES] + ["ten shapes, least"], "f16 through pointers, of cuBLAS", 0.90),
    (["1000x1000x1000"], "f16 through pointers, of cuBLAS", 1.00),
    (["16x4096x14336"], "f16 through pointers, of cuBLAS", 1 / 0.9),
    (["ten shapes, mean"], "f16 through pointers, of cuBLAS, geometric mean", 1.00),
    (["e4m3 N x K"], "8192, of cuBLAS", 0.98),
    (["int8 N x K"], "8192, of cuBLAS", 1.00),
    (["tf32 N x K"], "8192, of cuBLAS", 0.97),
    ([f"{type} K x N" for type in ("e4m3", "int8", "tf32")], "8192, of the same stored N x K", 0.85),
    ([f"attention full {width}, cuDNN" for width in (64, 128)], "of cuDNN", 0.97),
    ([f"attention causal {width}, cuDNN" for width in (64, 128)], "of cuDNN", 0.95),
    ([f"attention {kind} {width}, Triton" for kind in ("full", "causal") for width in (64, 128)],
     "of Triton's tutorial", 1.10),
    ([f"gradients {kind} {width}" for kind in ("full", "causal") for width in (64, 128)],
     "of Triton, the same file", 1.00),
    (["slowest variation"], "of thirteen forms of a product, of the first", 0.95),
    (["launch, ten arguments", "launch, three descriptors"], "the driver's bare call, of ours", 1 / 1.15),
]
GOALS = {name: (text, least) for names, text, least in FAMILIES for name in names} # a later family counts


class Wrong(Exception):
    """A result differs from PyTorch's."""


def kernels_of(path, by_tegula=True):
    """The module of a file of kernels. Those that say `import triton` are compiled by this package all the same; Triton
    itself can be imported afterwards."""
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    if by_tegula:
        import tegula.triton
        tegula.triton.install()
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if by_tegula:
        for name in [name for name in sys.modules if name.split(".")[0] == "triton"]:
            del sys.modules[name]
    return module


def tutorials_attention(tutorial, *inputs):
    """The tutorial's attention; its versions differ in how many options follow the scale, all of which are off here."""
    parameters = inspect.signature(tutorial._attention.forward).parameters # of PyTorch's context, inputs and options
    return tutorial.attention(*inputs, *[False] * (len(parameters) - 1 - len(inputs)))


class Turns:
    def __init__(self, torch):
        self.torch = torch
        self.flush = torch.empty(FLUSH_BYTES, dtype=torch.int8, device="cuda")

    def median(self, run, count):
        """Microseconds of one run, with cold caches."""
        marks = []
        for _ in range(count):
            self.flush.zero_()
            marks.append([self.torch.cuda.Event(enable_timing=True) for _ in range(2)])
            marks[-1][0].record()
            run()
            marks[-1][1].record()
        self.torch.cuda.synchronize()
        return statistics.median(begin.elapsed_time(end) for begin, end in marks) * 1e3

    def measure(self, runs, rounds=5, count=9):
        """{name: microseconds}, the median of the rounds."""
        for run in runs.values():
            run()
        times = {name: [] for name in runs}
        for _ in range(rounds):
            for name, run in runs.items():
                times[name].append(self.median(run, count))
        return {name: statistics.median(each) for name, each in times.items()}


def show(goal, ratio, times=None):
    rounded = {name: round(each, 2) for name, each in (times or {}).items()}
    print(json.dumps({"goal": goal, "ratio": ratio, "us": rounded}), flush=True)


def expect(name, actual, right, allowed=2e-2):
    error = float((actual.float() - right.float()).abs().max() / right.float().abs().max())
    if not error <= allowed:
        raise Wrong(f"{name}: wrong by {error:.1e} of the largest number")


class Products:
    """The kernels of samples 05 and 07 and of the suite on PyTorch's tensors."""

    def __init__(self, torch):
        import tegula
        self.torch, self.tegula = torch, tegula
        self.by_pointers = kernels_of(ROOT / "samples/05_matmul/matmul.py")
        self.by_descriptors = kernels_of(ROOT / "samples/07_matmul_descriptor/matmul_descriptor.py")
        self.of_suite = kernels_of(ROOT / "tests/conformance/kernels/matmul.py")

    def normal(self, rows, columns, type):
        return self.torch.randn(rows, columns, device="cuda").to(type)

    def nothing(self, rows, columns, type):
        return self.torch.zeros(rows, columns, device="cuda", dtype=type)

    def pointers(self, a, b, c, blocks, warps, stages, group=8):
        (m, k), n, (bm, bn, bk) = a.shape, b.shape[1], blocks
        grid = (self.tegula.cdiv(m, bm) * self.tegula.cdiv(n, bn),)
        return lambda: self.by_pointers.matmul_grouped[grid](
            a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), BLOCK_M=bm, BLOCK_N=bn, BLOCK_K=bk, GROUP_M=group,
            PRECISION="tf32", num_warps=warps, num_stages=stages)

    def descriptors(self, a, stored, c, blocks, warps, stages):
        """c = a stored^T."""
        (m, k), n, (bm, bn, bk) = a.shape, stored.shape[0], blocks
        of = [self.tegula.TensorDescriptor(t, list(t.shape), list(t.stride()), block)
              for t, block in ((a, [bm, bk]), (stored, [bn, bk]), (c, [bm, bn]))]
        grid = (self.tegula.cdiv(m, bm), self.tegula.cdiv(n, bn))
        return lambda: self.by_descriptors.matmul_descriptor[grid](
            *of, m, n, k, BLOCK_M=bm, BLOCK_N=bn, BLOCK_K=bk, num_warps=warps, num_stages=stages)

    def integers(self, a, b, c, blocks, warps, stages):
        (m, k), n, (bm, bn, bk) = a.shape, b.shape[1], blocks
        return lambda: self.of_suite.matmul[(self.tegula.cdiv(m, bm), self.tegula.cdiv(n, bn))](
            a, b, c, m, n, k, *a.stride(), *b.stride(), M=bm, N=bn, K=bk, SUM=self.tegula.language.int32,
            num_warps=warps, num_stages=stages)


def products(torch, options):
    turns, ours = Turns(torch), Products(torch)
    sys.path.insert(0, str(ROOT / "tests/bench"))
    import peers_triton as triton
    programs = torch.cuda.get_device_properties(0).multi_processor_count
    block, half = (128, 256, 64), torch.float16
    for n in (8192, 4096, 2048):
        a, b = ours.normal(n, n, half), ours.normal(n, n, half)
        stored, right = b.t().contiguous(), a @ b
        c, ct = (ours.nothing(n, n, half) for _ in range(2))
        runs = {"cuBLAS A B": lambda: torch.matmul(a, b), "cuBLAS A B^T": lambda: torch.matmul(a, stored.t())}
        if n > 2048:
            runs["Triton"] = lambda: triton.matmul(a, stored.t(), ct)
            runs["Triton, persistent"] = lambda: triton.persistent_matmul(a, stored, ct, programs)
            for name in ("Triton", "Triton, persistent"):
                ct.zero_()
                runs[name]()
                expect(name, ct, right)
        peers = list(runs)
        runs["descriptors"] = ours.descriptors(a, stored, c, block, 8, 4)
        runs["pointers"] = ours.pointers(a, b, c, block, 8, 4)
        if n > 2048:
            wide = torch.bfloat16
            runs["bf16"] = ours.descriptors(a.to(wide), stored.to(wide), c, block, 8, 4)
        for name in ("descriptors", "pointers", "bf16"):
            if name in runs:
                c.zero_()
                runs[name]()
                expect(name, c, right)
        times = turns.measure(runs)
        if n > 2048:
            show(f"descriptors {n}", min(times[name] for name in peers) / times["descriptors"], times)
            show(f"bf16 {n}", times["descriptors"] / times["bf16"])
        show(f"pointers {n}", times["descriptors"] / times["pointers"], times)


def shapes(torch, options):
    turns, ours, ratios = Turns(torch), Products(torch), {}
    for (m, n, k), (bm, bn, bk, warps, stages, group) in SHAPES.items():
        a, b = ours.normal(m, k, torch.float16), ours.normal(k, n, torch.float16)
        stored, c = b.t().contiguous(), ours.nothing(m, n, torch.float16)
        run = ours.pointers(a, b, c, (bm, bn, bk), warps, stages, group)
        run()
        name = f"{m}x{n}x{k}"
        expect(name, c, a @ b)
        times = turns.measure({"cuBLAS A B": lambda: torch.matmul(a, b),
                               "cuBLAS A B^T": lambda: torch.matmul(a, stored.t()), "ours": run},
                              count=9 if m * n * k > 1e11 else 15)
        ratios[name] = min(times["cuBLAS A B"], times["cuBLAS A B^T"]) / times["ours"]
        show(name, ratios[name], times)
    show("ten shapes, mean", math.exp(sum(map(math.log, ratios.values())) / len(ratios)))
    show("ten shapes, least", min(ratios.values()))


def types(torch, options):
    turns, ours, n = Turns(torch), Products(torch), 8192
    torch.backends.cuda.matmul.allow_tf32 = True

    def judge(type, peers, by_rows, by_columns, out, right):
        for name, run in (("N x K", by_rows), ("K x N", by_columns)):
            out.zero_()
            run()
            expect(f"{type} {name}", out, right, 3e-2)
        times = turns.measure({**peers, "N x K": by_rows, "K x N": by_columns})
        show(f"{type} N x K", min(times[name] for name in peers) / times["N x K"], times)
        show(f"{type} K x N", times["N x K"] / times["K x N"])

    a, stored, c = (ours.normal(n, n, torch.float8_e4m3fn), ours.normal(n, n, torch.float8_e4m3fn),
                    ours.nothing(n, n, torch.float16))
    b, one = stored.t().contiguous(), torch.ones((), device="cuda")

    def scaled(fast):
        return lambda: torch._scaled_mm(a, stored.t(), scale_a=one, scale_b=one, out_dtype=torch.float16,
                                        use_fast_accum=fast)
    judge("e4m3", {"cuBLAS": scaled(False), "cuBLAS, fast accumulation": scaled(True)},
          ours.descriptors(a, stored, c, (128, 256, 128), 8, 3), ours.pointers(a, b, c, (256, 128, 128), 8, 3), c,
          scaled(False)())

    a, stored = (torch.randint(-128, 128, (n, n), device="cuda", dtype=torch.int8) for _ in range(2))
    b, c = stored.t().contiguous(), ours.nothing(n, n, torch.int32)
    judge("int8", {"cuBLAS": lambda: torch._int_mm(a, stored.t())},
          ours.integers(a, stored.t(), c, (128, 256, 128), 8, 3), ours.integers(a, b, c, (256, 128, 128), 8, 3), c,
          torch._int_mm(a, stored.t()))

    a, stored, c = (ours.normal(n, n, torch.float32), ours.normal(n, n, torch.float32),
                    ours.nothing(n, n, torch.float32))
    b = stored.t().contiguous()
    judge("tf32", {"cuBLAS A B^T": lambda: torch.matmul(a, stored.t()), "cuBLAS A B": lambda: torch.matmul(a, b)},
          ours.pointers(a, stored.t(), c, (128, 256, 32), 8, 4), ours.pointers(a, b, c, (256, 128, 32), 8, 4), c,
          torch.matmul(a, stored.t()))


# Rows of queries, of keys, warps, stages, and whether through descriptors: the best of those tried.
ATTENTIONS = {("causal", 64): (64, 128, 4, 2, False), ("full", 64): (64, 128, 4, 2, True),
              ("causal", 128): (128, 128, 8, 2, False), ("full", 128): (128, 128, 8, 2, True)}


def attention(torch, options):
    import tegula
    from torch.nn.attention import SDPBackend, sdpa_kernel
    turns = Turns(torch)
    ours = kernels_of(ROOT / "samples/08_flash_attention/flash_attention.py")
    tutorial = kernels_of(options.tutorial, by_tegula=False) if options.tutorial else None
    batch, heads, length = 4, 32, 4096
    for (kind, width), (bq, bk, warps, stages, by_descriptors) in ATTENTIONS.items():
        causal, scale = kind == "causal", width ** -0.5
        q, k, v = (torch.randn(batch, heads, length, width, device="cuda", dtype=torch.float16) for _ in range(3))
        out = torch.full_like(q, float("nan"))

        def cudnn():
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        grid = (length // bq, batch * heads)
        blocks = {"HEAD": width, "BLOCK_Q": bq, "BLOCK_K": bk, "num_warps": warps, "num_stages": stages}
        if by_descriptors:
            of = [tegula.TensorDescriptor(t, [batch * heads * length, width], [width, 1], [rows, width])
                  for t, rows in ((q, bq), (k, bk), (v, bk), (out, bq))]
            run = lambda: ours.attention_descriptor[grid](*of, length, scale, **blocks)  # noqa: E731
        else:
            run = lambda: ours.attention_forward[grid](  # noqa: E731
                q, k, v, out, length, length, scale, CAUSAL=causal, **blocks)
        run()
        expect(f"attention {kind} {width}", out, cudnn(), 5e-3)
        runs = {"cuDNN": cudnn, "ours": run}
        if tutorial:
            runs["Triton"] = lambda: tutorials_attention(tutorial, q, k, v, causal, scale)
            expect("Triton's tutorial", runs["Triton"](), out, 5e-3)
        times = turns.measure(runs, count=7)
        for peer in runs:
            if peer != "ours":
                show(f"attention {kind} {width}, {peer}", times[peer] / times["ours"], times)


def gradients(torch, options):
    """Prints times: the parent divides those of Triton by ours, each of a process of its own."""
    tutorial = kernels_of(options.tutorial, by_tegula=False) # this process' `triton`
    turns = Turns(torch)
    for kind in ("full", "causal"):
        for width in (64, 128):
            q, k, v = (torch.randn(4, 32, 4096, width, device="cuda", dtype=torch.float16, requires_grad=True)
                       for _ in range(3))
            out = tutorials_attention(tutorial, q, k, v, kind == "causal", width ** -0.5)
            towards = torch.randn_like(out)
            run = lambda: out.backward(towards, retain_graph=True)  # noqa: E731
            name = f"gradients {kind} {width}"
            right = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=kind == "causal")
            run()
            expected = torch.autograd.grad(right, (q, k, v), towards)
            for letter, of, gradient in zip("qkv", (q, k, v), expected):
                expect(f"{name}, d{letter}", of.grad, gradient)
            del right, expected
            print(json.dumps({"goal": name, "us": turns.measure({name: run}, count=7)[name]}), flush=True)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=pathlib.Path, metavar="FOLDER", help="the unpacked package, for launches")
    parser.add_argument("--tutorial", type=pathlib.Path, metavar="FILE", help="Triton's 06-fused-attention.py")
    parser.add_argument("--only", metavar="A,B", default=",".join(SECTIONS), help="sections: " + ", ".join(SECTIONS))
    parser.add_argument("--processes", type=int, default=5, help="of each section (default: 5)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all ratios and times to this file")
    parser.add_argument("--section", choices=SECTIONS[:5], help=argparse.SUPPRESS)
    options = parser.parse_args()
    for name in options.only.split(","):
        if name not in SECTIONS:
            parser.error(f"unknown section '{name}'; there are {', '.join(SECTIONS)}")
    if options.processes < 1:
        parser.error(f"--processes is {options.processes}; it must be at least 1")
    for path in (options.package, options.tutorial):
        if path and not path.exists():
            parser.error(f"{path} does not exist")
    return options


def lines_of(command):
    begin = time.monotonic()
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    print(f"  {time.monotonic() - begin:.0f} s: {' '.join(str(each) for each in command[-6:])}", flush=True)
    if done.returncode != 0:
        output = (done.stdout + done.stderr)[-3000:]
        raise Wrong(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{output}")
    return done.stdout.splitlines()


def records(command):
    return [json.loads(line) for line in lines_of(command) if line.startswith("{")]


def measured(section, options):
    """The records of one process."""
    own = [sys.executable, __file__, "--section", section]
    if options.tutorial:
        own += ["--tutorial", options.tutorial]
    if section == "gradients":
        if not options.tutorial:
            return []
        theirs = {each["goal"]: each["us"] for each in records(own)}
        mine = records([own[0], "-m", "tegula.triton", *own[1:]])
        return [{"goal": each["goal"], "ratio": theirs[each["goal"]] / each["us"],
                 "us": {"Triton": theirs[each["goal"]], "ours": each["us"]}} for each in mine]
    if section == "variations":
        last = lines_of([sys.executable, ROOT / "tests/bench/variations.py", "--rounds", 3, "--least", 0])[-1]
        return [{"goal": "slowest variation", "ratio": float(last.split(":")[1].split()[0]), "us": {}}]
    if section == "launches":
        if not options.package:
            return []
        lines = lines_of([options.package / "tests/bin/cuda_launch_bench", "--rounds", 300, "--most", 9])
        return [{"goal": goal, "ratio": 1 / ratio_in(lines, word), "us": {}}
                for goal, word in (("launch, ten arguments", "ten arguments"),
                                   ("launch, three descriptors", "three descriptors"))]
    return records(own)


def ratio_in(lines, begin):
    for line in lines:
        if line.startswith(begin):
            return float(line.split()[-1])
    raise Wrong(f"no line begins with '{begin}'")


def main():
    options = parsed()
    if options.section:
        import torch
        torch.manual_seed(0)
        globals()[options.section](torch, options)
        return 0
    every, failed = [], False
    for section in options.only.split(","):
        print(section, flush=True)
        for number in range(options.processes):
            try:
                found = measured(section, options)
                if not found:
                    print("  left out: --tutorial or --package is missing", flush=True)
                    break
                every += [{**each, "process": number} for each in found]
            except Wrong as error:
                print(f"  {error}\n  {section}: only {number} of {options.processes} processes count", flush=True)
                failed = True
                break
    if options.json:
        options.json.write_text(json.dumps(every, indent=1))
    print(f"{'goal':30s} {'least':>6s} {'median':>7s}  each process")
    for goal in dict.fromkeys(each["goal"] for each in every):
        ratios = [each["ratio"] for each in every if each["goal"] == goal]
        text, least = GOALS[goal]
        median = statistics.median(ratios)
        failed |= median < least
        print(f"{goal:30s} {least:6.3f} {median:7.3f} {'' if median >= least else 'falls short '}"
              f"{' '.join(f'{each:.3f}' for each in ratios)}  {text}")
    return 1 if failed or not every else 0


if __name__ == "__main__":
    sys.exit(main())
