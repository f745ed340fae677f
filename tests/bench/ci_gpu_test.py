"""ci/gpu with fake programs that pass, fail, hang, crash or leave cases out: its verdicts and ratios. This file
defines the programs' answers; nothing of Tegula runs. usage: ci_gpu_test.py SOURCE_DIR"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

GPU = pathlib.Path(sys.argv.pop(1)).resolve() / "ci" / "gpu"

DEVICES = {"devices": [
    {"name": "cuda:0", "description": "Good GPU 9000, large", "target": "sm_90a", "memoryBytes": 1, "isRealGpu": True,
     "properties": {}},
    {"name": "vulkan:0", "description": "Good GPU 9000 through Vulkan", "target": "spirv:sg32", "memoryBytes": 1,
     "isRealGpu": True, "properties": {}},
    {"name": "vulkan:1", "description": "A CPU", "target": "spirv:sg8", "memoryBytes": 1, "isRealGpu": False,
     "properties": {}},
    {"name": "cpu", "description": "A CPU", "target": "cpu", "memoryBytes": 0, "isRealGpu": False, "properties": {}},
], "absent": [{"backend": "rocm", "reason": "no library"}]}

TEGULA = """\
import json, sys
if sys.argv[1] == "devices":
    print("a driver's warning")
    print(json.dumps(%r))
elif "sm" in os.environ.get("TARGETS", "") or os.environ["TEGULA_DEVICE"] == "cpu":
    pass
else:
    sys.exit("unknown target 'sm_90a'")
""" % DEVICES

PASSING = 'print("[  PASSED  ] 12 tests.\\n[  SKIPPED ] 1 test, listed below:")'
RUN_ALL = '#!/bin/sh\necho "10 results, 0 wrong"\n'

# Answers each case with its entry of CASES: our rates, the peers' rates, and whether the case is a small one.
SERVER = """\
import json, time
cases = json.loads(os.environ["CASES"])
if "--list" in sys.argv:
    print("\\n".join(name + ("  (quick)" if case[2:] else "") for name, case in cases.items()))
for line in sys.stdin if "--serve" in sys.argv else []:
    name = line.strip()
    for record in WHICH(cases[name]):
        if record == "hang":
            time.sleep(60)
        if record == "crash":
            os.abort()
        print(json.dumps({"case": name, "unit": "GB/s", "error": None, "ms": 1.0, **record}), flush=True)
    print("some library's words")
    print(json.dumps({"done": name}), flush=True)
"""

PYTHON = """\
import json
if "-c" in sys.argv:
    print("FACTS", "2.11", "3.6", "9", "Other GPU|Good GPU 9000", sep="\\t")
    sys.exit()
if sys.argv[1].endswith("tests/bench/hopper_goals.py"):  # ours is 4% slower, but in one section
    section, before = sys.argv[sys.argv.index("--only") + 1], "before" in os.environ["PYTHONPATH"]
    if section == "types":
        sys.exit(1)
    with open(sys.argv[sys.argv.index("--json") + 1], "w") as file:
        json.dump([{"goal": section, "ratio": 1.0 if before or section == "shapes" else 0.96}], file)
    sys.exit()
