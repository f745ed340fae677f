"""Imports files that are written for Triton and PyTorch, and helps to compare what their kernels compute."""
import importlib.util
import os
import sys
import types

import numpy as np

import tegula.triton


class HostCode(Exception):
    """A file has begun to compute with PyTorch; its kernels stand above."""


def _torch():
    """Stands for PyTorch in files whose host code is not run here."""

    def refuse(name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise HostCode(name)

    module = types.ModuleType("torch")
    module.Tensor = object  # in annotations
    module.__getattr__ = refuse
    return module


def load(path):
    """The module of a file, as far as it runs without PyTorch. Its `import triton` gives Tegula."""
    tegula.triton.install()
    sys.modules["torch"] = _torch()
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    before = dict(os.environ)
    try:
        spec.loader.exec_module(module)
    except HostCode:
        pass
    del sys.modules["torch"]
    os.environ.clear()  # one of the specification's files sets variables
    os.environ.update(before)
    return module


random = np.random.default_rng(7)


def normal(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layernorm(x, weight, bias, eps):
    wide = x.astype(np.float64)
    centred = wide - wide.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + eps) * weight + bias


def element_strides(array):
    return [stride // array.itemsize for stride in array.strides]


def check_close(got, want, tolerance):
    """Every element within `tolerance`, absolute."""
    assert got.shape == want.shape, (got.shape, want.shape)
    error = float(np.abs(got.astype(np.float64) - want).max())
    assert error <= tolerance, f"error {error:.3g} exceeds {tolerance:.3g}"
    assert np.isfinite(got).all()
