"""Kernels: functions that are compiled from their source and launched as `kernel[grid](...)`."""

import ctypes
import functools
import hashlib
import inspect
import operator
import types
from ctypes import byref

from . import _abi, _devices as devices, _launch, dlpack, errors, knobs, options as known_options, tensors
from .arguments import Arguments, constant, number_kind, place_of, stages_of
from .interpreted import HostCopies
from .language.types import KernelOnly, constexpr, dtype, unwrapped
from .locks import fork_safe_lock
from .prepared import PreparedLaunch, stream_of
from .source import ABSENT, Definition, KernelSource, is_given, tagged, text_of

_lock = fork_safe_lock()  # of what kernels have loaded


class SourceFunction:
    """A function that kernels may use, with its definition and the namespaces of its names."""

    decorator = "jit"

    def __init__(self, fn):
        self.fn = fn
        functools.update_wrapper(self, fn)
        self.signature = inspect.signature(fn)
        self._text = text_of(fn)

    @functools.cached_property
    def definition(self):
        return Definition(self.fn, self._text)

    def parts(self):
        """The functions of the definition, one here: (node of the syntax tree, function of Python)."""
        return [(self.definition.node, self.fn)]

    def place(self, name):
        """Where the value of a name that is not local is found: (dict, name), or (cell of a closure, None)."""
        code = self.fn.__code__
        if name in code.co_freevars:
            return self.fn.__closure__[code.co_freevars.index(name)], None
        return self.fn.__globals__, name

    def marks(self):
        """The decorators inside of the definition, as the compiler knows them: {expression's node: text}."""
        return {}


class ConstexprFunction(SourceFunction):
    """A function of constants, for Python and for kernels."""

    decorator = "constexpr_function"

    def __call__(self, *arguments, **named):
        named = {name: unwrapped(value) for name, value in named.items()}
        return self.fn(*map(unwrapped, arguments), **named)


class ExternFunction(SourceFunction):
    """A function that is marked by `tl.core.extern` or `tl.core.builtin`. Kernels call it like a jit function, without
    the parameters `_semantic` or `_builder`, through which Triton's compiler hands itself to it."""

    decorator = "language.core.extern"
    __triton_builtin__ = True

    def __call__(self, *arguments, **named):
        return self.fn(*arguments, **named)


class Launchable:
    """What is launched as kernel[grid](...); `run` takes the arguments."""

    __class_getitem__ = classmethod(types.GenericAlias)  # in annotations: KernelInterface[T]

    def __getitem__(self, grid):
        return functools.partial(self.run, grid=grid)

    def __call__(self, *arguments, **named):
        raise RuntimeError(f"'{self.__name__}' is a kernel: launch it as {self.__name__}[grid](...)")


class Loaded(_launch.Program):
    """A kernel's source as it was handed to the compiler, and the launches of it that are prepared. Launches in other
    threads may go on with one that has been replaced. `arguments`: those that are a part of the source, by name."""

    def __init__(self, function, arguments=()):
        self.source = KernelSource(function, arguments)
        given = [_abi.Global(*(part.encode() if part is not None else None for part in entry))
                 for entry in self.source.globals]
        texts = [_abi.SourceText(path.encode(), text.encode()) for path, text in self.source.texts]
        options = _abi.LoadOptions(globals=(_abi.Global * len(given))(*given), global_count=len(given),
                                   texts=(_abi.SourceText * len(texts))(*texts), text_count=len(texts))
        self._kernel = _abi.Handle("kernel", "kernel_load_source", self.source.text.encode(), self.source.name.encode(),
                                   self.source.path.encode(), byref(options))
        self.handle = self._kernel.pointer
        flags = [self._is_constexpr(index) for index in range(len(function.arg_names))]
        self.constexprs = frozenset(name for name, flag in zip(function.arg_names, flags) if flag)
        super().__init__(bytes(flags), tuple(self.source.watched), ABSENT)

    def _is_constexpr(self, index):
        parameter = _abi.Parameter()
        _abi.call("kernel_get_parameter", self.handle, index, byref(parameter))
        return bool(parameter.is_constexpr)


