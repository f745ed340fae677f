"""`autotune` and `heuristics`."""

from typing import Any, Callable, Iterable, Mapping, Sequence

from .compiled import CompiledKernel
from .kernel import Launchable, _Grid

class Config:
    """Values of constexpr parameters, with warps, stages and a hook that is called before each launch."""

    kwargs: dict[str, Any]
    num_warps: int
    num_stages: int
    num_ctas: int
    maxnreg: int | None
    pre_hook: Callable[[dict[str, Any]], Any] | None
    ir_override: str | None
    def __init__(self, kwargs: Mapping[str, Any], num_warps: int = 4, num_stages: int = 3, num_ctas: int = 1,
                 maxnreg: int | None = None, pre_hook: Callable[[dict[str, Any]], Any] | None = None,
                 ir_override: str | None = None) -> None: ...
    def all_kwargs(self) -> dict[str, Any]: ...

class _Wrapper(Launchable):
    fn: Any
    arg_names: list[str]
    __name__: str
    def __init__(self, fn: Any) -> None: ...
    def named(self, arguments: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]: ...

class Heuristics(_Wrapper):
    values: Mapping[str, Callable[[dict[str, Any]], Any]]
    def __init__(self, fn: Any, values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> None: ...
    def run(self, *arguments: Any, grid: _Grid, **named: Any) -> CompiledKernel | None: ...
    def warmup(self, *arguments: Any, grid: _Grid, **named: Any) -> Any: ...

class Autotuner(_Wrapper):
    """Launches with the fastest configuration for the values of the arguments in `key`."""

    configs: list[Config]
    keys: list[str]
    reset_to_zero: list[str]
    restore_value: list[str]
    best_config: Config | None
    cache: dict[tuple[Any, ...], Config]
    nargs: dict[str, Any] | None
    def __init__(self, fn: Any, arg_names: Sequence[str], configs: Iterable[Config], key: Iterable[str],
                 reset_to_zero: Iterable[str] | None = None, restore_value: Iterable[str] | None = None,
                 pre_hook: Callable[..., Any] | None = None, post_hook: Callable[..., Any] | None = None,
                 prune_configs_by: Mapping[str, Any] | None = None, warmup: float | None = None,
                 rep: float | None = None, use_cuda_graph: bool = False, do_bench: Callable[..., Any] | None = None,
                 cache_results: bool = False) -> None: ...
    def run(self, *arguments: Any, grid: _Grid, **named: Any) -> CompiledKernel | None: ...
    def warmup(self, *arguments: Any, grid: _Grid, **named: Any) -> list[Any]: ...
    @property
    def restore_copies(self) -> dict[str, Any]: ...
    @restore_copies.setter
    def restore_copies(self, copies: dict[str, Any]) -> None: ...

def autotune(configs: Iterable[Config], key: Iterable[str] = (), prune_configs_by: Mapping[str, Any] | None = None,
             reset_to_zero: Iterable[str] | None = None, restore_value: Iterable[str] | None = None,
             pre_hook: Callable[..., Any] | None = None, post_hook: Callable[..., Any] | None = None,
             warmup: float | None = None, rep: float | None = None, use_cuda_graph: bool = False,
             do_bench: Callable[..., Any] | None = None,
             cache_results: bool = False) -> Callable[[Any], Autotuner]: ...
def heuristics(values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> Callable[[Any], Heuristics]: ...
