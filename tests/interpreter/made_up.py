"""Made-up arguments for kernels of which only the signature is known."""

import os
import re

import numpy as np

from numpy_tensor import NUMPY_TYPES

# Sets of arguments for one kernel. `low` to `high` (excluded) is the range of integers in arrays, `step` the growth of
# those that are offsets, up to 64, and `scalar` a bound on integer arguments, which makes loops short. With `block`,
# guessed constants of 32, which are the extents of tensors, become 16: less code for slow compilers.
ATTEMPTS = (
    {"grid": (2, 1, 1), "step": 16, "low": 0, "high": 8},
    {"grid": (2, 1, 1), "step": 64, "low": 0, "high": 1},  # one sequence; all indices are zero
    {"grid": (2, 1, 1), "step": 0, "low": 0, "high": 2, "block": 16},
    {"grid": (2, 1, 1), "step": 16, "low": 1, "high": 2},  # integers that kernels divide by
    {"grid": (1, 1, 1), "step": 0, "low": 0, "high": 2, "scalar": 8},
    {"grid": (1, 1, 1), "step": 64, "low": 0, "high": 1, "scalar": 16, "block": 16, "elements": 1 << 20},
)
ELEMENTS = 1 << 17
ELEMENT_TYPES = {"fp16": "f16", "fp32": "f32", "fp64": "f64"}
GROWING = re.compile(r"(cu_|start|offset|indptr|cumsum|seqlens)", re.I)


def element_type(name):
    return ELEMENT_TYPES.get(name[1:], name[1:])


def made_up(name, kind, attempt, seed):
    """The contents of one array."""
    random = np.random.default_rng(seed)
    dtype, count = NUMPY_TYPES[kind], attempt.get("elements", ELEMENTS)
    if kind.startswith("f"):
        return (random.integers(-8, 9, count) / 8).astype(dtype)
    if kind == "i1":
        return random.integers(0, 2, count).astype(dtype)
    if attempt["step"] and GROWING.search(name):
        return np.minimum(np.arange(count) * attempt["step"], 64).astype(dtype)
    return random.integers(attempt["low"], attempt["high"], count).astype(dtype)


def stride_of(name, names):
    """The stride of a contiguous tensor with 64 columns and rows: of `stride_am` and `stride_ak` 64 and 1. With equal
    strides different elements would be stored to one address, in no order."""
    tensor = lambda n: n[:8] if n.startswith("stride_") else n.split("_")[0]  # stride_qbs, stride_qh; q_row_stride
    group = [n for n in names if "stride" in n.lower() and tensor(n) == tensor(name)]
    return 64 ** (len(group) - 1 - group.index(name))


def launch(record, attempt, folder):
    """Words for `tegula run`, the arrays, and what the interpreter passes by name."""
    words, arrays, values = [], {}, {}
    for number, (name, kind, value) in enumerate(record["signature"]):
        if kind.startswith("*"):
            arrays[name] = made_up(name, element_type(kind), attempt, number)
            np.save(folder / f"{name}.npy", arrays[name])
            words.append(f"{name}=@{folder / name}.npy")
            continue
        if isinstance(value, int) and "stride" in name.lower():
            value = stride_of(name, [n for n, _, _ in record["signature"]])
        elif value is not None and "scalar" in attempt and kind.startswith("i") and value > attempt["scalar"]:
            value = attempt["scalar"]
        values[name] = value
        words.append(f"{name}={value}")
    guessed = {n: attempt.get("block", v) if v == 32 else v for n, v in record["constants"].items()}
    for name, value in {**record["supplied"], **guessed}.items():
        text = "tl." + value["type"] if isinstance(value, dict) else f"'{value}'" if isinstance(value, str) else value
        words += ["--const", f"{name}={text}"]
        values[name] = value
    for folder_ in [record["root"], record["root"] + "/src", record["root"] + "/python"]:
        if os.path.isdir(folder_):
            words.append(f"--module-path={folder_}")
    for option in ("num_warps", "num_stages"):
        if option in record["options"]:
            words.append(f"--{option.replace('_', '-')}={record['options'][option]}")
    words.append("--grid=" + ", ".join(map(str, attempt["grid"])))
    return words, arrays, values
