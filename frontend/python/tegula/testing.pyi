"""Measurement and comparison of kernels."""

from typing import Any, Callable, Iterable, Mapping, Sequence

def do_bench(fn: Callable[[], Any], warmup: float = 25, rep: float = 100, grad_to_none: Iterable[Any] | None = None,
             quantiles: Sequence[float] | None = None, return_mode: str = "mean") -> Any: ...
def do_bench_cudagraph(fn: Callable[[], Any], rep: float = 20, grad_to_none: Iterable[Any] | None = None,
                       quantiles: Sequence[float] | None = None, return_mode: str = "mean") -> Any: ...
def assert_close(x: Any, y: Any, atol: Any = None, rtol: Any = None, err_msg: str = "") -> None: ...
def get_dram_gbps(device: Any = None) -> float: ...
def get_max_simd_tflops(dtype: Any, clock_rate: float, device: Any = None) -> float: ...

class Benchmark:
    """A sweep of one argument, measured for each value of another: the lines of a plot."""

    x_names: list[str]
    x_vals: list[Any]
    line_arg: str
    line_vals: list[Any]
    line_names: list[str]
    plot_name: str
    args: dict[str, Any]
    xlabel: str
    ylabel: str
    x_log: bool
    y_log: bool
    styles: Sequence[tuple[str, str]] | None
    def __init__(self, x_names: Iterable[str], x_vals: Iterable[Any], line_arg: str, line_vals: Iterable[Any],
                 line_names: Iterable[str], plot_name: str, args: Mapping[str, Any] | None = None, xlabel: str = "",
                 ylabel: str = "", x_log: bool = False, y_log: bool = False,
                 styles: Sequence[tuple[str, str]] | None = None) -> None: ...

class Mark:
    """A benchmark's function with its sweeps."""

    fn: Callable[..., Any]
    benchmarks: Sequence[Benchmark]
    def __init__(self, fn: Callable[..., Any], benchmarks: Benchmark | Sequence[Benchmark]) -> None: ...
    def run(self, show_plots: bool = False, print_data: bool = False, save_path: str = "", return_df: bool = False,
            **named: Any) -> Any: ...

def perf_report(benchmarks: Benchmark | Sequence[Benchmark]) -> Callable[[Callable[..., Any]], Mark]: ...
