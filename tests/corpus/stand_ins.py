"""Objects in place of packages that are not installed, so that a module of kernels can be imported for its kernels."""

import importlib.abc
import importlib.machinery
import types


class AnythingType(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return anything(cls.__name__ + "." + name)

    def __iter__(cls):
        return iter(())

    def __or__(cls, other):
        return cls

    __ror__ = __or__


class Anything(metaclass=AnythingType):
    """Answers every question about a package that is not here; never an object that a kernel could use."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        # As a decorator it returns what it decorates.
        isFunction = len(args) == 1 and not kwargs and (callable(args[0]) or hasattr(args[0], "fn"))
        if isFunction and not isinstance(args[0], Anything):
            return args[0]
        return Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __getitem__(self, key):
        return Anything()

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __bool__(self):
        return False

    def __int__(self):
        return 0

    __index__ = __int__

    def __float__(self):
        return 0.0

    def __hash__(self):
        return 1

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False

    def __mro_entries__(self, bases):
        return (Anything,) if not any(isinstance(b, type) for b in bases) else ()

    def __or__(self, other):
        return other

    __ror__ = __or__

    def _self(self, *args):
        return Anything()

    def _false(self, *args):
        return False

    def __eq__(self, other):
        return self is other

    def __fspath__(self):
        return "/nowhere"

    def __str__(self):
        return "0"

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = __mod__ = _self
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _false
    __and__ = __rand__ = __neg__ = __pow__ = __rpow__ = _self


def anything(name):
    return Anything()


class Stub(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "__version__":
            return "2.9.0"
        value = CLASSES.get((self.__name__, name)) or Anything()
        setattr(self, name, value)
        return value


CLASSES = {}
for module, names in {
    "torch": ["Tensor", "dtype", "device", "Size", "Generator"],
    "torch.nn": ["Module", "Parameter"],
    "torch.autograd": ["Function"],
}.items():
    for n in names:
        CLASSES[module, n] = type(n, (Anything,), {})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The last finder: makes a stub of what nobody else has. Modules of the judged repository are not replaced."""

    def __init__(self, own):
        self.own = own

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.own | {"triton"}:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = Stub(spec.name)
        module.__version__ = "2.9.0"
        return module

    def exec_module(self, module):
        pass


class FakeDriver:
    """Says that the device is an NVIDIA GPU; nothing runs on it."""

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 80, 32)

    def get_current_device(self):
        return 0

    def get_active_torch_device(self):
        return Anything()

    def get_benchmarker(self):
        return lambda *a, **k: [0.0]

    def __getattr__(self, name):
        return Anything()
