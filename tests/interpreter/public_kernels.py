"""Launches public kernels with made-up arguments on a device and in Triton's own interpreter, and compares.

    public_kernels.py accepted.json [...] --tegula=build/all/bin/tegula [--device=cpu ...] [-o results.json]

`accepted.json` comes from tests/corpus/judge.py: kernels of checked-out repositories, with types and constants. Run by
a Python that has triton 3.6, packaging, pyyaml and a NumPy before 2. Each kernel gets arrays of 2^17 elements: floats
are multiples of 1/8 in [-1, 1], integers are small, or grow in steps where the name says that they are offsets. Of
several sets of arguments (made_up.py) the first counts with which the CPU's checked mode finds all accesses inside, the
interpreter runs the kernel in time, and the result does not depend on the order of programs or of the elements of a
store. Then all arrays are compared: integers bit for bit, floats within the error that another order of additions makes
(TOLERANCE, relative to the array's largest value, for each precision). Kernels that store nothing do not count as
agreeing. Exit status: 1 if one differs.

With --save=launches.json the launches that agree on the first device, in any order of programs, and those that the
interpreter cannot run, are written for compiled_kernels.py, which compares with Triton's compiled result on a GPU.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

from made_up import ATTEMPTS, element_type, launch
from public_reference import interpreted

TOLERANCE = {"f16": 4e-3, "f32": 2e-5, "f64": 2e-5}  # f64 arrays may hold what was computed in f32


def tegula(args, record, words, seconds):
    command = [args.tegula, "run", f"{record['root']}/{record['file']}::{record['kernel']}", "--no-autotune", *words]
    # With TRITON_INTERPRET, which is set for Triton in this process, every launch would be a checked one.
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        try:
            text, _ = process.communicate(timeout=seconds)
            return process.returncode, text
        except subprocess.TimeoutExpired:
            process.kill()
            return 1, f"error: not done after {seconds} s"


def deviation(kind, expected, actual):
    """By element: for floats the difference, relative to the array's largest value; else infinite where they differ."""
    if kind not in TOLERANCE:
        return np.where(expected == actual, 0, np.inf)
    finite = expected[np.isfinite(expected)].astype(np.float64)
    both = np.isfinite(expected) & np.isfinite(actual)
    apart = np.abs(np.where(both, expected, 0).astype(np.float64) - np.where(both, actual, 0))
    same = (expected == actual) | (np.isnan(expected) & np.isnan(actual))
    return np.where(both, apart / max(1.0, np.abs(finite).max(initial=0)), np.where(same, 0, np.inf))


def difference(name, kind, expected, actual):
    """One line on the elements that differ; empty where none does."""
    wrong = np.flatnonzero(deviation(kind, expected, actual) > TOLERANCE.get(kind, 0))
    if not len(wrong):
        return ""
    first = wrong[0]
    return f"{name} ({kind}): {len(wrong)} differ: [{first}] is {actual[first]}, the interpreter has {expected[first]}"


def message_of(text):
    return (re.findall(r"error: (.*)", text) or text.strip().split("\n") or [""])[-1][:200]


def order_matters(args, record, attempt, arrays, values, folder):
    """Whether the interpreter's result changes if it runs the programs from the last one to the first."""
    if interpreted(record, attempt, arrays, values, folder, args.seconds, isReversed=True):
        return False
    read = lambda which: [(folder / f"{name}.{which}.npy").read_bytes() for name in arrays]
    return read("interpreted") != read("reversed")


def compare(args, record, device, words, arrays, folder):
    """Verdict and message of one device, where the interpreter's arrays lie in the folder."""
    outs = [f"--out={name}={folder / name}.out.npy" for name in arrays]
    code, text = tegula(args, record, [f"--device={device}", *words, *outs], 5 * args.seconds)
    if code:
        return "refused", message_of(text)
    kinds = {name: element_type(kind) for name, kind, _ in record["signature"] if kind.startswith("*")}
    lines = []
    for name in arrays:
        expected, actual = (np.load(folder / f"{name}.{which}.npy") for which in ("interpreted", "out"))
        lines.append(difference(name, kinds[name], expected, actual))
    return ("differ", "; ".join(filter(None, lines))) if any(lines) else ("agree", "")


def attempt_kernel(args, record, devices, attempt, folder):
    """For each of the devices the verdict and message of one set of arguments."""
    same = lambda verdict, message="": {device: (verdict, message) for device in devices}
    words, arrays, values = launch(record, attempt, folder)
    code, text = tegula(args, record, ["--device=cpu", "--check", *words], args.seconds)
    if code:
        return same("not launched", message_of(text))
    message = interpreted(record, attempt, arrays, values, folder, args.seconds)
    if message:
        return same("not ordered" if "NoOrder" in message else "not interpreted", message)
    if all((folder / f"{n}.interpreted.npy").read_bytes() == (folder / f"{n}.npy").read_bytes() for n in arrays):
        return same("stores nothing")
    verdicts = {device: compare(args, record, device, words, arrays, folder) for device in devices}
    settled = ("differ", "agree") if args.save else ("differ",)
    isTelling = any(verdict in settled for verdict, _ in verdicts.values())
    if isTelling and order_matters(args, record, attempt, arrays, values, folder):
        return same("not ordered", "programs read or write what others write")
    return verdicts


def judge_kernel(args, record):
    """For each device verdict, message and number of the first set of arguments that tells, else that is launched."""
    os.environ["TRITON_INTERPRET"] = "1"  # read when triton is imported
    import triton  # once, before the forks

    settled, first = {}, {}
    for number, attempt in enumerate(ATTEMPTS):
        left = [device for device in args.device if device not in settled]
        with tempfile.TemporaryDirectory() as folder:
            verdicts = attempt_kernel(args, record, left, attempt, pathlib.Path(folder))
        verdicts = {device: (*verdict, number) for device, verdict in verdicts.items()}
        settled.update({d: v for d, v in verdicts.items() if v[0] in ("agree", "differ")})
        first = {**verdicts, **{d: v for d, v in first.items() if v[0] != "not launched"}}
        if len(settled) == len(args.device):
            break
    return [settled.get(device, first[device]) for device in args.device]


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
    parser.add_argument("--save", help="a file for the launches that agree on the first device")
    args = parser.parse_args()
    records = [r for file in args.accepted for r in json.load(open(file)) if "error" not in r]
    records = [r for r in records if re.search(args.filter, r["file"] + "::" + r["kernel"])][:: args.every]
    args.device = args.device or ["cpu"]
    counts, results, launches = collections.defaultdict(collections.Counter), [], []
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        for record, verdicts in zip(records, pool.map(judge_kernel, [args] * len(records), records)):
            kernel = f"{record['file']}::{record['kernel']}"
            for device, (verdict, message, number) in zip(args.device, verdicts):
                counts[device][verdict] += 1
                results.append({"device": device, "kernel": kernel, "verdict": verdict, "message": message})
                if verdict in ("differ", "refused"):
                    print(f"{device} {verdict}: {kernel}: {message}", flush=True)
                if verdict in ("agree", "not interpreted") and device == args.device[0]:
                    launches.append({**record, "attempt": number, "interpreter": message or "agrees"})
            for file, content in ((args.output, results), (args.save, launches)):
                if file:
                    pathlib.Path(file).write_text(json.dumps(content, indent=1))
    for device in args.device:
        print(f"{device}: {len(records)} kernels; " + ", ".join(f"{n} {v}" for v, n in counts[device].most_common()))
    return 1 if any(c["differ"] for c in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
