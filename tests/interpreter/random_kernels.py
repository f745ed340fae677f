"""Compares random kernels of kernel_fuzz with Triton's own interpreter, bit for bit.

    random_kernels.py --kernel-fuzz=build/all/bin/kernel_fuzz [--device=cpu] [--seed=1] [--count=2000] [--minutes=N]

Run by a Python that has triton 3.6 and a NumPy before 2 (the interpreter stores -1 in unsigned arrays). No GPU and no
PyTorch is needed: numpy_tensor.py stands for tensors. kernel_fuzz writes kernels, inputs and the device's results; the
interpreter runs the same files. What is not the same on purpose:

- f32 stands for bf16 and 8-bit floats, which the interpreter computes on as if their bits were integers
  (kernel_fuzz --write);
- `tl.cat` along an axis is written with join and permute, because Triton 3.6 has no `dim`;
- what `mend_interpreter` of numpy_tensor.py lists;
- zeros may differ in sign: Triton computes -x as 0 - x (docs/language/types.md).

Kernels that the interpreter cannot run are counted by its message. Exit status: 0, all others agree; 1, one differs, or
fewer than 90% could be run.
"""

import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

from numpy_tensor import NUMPY_TYPES, Tensor, mend_interpreter

CHUNK = 25  # kernels of one process
SECONDS = 60  # for one kernel in the interpreter
JOINED = """@triton.jit
def joined(a, b, dim: tl.constexpr):
    both = tl.join(a, b)
    if len(a.shape) == 1:
        return tl.reshape(tl.permute(both, (1, 0)), (2 * a.shape[0],))
    elif len(a.shape) == 2:
        return tl.reshape(tl.permute(both, (2, 0, 1)), (2 * a.shape[0], a.shape[1]))
    else:
        return tl.reshape(tl.permute(both, (3, 0, 1, 2)), (2 * a.shape[0], a.shape[1], a.shape[2]))


"""


def arrays(data, buffers):
    """The parts of `data` that belong to each buffer."""
    result, at = [], 0
    for buffer in buffers:
        kind = np.dtype(NUMPY_TYPES[buffer["type"]])
        size = buffer["elements"] * kind.itemsize
        result.append(np.frombuffer(data[at : at + size], kind))
        at += size
    assert at == len(data), (at, len(data))
    return result


def difference(name, expected, actual):
    """One line on the elements whose values differ; empty where none does. NaNs are equal, and zeros of any sign."""
    same = expected == actual
    if expected.dtype.kind == "f":
        same |= np.isnan(expected) & np.isnan(actual)
    wrong = np.flatnonzero(~same)
    if not len(wrong):
        return ""
    first = wrong[0]
    return (
        f"{name} ({expected.dtype}): {len(wrong)} of {len(expected)} elements differ: [{first}] is {actual[first]}, "
        f"the interpreter has {expected[first]}"
    )


def interpret(folder, seed):
    """The buffers after the interpreter has run the kernel."""
    import importlib.util

    base = folder / str(seed)
    launch = json.loads(base.with_suffix(".json").read_text())
    text = base.with_suffix(".py").read_text().replace("tl.cat(", "joined(")
    path = folder / f"interpreted_{seed}.py"  # Triton reads the text of functions from their file
    path.write_text(text.replace("@triton.jit", JOINED + "@triton.jit", 1))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    before = arrays(base.with_suffix(".before").read_bytes(), launch["buffers"])
    tensors = [Tensor(a, b["type"]) for a, b in zip(before, launch["buffers"])]
    module.kernel[tuple(launch["grid"])](*tensors, *launch["parameters"])
    return launch, [t.array for t in tensors]


def innermost(error):
    while error.__cause__:
        error = error.__cause__
    return f"{type(error).__name__}: {error}"


def judge(folder, seed):
    """("agree" | "differ" | "unable", message)"""
    try:
        launch, expected = interpret(folder, seed)
    except Exception as error:
        return "unable", re.sub(r"\d+", "N", innermost(error))[:100]
    actual = arrays((folder / f"{seed}.after").read_bytes(), launch["buffers"])
    lines = [difference(b["name"], e, a) for b, e, a in zip(launch["buffers"], expected, actual)]
    lines = [line for line in lines if line]
    return ("differ", "; ".join(lines)) if lines else ("agree", "")


def too_long(*_):
    raise TimeoutError("the interpreter takes too long")


def run_chunk(work):
    """Writes the kernels of some seeds with the device's results, and judges each."""
    command, first, count = work
    signal.signal(signal.SIGALRM, too_long)
    results = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([*command, f"--write={folder}", f"--seed={first}", f"--count={count}"], check=True)
        os.environ["TRITON_INTERPRET"] = "1"  # read when triton is imported; kernel_fuzz would take it as an order, too
        mend_interpreter()
        for seed in range(first, first + count):
            signal.alarm(SECONDS)
            results.append((seed, *judge(folder, seed)))
            signal.alarm(0)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kernel-fuzz", default="build/all/bin/kernel_fuzz")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--minutes", type=float, help="stop after so long, whatever --count says")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    start = time.time()
    command = [args.kernel_fuzz, f"--device={args.device}"]
    chunks = [(command, first, min(CHUNK, args.seed + args.count - first))
              for first in range(args.seed, args.seed + args.count, CHUNK)]  # fmt: skip
    counts, unable = collections.Counter(), collections.Counter()
    with multiprocessing.get_context("spawn").Pool(args.jobs, maxtasksperchild=1) as pool:
        for results in pool.imap(run_chunk, chunks):
            for seed, verdict, message in results:
                counts[verdict] += 1
                if verdict == "differ":
                    print(f"seed {seed}: {message}", flush=True)
                elif verdict == "unable":
                    unable[message] += 1
            if args.minutes and time.time() - start > 60 * args.minutes:
                break
    for message, number in unable.most_common():
        print(f"{number:5} {message}")
    total = sum(counts.values())
    print(f"{counts['agree']} of {total} kernels agree on {args.device} and Triton's interpreter, {counts['differ']} "
          f"differ, {counts['unable']} it cannot run; seeds from {args.seed}, {time.time() - start:.0f} s")  # fmt: skip
    return 1 if counts["differ"] or 10 * (counts["agree"] + counts["differ"]) < 9 * total else 0


if __name__ == "__main__":
    sys.exit(main())
