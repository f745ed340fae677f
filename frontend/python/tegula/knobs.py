"""Hooks around launches, by Triton's names: `knobs.runtime.launch_enter_hook` and `launch_exit_hook`; and what
environment variables say: `knobs.runtime.interpret`, `knobs.runtime.debug`, `knobs.autotuning.print`.

A hook gets the launch's metadata, whose get() is a dict with "name", "grid" and "device", and with what the function in
`jit(launch_metadata=...)` returns. While there are hooks, Python makes every launch."""

import os

from . import _devices as devices, _launch


def _switch(variable):
    """A property for an environment variable that is on or off."""
    def set_switch(_, is_on):
        os.environ[variable] = "1" if is_on else "0"

    return property(lambda _: devices.is_on(variable), set_switch)


class HookChain:
    """Functions that are called one after the other; `add` and `remove`."""

    def __init__(self):
        self.calls = []

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)
        runtime._watch()

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)
        runtime._watch()

    def __call__(self, *arguments, **named):
        for function in list(self.calls):
            function(*arguments, **named)


class Metadata:
    """What hooks get; computed when a hook asks."""

    def __init__(self, compute):
        self._compute = compute
        self._found = None

    def get(self):
        if self._found is None:
            self._found = self._compute()
        return self._found


class Autotuning:
    print = _switch("TRITON_PRINT_AUTOTUNING")


class Runtime:
    """An assignment of a function replaces all hooks of a kind; of None it removes them."""

    interpret = _switch("TRITON_INTERPRET")

    def __init__(self):
        self._enter, self._exit = HookChain(), HookChain()
        self.debug = devices.is_on("TRITON_DEBUG")

    @property
    def debug(self):
        """Whether kernels are compiled with the option `debug`: TRITON_DEBUG as it was when the package was imported,
        unless a program sets this."""
        return self._debug

    @debug.setter
    def debug(self, is_on):
        self._debug = bool(is_on)
        _launch.set_debug(self._debug)

    @property
    def launch_enter_hook(self):
        return self._enter

    @launch_enter_hook.setter
    def launch_enter_hook(self, function):
        self._set(self._enter, function)

    @property
    def launch_exit_hook(self):
        return self._exit

    @launch_exit_hook.setter
    def launch_exit_hook(self, function):
        self._set(self._exit, function)

    def _set(self, chain, function):
        if function is not chain:
            chain.calls[:] = [] if function is None else [function]
        self._watch()

    def _watch(self):
        _launch.watch(bool(self._enter.calls or self._exit.calls))


runtime, autotuning = Runtime(), Autotuning()
