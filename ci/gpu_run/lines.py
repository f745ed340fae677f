"""Whether NVIDIA's tools show lines of a kernel's source: compute-sanitizer the one of a store outside of all arrays,
Nsight Compute (ncu) the metrics of a loop's lines."""
import csv
import pathlib
import shutil

from gpu_run.command import run
from gpu_run.devices import backend
from gpu_run.tests import left_out, part

KERNELS = """\
import triton
import triton.language as tl


@triton.jit
def put(pointer, value):
    tl.store(pointer, value)  # outside


@triton.jit
def stray(out, far):
    put(out + far, 1.0)  # call


@triton.jit
def sums(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        total += tl.load(x + start + tl.arange(0, BLOCK))  # load
    tl.store(out + tl.arange(0, BLOCK), total)  # store
"""
FILE = "lines_of_kernels.py"
STRAY = ["out=empty:f32:16", f"far={1 << 40}"]
SUMS = ["x=rand:f32:1048576", "out=empty:f32:1024", "n=1048576", "BLOCK=1024"]
LIMIT = 300


def line_of(comment):
    return next(i for i, line in enumerate(KERNELS.splitlines(), 1) if line.endswith("# " + comment))


def tool(name):
    """Its path, or None."""
    return shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")


def wrong_of_sanitizer(output):
    """What its report lacks; empty where it is right."""
    if "Invalid __global__ write" not in output:
        return "it reports no invalid write"
    place = f"{FILE}:{line_of('outside')}"
    return "" if place in output else f"its report does not name {place}"


def is_positive(cell):
    try:
        return float(cell.replace(",", "")) > 0
    except ValueError:
        return False


def wrong_of_profiler(output):
    """Its table has a row for each line: number, text, metrics."""
    rows = list(csv.reader(line for line in output.splitlines() if line.startswith('"')))
    for comment in ("load", "store"):
        text = KERNELS.splitlines()[line_of(comment) - 1].strip()
        found = [row for row in rows if any(text in cell for cell in row)]
        if not any(is_positive(cell) for row in found for cell in row if text not in cell and cell != row[0]):
            return f"it has no metrics for line {line_of(comment)}, `{text}`"
    return ""


def checked(name, command, judge, environment, log):
    program = tool(command[0])
    if not program:
        return left_out(name, f"there is no {command[0]} here")
    answer = run([program, *command[1:]], LIMIT, environment, log)
    if "ERR_NVGPUCTRPERM" in answer.output:
        return left_out(name, "this user may not read the device's counters")
    wrong = "it ran past its limit" if answer.status is None else judge(answer.output)
    return part(name, "failed" if wrong else "passed", answer.seconds, f"{wrong}: {answer.tail()}" if wrong else "")


def run_parts(package, device, environment, scratch, log):
    if backend(device) != "cuda" or not device["isRealGpu"]:
        return []
    file = pathlib.Path(scratch) / FILE
    file.write_text(KERNELS)
    launch = [package.program("tegula"), "run", f"--device={device['name']}", "--grid=1"]
    return [checked("lines in compute-sanitizer", ["compute-sanitizer", *launch, f"{file}::stray", *STRAY],
                    wrong_of_sanitizer, environment, log),
            checked("lines in Nsight Compute",
                    ["ncu", "--section=SourceCounters", "--import-source=yes", "--page=source",
                     "--print-source=cuda,sass", "--csv", *launch, f"{file}::sums", *SUMS], wrong_of_profiler,
                    environment, log)]