class JITFunction(_launch.Kernel, SourceFunction, Launchable):
    """A kernel. Its base, in C, launches what is prepared (frontend/python/launch); everything else comes here."""

    __call__ = Launchable.__call__

    def __init__(self, fn, launch_metadata=None, do_not_specialize=(), noinline=False, debug=False, **_):
        SourceFunction.__init__(self, fn)
        self.launch_metadata, self.module = launch_metadata, fn.__module__
        self.do_not_specialize, self.noinline, self.debug = do_not_specialize, noinline, debug  # for programs that ask
        self.arg_names = list(self.signature.parameters)
        self._defaults = {name: parameter.default for name, parameter in self.signature.parameters.items()
                          if parameter.default is not parameter.empty}
        self._loaded = None
        self._loaded_with = {}  # by the arguments that are a part of the source
        self._has_explained = False
        _launch.Kernel.__init__(self, tuple(self.arg_names), self._defaults, known_options.KEYED,
                                known_options.HINTS)

    @property
    def src(self):
        """The text of the function."""
        return "\n".join(self.definition.lines)

    @functools.cached_property
    def params(self):
        """The parameters: number, name, default and annotation, as inspect has them, of each; whether it is annotated
        as a constant; and what `jit` was told of it."""
        return [types.SimpleNamespace(num=number, name=parameter.name, default=parameter.default,
                                      has_default=parameter.default is not parameter.empty,
                                      annotation=parameter.annotation,
                                      is_constexpr="constexpr" in str(parameter.annotation),
                                      do_not_specialize=not {number, parameter.name}.isdisjoint(self.do_not_specialize))
                for number, parameter in enumerate(self.signature.parameters.values())]

    @property
    def cache_key(self):
        """A text that differs where the kernel, a function of its file or a name that it uses differs."""
        source = KernelSource(self)
        return hashlib.sha256(repr((source.text, source.globals, source.texts)).encode()).hexdigest()

    @property
    def cache(self):
        """The prepared launches by their keys."""
        return self._loaded.prepared_launches() if self._loaded else {}

    def _check_parameters(self):
        """Functions that kernels call may have what a kernel may not."""
        for parameter in self.signature.parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise errors.UseError(f"kernel '{self.__name__}': the parameter '{parameter}' is neither positional "
                                      "nor named; kernels have a fixed number of parameters")

    def _load(self):
        """What the compiler knows of the kernel; anew where a name that the kernel uses has another value now."""
        self._check_parameters()
        with _lock:
            if not self._loaded or not self._loaded.is_current():
                self._loaded = Loaded(self)
            return self._loaded

    def _load_with(self, given):
        """As _load, for arguments that are a part of the source."""
        key = tuple((name, tagged(value)) for name, value in given.items())
        with _lock:
            loaded = self._loaded_with.get(key)
            if not loaded or not loaded.is_current():
                loaded = self._loaded_with[key] = Loaded(self, given)
            return loaded

    def bind(self, arguments, named):
        """The arguments by parameter with defaults, in the order of the parameters; and the options."""
        self._check_parameters()
        if len(arguments) > len(self.arg_names):
            raise errors.UseError(f"{self._location()}: kernel '{self.__name__}' has {len(self.arg_names)} parameters, "
                                  f"{len(arguments)} arguments were given")
        values = dict(zip(self.arg_names, arguments))
        options = {}
        for name, value in named.items():
            if name == "grid" and name not in self.signature.parameters:
                continue
            if name in values:
                raise errors.UseError(f"{self._location()}: parameter '{name}' of kernel '{self.__name__}' is given by "
                                      "position and by name")
            if name in self.signature.parameters:
                values[name] = value
            elif name in known_options.TABLE:
                options[name] = value
                known_options.note(name, value)
            else:
                raise errors.UseError(f"{self._location()}: kernel '{self.__name__}' has no parameter '{name}'; it has "
                                      f"{', '.join(self.arg_names)}")
        for name in ("num_warps", "num_stages"):
            if not -2**31 <= (options.get(name) or 0) < 2**31:
                raise errors.UseError(f"{self._location()}: {name} is {options[name]}; an integer of 32 bits is "
                                      "expected")
        if options.get("num_warps") == 0:
            raise errors.UseError(f"{self._location()}: kernel '{self.__name__}' is launched with 0 warps; a power of "
                                  "two is expected")
        if len(values) < len(self.arg_names):
            values = {**self._defaults, **values}
        try:
            return {name: values[name] for name in self.arg_names}, options
        except KeyError as missing:
            raise errors.UseError(f"{self._location()}: kernel '{self.__name__}' needs an argument for its parameter "
                                  f"{missing}") from None

    def _launch(self, loaded, grid, arguments, named, key):
        """A launch that is not prepared, and the preparation of the next one with this key. None: `loaded` is not
        known yet, or nothing is to be prepared."""
        if "warmup" in named and "warmup" not in self.signature.parameters:
            return self._run_or_warmup(arguments, **{"grid": grid, **named})
        values, options = self.bind(arguments, named)
        axes = _axes(grid(values) if callable(grid) else grid)
        home = loaded or self._load()
        loaded, values = self._with_given(home, values)
        values = {name: dlpack.adopted(value, self._describe(name)) for name, value in values.items()}
        metadata = knobs.Metadata(lambda: self._metadata(axes, values, options))
        knobs.runtime.launch_enter_hook(metadata)
        if devices.interpreted():
            copies = HostCopies(values)
            self._run(loaded, axes, copies.values, options)
            copies.copy_back()
        else:
            self._run(loaded, axes, values, options)
        knobs.runtime.launch_exit_hook(metadata)
        if key is not None:
            self._prepare(home, loaded, key, values, options)

    def _with_given(self, home, values):
        """Takes the arguments that are a part of the source from `values`: the Loaded with them, `home` where there are
        none, and the other values."""
        given = {name: value for name, value in values.items() if is_given(value)}
        if not given:
            return home, values
        return self._load_with(given), {name: value for name, value in values.items() if name not in given}

    def _run_or_warmup(self, arguments, /, grid, warmup, **named):
        return (self.warmup if warmup else self.run)(*arguments, grid=grid, **named)

    def _metadata(self, axes, values, options):
        """Of a launch, for hooks."""
        device = self._device(place_of(values, self._describe), options)
        result = {"name": self.__name__, "function": self, "grid": tuple(axes), "device": device.name}
        if self.launch_metadata:
            described = types.SimpleNamespace(name=self.__name__, num_warps=options.get("num_warps") or 4)
            result.update(self.launch_metadata(tuple(axes), described, values))
        return result

    def warmup(self, *arguments, grid, **named):
        """Compiles without a launch; for arguments that the device uses in place. An element type of PyTorch's stands
        for a tensor of it."""
        arguments = [tensors.MockTensor.wrap_dtype(value) for value in arguments]
        named = {name: tensors.MockTensor.wrap_dtype(value) for name, value in named.items()}
        compiled = self.prepare(*arguments, grid=grid, **named)
        if compiled is None:
            raise errors.UseError(f"{self._location()}: kernel '{self.__name__}' can be compiled without a launch only "
                                  "for arrays that its device uses in place, numbers and None")
        compiled._init_handles()
        return compiled

    def _prepare_only(self, loaded, grid, arguments, named, key):
        """As _launch, without the launch."""
        values, options = self.bind(arguments, named)
        if key is not None:
            home = loaded or self._load()
            loaded, values = self._with_given(home, values)
            self._prepare(home, loaded, key, values, options)

    def _prepare(self, home, loaded, key, values, options):
        """Keeps the launch of `loaded` among those of `home`, whose keys the launch path makes."""
        place = place_of(values, self._describe)
        device = self._device(place, options)
        prepared = None
        if place or device.has_host_memory:
            given, how = self._arguments(loaded, device, place, values, options)
            prepared = PreparedLaunch.of(loaded, device, place, given.items(), how, loaded is not home)
        if prepared:
            prepared.function, prepared.options = self, options
        home.set_prepared(key, prepared)

    def _device(self, place, options):
        """The device of a launch on arrays in memory of the device `place`, or of the host."""
        wanted = str(options.get("device") or place or devices.default_name())
        if place and wanted != place:
            raise errors.UseError(f"{self._location()}: kernel '{self.__name__}' is launched on '{wanted}' with arrays "
                                  f"on '{place}'")
        if devices.interpreted() and place:
            raise errors.UseError(f"{self._location()}: TRITON_INTERPRET=1 asks for the CPU, but kernel "
                                  f"'{self.__name__}' is launched with arrays on '{place}'; copy them to the host")
        return devices.get("cpu" if devices.interpreted() else wanted)

    def explain_repeats(self, restored):
        """What repeated launches do to results, where nobody clears or puts back what the kernel adds to by atomics;
        None where there is nothing to say, and from the second time on. `restored`: parameters of which somebody
        does."""
        names = (ctypes.c_char_p * len(restored))(*(name.encode() for name in restored))
        with _lock:
            programs = [*([self._loaded] if self._loaded else []), *self._loaded_with.values()]
        for program in programs:
            text = ctypes.c_char_p()
            _abi.call("kernel_explain_repeats", program.handle, names, len(restored), byref(text))
            if text.value and not self._has_explained:
                self._has_explained = True
                return text.value.decode()
        return None

    def _location(self):
        return f"{self.definition.file}:{self.definition.line}"

    def _describe(self, name):
        return f"{self._location()}: parameter '{name}' of kernel '{self.__name__}'"

    def _arguments(self, loaded, device, place, values, options, stream=None):
        """The Arguments and LaunchOptions of a launch; without a stream, of one that is only prepared."""
        given = Arguments(device, place, stream)
        constants = []
        for name, value in values.items():
            if name in loaded.constexprs:
                constants.append(_abi.Constant(name.encode(), constant(value, self._describe(name))))
            else:
                given.add(name, value, self._describe(name))
        constants += known_options.constants_of(options, self.debug, self.arg_names)
        how = _abi.LaunchOptions(constants=(_abi.Constant * len(constants))(*constants), constant_count=len(constants),
                                 num_warps=options.get("num_warps") or 0, num_stages=stages_of(options),
                                 print=devices.print_text)
        return given, how

    def _run(self, loaded, axes, values, options):
        place = place_of(values, self._describe)
        device = self._device(place, options)
        stream, is_ours = stream_of(device, place)
        given, how = self._arguments(loaded, device, place, values, options, stream)
        items = given.items()
        if 0 in axes:  # the library takes zeros at the end as axes that are left out
            axes = [min(axes[0], 0), *axes[1:]]
        try:
            _abi.call("kernel_launch", loaded.handle, stream, _abi.int64_array(axes), len(items), items,
                      byref(how))
        except errors.CompilationError as error:
            raise loaded.source.explained(error)
        except errors.UseError as error:
            if error.line is None:
                error.args = (f"{self._location()}: {error}",)
            raise
        given.copy_back()
        if is_ours:
            device.synchronize()


