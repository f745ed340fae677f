"""Configurations of kernels: `autotune` measures which is best, `heuristics` computes constants from the arguments."""

import functools
import os
import sys

from . import arrays, errors, testing
from .kernel import Launchable


class Config:
    """Constants, warps and stages of a kernel."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None):
        self.kwargs, self.num_warps, self.num_stages = dict(kwargs), num_warps, num_stages
        self.num_ctas, self.maxnreg, self.pre_hook, self.ir_override = num_ctas, maxnreg, pre_hook, ir_override

    def all_kwargs(self):
        return {**self.kwargs, "num_warps": self.num_warps, "num_stages": self.num_stages}

    def __str__(self):
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())


class _Wrapper(Launchable):
    """A kernel with something before its launch. `fn` is the kernel, or a wrapper of it."""

    def __init__(self, fn):
        if not isinstance(fn, Launchable):
            raise errors.UseError(f"'{getattr(fn, '__name__', fn)}' is no kernel: @jit has to stand below @autotune "
                                  "and @heuristics")
        self.fn = fn
        functools.update_wrapper(self, fn, updated=())
        self.arg_names = fn.arg_names

    def named(self, arguments, named):
        """All arguments by name, without defaults."""
        return {**dict(zip(self.arg_names, arguments)), **named}


class Heuristics(_Wrapper):
    def __init__(self, fn, values):
        super().__init__(fn)
        self.values = values

    def run(self, *arguments, grid, **named):
        given = self.named(arguments, named)
        for name, compute in self.values.items():
            given[name] = compute(given)
        return self.fn.run(grid=grid, **given)


class Autotuner(_Wrapper):
    """Launches with the fastest configuration for the values of the arguments in `key` and the arrays' types."""

    def __init__(self, fn, configs, key, reset_to_zero, restore_value, prune, rep):
        super().__init__(fn)
        self.configs, self.keys = list(configs) or [Config({})], list(key)
        self.reset_to_zero, self.restore_value = list(reset_to_zero), list(restore_value)
        self.prune, self.rep = prune, rep
        self.cache = {}
        self.best_config = None

    def run(self, *arguments, grid, **named):
        given = self.named(arguments, named)
        key = self._key(given)
        if key not in self.cache:
            self.cache[key] = self._fastest(given, grid)
        config = self.best_config = self.cache[key]
        return self._launch(config, given, grid)

    def _key(self, given):
        unknown = [name for name in self.keys if name not in self.arg_names]
        if unknown:
            raise errors.UseError(f"the key '{unknown[0]}' of @autotune is no parameter of kernel '{self.__name__}'")
        types = tuple(str(value.dtype) for value in given.values() if arrays.is_array(value))
        return (*(given.get(name) for name in self.keys), *types, str(given.get("device")))

    def _fastest(self, given, grid):
        configs = self.configs
        early = (self.prune or {}).get("early_config_prune")
        if early:
            configs = list(early(configs, given, **given))
        if len(configs) == 1:
            return configs[0]
        kept = {name: given[name].copy() if hasattr(given[name], "copy") else given[name].clone()
                for name in self.restore_value}
        seconds = {config: self._measure(config, given, grid, kept) for config in configs}
        best = min(configs, key=seconds.get)
        if seconds[best] == float("inf"):
            best = configs[0]  # its launch says why
        if os.environ.get("TRITON_PRINT_AUTOTUNING") == "1":
            print(f"autotuning of {self.__name__}: best of {len(configs)} is {best}, {seconds[best]:.4g} ms",
                  file=sys.stderr)
        return best

    def _measure(self, config, given, grid, kept):
        def launch():
            for name, before in kept.items():
                given[name][...] = before
            self._launch(config, given, grid)

        try:
            milliseconds = testing.do_bench(launch, warmup=0, rep=self.rep)
        except (errors.CompilationError, errors.DeviceError):
            milliseconds = float("inf")
        for name, before in kept.items():
            given[name][...] = before
        return milliseconds

    def _launch(self, config, given, grid):
        for name in self.reset_to_zero:
            given[name][...] = 0
        twice = [name for name in config.kwargs if name in given]
        if twice:
            raise errors.UseError(f"the constant '{twice[0]}' of kernel '{self.__name__}' is given by the launch and "
                                  "by its configurations")
        merged = {**given, **config.all_kwargs()}
        if config.pre_hook:
            config.pre_hook(merged)
        return self.fn.run(grid=grid, **merged)


def autotune(configs, key=(), prune_configs_by=None, reset_to_zero=None, restore_value=None, rep=20, **others):
    """Measures each of `configs` at the first launch with new values of the arguments in `key`, for `rep` milliseconds.
    Launches while it measures are real: name arguments that a kernel reads and writes in `restore_value`, and those it
    adds to in `reset_to_zero`. `others` are further options of Triton's and not used."""
    return lambda fn: Autotuner(fn, configs, key, reset_to_zero or (), restore_value or (), prune_configs_by, rep)


def heuristics(values):
    """`values`: functions by the name of the constant that they compute; each gets the arguments by name."""
    return lambda fn: Heuristics(fn, values)
