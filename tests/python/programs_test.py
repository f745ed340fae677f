"""What programs reach for around launches: hooks, compilation ahead of time, tuners of their own, Triton's modules."""
import inspect
import os
import pickle
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import numpy as np

import tegula
import tegula.language as tl
import tegula.profiler


@tegula.jit(launch_metadata=lambda grid, kernel, values: {"bytes": 4 * values["n"], "launched": kernel.name})
def double(x, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


@tegula.jit
def add_to(x, total, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.atomic_add(total + at, tl.load(x + at, mask=at < n), mask=at < n)


class Hooks(unittest.TestCase):
    def test_hooks_see_each_launch(self):
        seen = []
        runtime = tegula.knobs.runtime
        x = np.ones(10, np.float32)
        double[(1,)](x, 10, B=16)
        runtime.launch_enter_hook.add(lambda metadata: seen.append(("enter", x[0], metadata.get())))
        runtime.launch_exit_hook = lambda metadata: seen.append(("exit", x[0], metadata.get()))
        try:
            for _ in range(2):
                launched = double[(1,)](x, 10, B=16)
                self.assertEqual(launched.metadata.name, "double")
            self.assertEqual(double.warmup(x, 10, B=16, grid=(1,)).metadata.name, "double")
        finally:
            runtime.launch_enter_hook = runtime.launch_exit_hook = None
        double[(1,)](x, 10, B=16)
        self.assertEqual([(kind, value) for kind, value, _ in seen],
                         [("enter", 2), ("exit", 4), ("enter", 4), ("exit", 8)])
        self.assertEqual(x[0], 16)
        metadata = seen[0][2]
        self.assertEqual((metadata["name"], metadata["grid"], metadata["bytes"], metadata["launched"]),
                         ("double", (1, 1, 1), 40, "double"))


class Measurement(unittest.TestCase):
    def test_events_of_pytorch_measure_its_gpu(self):
        """With a PyTorch that counts: a call of the function takes 2 ms, emptying the cache 100 ms."""
        clock, calls = [0.0], []

        def work(name, milliseconds):
            calls.append(name)
            clock[0] += milliseconds

        class Event:
            def __init__(self, enable_timing):
                self.at = None

            def record(self):
                self.at = clock[0]

            def elapsed_time(self, end):
                return end.at - self.at

        cuda = types.SimpleNamespace(is_available=lambda: True, Event=Event,
                                     synchronize=lambda: calls.append("wait"))
        torch = types.SimpleNamespace(cuda=cuda, int32="int32", empty=lambda *shape, **options: types.SimpleNamespace(
            zero_=lambda: work("empty", 100)))
        tensor = types.SimpleNamespace(grad=1)
        with unittest.mock.patch.dict(sys.modules, torch=torch):
            times = tegula.testing.do_bench(lambda: work("call", 2), warmup=8, rep=10, grad_to_none=[tensor],
                                            return_mode="all")
        self.assertEqual((times, tensor.grad), ([2.0] * 5, None))
        self.assertEqual(calls, ["call"] * (1 + 5) + ["wait"] + ["call"] * 4 + ["empty", "call"] * 5 + ["wait"])


class Compilation(unittest.TestCase):
    def test_for_any_target(self):
        source = tegula.ASTSource(double, {"x": "*fp32", "n": "i32", "B": "constexpr"}, {"B": 64},
                                  {(0,): [["tt.divisibility", 16]]})
        compiled = tegula.compile(source, target="cpu", options={"num_warps": 2})
        self.assertEqual((compiled.name, compiled.metadata.target, compiled.metadata.num_warps), ("double", "cpu", 2))
        self.assertIn("tile.divisibility = 16", compiled.asm["ttir"])
        self.assertGreater(len(compiled.kernel), 100)
        self.assertEqual(source.types(), "*fp32:16, i32")

    def test_what_is_refused(self):
        with self.assertRaisesRegex(tegula.errors.UseError, "kernel 'double' has no parameter 'y'; it has x, n, B"):
            tegula.ASTSource(double, {"y": "*fp32"})
        with self.assertRaisesRegex(tegula.errors.UseError, "no type for parameter 'n' of kernel 'double'"):
            tegula.compile(tegula.ASTSource(double, {"x": "*fp32"}, {"B": 64}), target="cpu")
        with self.assertRaisesRegex(tegula.errors.UseError, "unknown target 'abacus'"):
            tegula.compile(tegula.ASTSource(double, {"x": "*fp32", "n": "i32"}, {"B": 64}), target="abacus")

    def test_what_a_target_has_too_little_of(self):
        source = tegula.ASTSource(double, {"x": "*fp32", "n": "i32"}, {"B": 64})
        try:
            tegula.compile(source, target="gfx942", options={"num_warps": 32})  # of 64 threads
        except tegula.OutOfResources as error:
            self.assertEqual((error.required, error.limit, error.name), (2048, 1024, "threads"))
            self.assertEqual(os.path.abspath(error.file), os.path.abspath(__file__))
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((again.required, again.limit, again.name, str(again)), (2048, 1024, "threads", str(error)))
        except tegula.errors.UseError as error:
            self.assertIn("unknown target", str(error))  # built without it
        else:
            self.fail("it compiled")
        of_triton = tegula.OutOfResources(300, 200, "shared memory")
        self.assertIn("out of resource: shared memory, required: 300, hardware limit: 200", str(of_triton))


@tegula.jit
def copy_blocks(x, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B
    out.store([at], x.load([at]))


class Tuning(unittest.TestCase):
    def tuned(self, **options):
        configs = [tegula.Config({"B": 16}), tegula.Config({"B": 64}), tegula.Config({"B": 32})]
        return tegula.autotune(configs, key=["n"], rep=1, **options)(add_to)

    def test_sums_are_right_while_configurations_are_measured(self):
        x, total = np.arange(16, dtype=np.float32), np.ones(16, np.float32)
        kernel = self.tuned(restore_value=["total"])
        for launches in (1, 2):
            kernel[(1,)](x, total, 16)
            np.testing.assert_array_equal(total, 1 + launches * x)
        total[:] = 5
        kernel = self.tuned(reset_to_zero=["total"])
        kernel[(1,)](x, total, 16)
        np.testing.assert_array_equal(total, x)
        kernel[(1,)](x, total, 16)
        np.testing.assert_array_equal(total, 2 * x)

    def test_hooks_models_and_measurements_of_the_program(self):
        calls = []

        def bench(launch, quantiles):
            launch()
            calls.append(len(quantiles))
            return [1.0 / len(calls)] * 3  # the last is the fastest

        kernel = self.tuned(do_bench=bench, pre_hook=lambda given, reset_only=False: calls.append(("pre", reset_only)),
                            post_hook=lambda given, exception: calls.append(("post", exception)),
                            prune_configs_by={"perf_model": lambda B, **others: -B, "top_k": 2})
        kernel[(1,)](np.ones(16, np.float32), np.zeros(16, np.float32), 16)
        measured = [("pre", False), ("post", None), 3]
        self.assertEqual(calls, measured * 2 + [("pre", True)])
        self.assertEqual(kernel.best_config.kwargs["B"], 32)

    def test_hooks_of_configurations_give_descriptors_their_blocks(self):
        def block(given):
            given["x"].block_shape, given["out"].block_shape = [given["B"]], [given["B"]]

        configs = [tegula.Config({"B": size}, pre_hook=block) for size in (16, 32, 64)]
        kernel = tegula.autotune(configs, key=["n"], rep=1)(copy_blocks)
        x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
        tiles = [tegula.TensorDescriptor.from_tensor(array, [1]) for array in (x, out)]
        for _ in range(2):
            out[:] = 0
            kernel[lambda meta: (tegula.cdiv(100, meta["B"]),)](*tiles, 100)
            np.testing.assert_array_equal(out, x)

    def test_names_in_the_key_that_are_no_parameters(self):
        kernel = tegula.autotune([tegula.Config({"B": 16}), tegula.Config({"B": 32})], key=["size", "n"], rep=1,
                                 restore_value=["total"])(add_to)
        for n in (16, 15, 16):
            kernel[(1,)](np.ones(16, np.float32), np.zeros(16, np.float32), n)
        self.assertEqual(len(kernel.cache), 2)

    def test_a_class_of_the_program(self):
        class Fixed(tegula.Autotuner):
            def run(self, *arguments, **named):
                self.cache[(16, "float32", "float32")] = self.configs[1]
                return super().run(*arguments, **named)

        kernel = Fixed(add_to, add_to.arg_names, [tegula.Config({"B": 16}), tegula.Config({"B": 128})], ["n"], None,
                       None, pre_hook=None, post_hook=None, prune_configs_by=None)
        kernel[(1,)](np.ones(16, np.float32), np.zeros(16, np.float32), 16)
        self.assertEqual(kernel.best_config.kwargs["B"], 128)
        compiled = kernel.warmup(np.ones(16, np.float32), np.zeros(16, np.float32), 16, grid=(1,))
        self.assertEqual([code.name for code in compiled], ["add_to"] * 2)
        self.assertEqual((sorted(kernel.nargs), kernel.nargs["n"]), (["n", "total", "x"], 16))
        computed = tegula.heuristics({"B": lambda given: tegula.next_power_of_2(given["n"])})(double)
        self.assertEqual(computed.warmup(np.ones(10, np.float32), 10, grid=(1,)).name, "double")


PROGRAM = """
import sys
import triton, triton.language as tl
import triton.backends.compiler, triton.compiler.compiler, triton.runtime.cache
import triton.tools.tensor_descriptor
from triton.language.extra import libdevice
from triton.language.extra.cuda.libdevice import rsqrt
from triton.language.math import tanh
from triton.runtime.autotuner import Autotuner, OutOfResources
from triton.runtime.errors import OutOfResources as same
from triton.runtime.jit import JITFunction, KernelInterface
from triton.compiler import ASTSource, CompilationError
import numpy as np

@triton.jit
def kernel(x, B: tl.constexpr):
    at = tl.arange(0, triton.next_power_of_2(B))
    tl.store(x + at, libdevice.rsqrt(tl.load(x + at)))

import triton.runtime.jit as jit_module
from triton.runtime.driver import driver
assert jit_module.JITFunction is JITFunction is triton.runtime.jit.JITFunction and jit_module.jit is triton.jit
assert driver.active.get_current_device() == 0
assert OutOfResources is same and issubclass(Autotuner, KernelInterface) and isinstance(kernel, JITFunction)
assert tuple(int(part) for part in triton.__version__.split(".")) >= (3, 2, 0)
assert triton.backends.backends == {}
assert kernel.arg_names == ["x", "B"] and kernel.fn.__name__ == "kernel" and "libdevice.rsqrt" in kernel.src
assert triton.runtime.driver.active.get_current_target().backend == "cpu"
assert [(p.num, p.name, p.has_default) for p in kernel.params] == [(0, "x", False), (1, "B", False)]
assert (kernel.module, kernel.noinline, triton.jit(noinline=True)(kernel.fn).noinline) == (__name__, False, True)
import triton.profiler as profiler, triton.profiler.viewer as viewer
@profiler.scope("function")
def marked():
    return 3
stderr, sys.stderr = sys.stderr, sys.stdout
assert profiler.start("program", hook="triton") == 0
sys.stderr = stderr
with profiler.scope("launch", {"bytes": 3}):
    profiler.deactivate(0)
assert marked() == 3 and profiler.profile(marked) is profiler.profile(name="x")(marked) is marked
profiler.finalize()
viewer.print_tree(*viewer.parse(["time/ms"], "program.hatchet"))
assert triton.JITFunction[int] and triton.KernelInterface[int]
triton.set_allocator(None)
assert triton.backends.compiler.GPUTarget("cpu", "cpu", 1) == triton.runtime.driver.active.get_current_target()
assert {"sm_clock_rate", "mem_clock_rate", "mem_bus_width", "max_threads_per_sm"} <= set(
    triton.runtime.driver.active.utils.get_device_properties(0))
assert __import__("os").path.exists(triton.__file__)
assert not triton.knobs.runtime.interpret and not triton.knobs.autotuning.print
try:
    triton.testing.get_dram_gbps()
except RuntimeError as error:
    assert "how fast its memory is" in str(error)
for name in ("CompileTimeAssertionFailure", "UnsupportedLanguageConstruct"):
    assert issubclass(getattr(triton.compiler.errors, name), CompilationError)
for name in ("PTXASError", "AutotunerError", "InterpreterError", "OutOfResources", "TritonError"):
    assert issubclass(getattr(triton.runtime.errors, name), triton.TritonError)
triton.set_allocator(lambda size, alignment, stream: None)
x = np.full(8, 4, np.float32)
kernel[(1,)](x, B=8)
assert (x == 0.5).all() and len(kernel.cache) == 1, x
print("done", sys.argv[1:], __name__)
"""


NOTHING = tegula.profiler.NOTHING + "\n"
BESIDE = """
import numpy as np
import triton
import triton.language as tl

@triton.jit
def double(x):
    tl.store(x + tl.arange(0, 2), tl.load(x + tl.arange(0, 2)) * 2)

def launch(queue=None):
    x = np.ones(2, np.float32)
    double[(1,)](x)
    queue.put(x.tolist()) if queue else print(x.tolist(), flush=True)
"""
PARENT = """
import multiprocessing, subprocess, sys
import beside

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    process = context.Process(target=beside.launch, args=(queue,))
    process.start()
    print(queue.get(), flush=True)
    process.join()
    subprocess.run([sys.executable, "-c", "import beside; beside.launch()"], cwd=sys.path[0])
"""


class Triton(unittest.TestCase):
    def run_program(self, *command, folder):
        environment = {**os.environ, "TEGULA_DEVICE": "cpu"}
        return subprocess.run([sys.executable, "-m", "tegula.triton", *command], cwd=folder, env=environment,
                              capture_output=True, text=True)

    def test_programs_and_modules(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "program.py"), "w") as file:
                file.write(PROGRAM)
            for command in (["program.py"], ["-m", "program"]):
                result = self.run_program(*command, "--size", "3", folder=folder)
                self.assertEqual((result.stdout, result.stderr), (NOTHING * 2 + "done ['--size', '3'] __main__\n", ""))
            result = self.run_program(folder=folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("usage: python -m tegula.triton", result.stderr)

    def test_folders_and_processes_of_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "scripts"))
            for name, text in (("beside.py", BESIDE), ("program.py", PARENT)):
                with open(os.path.join(folder, "scripts", name), "w") as file:
                    file.write(text)
            result = self.run_program(os.path.join("scripts", "program.py"), folder=folder)
        self.assertEqual((result.stdout, result.stderr), ("[2.0, 2.0]\n" * 2, ""))

    def test_names_are_no_traps_for_tools(self):
        """pickle and inspect ask every module for every name."""
        self.assertFalse(hasattr(tl.extra.libdevice, "torch"))
        self.assertEqual(list(inspect.signature(tl.core.view).parameters), ["arguments", "named"])
        pickle.dumps(unittest.TestCase)


if __name__ == "__main__":
    unittest.main()
