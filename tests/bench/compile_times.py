#!/usr/bin/env python3
"""What cases of the suite take to compile, by `tegula compile --time-passes`, each in a process of its own.

Prints a table, a row for each kernel: the slowest of its cases. Each case counts with the best of its runs, since other
processes take time too; with --limit or --median there are no more of them than it takes to stay below. Fails where a
case takes longer than --limit, or the median of all longer than --median.

    compile_times.py build/all/bin --filter='samples/*' --runs=5
    compile_times.py build/all/bin --shard=0/10 --median=20
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile


def cases_of(options, folder):
    listed = os.path.join(folder, "cases.json")
    command = [os.path.join(options.bin, "conformance_test"), "--list", "--json", listed]
    command += ["--filter", options.filter] if options.filter else []
    command += ["--shard", options.shard] if options.shard else []
    subprocess.run(command, check=True)
    with open(listed) as file:
        return json.load(file)


def command_of(options, case):
    command = [os.path.join(options.bin, "tegula"), "compile", case["file"] + "::" + case["kernel"],
               "--target", options.target, "--signature", case["signature"], "--num-warps", str(case["num_warps"]),
               "--emit", "spirv" if options.target.startswith("spirv") else "ptx", "--time-passes"]
    for name, value in case["constants"].items():
        command += ["--const", name + "=" + value]
    return command


def milliseconds(command, folder):
    """The total time of one whole compilation; no cache is used."""
    environment = dict(os.environ, TEGULA_CACHE_DIR=folder, TRITON_ALWAYS_COMPILE="1")
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
    total = re.search(r"^total +([0-9.]+)", done.stderr, re.MULTILINE)
    if done.returncode != 0 or not total:
        raise SystemExit("compile_times: " + " ".join(command) + "\n" + done.stderr)
    return float(total.group(1))


def best(options, command, folder):
    enough = min((limit for limit in (options.limit, options.median) if limit), default=None)
    taken = milliseconds(command, folder)
    for _ in range(options.runs - 1):
        if enough and taken < enough:
            break
        taken = min(taken, milliseconds(command, folder))
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", help="folder of tegula and conformance_test")
    parser.add_argument("--target", default="spirv:sg8")
    parser.add_argument("--filter", help="as conformance_test's")
    parser.add_argument("--shard", help="as conformance_test's")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--limit", type=float, help="milliseconds that a case may take")
    parser.add_argument("--median", type=float, help="milliseconds that half of the cases may take")
    options = parser.parse_args()
    slowest, every = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases_of(options, folder):
            taken = best(options, command_of(options, case), folder)
            every.append(taken)
            key = os.path.basename(os.path.dirname(case["file"])) + "/" + case["kernel"]
            slowest[key] = max(slowest.get(key, (0, "")), (taken, case["name"]))
    print("| kernel | ms |\n|---|---|")
    for key, (taken, _) in sorted(slowest.items()):
        print(f"| `{key}` | {taken:.1f} |")
    median = statistics.median(every)
    most = sorted(every)[int(0.95 * (len(every) - 1))]
    print(f"{len(every)} cases, median {median:.1f} ms, 95% below {most:.1f} ms, maximum {max(every):.1f} ms")
    limit = options.limit or float("inf")
    wrong = [f"{name} takes {taken:.1f} ms" for taken, name in slowest.values() if taken > limit]
    if options.median and median > options.median:
        wrong.append(f"the median is {median:.1f} ms")
    for text in wrong:
        print("too long:", text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
