"""Work in processes of its own, of which a crash, a hang or a broken device costs one item."""

import collections
import multiprocessing
import multiprocessing.connection
import os
import signal
import time
import typing


class Ended(typing.NamedTuple):
    """What stands for the result where the process ended without one."""

    message: str


class Last(typing.NamedTuple):
    """A result after which the process is not to be used again."""

    result: object


def work(function, pipe):
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    while True:
        result = function(pipe.recv())
        pipe.send(result)
        if isinstance(result, Last):
            return


def how_it_ended(process):
    process.join()
    if process.exitcode == -signal.SIGALRM:
        return Ended("not done in time")
    return Ended(f"ended by signal {-process.exitcode}" if process.exitcode < 0 else "ended by an exception")


def results(function, items, jobs, end=float("inf")):
    """Yields (item, result) as they come, from `jobs` processes that go on to a next item.

    The function sets its own limits of time by signal.alarm. At the time `end` (time.monotonic) all processes are
    killed; what is not done then is not yielded.
    """
    context = multiprocessing.get_context("fork")  # what the caller has imported is there, and not imported again
    waiting, processes, idle, busy = collections.deque(items), {}, [], {}

    def start():
        pipe, other = context.Pipe()
        processes[pipe] = context.Process(target=work, args=(function, other), daemon=True)
        processes[pipe].start()
        other.close()
        return pipe

    try:
        while (waiting or busy) and time.monotonic() < end:
            while waiting and len(busy) < jobs:
                pipe = idle.pop() if idle else start()
                busy[pipe] = waiting.popleft()
                pipe.send(busy[pipe])
            left = end - time.monotonic()
            for pipe in multiprocessing.connection.wait(list(busy), None if left == float("inf") else max(0, left)):
                try:
                    result = pipe.recv()
                except EOFError:
                    result = Last(how_it_ended(processes[pipe]))
                item = busy.pop(pipe)
                if isinstance(result, Last):
                    result = result.result
                    processes.pop(pipe).join()
                else:
                    idle.append(pipe)
                yield item, result
    finally:
        for process in processes.values():
            process.kill()