def _axes(grid):
    axes = tuple(grid)[:3] if isinstance(grid, (tuple, list)) else (grid,)
    if not axes:
        raise errors.UseError("a grid has 1 to 3 axes; none was given")
    try:
        axes = [*map(operator.index, axes), 1, 1][:3]
    except TypeError:
        raise errors.UseError(f"the axes of a grid are integers; {grid!r} was given") from None
    if any(not -2**63 <= axis < 2**63 for axis in axes):
        raise errors.UseError(f"the axes of a grid are integers of 64 bits; {grid!r} was given")
    return axes


def jit(fn=None, *, launch_metadata=None, **options):
    """Marks a kernel, or a function that kernels call. `launch_metadata`: a function of the grid, the kernel and the
    arguments by name, for hooks (knobs.py). `debug`: launches run assertions (docs/debugging.md). The
    other options are those of Triton (do_not_specialize, noinline, repr, ...); they change no result and are not
    used."""
    if fn is None:
        return functools.partial(jit, launch_metadata=launch_metadata, **options)
    return JITFunction(fn, launch_metadata, **options)


def constexpr_function(fn):
    """Marks a function of constants that kernels call."""
    return ConstexprFunction(fn)


_launch.bind_values(dtype, constexpr, SourceFunction, KernelOnly, number_kind)
