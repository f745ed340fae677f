"""Tests of one device: the driver's own, conformance, samples. A part is {name, status, seconds, detail, counts}, its
status passed, failed or left out."""
import os
import re

from gpu_run.command import run
from gpu_run.devices import backend

# Programs that test a backend's driver on its devices; the first chosen device of a backend runs them for all.
DRIVER_TESTS = {"cuda": ["device_test"], "vulkan": ["vulkan_driver_test"]}
# Programs of the C interface and of bundles, and random kernels, that run on every device, with their arguments:
# DEVICE is its name, FILE:NAME a file beside them. An exit status of 77 leaves one out.
PROGRAMS = {"": [["capi_device_test", "DEVICE"], ["capi_order_test", "DEVICE"], ["application", "DEVICE"],
                 ["kernel_fuzz", "--quiet", "--count=1000", "--device", "DEVICE"]],
            "cuda": [["cuda_driver", "FILE:numbers.tgb"]]}
# Programs that print what a backend's driver costs and reaches; they take a real GPU's name.
DRIVER_BENCHES = {"cuda": ["cuda_launch_bench"], "vulkan": ["vulkan_driver_bench"]}
# Variants of a device that run every conformance case, too: older targets' code, which newer devices run.
VARIANTS = {"cuda": ["compute_75", "compute_80"]}
LIMIT = 600


def part(name, status, seconds=0.0, detail="", counts=None):
    text = f"{name}: {status}" + (f" in {seconds:.0f} s" if seconds else "")
    print(text + (f": {detail.splitlines()[0]}" if detail else ""), flush=True)
    return {"name": name, "status": status, "seconds": round(seconds, 1), "detail": detail, "counts": counts or {}}


def left_out(name, why):
    return part(name, "left out", detail=why)


def counts_of(output):
    """How many tests of a GoogleTest program passed, failed and were skipped."""
    counts = {}
    for word in ("PASSED", "FAILED", "SKIPPED"):
        found = re.findall(rf"^\[\s*{word}\s*\] (\d+) tests?", output, re.MULTILINE)
        counts[word.lower()] = int(found[-1]) if found else 0
    return counts


def google_test(name, command, environment, log):
    answer = run(command, LIMIT, environment, log)
    counts, wrong = counts_of(answer.output), answer.ending(LIMIT)
    if wrong:
        return part(name, "failed", answer.seconds, f"{wrong}: {answer.tail()}", counts)
    if not counts["passed"]:
        if counts["skipped"]:
            reasons = re.findall(r"Skipped\n(.+)", answer.output)
            why = f"all its tests were skipped: {reasons[0] if reasons else ''}"
            return part(name, "left out", answer.seconds, why, counts)
        return part(name, "failed", answer.seconds, "it ran no test", counts)
    return part(name, "passed", answer.seconds, ", ".join(f"{n} {word}" for word, n in counts.items() if n), counts)


def conformance(package, device, variant, environment, scratch, log):
    name = f"conformance {variant}".strip()
    program = package.program("conformance_test")
    if not program:
        return left_out(name, "conformance_test is not in the package")
    results = os.path.join(scratch, "conformance.json")
    tested = f"{device['name']}/{variant}" if variant else device["name"]
    answer = run([program, "--device", tested, "--quiet", "--json", results], LIMIT, environment, log)
    wrong = answer.ending(LIMIT)
    total = re.search(r"(\d+) passed, (\d+) failed, (\d+) skipped", answer.output)
    counts = dict(zip(("passed", "failed", "skipped"), map(int, total.groups()))) if total else None
    if not wrong and not (counts and counts["passed"]):
        wrong = "it ran no case"
    return part(name, "failed" if wrong else "passed", answer.seconds,
                f"{wrong}: {answer.tail()}" if wrong else answer.tail(1), counts)


def whole_kernels(package, device, wanted, environment, scratch, log):
    parts = []
    if "conformance" in wanted:
        for variant in ["", *(VARIANTS.get(backend(device), []) if device["isRealGpu"] else [])]:
            parts.append(conformance(package, device, variant, environment, scratch, log))
    if "samples" in wanted:
        command = [package.run_all, "--build", package.folder, "--device", device["name"], "--out", scratch]
        answer = run(command, LIMIT, environment, log)
        wrong = answer.ending(LIMIT)
        parts.append(part("samples", "failed" if wrong else "passed", answer.seconds,
                          f"{wrong}: {answer.tail()}" if wrong else answer.tail(1)))
    return parts


def programs(package, device, environment, log):
    parts = []
    for name, *arguments in PROGRAMS[""] + PROGRAMS.get(backend(device), []):
        program = package.program(name)
        if not program:
            parts.append(left_out(name, "it is not in the package"))
            continue
        folder = os.path.dirname(program)
        command = [program] + [device["name"] if one == "DEVICE" else
                               os.path.join(folder, one.removeprefix("FILE:")) if one.startswith("FILE:") else one
                               for one in arguments]
        answer = run(command, LIMIT, environment, log)
        wrong = answer.ending(LIMIT)
        if answer.status == 77:
            parts.append(left_out(name, answer.tail(1)))
        else:
            parts.append(part(name, "failed" if wrong else "passed", answer.seconds,
                              f"{wrong}: {answer.tail()}" if wrong else answer.tail(1)))
    return parts


def driver_benches(package, device, environment, log):
    parts = []
    for name in DRIVER_BENCHES.get(backend(device), []) if device["isRealGpu"] else []:
        program = package.program(name)
        if not program:
            parts.append(left_out(name, "it is not in the package"))
            continue
        answer = run([program, device["name"]], LIMIT, environment, log)
        wrong = answer.ending(LIMIT)
        parts.append(part(name, "failed" if wrong else "passed", answer.seconds,
                          f"{wrong}: {answer.tail()}" if wrong else answer.output.strip()))
    return parts


def run_parts(package, device, chosen, wanted, environment, scratch, log):
    parts = []
    if "tests" in wanted:
        first = next(other for other in chosen if backend(other) == backend(device))
        names = DRIVER_TESTS.get(backend(device), [])
        if first is not device:
            parts.append(left_out("tests", f"they ran with {first['name']}"))
        elif not names:
            parts.append(left_out("tests", f"the {backend(device)} backend has none that need its device"))
        for name in names if first is device else []:
            program = package.program(name)
            parts.append(google_test(name, [program], environment, log)
                         if program else left_out(name, "it is not in the package"))
        parts += programs(package, device, environment, log)
    if "benchmarks" in wanted:
        parts += driver_benches(package, device, environment, log)
    return parts + whole_kernels(package, device, wanted, environment, scratch, log)
