"""Compares launches of public kernels on a GPU with the same launches of what Triton's own compiler makes of them.

    compiled_kernels.py launches.json [...] --tegula=bin/tegula [--sources=FOLDER] [--device=cuda:0] [-o results.json]

`launches.json` comes from public_kernels.py --save: kernels of checked-out repositories with the arguments (made_up.py)
with which the CPU's result agrees with Triton's interpreter, or which the interpreter cannot run. `--sources` is the
folder that holds the repositories' folders, if they are not where they were. Run by a Python that has triton 3.6 and
PyTorch, which imports the kernels' own modules; modules that it lacks are stood in for (tests/corpus/stand_ins.py).
Autotune and heuristics play no part: the launch has all constants. All arrays are compared: integers bit for bit,
floats within TOLERANCE of the array's largest value. Where that fails, the coarsest format that the numbers pass
through in Triton's own IR decides (COARSE): "agree as bf16". Products of f32 are in TF32 on both sides, unless
TRITON_F32_DEFAULT names another precision; where they differ, both sides run again with `ieee`: "agree as ieee".
A kernel that differs and of which three runs by Triton do not agree has no defined order. Exit status: 1 if one
differs.
"""

import argparse
import collections
import contextlib
import importlib
import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import time
import types

import numpy as np

import isolated
from made_up import ATTEMPTS, element_type, launch
from numpy_tensor import mend_interpreter
from public_kernels import TOLERANCE, deviation, message_of, tegula
from public_reference import kernel_of, mend_for_public_kernels, range_with_options

import judge
import stand_ins

# Errors relative to the largest value, four units in the last place of a format: a value between two of its numbers is
# rounded to either one after another order of additions.
COARSE = {"tf32": 4e-3, "f16": 4e-3, "bf16": 1.6e-2, "f8E4M3FN": 0.25, "f8E5M2": 0.5}
NOT_RUN = "not run by Triton"


def coarsest_format(ttir):
    """The key of COARSE with the largest error that the numbers of a kernel in Triton's IR pass through, or none."""
    found = set(re.findall(r"arith\.truncf .* to (?:tensor<[\dx]+)?(b?f16)\b", ttir))
    found |= set(re.findall(r"tt\.fp_to_fp .*-> (?:tensor<[\dx]+)?(\w+)", ttir))
    if re.search(r"tt\.dot .*inputPrecision = tf32.* : tensor<[\dx]+f32> \*", ttir):
        found.add("tf32")
    return max(found & COARSE.keys(), key=COARSE.get, default="")


class Absent(stand_ins.Finder):
    """Stands in for modules that an import has not found, and what is below them."""

    def __init__(self):
        super().__init__(set())
        self.names = set()

    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        isAbsent = any(".".join(parts[:n]) in self.names for n in range(1, len(parts) + 1))
        return super().find_spec(name, path, target) if isAbsent else None


ABSENT = Absent()


def import_present(name):
    """The module, with objects in place of others that are not installed."""
    if ABSENT not in sys.meta_path:
        sys.meta_path.append(ABSENT)
    while True:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not error.name or error.name in ABSENT.names or error.name.split(".")[0] == name.split(".")[0]:
                raise
            ABSENT.names.add(error.name)


def import_file(path, root):
    """The module of a repository's file. Its outermost package is not executed, which imports models, layers and
    registers operators, unless the file does not do without."""
    name, folder = judge.module_name(path, root)
    for place in (folder, *map(str, judge.roots_of(root))):
        if place not in sys.path:
            sys.path.insert(0, place)
    package, _, inner = name.partition(".")
    if inner and package not in sys.modules:
        sys.modules[package] = types.ModuleType(package)
        sys.modules[package].__path__ = [f"{folder}/{package}"]
    try:
        return import_present(name)
    except Exception:
        for module in [m for m in sys.modules if m.split(".")[0] == package]:
            del sys.modules[module]
        return import_present(name)


