"""Makes `import triton` give this package.

    import tegula.triton; tegula.triton.install()      # at the start of a program
    python -m tegula.triton script.py ARGUMENTS...     # for a program that knows Triton only
"""

import runpy
import sys
import types


def _driver():
    """`triton.runtime.driver.active`, as far as it is about PyTorch's devices."""
    from . import tensors

    active = types.SimpleNamespace(get_active_torch_device=tensors.active_torch_device,
                                   get_current_device=tensors.current_device,
                                   get_current_target=tensors.current_target,
                                   utils=types.SimpleNamespace(get_device_properties=tensors.device_properties))
    driver = types.ModuleType("triton.runtime.driver")
    driver.active = active
    return driver


def _runtime():
    runtime = types.ModuleType("triton.runtime")
    from . import errors, kernel, tuning

    runtime.driver = _driver()
    runtime.JITFunction, runtime.Autotuner, runtime.Heuristics = kernel.JITFunction, tuning.Autotuner, tuning.Heuristics
    runtime.errors = errors
    return runtime


def install():
    """`triton` and its modules become this package in the whole process; a Triton that was imported before is an
    error."""
    import tegula
    from tegula import errors, language

    present = sys.modules.get("triton")
    if present is tegula:
        return
    if present is not None:
        raise RuntimeError(f"triton was imported before, from {getattr(present, '__file__', 'somewhere')}; call "
                           "tegula.triton.install() first")
    tegula.runtime = _runtime()
    tegula.compiler = types.ModuleType("triton.compiler")
    tegula.compiler.CompilationError = errors.CompilationError
    tegula.tools = types.ModuleType("triton.tools")
    tegula.tools.tensor_descriptor = types.ModuleType("triton.tools.tensor_descriptor")
    tegula.tools.tensor_descriptor.TensorDescriptor = tegula.TensorDescriptor
    modules = {"": tegula, ".testing": tegula.testing, ".runtime": tegula.runtime, ".runtime.errors": errors,
               ".runtime.driver": tegula.runtime.driver,
               ".compiler": tegula.compiler, ".tools": tegula.tools,
               ".tools.tensor_descriptor": tegula.tools.tensor_descriptor, ".language": language,
               ".language.core": language.core, ".language.math": language.math, ".language.extra": language.extra,
               ".language.random": language.random, ".language.standard": language.standard,
               ".language.extra.libdevice": language.extra.libdevice}
    for vendor in language.extra.VENDORS:
        modules[f".language.extra.{vendor}"] = getattr(language.extra, vendor)
        modules[f".language.extra.{vendor}.libdevice"] = language.extra.libdevice
    for name, module in modules.items():
        sys.modules["triton" + name] = module


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python -m tegula.triton SCRIPT.py [ARGUMENTS...]")
    install()
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
