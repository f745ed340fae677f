"""Launches public kernels with made-up arguments on a device and in Triton's own interpreter, and compares.

    public_kernels.py accepted.json [...] --tegula=build/all/bin/tegula [--device=cpu ...] [-o results.json]

`accepted.json` comes from tests/corpus/judge.py: kernels of checked-out repositories, with types and constants. Run by
a Python that has triton 3.6, packaging, pyyaml and a NumPy before 2. Each kernel gets arrays of ELEMENTS elements:
floats are multiples of 1/8 in [-1, 1], integers are small, or grow in steps where the name says that they are offsets.
A kernel counts as launchable if the CPU's checked mode finds all its accesses inside; of several sets of arguments the
first such one counts. Then the device and the interpreter run it from its original file, and all arrays are compared:
integers bit for bit, floats within the error that another order of additions makes (TOLERANCE, relative to the array's
largest value, for each precision). Kernels that store nothing do not count as agreeing. Exit status: 1 if one differs.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "corpus"))

from numpy_tensor import NUMPY_TYPES, Tensor, mend_interpreter

ELEMENTS = 1 << 17
TOLERANCE = {"f16": 4e-3, "f32": 2e-5, "f64": 2e-5}  # f64 arrays may hold what was computed in f32
ELEMENT_TYPES = {"fp16": "f16", "fp32": "f32", "fp64": "f64"}
GROWING = re.compile(r"(cu_|start|offset|indptr|cumsum|seqlens)", re.I)
ATTEMPTS = (
    {"grid": (2, 1, 1), "step": 16},
    {"grid": (2, 1, 1), "step": 0},  # indices that are all zero or one
    {"grid": (1, 1, 1), "step": 0, "scalar": 8},
)


def element_type(name):
    return ELEMENT_TYPES.get(name[1:], name[1:])


def made_up(name, kind, attempt, seed):
    """The contents of one array."""
    random = np.random.default_rng(seed)
    dtype = NUMPY_TYPES[kind]
    if kind.startswith("f"):
        return (random.integers(-8, 9, ELEMENTS) / 8).astype(dtype)
    if kind == "i1":
        return random.integers(0, 2, ELEMENTS).astype(dtype)
    if attempt["step"] and GROWING.search(name):
        return np.minimum(np.arange(ELEMENTS) * attempt["step"], 64).astype(dtype)
    return random.integers(0, 8 if attempt["step"] else 2, ELEMENTS).astype(dtype)


def stride_of(name, names):
    """The stride of a contiguous tensor with 64 columns and rows: of `stride_am` and `stride_ak` 64 and 1. With equal
    strides different elements would be stored to one address, in no order."""
    tensor = lambda n: n[:8] if n.startswith("stride_") else n.split("_")[0]  # stride_qbs, stride_qh; q_row_stride
    group = [n for n in names if "stride" in n.lower() and tensor(n) == tensor(name)]
    return 64 ** (len(group) - 1 - group.index(name))


def launch(record, attempt, folder):
    """Words for `tegula run`, the arrays, and what the interpreter passes by name."""
    words, arrays, values = [], {}, {}
    for number, (name, kind, value) in enumerate(record["signature"]):
        if kind.startswith("*"):
            arrays[name] = made_up(name, element_type(kind), attempt, number)
            np.save(folder / f"{name}.npy", arrays[name])
            words.append(f"{name}=@{folder / name}.npy")
            continue
        if isinstance(value, int) and "stride" in name.lower():
            value = stride_of(name, [n for n, _, _ in record["signature"]])
        elif value is not None and "scalar" in attempt and kind.startswith("i") and value > attempt["scalar"]:
            value = attempt["scalar"]
        values[name] = value
        words.append(f"{name}={value}")
    for name, value in {**record["supplied"], **record["constants"]}.items():
        text = "tl." + value["type"] if isinstance(value, dict) else f"'{value}'" if isinstance(value, str) else value
        words += ["--const", f"{name}={text}"]
        values[name] = value
    for folder_ in [record["root"], record["root"] + "/src", record["root"] + "/python"]:
        if os.path.isdir(folder_):
            words.append(f"--module-path={folder_}")
    for option in ("num_warps", "num_stages"):
        if option in record["options"]:
            words.append(f"--{option.replace('_', '-')}={record['options'][option]}")
    words.append("--grid=" + ", ".join(map(str, attempt["grid"])))
    return words, arrays, values


def tegula(args, record, words, seconds):
    command = [args.tegula, "run", f"{record['root']}/{record['file']}::{record['kernel']}", "--no-autotune", *words]
    # With TRITON_INTERPRET, which is set for Triton in this process, every launch would be a checked one.
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        try:
            text, _ = process.communicate(timeout=5 * seconds)
            return process.returncode, text
        except subprocess.TimeoutExpired:
            process.kill()
            return 1, f"error: not done after {5 * seconds} s"


def kernel_of(module, name):
    """The function that the interpreter runs, without autotune and heuristics, whose constants are given."""
    from triton.runtime.interpreter import InterpretedFunction

    kernel = getattr(module, name)
    while not isinstance(kernel, InterpretedFunction):
        kernel = getattr(kernel, "fn", None) or kernel.jit_function
    return kernel


def interpret(record, attempt, arrays, values, folder):
    """In a process of its own: the interpreter reads and writes memory at the kernel's own addresses."""
    import judge
    import triton.language as tl

    mend_interpreter()
    root = pathlib.Path(record["root"])
    module = judge.import_file(root / record["file"], root, judge.roots_of(root))
    kinds = {name: element_type(kind) for name, kind, _ in record["signature"] if kind.startswith("*")}
    tensors = {name: Tensor(array, kinds[name]) for name, array in arrays.items()}
    given = {k: getattr(tl, v["type"]) if isinstance(v, dict) else v for k, v in values.items()}
    kernel_of(module, record["kernel"])[attempt["grid"]](**tensors, **given)
    for name, tensor in tensors.items():
        np.save(folder / f"{name}.interpreted.npy", tensor.array)


