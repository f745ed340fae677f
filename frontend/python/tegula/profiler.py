"""`triton.profiler`, for programs that mark with it what they measure, and its `viewer`. Nothing is recorded, which
`start` and `print_tree` say; tegula.testing measures."""

import contextlib
import functools
import sys
import types

NOTHING = "tegula.profiler records nothing; tegula.testing.do_bench measures"


def start(name=None, **options):
    """The number of a session, as Triton's."""
    print(NOTHING, file=sys.stderr)
    return 0


def _nothing(*arguments, **named):
    pass


activate = deactivate = finalize = enter_scope = exit_scope = enter_state = exit_state = _nothing


class scope(contextlib.ContextDecorator):
    """Of a `with` statement or a function."""

    def __init__(self, name=None, metrics=None):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False


cpu_timed_scope = state = scope


def profile(func=None, **options):
    return func or functools.partial(profile, **options)


viewer = types.ModuleType(__name__ + ".viewer")
viewer.parse = lambda metrics, filename, **options: (None, metrics)
viewer.print_tree = lambda tree, metrics, **options: print(NOTHING)
