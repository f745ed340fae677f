#!/usr/bin/env python3
"""Times a matrix product and an attention in twenty forms, in turns with their bases and with Triton: a form that
changes one thing in the loop must not lose what makes the base fast."""
import argparse
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import types

from hopper_goals import Turns, kernels_of
from loop_forms_cases import Array, Attentions, Products, all_forms
from loop_forms_ptx import Loops

EPILOG = """\
The forms (loop_forms_kernels.py) add to the base what programs have: work on an operand between its load and the
product, more loads or reductions in the loop, addresses that are loaded, conditions, an assertion, another kind of
loop, a second loop, a second result, work behind the loop. Each result is compared with PyTorch's first.

A line has the form's time, its ratio to the base, and its ratio to the same kernel compiled by Triton: above 1 is
faster than these. A form that does less than its base is judged by its rate: a causal attention visits about half of
the keys, and so may take about half of the time. Where Triton's code needs more memory than there is, Triton gets fewer
stages, and the line says how many.

--check runs on the CPU with NumPy: small, results only.
--code needs no GPU. It reads the loops of the compiled PTX. The columns:
  copies     how many of the two operands arrive in shared memory by asynchronous copies
  TMA        instructions in loops that copy by hardware
  cp.async   those by which threads copy
  loads      bytes that each thread loads in an iteration in the ordinary way, into registers
  producer   whether warps of their own start the copies; "part": of one loop, not of another
  wgmma      whether the products are asynchronous
  registers  of a thread, and the bytes that are spilled, where ptxas is installed

Examples, in an unpacked package:
  PYTHONPATH=python python3 tests/bench/loop_forms.py
  PYTHONPATH=python python3 tests/bench/loop_forms.py --only "int8 B,while" --rounds 9
  PYTHONPATH=python python3 tests/bench/loop_forms.py --code
  PYTHONPATH=python python3 tests/bench/loop_forms.py --code sm_80 --only dropout --commands
  PYTHONPATH=python python3 tests/bench/loop_forms.py --check

Exit status: 0; 1, a result is wrong, a form does not compile, or a form is both below --least of its base and not as
fast as Triton (without Triton, below --least); 2, bad use, or there is no GPU.
"""

KERNELS = pathlib.Path(__file__).resolve().parent / "loop_forms_kernels.py"
ALLOWED = 3e-3  # error of a result, of its largest number: results and weights are rounded to f16
TYPES = {"float16": "fp16", "float32": "fp32", "int8": "i8", "int32": "i32"}


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="A,B", help="names of forms (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each form (default: 5)")
    parser.add_argument("--least", type=float, default=0.85,
                        help="the smallest ratio to the base of a form that is slower than Triton's (default: 0.85)")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="only whether results are right, on the CPU with NumPy")
    mode.add_argument("--code", metavar="TARGET", nargs="?", const="sm_90a",
                      help="only what the code has, of this target (default: sm_90a)")
    parser.add_argument("--commands", action="store_true",
                        help="with --code: also the command that explains each form's loop")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds is {options.rounds}; it must be at least 1")
    if options.commands and not options.code:
        parser.error("--commands needs --code")
    names = [form.name for form in large()]
    options.only = options.only.split(",") if options.only else names
    for name in options.only:
        if name not in names:
            parser.error(f"unknown form '{name}'; there are {', '.join(names)}")
    return options


def small():
    """Forms with blocks that the product's matrices end in, for the CPU."""
    yield from all_forms(Products(160, 136, 144, (64, 64, 32), {}), Attentions(2, 2, 256, 32, (64, 64), {}))


def large():
    yield from all_forms(Products(4096, 4096, 4096, (128, 256, 64), {"num_warps": 8, "num_stages": 4}),
                         Attentions(4, 16, 4096, 128, (128, 128), {"num_warps": 8, "num_stages": 3}))


class Numbers:
    """A world (loop_forms_cases.py) of NumPy's arrays."""

    def __init__(self, kernels):
        import numpy
        self.of, self.kernels, self.random = numpy, kernels, numpy.random.default_rng(0)

    def array(self, given):
        shape, fill, count = given.shape, given.fill, math.prod(given.shape)
        made = {"normal": lambda: self.random.standard_normal(shape),
                "small": lambda: self.random.integers(-8, 9, shape),
                "order": lambda: self.random.permutation(count).reshape(shape),
                "flags": lambda: (self.of.arange(count) % 8 != 7).reshape(shape),
                "zeros": lambda: self.of.zeros(shape),
                "nothing": lambda: self.of.full(shape, 77)}[fill]()
        return made.astype(given.type)

    def real(self, array):
        return array.astype("float64")

    def half(self, array):
        return array.astype("float16")

    def arange(self, count):
        return self.of.arange(count)

    def launch(self, kernel, grid, arguments, constants, options):
        getattr(self.kernels, kernel)[grid](**arguments, **constants, **options)


