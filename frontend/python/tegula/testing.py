"""Measurement and comparison of kernels."""

import csv
import os
import time

from . import _devices as devices, pytorch


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds of a call of `fn` with the work of the launches in it: calls it once, then for `warmup`
    milliseconds, then for `rep` milliseconds and at least three times. Where PyTorch has a GPU, it is the GPU's time on
    PyTorch's current stream, and the cache of the GPU is emptied before each call; else the host's. Returns the
    quantiles if they are given, else the "mean", "median", "min" or "max", or with "all" the list."""
    def forget_gradients():
        for tensor in grad_to_none or ():
            tensor.grad = None

    measure = pytorch.milliseconds if pytorch.has_gpu() else _host_milliseconds
    return _summary(measure(fn, warmup, rep, forget_gradients), quantiles, return_mode)


def _host_milliseconds(fn, warmup, rep, before_each):
    fn()
    until = time.perf_counter() + warmup / 1000
    while time.perf_counter() < until:
        fn()
    times = []
    until = time.perf_counter() + rep / 1000
    while len(times) < 3 or time.perf_counter() < until:
        before_each()
        devices.synchronize()
        before = time.perf_counter()
        fn()
        devices.synchronize()
        times.append((time.perf_counter() - before) * 1000)
    return times


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds of the work of `fn` on the current GPU of PyTorch, replayed from a graph, so that the time of the
    host does not count; `rep`: for how many milliseconds. Without a GPU as do_bench."""
    if not pytorch.has_gpu():
        return do_bench(fn, warmup=0, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)
    fn()  # compiles
    for tensor in grad_to_none or ():
        tensor.detach_()
        tensor.requires_grad_(True)
        tensor.grad = None
    calls = max(1, int(rep / max(pytorch.graph_milliseconds(fn, 1), 1e-3) / 10))
    return _summary([pytorch.graph_milliseconds(fn, calls) for _ in range(10)], quantiles, return_mode)


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
    are not given. They may be functions of x's element type. A number is compared with each element."""
    import numpy as np

    atol, rtol = (limit(getattr(x, "dtype", None)) if callable(limit) else limit for limit in (atol, rtol))
    np.testing.assert_allclose(_doubles(x), _doubles(y), rtol=rtol or 0.0, atol=1e-2 if atol is None else atol,
                               err_msg=err_msg, equal_nan=True)


def _doubles(value):
    """The numbers as an array of NumPy's, which lacks some types of PyTorch's."""
    import numpy as np

    if hasattr(value, "detach"):
        value = value.detach().cpu().double()
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value).astype(np.float64)


def get_dram_gbps(device=None):
    """What the memory of a GPU of PyTorch's moves at most, in GB/s, from its clock and the width of its bus."""
    properties = pytorch.device_properties(pytorch.current_device() if device is None else device)
    rate = properties["mem_clock_rate"] * properties["mem_bus_width"] * 2 / 8e6  # twice a cycle, from kHz and bits
    if not rate:
        raise RuntimeError("PyTorch has no GPU, or does not tell how fast its memory is")
    return rate


# Operations that one of the four parts of a multiprocessor starts in a cycle without matrix instructions, by element
# type, as Triton counts them.
_SIMD_OPERATIONS = {"float32": 32, "float16": 64, "bfloat16": 64}


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """What a GPU of PyTorch's computes at most without matrix instructions, in 10**12 operations a second; `clock_rate`
    in kHz."""
    operations = _SIMD_OPERATIONS.get(str(dtype).rpartition(".")[2])
    if not operations:
        raise RuntimeError(f"operations are counted for {', '.join(_SIMD_OPERATIONS)}, not for {dtype}")
    properties = pytorch.device_properties(pytorch.current_device() if device is None else device)
    return properties["multiprocessor_count"] * 4 * operations * clock_rate * 1e-9


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
        result for each line; with `return_df` they are data frames of pandas. A result (middle, low, high) of the
        function is its middle in tables, and a band in plots. `save_path`: the folder that gets the plot of each sweep
        and its rows as PLOT_NAME.csv. Plots need matplotlib; without it there are tables only."""
        results = []
        for benchmark in self.benchmarks:
            measured = [(_values(benchmark, x), self._lines(benchmark, x, named)) for x in benchmark.x_vals]
            rows = [[*values, *(middle for middle, _, _ in lines)] for values, lines in measured]
            if print_data:
                print(_table(benchmark, rows))
            if save_path:
                _save(benchmark, rows, save_path)
            if show_plots or save_path:
                _plot(benchmark, measured, show_plots, save_path)
            results.append(_frame(benchmark, rows) if return_df else rows)
        return results[0] if len(results) == 1 else results

    def _lines(self, benchmark, x, named):
        """(middle, low, high) of each line; low and high are None where the function returns a number."""
        for_all = {**dict(zip(benchmark.x_names, _values(benchmark, x))), **benchmark.args, **named}
        results = [self.fn(**for_all, **{benchmark.line_arg: line}) for line in benchmark.line_vals]
        return [tuple(result) if isinstance(result, (list, tuple)) else (result, None, None)
                for result in results]


def _values(benchmark, x):
    """The values of x_names: one for all, or one each."""
    return list(x) if isinstance(x, (list, tuple)) else [x] * len(benchmark.x_names)


def _header(benchmark):
    return [*benchmark.x_names, *benchmark.line_names]


def _save(benchmark, rows, folder):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, benchmark.plot_name + ".csv"), "w", newline="") as file:
        csv.writer(file).writerows([_header(benchmark), *rows])


def _frame(benchmark, rows):
    import pandas

    return pandas.DataFrame(rows, columns=_header(benchmark))


def _table(benchmark, rows):
    texts = ([f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows)
    cells = [_header(benchmark), *texts]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells]
    return "\n".join([f"{benchmark.plot_name}:", *lines])


def _plot(benchmark, measured, show, folder):
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        return
    axes = pyplot.figure().subplots()
    x = [values[0] for values, _ in measured]
    for index, name in enumerate(benchmark.line_names):
        color, style = benchmark.styles[index] if benchmark.styles else (None, None)
        middle, low, high = zip(*(lines[index] for _, lines in measured))
        (line,) = axes.plot(x, middle, label=name, color=color, ls=style)
        if None not in low and None not in high:
            axes.fill_between(x, low, high, alpha=0.15, color=line.get_color())
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