assert sys.argv[1].endswith("tests/bench/peers.py") and sys.argv[-1] == "1", sys.argv
"""


def record(who, value, **more):
    return {"who": who, "value": value, **more}


class CiGpu(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        self.write("bin/tegula", TEGULA)
        self.write("tests/bin/conformance_test", 'print("12 passed, 0 failed, 0 skipped in 1.0 s")')
        self.write("tests/bin/device_test", PASSING)
        self.write("tests/bin/vulkan_driver_test", PASSING)
        self.write("tests/bin/vulkan_driver_bench", 'print(sys.argv[1] + ": fill 1234 GB/s")')
        self.write("tests/bin/gpu_bench", SERVER.replace("WHICH", "(lambda case: case[0])"))
        self.write("python", PYTHON + SERVER.replace("WHICH", "(lambda case: case[1])"))
        (self.folder / "samples").mkdir()
        self.samples(RUN_ALL)
        self.cases = {"copy/256MiB": [[record("tegula", 3000.0)], [record("torch", 2900.0)]],
                      "small": [[record("tegula", 2.0)], [record("torch", 1.0)], "quick"],
                      "vector_add/x": [[record("tegula", 2850.0)], [record("torch", 3000.0), record("triton", 1000.0)]]}

    def tearDown(self):
        self.scratch.cleanup()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{sys.executable}\nimport os, sys\n{text}\n")
        path.chmod(0o755)

    def samples(self, text):
        (self.folder / "samples" / "run-all").write_text(text)
        (self.folder / "samples" / "run-all").chmod(0o755)

    def run_gpu(self, *options, expect, **environment):
        out = self.folder / "out"
        done = subprocess.run(
            [str(GPU), "--package", str(self.folder), "--out", str(out), "--python", str(self.folder / "python"),
             *options],
            env={**os.environ, "CASES": json.dumps(self.cases), **environment}, capture_output=True, text=True,
            timeout=120, check=False)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        self.output = done.stdout + done.stderr
        if expect == 2:
            return None
        self.text = (out / "results.txt").read_text()
        results = json.loads((out / "results.json").read_text())
        self.parts = {(device["name"], part["name"]): part for device in results["devices"] for part in device["parts"]}
        self.rows = {(device["name"], case["case"], row["who"]): row for device in results["devices"]
                     for case in device["benchmarks"] for row in case["rows"]}
        return results

    def status(self, device, part):
        return self.parts[device, part]["status"]

    def test_all_is_well(self):
        results = self.run_gpu(expect=0)
        self.assertTrue(results["good"])
        self.assertEqual(self.status("cuda:0", "device_test"), "passed")
        self.assertEqual(self.parts["cuda:0", "device_test"]["counts"], {"passed": 12, "failed": 0, "skipped": 1})
        self.assertEqual(self.status("cuda:0", "conformance"), "passed")
        self.assertEqual(self.status("cuda:0", "samples"), "passed")
        self.assertEqual(self.status("cpu", "conformance"), "passed")
        self.assertEqual(self.status("cpu", "samples"), "passed")
        self.assertEqual(self.status("vulkan:0", "vulkan_driver_test"), "passed")
        self.assertIn("they ran with vulkan:0", self.parts["vulkan:1", "tests"]["detail"])
        self.assertIn("vulkan_driver_bench on vulkan:0: fill 1234 GB/s", self.text)
        self.assertNotIn(("vulkan:1", "vulkan_driver_bench"), self.parts)
        self.assertAlmostEqual(self.rows["vulkan:0", "vector_add/x", "torch"]["ratio"], 0.95)
        add = self.rows["cuda:0", "vector_add/x", "torch"]
        self.assertEqual(len(add["turns"]), 3)
        self.assertAlmostEqual(add["ratio"], 0.95)
        self.assertAlmostEqual(self.rows["cuda:0", "vector_add/x", "triton"]["ratio"], 2.85)
        self.assertIsNone(self.rows["cuda:0", "vector_add/x", "tegula"]["ratio"])
        self.assertRegex(self.text, r"vector_add/x +tegula +1\.0000 +2850\.0 +GB/s +- +0\.950")
        self.assertIn("no device of rocm: no library", self.text)
        self.assertEqual(results["peers"]["torch"], "2.11")

    def test_a_failed_test_fails_and_the_rest_runs(self):
        self.write("tests/bin/device_test", 'print("[  PASSED  ] 3 tests.\\n[  FAILED  ] 1 test"); sys.exit(1)')
        self.run_gpu(expect=1)
        self.assertEqual(self.status("cuda:0", "device_test"), "failed")
        self.assertEqual(self.parts["cuda:0", "device_test"]["counts"]["failed"], 1)
        self.assertEqual(self.status("cuda:0", "benchmarks"), "passed")

    def test_crashes_and_hangs_are_failures(self):
        self.write("tests/bin/device_test", PASSING + "; sys.stdout.flush(); os.abort()")
        self.write("tests/bin/conformance_test", "import time; time.sleep(100)")
        self.samples("#!/bin/sh\nexit 1\n")
        self.run_gpu("--patience", "0.005", "--only", "tests", "--only", "conformance", "--only", "samples", expect=1)
        self.assertIn("SIGABRT", self.parts["cuda:0", "device_test"]["detail"])
        self.assertIn("it ran past 3 s", self.parts["cpu", "conformance"]["detail"])
        self.assertEqual(self.status("cpu", "samples"), "failed")

    def test_no_test_is_no_success(self):
        self.write("tests/bin/conformance_test", "pass")
        self.write("tests/bin/device_test", 'print("[  PASSED  ] 0 tests.\\n[  SKIPPED ] 2 tests, listed below:")')
        self.run_gpu(expect=1)
        self.assertEqual(self.status("cpu", "conformance"), "failed")
        self.assertEqual(self.status("cuda:0", "device_test"), "left out")
        (self.folder / "tests/bin/device_test").unlink()
        (self.folder / "tests/bin/conformance_test").unlink()
        (self.folder / "tests/bin/gpu_bench").unlink()
        self.run_gpu("--device", "cuda:0", "--only", "tests", "--only", "conformance", expect=1)  # nothing was tested
        self.assertEqual({part["status"] for part in self.parts.values()}, {"left out"})

    def test_lines_in_the_tools_of_nvidia(self):
        self.run_gpu("--device", "cuda:0", "--only", "tests", expect=0, PATH="/usr/bin:/bin")
        names = ("lines in compute-sanitizer", "lines in Nsight Compute")
        sanitizer = 'print("===== Invalid __global__ write of size 4 bytes\\n=====  at put+0x70 in FILE")'
        profiler = 'print("#,Source,Samples\\n==PROF== done")\n' + "\n".join(
            f"print('\"{line}\",\"{text}\",\"SAMPLES\"')" for line, text in
            ((19, "        total += tl.load(x + start + tl.arange(0, BLOCK))  # load"),
             (20, "    tl.store(out + tl.arange(0, BLOCK), total)  # store")))
        for file, samples, status in (("/x/lines_of_kernels.py:7", "12", "passed"),
                                      ("/x/lines_of_kernels.py:11", "0", "failed")):
            self.write("tools/compute-sanitizer", sanitizer.replace("FILE", file))
            self.write("tools/ncu", profiler.replace("SAMPLES", samples))
            self.run_gpu("--device", "cuda:0", "--only", "tests", expect=status != "passed",
                         PATH=f"{self.folder}/tools:/usr/bin:/bin")
            self.assertEqual({self.status("cuda:0", name) for name in names}, {status})
        self.assertIn("no metrics for line 19", self.parts["cuda:0", names[1]]["detail"])

    def test_two_packages_in_turns(self):
        for name in ("bin/tegula", "tests/bin/gpu_bench"):
            self.write("before/" + name, (self.folder / name).read_text().split("\n", 2)[2].replace(
                "case[0]", "[{**case[0][0], 'value': 2 * case[0][0]['value']}]"))
        options = ("--device", "cuda:0", "--only", "benchmarks", "--only", "goals", "--rounds", "2")
        results = self.run_gpu(*options, "--against", str(self.folder / "before"), expect=1)
        before = self.rows["cuda:0", "vector_add/x", "before"]
        self.assertEqual((len(before["turns"]), before["ratio"]), (2, 0.5))
        self.assertEqual(self.status("cuda:0", "goals"), "failed")
        self.assertIn("types: it ended with status 1", self.parts["cuda:0", "goals"]["detail"])
        rows = {row["goal"]: row for row in results["devices"][0]["goals"]}
        self.assertEqual(set(rows), {"products", "shapes", "attention", "gradients", "variations", "launches"})
        self.assertAlmostEqual(rows["products"]["ratio"], 0.96)
        self.assertEqual(rows["shapes"]["turns"], [[1.0, 1.0]] * 2)
        self.assertRegex(self.text, r"products +0\.960 +1\.000 +0\.960 +0\.960 0\.960")
        self.run_gpu(*options, expect=2)
        self.assertIn("goals are measured with --against FOLDER alone", self.output)

    def test_benchmarks_go_on_after_a_failed_case(self):
        self.cases = {"a": [["crash"], [record("torch", 1.0)]], "b": [["hang"], [record("torch", 1.0)]],
                      "c": [[record("tegula", None, error="wrong result: element 3")], [record("torch", 1.0)]],
                      "d": [[record("tegula", None, left_out="not here")], [record("torch", 1.0)]],
                      "e": [[record("tegula", 2.0)], ["crash"]], "f": [[record("tegula", 2.0)], [record("torch", 4.0)]]}
        self.run_gpu("--patience", "0.01", "--only", "benchmarks", "--device", "cuda:0", expect=1)
        detail = self.parts["cuda:0", "benchmarks"]["detail"]
        self.assertIn("a: it was ended by signal 6", detail)
        self.assertIn("b: no answer within 2 s", detail)
        self.assertIn("c: wrong result: element 3", detail)
        self.assertEqual(self.parts["cuda:0", "benchmarks"]["counts"], {"passed": 2, "failed": 3, "skipped": 1})
        self.assertEqual(self.rows["cuda:0", "d", "tegula"]["left_out"], "not here")
        self.assertIn("signal 6", self.rows["cuda:0", "e", "peers"]["error"])
        self.assertEqual(self.rows["cuda:0", "f", "torch"]["ratio"], 0.5)

    def test_small_cases_where_there_is_no_gpu(self):
        self.run_gpu("--only", "benchmarks", expect=0)
        self.assertEqual(self.rows["cpu", "small", "tegula"]["value"], 2.0)
        self.assertNotIn(("cpu", "small", "torch"), self.rows)
        self.assertNotIn(("cuda:0", "small", "tegula"), self.rows)
        self.run_gpu("--only", "benchmarks", "--quick", "--device", "cuda:0", expect=0)
        self.assertEqual({row[1] for row in self.rows}, {"small"})
        self.assertEqual(len(self.rows["cuda:0", "small", "torch"]["turns"]), 1)
        self.run_gpu("--only", "benchmarks", "--cases", "vector_add/x", "--device", "cuda:0", expect=0)
        self.assertEqual({row[1] for row in self.rows}, {"vector_add/x"})

    def test_bad_use(self):
        self.run_gpu("--device", "cuda:7", expect=2)
        self.assertIn("there is no device 'cuda:7'; `tegula devices` finds cuda:0, vulkan:0, vulkan:1, cpu",
                      self.output)
        self.run_gpu("--package", "/nowhere", expect=2)
        self.assertIn("'/nowhere' is no package", self.output)
        self.run_gpu("--rounds", "0", expect=2)
        self.write("bin/tegula", "sys.exit('broken')")
        self.run_gpu(expect=2)
        self.assertIn("broken", self.output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
