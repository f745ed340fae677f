"""Configurations of kernels: `autotune` measures which is best, `heuristics` computes constants from the arguments."""

import concurrent.futures
import copy
import functools
import os
import sys
import threading
import time

from . import _devices as devices, errors, testing
from .buffers import Buffer
from .descriptor import TensorDescriptor
from .kernel import Launchable


_MILLISECONDS = 20  # of a measurement, unless `rep` says otherwise
_MOST_COMPILERS = 16  # threads: each compilation takes up to some hundred MiB


class Config:
    """Constants, warps and stages of a kernel."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None):
        self.kwargs, self.num_warps, self.num_stages = dict(kwargs), num_warps, num_stages
        self.num_ctas, self.maxnreg, self.pre_hook, self.ir_override = num_ctas, maxnreg, pre_hook, ir_override

    def all_kwargs(self):
        """As a launch takes them; what is not set is left out."""
        given = {**self.kwargs, "num_warps": self.num_warps, "num_stages": self.num_stages}
        if self.num_ctas not in (1, None):
            given["num_ctas"] = self.num_ctas
        if self.maxnreg is not None:
            given["maxnreg"] = self.maxnreg
        if self.ir_override is not None:
            given["ir_override"] = self.ir_override
        return given

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

    def _computed(self, arguments, named):
        """The arguments by position and by name, with the computed ones, which replace those that are given."""
        given = self.named(arguments, named)
        for name, compute in self.values.items():
            named[name] = given[name] = compute(given)
        is_replaced = not self.values.keys().isdisjoint(self.arg_names[:len(arguments)])
        return ((), given) if is_replaced else (arguments, named)

    def run(self, *arguments, grid, **named):
        arguments, named = self._computed(arguments, named)
        return self.fn.run(*arguments, grid=grid, **named)

    def warmup(self, *arguments, grid, **named):
        """Compiles for these arguments."""
        arguments, named = self._computed(arguments, named)
        return self.fn.warmup(*arguments, grid=grid, **named)


class Autotuner(_Wrapper):
    """Launches with the fastest configuration for the values of the arguments in `key` and the arrays' types. The
    parameters are those of `autotune`, in Triton's order: programs derive classes of their own."""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero=None, restore_value=None, pre_hook=None,
                 post_hook=None, prune_configs_by=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None,
                 cache_results=False):
        super().__init__(fn)
        self.configs, self.keys = list(configs) or [Config({})], list(key)
        self.reset_to_zero, self.restore_value = list(reset_to_zero or ()), list(restore_value or ())
        self.user_defined_pre_hook, self.user_defined_post_hook = pre_hook is not None, post_hook is not None
        self.pre_hook, self.post_hook = pre_hook or self._before, post_hook or self._after
        self.prune = prune_configs_by or {}
        self.rep, self.use_cuda_graph, self.do_bench = rep or _MILLISECONDS, use_cuda_graph, do_bench
        self.cache, self._copies_of_threads = {}, {}
        self.best_config = self.nargs = None

    def run(self, *arguments, grid, **named):
        self.nargs = dict(zip(self.arg_names, arguments))  # for hooks and models of the program
        given = self.named(arguments, named)
        key = self._key(given)
        config = self.cache.get(key)
        if config is None:
            config = self.cache[key] = self._fastest(given, grid)
            if len(self.configs) > 1:
                self.pre_hook({**given, **config.all_kwargs()}, reset_only=True)
        self.best_config = config
        if config.pre_hook or not config.kwargs.keys().isdisjoint(given):
            return self._launch(config, given, grid)
        return self.fn.run(*arguments, grid=grid, **{**named, **config.all_kwargs()})

    def warmup(self, *arguments, grid, **named):
        """Compiles all configurations for these arguments."""
        given = self.named(arguments, named)
        return [self.fn.warmup(grid=grid, **{**given, **config.all_kwargs()}) for config in self._candidates(given)]

    def _key(self, given):
        key = [given[name] for name in self.keys if name in given]
        for name in self.arg_names:
            dtype = getattr(given.get(name), "dtype", None)
            if dtype is not None:
                key.append(str(dtype))
        if "device" in given:
            key.append(str(given["device"]))
        return tuple(key)

    def _candidates(self, given):
        """The configurations that are measured."""
        configs = self.configs
        if early := self.prune.get("early_config_prune"):
            configs = list(early(configs, given, **given))
            if not configs:
                raise errors.UseError(f"early_config_prune of kernel '{self.__name__}' left no configuration")
        model, top = self.prune.get("perf_model"), self.prune.get("top_k", 1.0)
        if model:
            count = max(1, int(len(self.configs) * top)) if isinstance(top, float) else top
            expected = {config: model(**{**given, **config.all_kwargs()}) for config in configs}
            configs = sorted(configs, key=expected.get)[:count]
        return configs

    def _fastest(self, given, grid):
        configs = self._candidates(given)
        if len(configs) == 1:
            return configs[0]
        self._compile(configs, given, grid)
        milliseconds = {config: self._measure(config, given, grid) for config in configs}
        self._warn_of_repeats()
        best = min(configs, key=milliseconds.get)
        if milliseconds[best] == float("inf"):
            best = configs[0]  # its launch says why
        self._tell(f"best of {len(configs)} is {best}, {milliseconds[best]:.4g} ms")
        return best

    def _warn_of_repeats(self):
        """Measured launches are real. What the program's own hooks do for that is not known."""
        if self.user_defined_pre_hook or any(config.pre_hook for config in self.configs):
            return
        kernel = self.fn
        while isinstance(kernel, _Wrapper):
            kernel = kernel.fn
        text = kernel.explain_repeats([*self.reset_to_zero, *self.restore_value])
        if text:
            errors.warn(text)

    def _tell(self, text):
        if devices.is_on("TRITON_PRINT_AUTOTUNING"):
            print(f"autotuning of {self.__name__}: {text}", file=sys.stderr)

    def _compile(self, configs, given, grid):
        """Compiles the configurations side by side, so that measurements wait for no compilation."""
        launches = []
        for config in configs:
            # The code depends on the blocks of descriptors, which a configuration's hook may set.
            described = {name: copy.copy(value) for name, value in given.items() if isinstance(value, TensorDescriptor)}
            launches.append({**given, **described, **config.all_kwargs()})
            if config.pre_hook and described:
                config.pre_hook(launches[-1])
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(min(_MOST_COMPILERS, len(os.sched_getaffinity(0)))) as pool:
            # What does not compile fails once more when it is measured, and loses there.
            done = [pool.submit(self.fn.warmup, grid=grid, **launch) for launch in launches]
        failed = sum(future.exception() is not None for future in done)
        self._tell(f"{len(done) - failed} of {len(done)} configurations compiled ahead, in "
                   f"{time.monotonic() - start:.1f} s")

    def _measure(self, config, given, grid):
        merged = {**given, **config.all_kwargs()}

        def launch():
            self.pre_hook(merged)
            try:
                self._launch(config, given, grid)
            except Exception as error:
                self.post_hook(merged, exception=error)
                raise
            self.post_hook(merged, exception=None)

        try:
            if self.do_bench:
                result = self.do_bench(launch, quantiles=(0.5, 0.2, 0.8))
            elif self.use_cuda_graph:
                result = testing.do_bench_cudagraph(launch, rep=self.rep, return_mode="median")
            else:
                result = testing.do_bench(launch, warmup=0, rep=self.rep, return_mode="median")
        except (errors.CompilationError, errors.OutOfResources, errors.DeviceError):
            return float("inf")
        return result[0] if isinstance(result, (list, tuple)) else result

    @property
    def restore_copies(self):
        """Of the arrays in `restore_value`, by name, while this thread measures."""
        return self._copies_of_threads.get(threading.get_ident(), {})

    @restore_copies.setter
    def restore_copies(self, copies):
        if copies:
            self._copies_of_threads[threading.get_ident()] = copies
        else:
            self._copies_of_threads.pop(threading.get_ident(), None)

    def _before(self, given, reset_only=False):
        for name in self.reset_to_zero:
            _fill(given[name], 0)
        if not reset_only:
            self.restore_copies = {name: _copied(given[name]) for name in self.restore_value}

    def _after(self, given, exception=None):
        for name, before in self.restore_copies.items():
            _fill(given[name], before)
        self.restore_copies = {}

    def _launch(self, config, given, grid):
        twice = [name for name in config.kwargs if name in given]
        if twice:
            raise errors.UseError(f"the constant '{twice[0]}' of kernel '{self.__name__}' is given by the launch and "
                                  "by its configurations")
        merged = {**given, **config.all_kwargs()}
        if config.pre_hook:
            config.pre_hook(merged)
        return self.fn.run(grid=grid, **merged)