class Tensors(Numbers):
    """A world of PyTorch's tensors."""

    def __init__(self, kernels, device="cuda"):
        import torch
        self.of, self.kernels, self.device = torch, kernels, device
        torch.manual_seed(0)

    def array(self, given):
        torch, shape, count = self.of, given.shape, math.prod(given.shape)
        made = {"normal": lambda: torch.randn(shape, device=self.device),
                "small": lambda: torch.randint(-8, 9, shape, device=self.device),
                "order": lambda: torch.randperm(count, device=self.device).reshape(shape),
                "flags": lambda: (self.arange(count) % 8 != 7).reshape(shape),
                "zeros": lambda: torch.zeros(shape, device=self.device),
                "nothing": lambda: torch.full(shape, 77, device=self.device)}[given.fill]()
        return made.to(getattr(torch, given.type))

    def real(self, array):
        return array.double()

    def half(self, array):
        return array.half()

    def arange(self, count):
        return self.of.arange(count, device=self.device)


def arrays_of(world, form):
    return {name: world.array(value) for name, value in form.arguments.items() if isinstance(value, Array)}


def launch_of(world, form, arrays, **options):
    return lambda: world.launch(form.kernel, form.grid, {**form.arguments, **arrays}, form.constants,
                                {**form.options, **options})


def right_of(world, form, arrays):
    return {name: right(world, types.SimpleNamespace(**arrays)) for name, right in form.right.items()}


def error_of(world, form, arrays, expected, run):
    """The largest error of the results, of a result's largest number; NaN counts as one."""
    for name in expected:
        arrays[name][...] = 0 if form.arguments[name].fill == "zeros" else 77
    run()
    errors = [float(abs(world.real(arrays[name]) - right).max() / abs(right).max())
              for name, right in expected.items()]
    return max(errors, key=lambda error: math.inf if math.isnan(error) else error)


def check(options):
    world, wrong = Numbers(kernels_of(KERNELS)), 0
    for form in small():
        if form.name in options.only:
            arrays = arrays_of(world, form)
            error = error_of(world, form, arrays, right_of(world, form, arrays), launch_of(world, form, arrays))
            is_right = error <= ALLOWED  # not for NaN
            wrong += not is_right
            print(f"{form.name}: largest error {error:.1e} of the largest number{'' if is_right else ', wrong'}")
    return 1 if wrong else 0


def triton_kernels():
    """The same kernels for Triton itself; None without it."""
    try:
        import triton
        return None if hasattr(triton, "tegula") else kernels_of(KERNELS, by_tegula=False)
    except ImportError:
        return None


class Peer:
    """The same kernel compiled by Triton: `run`, or None and why."""

    def __init__(self, kernels, form, arrays, expected):
        self.run, self.note = None, ""
        world, most = Tensors(kernels), form.options["num_stages"]
        for stages in range(most, 0, -1):
            run = launch_of(world, form, arrays, num_stages=stages)
            try:
                error = error_of(world, form, arrays, expected, run)
            except Exception as why:  # a peer that fails is no failure of ours
                self.note = f"  Triton: {type(why).__name__}: {' '.join(str(why).split())[:80]}"
                if type(why).__name__ != "OutOfResources":
                    return
                continue
            if not error <= ALLOWED:
                self.note = f"  Triton is wrong by {error:.1e}"
                return
            self.run, self.note = run, "" if stages == most else f"  Triton has {stages} stages"
            return


def compare(options, turns, base, form, run, peer):
    """Prints the form's line; returns whether it is fast enough."""
    times, to_base, to_peer = [], [], []
    for _ in range(options.rounds):
        of_base, of_form = turns.median(base, 9), turns.median(run, 9)
        times.append(of_form)
        to_base.append(of_base / of_form * form.work)
        if peer and peer.run:
            to_peer.append(turns.median(peer.run, 9) / of_form)
    ratio, to_triton = statistics.median(to_base), statistics.median(to_peer) if to_peer else None
    is_fast = ratio >= options.least or (to_triton is not None and to_triton >= 1)
    print(f"{form.name:18s}{statistics.median(times):10.1f} us{ratio:9.3f}"
          f"{'-' if to_triton is None else format(to_triton, '.3f'):>9s}{'' if is_fast else '  slow'}"
          f"{peer.note if peer else ''}", flush=True)
    return is_fast


