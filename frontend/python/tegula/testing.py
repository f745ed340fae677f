"""Measurement and comparison of kernels."""

import sys
import time

from . import devices


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds of a call of `fn` with the work of the launches in it: calls it once, then for `warmup`
    milliseconds, then for `rep` milliseconds and at least three times. Returns the quantiles if they are given, else
    the "mean", "median", "min" or "max", or with "all" the list."""
    fn()
    until = time.perf_counter() + warmup / 1000
    while time.perf_counter() < until:
        fn()
    times = []
    until = time.perf_counter() + rep / 1000
    while len(times) < 3 or time.perf_counter() < until:
        for tensor in grad_to_none or ():
            tensor.grad = None
        devices.synchronize()
        before = time.perf_counter()
        fn()
        devices.synchronize()
        times.append((time.perf_counter() - before) * 1000)
    return _summary(times, quantiles, return_mode)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds of the work of `fn` on the current GPU of PyTorch, replayed from a graph, so that the host's time does
    not count; `rep`: for how many milliseconds. Without a GPU as do_bench."""
    torch = sys.modules.get("torch")
    if not torch or not torch.cuda.is_available():
        return do_bench(fn, warmup=0, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)
    fn()  # compiles
    for tensor in grad_to_none or ():
        tensor.detach_()
        tensor.requires_grad_(True)
        tensor.grad = None
    once = _graph_milliseconds(torch, fn, 1)
    calls = max(1, int(rep / max(once, 1e-3) / 10))
    return _summary([_graph_milliseconds(torch, fn, calls) for _ in range(10)], quantiles, return_mode)


def _graph_milliseconds(torch, fn, calls):
    """Of one call, in a graph of `calls` calls."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            fn()
    graph.replay()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / calls


def _summary(times, quantiles, return_mode):
    if quantiles is not None:
        results = [_quantile(sorted(times), part) for part in quantiles]
        return results[0] if len(results) == 1 else results
    modes = {"mean": lambda: sum(times) / len(times), "median": lambda: _quantile(sorted(times), 0.5),
             "min": lambda: min(times), "max": lambda: max(times), "all": lambda: times}
    if return_mode not in modes:
        raise ValueError(f"return_mode is one of {', '.join(modes)}, not {return_mode!r}")
    return modes[return_mode]()


def _quantile(ordered, part):
    """Linear between neighbours."""
    at = part * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Fails with an AssertionError that names the worst element where |x - y| > atol + rtol * |y|; 1e-2 and 0 if they
    are not given."""
    import numpy as np

    got, want = (np.asarray(value.cpu() if hasattr(value, "cpu") else value) for value in (x, y))
    if got.shape != want.shape:
        raise AssertionError(f"{err_msg}shapes {got.shape} and {want.shape} differ")
    atol, rtol = 1e-2 if atol is None else atol, 0.0 if rtol is None else rtol
    np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=rtol, atol=atol, err_msg=err_msg,
                               equal_nan=True)


class Benchmark:
    """A sweep of one argument, measured for each value of another: the lines of a plot."""

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args=None, xlabel="", ylabel="",
                 x_log=False, y_log=False, styles=None):
        self.x_names, self.x_vals = list(x_names), list(x_vals)
        self.line_arg, self.line_vals, self.line_names = line_arg, list(line_vals), list(line_names)
        self.plot_name, self.args = plot_name, dict(args or {})
        self.xlabel, self.ylabel, self.x_log, self.y_log, self.styles = xlabel, ylabel, x_log, y_log, styles


class Mark:
    """A benchmark's function with its sweeps."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks if isinstance(benchmarks, (list, tuple)) else [benchmarks]

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **named):
        """Measures, prints tables with `print_data`, and returns for each sweep its rows: the values of x, then one
        result for each line. Plots need matplotlib; without it there are tables only."""
        results = []
        for benchmark in self.benchmarks:
            rows = [self._row(benchmark, x, named) for x in benchmark.x_vals]
            if print_data:
                print(_table(benchmark, rows))
            if show_plots or save_path:
                _plot(benchmark, rows, show_plots, save_path)
            results.append(rows)
        return results[0] if len(results) == 1 else results

    def _row(self, benchmark, x, named):
        values = x if isinstance(x, (list, tuple)) else [x] * len(benchmark.x_names)
        row = list(values)
        for line in benchmark.line_vals:
            result = self.fn(**dict(zip(benchmark.x_names, values)), **{benchmark.line_arg: line}, **benchmark.args,
                             **named)
            row.append(result[0] if isinstance(result, (list, tuple)) else result)
        return row


def _table(benchmark, rows):
    header = [*benchmark.x_names, *benchmark.line_names]
    cells = [header, *([f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells]
    return "\n".join([f"{benchmark.plot_name}:", *lines])


def _plot(benchmark, rows, show, folder):
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        return
    import os

    axes = pyplot.figure().subplots()
    first = len(benchmark.x_names)
    for index, name in enumerate(benchmark.line_names):
        axes.plot([row[0] for row in rows], [row[first + index] for row in rows], label=name)
    axes.set_xlabel(benchmark.xlabel or " = ".join(benchmark.x_names))
    axes.set_ylabel(benchmark.ylabel)
    axes.set_xscale("log" if benchmark.x_log else "linear")
    axes.set_yscale("log" if benchmark.y_log else "linear")
    axes.legend()
    if show:
        pyplot.show()
    if folder:
        pyplot.savefig(os.path.join(folder, benchmark.plot_name + ".png"))


def perf_report(benchmarks):
    """Decorates a function of the swept arguments that returns a result, or (result, low, high)."""
    return lambda fn: Mark(fn, benchmarks)
