"""The goals of tests/bench/hopper_goals.py, measured by two packages in turns, section by section, so that what drifts
cancels in the ratio of the two."""
import json
import pathlib
import statistics

from gpu_run.command import run
from gpu_run.tests import left_out, part

SECTIONS = ("products", "shapes", "types", "attention", "gradients", "variations", "launches")
LIMIT = 300  # s, of one section


def turn(script, package, section, peers, options, environment, scratch, log):
    """The ratios of one process by goal, or why there are none."""
    found = pathlib.Path(scratch) / "goals.json"
    found.unlink(missing_ok=True)
    command = [peers.python, script, "--package", package.folder, "--only", section, "--processes", 1, "--json", found]
    if options.tutorial:
        command += ["--tutorial", options.tutorial]
    answer = run(command, limit=LIMIT, environment={**environment, "PYTHONPATH": str(package.folder / "python")},
                 log=log)
    if not found.is_file():  # it ends with 1 where a goal falls short, too
        raise RuntimeError(f"{section}: {answer.ending(LIMIT) or 'no ratios'}: {answer.message()}")
    return {record["goal"]: record["ratio"] for record in json.loads(found.read_text(encoding="utf-8"))}


def run_goals(root, packages, device, peers, options, environment, scratch, log):
    """(parts, rows): `packages` are ours and the one before."""
    if not device["name"].startswith("cuda") or peers is None or peers.index_for(device) is None:
        return [left_out("goals", "they are NVIDIA's, beside PyTorch")], []
    script, rows, wrong = root / "tests" / "bench" / "hopper_goals.py", [], []
    for section in SECTIONS:
        turns = {who: [] for who in packages}
        try:
            for _ in range(options.rounds):
                for who, package in packages.items():
                    turns[who].append(turn(script, package, section, peers, options, environment, scratch, log))
        except RuntimeError as error:
            wrong.append(str(error))
        ours, before = turns.values()
        for goal in ours[0] if ours else []:
            pairs = [(mine[goal], its[goal]) for mine, its in zip(ours, before) if goal in mine and goal in its]
            if not pairs:
                continue
            rows.append({"section": section, "goal": goal, "ours": statistics.median(mine for mine, _ in pairs),
                         "before": statistics.median(its for _, its in pairs),
                         "ratio": statistics.median(mine / its for mine, its in pairs), "turns": pairs})
            print(f"  {goal:30} {rows[-1]['ours']:.3f} {rows[-1]['before']:.3f} {rows[-1]['ratio']:.3f}", flush=True)
    if wrong:
        return [part("goals", "failed", detail="\n".join(wrong))], rows
    if not rows:
        return [left_out("goals", "no section gave a ratio")], rows
    least = min(rows, key=lambda row: row["ratio"])
    return [part("goals", "passed", detail=f"least {least['ratio']:.3f} of before: {least['goal']}")], rows
