"""Compiles the kernels that judge.py accepted with `tegula compile`, and tabulates the failures by cause.

    measure.py accepted.json [...] --tegula=build/all/bin/tegula --target=cpu [--target=...] [-o failures.json]

Files, imports, autotune and heuristics are as their authors wrote them: the command line gives types, values that
heuristics look at, and constants that neither supplies. With --supplied it gives all constants: then only the language
decides. A table row is a message with its names and numbers taken out.
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

MEMORY = 6 << 30  # bytes for one compilation; assemblers of some targets take all that there is for some kernels


def constant(value):
    if isinstance(value, dict):
        return "tl." + value["type"]
    return f"'{value}'" if isinstance(value, str) else str(value)


def command(args, record, target):
    root = pathlib.Path(record["root"])
    types = [t if value is None else f"{t}={value}" for _, t, value in record["signature"]]
    words = [args.tegula, "compile", f"{root / record['file']}::{record['kernel']}", "--target=" + target]
    if types:
        words.append("--signature=" + ", ".join(types))
    constants = {**record["constants"], **(record["supplied"] if args.supplied else {})}
    for name, value in constants.items():
        words += ["--const", f"{name}={constant(value)}"]
    for folder in [root, root / "src", root / "python"]:
        if folder.is_dir():
            words.append(f"--module-path={folder}")
    if args.supplied:
        for option in ("num_warps", "num_stages"):
            if option in record["options"]:
                words.append(f"--{option.replace('_', '-')}={record['options'][option]}")
    return words


def cause(text):
    """The message without what differs from kernel to kernel."""
    found = re.search(r"error: (.*)", text)
    line = found.group(1) if found else text.strip().split("\n")[-1]
    inner = re.findall(r"error: (.*)", text)[-1] if found else line  # the reason of a decorator that is not evaluated
    line = line if inner == line or "cannot be evaluated" not in line else "decorator: " + inner
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'", "'_'", line))[:150]


def compile_one(words, seconds):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
                          preexec_fn=limit) as process:
        try:
            text, _ = process.communicate(timeout=seconds)
            return process.returncode == 0, text
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with the assemblers that it has started
            return False, f"error: not compiled after {seconds} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("accepted", nargs="+")
    parser.add_argument("--tegula", default="build/all/bin/tegula")
    parser.add_argument("--target", action="append")
    parser.add_argument("--supplied", action="store_true", help="give the constants of autotune and heuristics, too")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--filter", default="", help="a regular expression for FILE::KERNEL")
    parser.add_argument("--every", type=int, default=1, help="only each n-th kernel")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--show", type=int, default=30)
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    records = [r for file in args.accepted for r in json.load(open(file)) if "error" not in r]
    records = [r for r in records if re.search(args.filter, r["file"] + "::" + r["kernel"])][:: args.every]
    failures = []
    for target in args.target or ["cpu"]:
        causes = collections.defaultdict(list)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            words = [command(args, r, target) for r in records]
            results = pool.map(lambda w: compile_one(w, args.seconds), words)
            for record, line, (good, text) in zip(records, words, results):
                if good:
                    continue
                kernel = f"{record['file']}::{record['kernel']}"
                causes[cause(text)].append(kernel)
                failures.append({"target": target, "kernel": kernel, "command": line, "text": text})
        bad = sum(map(len, causes.values()))
        print(f"{target}: {len(records) - bad} of {len(records)} ({100 * (1 - bad / max(1, len(records))):.1f}%)")
        for text, kernels in sorted(causes.items(), key=lambda item: -len(item[1]))[: args.show]:
            print(f"{len(kernels):5} {text}\n        {kernels[0]}")
    if args.output:
        with open(args.output, "w") as file:
            json.dump(failures, file, indent=1)


if __name__ == "__main__":
    main()
