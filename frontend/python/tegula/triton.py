"""Programs that say `import triton` run with this package:

    import tegula.triton; tegula.triton.install()      # at the start of a program
    python -m tegula.triton script.py ARGUMENTS...     # for a program that knows Triton only
    python -m tegula.triton -m pytest ARGUMENTS...     # for a module
"""

import importlib.machinery
import os
import runpy
import sys
import types

# The Triton whose names these are, for programs that compare versions.
VERSION = "3.6.0"


def _driver():
    """`triton.runtime.driver.active`, as far as it is about PyTorch's devices."""
    from . import pytorch

    return types.SimpleNamespace(
        get_active_torch_device=pytorch.active_torch_device, get_current_device=pytorch.current_device,
        get_current_target=pytorch.current_target, get_device_interface=pytorch.device_interface,
        get_current_stream=pytorch.current_stream_of,
        utils=types.SimpleNamespace(get_device_properties=pytorch.device_properties))


def _never_raised(base, *names):
    """Exceptions that programs catch; here `base` itself is raised, or nothing."""
    return {name: type(name, (base,), {"__doc__": "Never raised."}) for name in names}


def _made():
    """The modules of Triton that have no module here behind them: their names."""
    from . import compiler, descriptor, errors, kernel, pytorch, tensors, tuning
    from ._abi import version

    kernels = {"JITFunction": kernel.JITFunction, "KernelInterface": kernel.Launchable,
               "MockTensor": tensors.MockTensor, "TensorWrapper": tensors.TensorWrapper,
               "reinterpret": tensors.reinterpret}
    tuners = {"Autotuner": tuning.Autotuner, "Heuristics": tuning.Heuristics, "Config": tuning.Config,
              "autotune": tuning.autotune, "heuristics": tuning.heuristics, "OutOfResources": errors.OutOfResources,
              "InterpreterError": errors.KernelFault}
    compilers = {"CompiledKernel": compiler.Code, "ASTSource": compiler.ASTSource, "compile": compiler.compile,
                 "triton_key": lambda: f"tegula {version()}"}
    driver = _driver()
    failures = {"CompilationError": errors.CompilationError,
                **_never_raised(errors.CompilationError, "CompileTimeAssertionFailure", "UnsupportedLanguageConstruct")}
    at_run_time = {"TritonError": errors.TritonError, "OutOfResources": errors.OutOfResources,
                   "InterpreterError": errors.KernelFault,
                   **_never_raised(errors.TritonError, "PTXASError", "AutotunerError")}
    return {
        "runtime": {**kernels, **tuners}, "runtime.jit": {**kernels, "jit": kernel.jit}, "runtime.autotuner": tuners,
        "runtime.errors": at_run_time, "runtime.cache": {"triton_key": compilers["triton_key"]},
        "runtime.driver": {"active": driver, "driver": types.SimpleNamespace(active=driver)},
        "compiler": {**compilers, **failures}, "compiler.compiler": compilers, "compiler.errors": failures,
        # None of Triton's own code generators: torch.compile finds that it cannot generate kernels with this package.
        "backends": {"backends": {}}, "backends.compiler": {"GPUTarget": pytorch.GPUTarget},
        "tools": {}, "tools.tensor_descriptor": {"TensorDescriptor": descriptor.TensorDescriptor},
    }


def _own():
    """The modules of Triton that are modules here."""
    from . import errors, knobs, language, profiler, testing

    modules = {"errors": errors, "testing": testing, "knobs": knobs, "language": language,
               "profiler": profiler, "profiler.viewer": profiler.viewer}
    for name in ("core", "math", "random", "standard", "extra", "target_info"):
        modules["language." + name] = getattr(language, name)
    libdevice = language.extra.libdevice
    modules["language.extra.libdevice"] = libdevice
    for vendor in language.extra.VENDORS:
        modules[f"language.extra.{vendor}"] = getattr(language.extra, vendor)
        modules[f"language.extra.{vendor}.libdevice"] = libdevice
    return modules


def _module(name):
    """An empty module that `import` and importlib take for one of a package."""
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    module.__path__ = []
    return module


def _children():
    """The folder with the `triton` of processes that a program starts."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "children")


def install():
    """`triton` and its modules become this package in the whole process; a Triton that was imported before is an
    error."""
    import tegula

    present = sys.modules.get("triton")
    if getattr(present, "tegula", None) is tegula:
        return
    if present is not None:
        raise RuntimeError(f"triton was imported before, from {getattr(present, '__file__', 'somewhere')}; call "
                           "tegula.triton.install() first")
    root = _module("triton")
    root.__dict__.update({name: value for name, value in vars(tegula).items() if not name.startswith("_")})
    root.__version__, root.tegula = VERSION, tegula
    root.__file__ = os.path.join(_children(), "triton", "__init__.py")
    root.KernelInterface, root.InterpreterError = tegula.kernel.Launchable, tegula.errors.KernelFault
    modules = {"triton": root}
    for name, names in _made().items():
        module = modules["triton." + name] = _module("triton." + name)
        module.__dict__.update(names)
    modules.update({"triton." + name: module for name, module in _own().items()})
    for name, module in modules.items():
        parent, _, last = name.rpartition(".")
        if parent and not hasattr(modules[parent], last):
            setattr(modules[parent], last, module)
    for name in ("runtime", "compiler", "tools", "backends"):
        setattr(root, name, modules["triton." + name])
    sys.modules.update(modules)


def _include_children():
    """Processes that the program starts find this package, too, when they import Triton; by PYTHONPATH, or by the path
    that multiprocessing gives them."""
    sys.path.insert(1, _children())
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (_children(), os.environ.get("PYTHONPATH"))))


def main():
    arguments = sys.argv[1:]
    is_module = arguments[:1] == ["-m"]
    if len(arguments) < 1 + is_module or (arguments[0].startswith("-") and not is_module):
        sys.exit("usage: python -m tegula.triton [-m MODULE | SCRIPT.py] [ARGUMENTS...]")
    install()
    _include_children()
    sys.argv = arguments[is_module:]
    if is_module:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        if not getattr(sys.flags, "safe_path", False):
            sys.path[0] = os.path.dirname(os.path.realpath(sys.argv[0]))
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