def interpreted(record, attempt, arrays, values, folder, seconds):
    """The message of a failure; empty if the interpreter's arrays lie in the folder."""
    sys.stdout.flush()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        try:
            interpret(record, attempt, arrays, values, folder)
        except BaseException as error:
            while error.__cause__:
                error = error.__cause__
            os.write(write, f"{type(error).__name__}: {error}"[:300].encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        message = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "it takes too long" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "it crashes"
    return message


def difference(name, kind, expected, actual):
    """One line on the elements that differ; empty where none does."""
    if kind in TOLERANCE:
        finite = expected[np.isfinite(expected)].astype(np.float64)
        allowed = TOLERANCE[kind] * max(1.0, np.abs(finite).max(initial=0))
        both = np.isfinite(expected) & np.isfinite(actual)
        near = np.abs(np.where(both, expected, 0).astype(np.float64) - np.where(both, actual, 0)) <= allowed
        same = np.where(both, near, (expected == actual) | (np.isnan(expected) & np.isnan(actual)))
    else:
        same = expected == actual
    wrong = np.flatnonzero(~same)
    if not len(wrong):
        return ""
    first = wrong[0]
    return f"{name} ({kind}): {len(wrong)} differ: [{first}] is {actual[first]}, the interpreter has {expected[first]}"


def message_of(text):
    return (re.findall(r"error: (.*)", text) or text.strip().split("\n") or [""])[-1][:200]


def compare(args, record, device, words, arrays, folder):
    """Verdict and message of one device, where the interpreter's arrays lie in the folder."""
    outs = [f"--out={name}={folder / name}.out.npy" for name in arrays]
    code, text = tegula(args, record, [f"--device={device}", *words, *outs], args.seconds)
    if code:
        return "refused", message_of(text)
    kinds = {name: element_type(kind) for name, kind, _ in record["signature"] if kind.startswith("*")}
    lines, stored = [], False
    for name, array in arrays.items():
        expected, actual = (np.load(folder / f"{name}.{which}.npy") for which in ("interpreted", "out"))
        stored |= expected.tobytes() != array.tobytes()
        lines.append(difference(name, kinds[name], expected, actual))
    if any(lines):
        return "differ", "; ".join(filter(None, lines))
    return ("agree" if stored else "stores nothing"), ""


def attempt_kernel(args, record, attempt, folder):
    """For each device the verdict and message of one set of arguments."""
    words, arrays, values = launch(record, attempt, folder)
    code, text = tegula(args, record, ["--device=cpu", "--check", *words], args.seconds)
    if code:
        return [("not launched", message_of(text))] * len(args.device)
    message = interpreted(record, attempt, arrays, values, folder, args.seconds)
    if message:
        return [("not interpreted", message)] * len(args.device)
    return [compare(args, record, device, words, arrays, folder) for device in args.device]


def judge_kernel(args, record):
    os.environ["TRITON_INTERPRET"] = "1"  # read when triton is imported
    import triton  # once, before the forks

    verdicts = []
    for attempt in ATTEMPTS:
        with tempfile.TemporaryDirectory() as folder:
            verdicts = attempt_kernel(args, record, attempt, pathlib.Path(folder))
        if verdicts[0][0] not in ("not launched", "stores nothing"):
            break
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("accepted", nargs="+")
    parser.add_argument("--tegula", default="build/all/bin/tegula", type=os.path.abspath)
    parser.add_argument("--device", action="append", help="repeat for more (default: cpu)")
    parser.add_argument("--filter", default="", help="a regular expression for FILE::KERNEL")
    parser.add_argument("--every", type=int, default=1, help="only each n-th kernel")
    parser.add_argument("--seconds", type=int, default=60, help="of processor time for one run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    records = [r for file in args.accepted for r in json.load(open(file)) if "error" not in r]
    records = [r for r in records if re.search(args.filter, r["file"] + "::" + r["kernel"])][:: args.every]
    args.device = args.device or ["cpu"]
    counts, results = collections.defaultdict(collections.Counter), []
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        for record, verdicts in zip(records, pool.map(judge_kernel, [args] * len(records), records)):
            kernel = f"{record['file']}::{record['kernel']}"
            for device, (verdict, message) in zip(args.device, verdicts):
                counts[device][verdict] += 1
                results.append({"device": device, "kernel": kernel, "verdict": verdict, "message": message})
                if verdict in ("differ", "refused"):
                    print(f"{device} {verdict}: {kernel}: {message}", flush=True)
            if args.output:
                pathlib.Path(args.output).write_text(json.dumps(results, indent=1))
    for device in args.device:
        print(f"{device}: {len(records)} kernels; " + ", ".join(f"{n} {v}" for v, n in counts[device].most_common()))
    return 1 if any(c["differ"] for c in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