def _copied(array):
    return None if array is None else array.copy() if hasattr(array, "copy") else array.clone()


def _fill(array, value):
    """Sets all elements; of None nothing."""
    if isinstance(array, Buffer):
        array.fill(value.numpy() if isinstance(value, Buffer) else value)
    elif hasattr(array, "data_ptr"):
        array.data[...] = value  # without a gradient
    elif array is not None:
        array[...] = value


def autotune(configs, key=(), prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None,
             post_hook=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
    """Measures each of `configs` at the first launch with new values of the arguments in `key`, for `rep` milliseconds,
    by `do_bench(launch, quantiles=...)` if it is given. Launches while it measures are real: name arguments that a
    kernel reads and writes in `restore_value`, and those it adds to in `reset_to_zero`. `pre_hook(arguments,
    reset_only=False)` and `post_hook(arguments, exception=None)` are called around measured launches instead of what
    these two do. `prune_configs_by`: early_config_prune(configs, arguments, **arguments) gives the configurations to
    measure; of these perf_model(**arguments) chooses the `top_k` with the smallest values. `warmup` and `cache_results`
    change nothing."""
    return lambda fn: Autotuner(fn, getattr(fn, "arg_names", ()), configs, key, reset_to_zero, restore_value, pre_hook,
                                post_hook, prune_configs_by, warmup, rep, use_cuda_graph, do_bench, cache_results)


def heuristics(values):
    """`values`: functions by the name of the constant that they compute; each gets the arguments by name."""
    return lambda fn: Heuristics(fn, values)
