"""Benchmarks of one device: gpu_bench, an older package's gpu_bench and peers.py take turns in each case, so that drift
cancels in their ratio."""
import glob
import shutil
import statistics
import sys

from gpu_run.command import Server, ServerFailed, run
from gpu_run.tests import left_out, part

FIRST_LIMIT = 240  # s, of the first turn of a case: arrays are made, kernels compiled and checked
LIMIT = 60         # s, of the others
PROBE = """
import torch
names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
try:
    import triton
    version = triton.__version__
except ImportError:
    version = "none"
cudnn = torch.backends.cudnn.version() if names else None
print("FACTS", torch.__version__, version, cudnn, "|".join(names), sep="\\t")
"""


class Peers:
    """A python3 that has PyTorch and sees GPUs."""

    def __init__(self, python, script, facts, gpus):
        self.python, self.script, self.facts, self.gpus = python, script, facts, gpus

    def index_for(self, device):
        """Which of PyTorch's GPUs a device is, by its number and its name; None where none is."""
        _, _, number = device["name"].partition(":")
        order = [int(number or 0), *range(len(self.gpus))]
        return next((i for i in order if i < len(self.gpus) and self.gpus[i] in device["description"]), None)


def find_peers(root, named, log):
    """The first python3 whose PyTorch finds a GPU, or None."""
    places = [named] if named else [shutil.which("python3"), sys.executable, *sorted(glob.glob("/opt/*/bin/python3")),
                                    *sorted(glob.glob("/opt/*/.venv/bin/python3")), "/usr/local/bin/python3",
                                    "/usr/bin/python3"]
    for python in dict.fromkeys(place for place in places if place and shutil.which(place)):
        answer = run([python, "-c", PROBE], limit=120, log=log)
        line = next((line for line in answer.output.splitlines() if line.startswith("FACTS\t")), None)
        if answer.status != 0 or not line:
            continue
        _, torch, triton, cudnn, names = line.split("\t")
        if names:
            facts = {"python": python, "torch": torch, "triton": triton, "cudnn": cudnn, "gpus": names.split("|")}
            return Peers(python, root / "tests" / "bench" / "peers.py", facts, names.split("|"))
    return None


def chosen_cases(program, options, is_small, environment, log):
    """Names of the cases to run, in gpu_bench's order."""
    answer = run([program, "--list"], limit=60, environment=environment, log=log)
    lines = [line.split() for line in answer.output.splitlines() if line.strip()]
    if options.cases:
        wanted = options.cases.split(",")
        return [line[0] for line in lines if line[0] in wanted]
    return [line[0] for line in lines if (len(line) > 1) == is_small]


class Turns:
    """The figures of one case, turn after turn."""

    def __init__(self, name):
        self.name, self.rows, self.ours = name, {}, None

    def add(self, records):
        for record in records:
            row = self.rows.setdefault(record["who"], {"who": record["who"], "unit": record["unit"], "turns": [],
                                                       "error": None, "left_out": None, "max_error": None})
            row["error"] = row["error"] or record.get("error")
            row["left_out"] = row["left_out"] or record.get("left_out")
            row["unit"] = row["unit"] or record["unit"]
            row["max_error"] = record.get("max_error")
            if record.get("value") is not None:
                row["turns"].append({"ms": record["ms"], "value": record["value"]})

    def fail(self, who, error):
        self.add([{"who": who, "unit": None, "error": error}])

    def result(self):
        """Medians, and ours over each peer turn by turn."""
        ours = self.rows.get("tegula", {}).get("turns", [])
        for row in self.rows.values():
            turns = row["turns"]
            row["ms"] = statistics.median(turn["ms"] for turn in turns) if turns else None
            row["value"] = statistics.median(turn["value"] for turn in turns) if turns else None
            pairs = list(zip(ours, turns))
            row["ratio"] = (statistics.median(mine["value"] / its["value"] for mine, its in pairs)
                            if pairs and row["who"] != "tegula" else None)
        return {"case": self.name, "rows": list(self.rows.values())}


def answer_of(who, server, name, limit):
    """A case's records; what an older package calls tegula is `before`."""
    records = server.ask(name, limit)
    return [{**record, "who": "before"} for record in records] if who == "before" else records


def run_case(name, ours, before, theirs, rounds):
    turns = Turns(name)
    servers = {"tegula": ours, "before": before, "peers": theirs}
    for number in range(rounds):
        limit = FIRST_LIMIT if number == 0 else LIMIT
        for who, server in servers.items():
            if server is None or (who in turns.rows and turns.rows[who]["error"]):
                continue
            try:
                turns.add(answer_of(who, server, name, limit))
            except ServerFailed as error:
                turns.fail(who, str(error))
        mine = turns.rows.get("tegula")
        if mine and mine["left_out"]:
            break  # nothing to compare with
        if mine and mine["error"] and theirs is None and before is None:
            break
    return turns.result()


def show(case):
    for row in case["rows"]:
        figure = f"{row['value']:10.1f} {row['unit']:8}" if row["value"] is not None else ""
        ratio = f" ours is {row['ratio']:.3f} of it" if row["ratio"] is not None else ""
        why = row["error"] or row["left_out"] or ""
        line = f"  {case['case']:30} {row['who']:14} {figure}{ratio} {why.splitlines()[0] if why else ''}"
        print(line.rstrip(), flush=True)


def run_cases(package, before, device, peers, options, environment, log):
    """(parts, cases); `before`: the older package, or None"""
    program = package.program("gpu_bench")
    if not program:
        return [left_out("benchmarks", "gpu_bench is not in the package")], []
    is_small = options.quick or not device["isRealGpu"]
    names = chosen_cases(program, options, is_small, environment, log)
    if not names:
        return [part("benchmarks", "failed", detail="gpu_bench has none of the cases asked for")], []
    index = peers.index_for(device) if peers and device["isRealGpu"] else None
    ours = Server([program, "--serve", "--device", device["name"]], environment, log)
    older = before and before.program("gpu_bench")
    old = Server([older, "--serve", "--device", device["name"]], environment, log) if older else None
    theirs = None
    if index is not None:
        theirs = Server([peers.python, peers.script, "--serve", "--index", index], environment, log)
    cases = []
    try:
        for name in names:
            cases.append(run_case(name, ours, old, theirs, 1 if options.quick else options.rounds))
            show(cases[-1])
    finally:
        for server in (ours, old, theirs):
            if server:
                server.close()
    # A peer that fails is told in the table; only ours decides.
    wrong = [f"{case['case']}: {row['error']}" for case in cases for row in case["rows"]
             if row["who"] == "tegula" and row["error"]]
    measured = sum(row["value"] is not None for case in cases for row in case["rows"] if row["who"] == "tegula")
    skipped = len(cases) - measured - len(wrong)
    counts = {"passed": measured, "failed": len(wrong), "skipped": skipped}
    if wrong:
        return [part("benchmarks", "failed", detail="\n".join(wrong), counts=counts)], cases
    if not measured:
        return [part("benchmarks", "left out", detail="no case runs on this device", counts=counts)], cases
    return [part("benchmarks", "passed", detail=f"{measured} right, {skipped} left out", counts=counts)], cases