class Side:
    """One way to run Triton: compiled, on a GPU, or interpreted, to try this script out where there is none."""

    def __init__(self, isCompiled):
        import torch
        import triton

        self.torch, self.isCompiled = torch, isCompiled
        self.place = "cuda" if isCompiled else "cpu"
        torch.set_num_threads(1)
        if isCompiled:
            triton.set_allocator(lambda size, _, stream: torch.empty(size, dtype=torch.int8, device=self.place))
        else:
            mend_interpreter()
            mend_for_public_kernels()

    def kernel(self, record):
        root = pathlib.Path(record["root"])
        module = import_file(root / record["file"], root)
        if not self.isCompiled:
            kernel = kernel_of(module, record["kernel"])
            kernel.fn.__globals__["range"] = range_with_options
            return kernel
        return judge.unwrap(getattr(module, record["kernel"]))[1]

    def run(self, record, attempt, arrays, values):
        """The arrays after the launch, and Triton's IR."""
        import triton.language as tl

        kernel = self.kernel(record)
        tensors = {name: self.torch.from_numpy(array.copy()).to(self.place) for name, array in arrays.items()}
        given = {k: getattr(tl, v["type"]) if isinstance(v, dict) else v for k, v in values.items()}
        options = {k: v for k, v in record["options"].items() if k in ("num_warps", "num_stages")}
        if self.isCompiled:
            kernel.device_caches.clear()  # they do not know of TRITON_F32_DEFAULT
        made = kernel[attempt["grid"]](**tensors, **{**(options if self.isCompiled else {}), **given})
        after = {name: tensor.cpu().numpy() for name, tensor in tensors.items()}
        return after, made.asm["ttir"] if self.isCompiled else ""


@contextlib.contextmanager
def alarm(seconds):
    """Ends this process if it takes longer: no handler in Python would run while a kernel does not end."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


@contextlib.contextmanager
def default_precision(name):
    """Of products of f32, for both sides; where the name is empty, each side's own default."""
    before = os.environ.get("TRITON_F32_DEFAULT", "")
    try:
        if name:
            os.environ["TRITON_F32_DEFAULT"] = name
        yield
    finally:
        os.environ["TRITON_F32_DEFAULT"] = before
        if not before:
            del os.environ["TRITON_F32_DEFAULT"]


def deviations(kinds, expected, actual):
    """For each array the largest deviation, and for the first array that is not within TOLERANCE a text."""
    found, text = {}, ""
    for name, kind in kinds.items():
        by_element = deviation(kind, expected[name], actual[name])
        found[name] = float(by_element.max(initial=0))
        wrong = np.flatnonzero(by_element > TOLERANCE.get(kind, 0))
        if len(wrong) and not text:
            at = wrong[0]
            text = f"{name} ({kind}): {len(wrong)} differ by up to {found[name]:.1e} of the largest value: "
            text += f"[{at}] is {actual[name][at]}, Triton has {expected[name][at]}"
    return found, text


def agrees(kinds, found, format_=""):
    """Whether arrays agree whose numbers pass through a format, by their largest deviations."""
    allowed = lambda kind: max(TOLERANCE[kind], COARSE.get(format_, 0)) if kind in TOLERANCE else 0
    return all(found[name] <= allowed(kind) for name, kind in kinds.items())


class Launch:
    """One launch of one kernel on both sides."""

    def __init__(self, args, record, folder):
        self.args, self.record, self.folder = args, record, folder
        self.attempt = ATTEMPTS[record["attempt"]]
        self.words, self.arrays, self.values = launch(record, self.attempt, folder)
        self.kinds = {name: element_type(kind) for name, kind, _ in record["signature"] if kind.startswith("*")}

    def by_triton(self):
        with alarm(self.args.seconds):
            return self.args.side.run(self.record, self.attempt, self.arrays, self.values)

    def by_tegula(self, device):
        """The arrays, or a message."""
        outs = [f"--out={name}={self.folder / name}.out.npy" for name in self.arrays]
        words = [f"--device={device}", *self.words, *outs]
        code, text = tegula(self.args, self.record, words, self.args.seconds)
        return message_of(text) if code else {n: np.load(self.folder / f"{n}.out.npy") for n in self.arrays}

    def compare(self, precision):
        """The verdict under one default precision, with the details of the comparison."""
        with default_precision(precision):
            start = time.monotonic()
            expected, ttir = self.by_triton()
            middle = time.monotonic()
            actual = self.by_tegula(self.args.device)
        told = {"format": coarsest_format(ttir), "triton_s": middle - start, "tegula_s": time.monotonic() - middle}
        if isinstance(actual, str):
            return {"verdict": "refused", "message": actual, **told}
        if all(expected[n].tobytes() == a.tobytes() for n, a in self.arrays.items()):
            return {"verdict": "stores nothing", "message": "", **told}
        found, text = deviations(self.kinds, expected, actual)
        told["deviation"] = max(found.values(), default=0)
        verdict = "differ"
        if agrees(self.kinds, found):
            verdict = "agree" + f" as {precision}" * bool(precision)
        elif told["format"] and agrees(self.kinds, found, told["format"]):
            verdict = f"agree as {told['format']}"
        return {"verdict": verdict, "message": text, **told, "expected": expected, "actual": actual}

    def judge(self):
        result = self.compare("")
        if result["verdict"] == "differ" and "tf32" in result["format"]:
            ieee = self.compare("ieee")
            result = ieee if ieee["verdict"].startswith("agree") else result
        if result["verdict"] == "differ":
            again = [self.by_triton()[0] for _ in range(2)]
            if not all(agrees(self.kinds, deviations(self.kinds, result["expected"], a)[0]) for a in again):
                return {**result, "verdict": "not ordered"}
            result["message"] += "; " + self.of_the_cpu(result["expected"], result["actual"])
        return result

    def of_the_cpu(self, expected, actual):
        """A third opinion."""
        third = self.by_tegula("cpu")
        if isinstance(third, str):
            return "the CPU: " + third
        both = {"Triton": expected, "Tegula": actual}
        near = {side: max(deviations(self.kinds, third, arrays)[0].values()) for side, arrays in both.items()}
        return "from the CPU " + ", ".join(f"{side} is {far:.1e} away" for side, far in near.items())


