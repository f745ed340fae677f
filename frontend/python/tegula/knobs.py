"""Hooks around launches, by Triton's names: `knobs.runtime.launch_enter_hook` and `launch_exit_hook`.

A hook gets the launch's metadata, whose get() is a dict with "name", "grid" and "device", and with what the function in
`jit(launch_metadata=...)` returns. While there are hooks, Python makes every launch."""

from . import _launch


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


class Runtime:
    """An assignment of a function replaces all hooks of a kind; of None it removes them."""

    def __init__(self):
        self._enter, self._exit = HookChain(), HookChain()

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


runtime = Runtime()