def measure(options):
    try:
        import torch
        if not torch.cuda.is_available():
            raise ImportError("PyTorch finds no GPU")
    except ImportError as why:
        print(f"loop_forms: {why}; --check and --code need none", file=sys.stderr)
        return 2
    world, turns, failed, bases = Tensors(kernels_of(KERNELS)), Turns(torch), False, {}
    theirs = triton_kernels()  # after ours, which takes Triton's names for a moment
    print(f"{'form':18s}{'time':>13s}{'of base':>9s}{'Triton':>9s}{'' if theirs else '  without Triton'}")
    for form in large():
        is_base = form.name == form.base
        if form.name not in options.only and not is_base:
            continue
        arrays = arrays_of(world, form)
        expected, run = right_of(world, form, arrays), launch_of(world, form, arrays)
        error = error_of(world, form, arrays, expected, run)
        if not error <= ALLOWED:
            print(f"{form.name:18s} wrong by {error:.1e} of the largest number", flush=True)
            failed = True
            continue
        if is_base:
            bases[form.base] = run
        peer = Peer(theirs, form, arrays, expected) if theirs else None
        del expected
        if form.base not in bases:
            failed = True
            continue
        is_fast = compare(options, turns, bases[form.base], form, run, peer)
        failed |= not is_fast and not is_base
    return 1 if failed else 0


def source_of(tegula, kernels, form):
    """The form's kernel with the types of a launch whose arrays are aligned."""
    def type_of(value):
        if isinstance(value, Array):
            return f"*{TYPES[value.type]}:16"
        return "fp32" if isinstance(value, float) else "i32:16" if value % 16 == 0 else "i32"
    given = {name: type_of(value) for name, value in form.arguments.items() if value is not None}
    absent = {name: None for name, value in form.arguments.items() if value is None}
    return tegula.ASTSource(getattr(kernels, form.kernel), given, {**form.constants, **absent})


def command_of(source, form, target):
    """The command that says why the form's loop is as it is."""
    constants = {name: value for name, value in form.constants.items() if name in source.constexprs}
    constants |= {name: value for name, value in form.options.items() if not name.startswith("num_")}
    given = [f"--const={name}={json.dumps(value) if isinstance(value, str) else value}"
             for name, value in constants.items()]
    return shlex.join(["tegula", "compile", f"{KERNELS}::{form.kernel}", f"--target={target}",
                       f"--signature={source.types(set(form.constants))}", *given,
                       *(f"--{name.replace('_', '-')}={form.options[name]}" for name in ("num_warps", "num_stages")),
                       "--explain=pipeline"])


def assembled(ptx, target):
    """(registers, spilled bytes, whether asynchronous products are serialized) by ptxas; None without it."""
    ptxas = os.environ.get("TRITON_PTXAS_PATH") or shutil.which("ptxas")
    if not ptxas:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        done = subprocess.run([ptxas, "-v", f"-arch={target.replace('compute_', 'sm_')}", file.name, "-o", os.devnull],
                              capture_output=True, text=True)
    registers = re.search(r"Used (\d+) registers", done.stderr)
    spills = re.search(r"(\d+) bytes spill stores", done.stderr)
    if done.returncode != 0 or not registers:
        raise ValueError(f"ptxas failed: {done.stderr.strip()}")
    return int(registers[1]), int(spills[1]) if spills else 0, "serialized" in done.stderr


def code(options):
    import tegula
    kernels, complete, produced, forms, failed = kernels_of(KERNELS), 0, 0, 0, False
    print(f"{'form':16s}{'copies':>7s}{'TMA':>5s}{'cp.async':>9s}{'loads':>7s}{'producer':>10s}{'wgmma':>7s}"
          f"{'registers':>11s}{'spilled':>9s}")
    for form in large():
        if form.name not in options.only:
            continue
        forms += form.name != form.base
        source = source_of(tegula, kernels, form)
        try:
            made = tegula.compile(source, target=options.code, options=form.options)
            if "ptx" not in made.asm:
                raise tegula.errors.UseError(f"code for '{options.code}' is not PTX")
            ptx = made.asm["ptx"]
            registers, spilled, is_serialized = assembled(ptx, options.code) or ("-", "-", False)
        except tegula.errors.UseError as why:
            print(f"loop_forms: {why}", file=sys.stderr)
            return 2
        except (tegula.TritonError, ValueError) as why:
            print(f"{form.name:16s} fails: {why}", flush=True)
            failed = True
            continue
        loops = Loops(ptx)
        copied = loops.copied(form, 32 * form.options["num_warps"])
        if form.name != form.base:
            complete, produced = complete + (copied == 2), produced + (loops.producer == "yes")
        print(f"{form.name:16s}{copied:7d}{loops.by_hardware:5d}{loops.by_threads:9d}{loops.loaded:7d}"
              f"{loops.producer:>10s}{'yes' if loops.is_asynchronous else 'no':>7s}{registers:>11}{spilled:>9}"
              f"{'  products are serialized' if is_serialized else ''}", flush=True)
        if options.commands:
            print("  " + command_of(source, form, options.code), flush=True)
    print(f"{complete} of {forms} keep asynchronous copies of both operands, {produced} of {forms} keep a producer")
    return 1 if failed else 0


if __name__ == "__main__":
    given = parsed()
    sys.exit(check(given) if given.check else code(given) if given.code else measure(given))
