#!/usr/bin/env python3
"""The names that Triton exports to kernels, as exports.txt lists them: `module name`, one a line.

    python3 -m venv VENV && VENV/bin/pip install triton==3.6.0
    VENV/bin/python tests/language/exports.py            # prints the list
    VENV/bin/python tests/language/exports.py --check    # fails where exports.txt differs

Modules: language (triton.language), math (triton.language.math), libdevice, and cuda and hip (triton.language.extra).
The test Exports in tests/language/builtins compares the list with the front end.
"""
import argparse
import importlib
import pathlib
import sys
import types

MODULES = {
    "language": "triton.language",
    "math": "triton.language.math",
    "libdevice": "triton.language.extra.libdevice",
    "cuda": "triton.language.extra.cuda",
    "hip": "triton.language.extra.hip",
}


def exported(module):
    """Public names; of modules without `__all__` those that are neither modules nor imported helpers."""
    if hasattr(module, "__all__"):
        return sorted(set(module.__all__))
    helpers = {"core", "jit", "builtin", "extern", "wraps", "List", "T", "TypeVar"}
    return sorted(name for name, value in vars(module).items()
                  if not name.startswith("_") and name not in helpers and not isinstance(value, types.ModuleType))


def lines():
    import triton
    if not triton.__version__.startswith("3.6."):
        sys.exit(f"this is Triton {triton.__version__}; the list is that of 3.6")
    for short, name in MODULES.items():
        for export in exported(importlib.import_module(name)):
            yield f"{short} {export}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with exports.txt")
    found = list(lines())
    if not parser.parse_args().check:
        print("\n".join(found))
        return
    text = (pathlib.Path(__file__).parent / "exports.txt").read_text()
    kept = [line for line in text.splitlines() if line and not line.startswith("#")]
    for line in sorted(set(found) ^ set(kept)):
        print(("missing: " if line in found else "not exported: ") + line)
    sys.exit(set(found) != set(kept))


if __name__ == "__main__":
    main()