def judge_launch(args, record):
    """Verdict, message and details, as isolated.results wants them."""
    try:
        args.side = getattr(args, "side", None) or Side(not args.interpret)
        with tempfile.TemporaryDirectory() as folder:
            result = Launch(args, record, pathlib.Path(folder)).judge()
    except Exception as error:
        while error.__cause__:
            error = error.__cause__
        text = f"{type(error).__name__}: {str(error).strip()[-300:]}".replace("\n", " ")  # the reason is at the end
        return isolated.Last({"verdict": NOT_RUN, "message": text})  # after some errors the device is of no use
    return {k: v for k, v in result.items() if k not in ("expected", "actual")}


def read(args):
    """The launches, those that agree with the interpreter first."""
    records = [r for file in args.launches for r in json.load(open(file))]
    for record in records:
        if args.sources:
            record["root"] = os.path.join(args.sources, os.path.basename(record["root"]))
    records = [r for r in records if re.search(args.filter, r["file"] + "::" + r["kernel"])][:: args.every]
    return sorted(records, key=lambda r: r["interpreter"] != "agrees")[: args.limit]


def table(results, total):
    """Lines with the number of kernels of each verdict and repository."""
    roots = sorted({r["repository"] for r in results})
    counts = collections.Counter((r["verdict"], r["repository"]) for r in results)
    verdicts = collections.Counter(r["verdict"] for r in results)
    lines = [["verdict", *roots, "all"]]
    for verdict, count in verdicts.most_common():
        lines.append([verdict, *(str(counts[verdict, root]) for root in roots), str(count)])
    agreeing = sum(count for verdict, count in verdicts.items() if verdict.startswith("agree"))
    text = ["| " + " | ".join(line) + " |" for line in lines]
    text.insert(1, "|" + "---|" * len(lines[0]))
    return text + [f"{agreeing} of {len(results)} kernels agree; {total - len(results)} were not reached"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("launches", nargs="+")
    parser.add_argument("--tegula", default="build/all/bin/tegula", type=os.path.abspath)
    parser.add_argument("--device", default="cuda:0", help="Tegula's; Triton's is the first GPU")
    parser.add_argument("--sources", type=os.path.abspath, help="the folder of the repositories' folders")
    parser.add_argument("--filter", default="", help="a regular expression for FILE::KERNEL")
    parser.add_argument("--every", type=int, default=1, help="only each n-th launch")
    parser.add_argument("--limit", type=int, help="only the first n launches")
    parser.add_argument("--seconds", type=int, default=60, help="for one run of one kernel")
    parser.add_argument("--minutes", type=float, help="stop after so long")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--interpret", action="store_true", help="Triton's interpreter, to try this script out")
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    records, results = read(args), []
    if args.interpret:
        os.environ["TRITON_INTERPRET"] = "1"  # read when triton is imported
    import torch  # once, before the forks; no device is opened yet
    import triton

    end = time.monotonic() + (60 * args.minutes if args.minutes else float("inf"))
    for record, result in isolated.results(lambda r: judge_launch(args, r), records, args.jobs, end):
        if isinstance(result, isolated.Ended):
            result = {"verdict": NOT_RUN, "message": result.message}
        kernel, repository = f"{record['file']}::{record['kernel']}", os.path.basename(record["root"])
        results.append({"kernel": kernel, "repository": repository, "interpreter": record["interpreter"], **result})
        if not result["verdict"].startswith(("agree", "stores")):
            print(f"{result['verdict']}: {kernel}: {result['message']}", flush=True)
        if args.output:
            pathlib.Path(args.output).write_text(json.dumps(results, indent=1))
    print("\n".join(table(results, len(records))))
    return 1 if any(r["verdict"] == "differ" for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
