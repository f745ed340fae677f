"""Which entry kernels of a checked-out repository Triton's own front end accepts, and under which signature.

    judge.py FOLDER [FOLDER...] -o accepted.json      (run by a Python that has triton 3.6, packaging, pyyaml)

Every module is imported as its authors wrote it. Packages that are not installed (torch and the like) are replaced by
objects that answer everything (stand_ins.py), so that only Triton decides. Each `@triton.jit` function that no other
jit function of its file calls is an entry kernel. Its signature is guessed from the names of its parameters
(guesses.py), its constants come from autotune, heuristics and defaults, then from their names; of several guesses the
first that Triton's front end turns into its IR counts. Kernels that it never accepts are listed with its last message.
No GPU is needed. measure.py compiles what is accepted here.
"""

import argparse
import ast
import importlib
import json
import os
import pathlib
import re
import signal
import sys

from guesses import POINTER, SCALAR, guess_constant, guess_type, names_used_as_pointers, scalar_value
from stand_ins import Anything, FakeDriver, Finder

sys.setrecursionlimit(3000)

def is_jit_decorator(node):
    if isinstance(node, ast.Call):
        node = node.func
    return (isinstance(node, ast.Attribute) and node.attr == "jit") or (isinstance(node, ast.Name) and node.id == "jit")


def entry_names(tree):
    definitions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    functions = {n.name: n for n in definitions if any(map(is_jit_decorator, n.decorator_list))}
    called = set()
    for f in functions.values():
        for node in ast.walk(f):
            if isinstance(node, ast.Name) and node.id != f.name:
                called.add(node.id)
    return functions, [n for n in functions if n not in called]


def module_name(path, root):
    """The dotted name and the folder that must be on sys.path."""
    folder = path.parent
    parts = [] if path.name == "__init__.py" else [path.stem]
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts), str(folder)


def unwrap(obj):
    """The decorators around a JITFunction, outermost first, and the function."""
    from triton.runtime.autotuner import Autotuner, Heuristics
    from triton.runtime.jit import JITFunction

    chain = []
    for _ in range(10):
        if isinstance(obj, JITFunction):
            return chain, obj
        if isinstance(obj, (Autotuner, Heuristics)):
            chain.append(obj)
        obj = getattr(obj, "fn", None) or getattr(obj, "jit_function", None)
        if obj is None:
            return chain, None
    return chain, None


class Value:
    """What stands for a tensor when a heuristic asks."""

    def __init__(self, type_name):
        self.type_name = type_name
        self.shape = (64, 64, 64, 64)

    def __getattr__(self, name):
        if name == "dtype":
            return Anything()
        raise AttributeError(name)

    def element_size(self):
        return {"fp16": 2, "i8": 1, "u8": 1, "i1": 1, "i64": 8}.get(self.type_name[1:], 4)

    def data_ptr(self):
        return 4096

    def stride(self, axis=None):
        return 64

    def numel(self):
        return 4096


def to_json(value):
    import triton.language as tl

    if isinstance(value, tl.constexpr):
        value = value.value
    if isinstance(value, tl.dtype):
        return {"type": str(value).replace("fp", "float") if str(value).startswith("fp") else str(value)}
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    return None


def attempt(chain, jit, pointers, flavour):
    """Compiles to Triton's IR. Returns the record of what was used; raises what Triton raises."""
    import triton
    import triton.language as tl
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import ASTSource, make_backend
    from triton.runtime.autotuner import Autotuner, Heuristics

    constants, given_by, explicit, signature, arguments = {}, {}, {}, {}, {}
    options = {}
    for decorator in chain:
        if isinstance(decorator, Autotuner) and decorator.configs:
            config = decorator.configs[0]
            for k, v in config.kwargs.items():
                if k in jit.arg_names:
                    constants[k] = v
                    given_by[k] = "autotune"
            options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
    heuristics = [d for d in chain if isinstance(d, Heuristics)]
    computed = {k for d in heuristics for k in d.values if k in jit.arg_names}
    order = []
    for p in jit.params:
        name = p.name
        annotation = str(p.annotation)
        if name in constants or name in computed:
            signature[name] = "constexpr"
            continue
        if p.is_constexpr:
            signature[name] = "constexpr"
            if p.has_default and flavour != 1:
                constants[name] = p.default
                given_by[name] = "default"
            else:
                guess = guess_constant(name, flavour)
                explicit[name] = guess
                constants[name] = getattr(tl, guess["type"]) if isinstance(guess, dict) else guess
            continue
        if p.has_default and p.default is None and flavour % 2 == 0:
            signature[name] = "constexpr"
            constants[name] = None
            order.append((name, "None", None))
            arguments[name] = None
            continue
        annotated = p.annotation_type if hasattr(p, "annotation_type") else None
        is_pointer = name in pointers or (POINTER.search(name) is not None and not SCALAR.search(name))
        t = annotated or guess_type(name, is_pointer, flavour)
        if flavour >= 4 and name == "seed":
            t = "i32"
        signature[name] = t
        value = Value(t) if t.startswith("*") else 0.5 if t == "fp32" else scalar_value(name)
        order.append((name, t, None if t.startswith("*") else value))
        arguments[name] = value
    used = {}
    for d in heuristics:
        for k, f in d.values.items():
            merged = {**arguments, **constants}
            value = f(merged)
            if k in jit.arg_names:
                constants[k] = value
                used[k] = to_json(value)
            elif k in ("num_warps", "num_stages"):
                options[k] = value
    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    source = ASTSource(fn=jit, signature=signature, constexprs=constants)
    parsed = backend.parse_options({**options})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    source.make_ir(target, parsed, backend.get_codegen_implementation(parsed), backend.get_module_map(), context)
    return {
        "signature": order,
        "constants": {k: to_json(v) if not isinstance(v, dict) else v for k, v in explicit.items()},
        "supplied": {k: to_json(v) for k, v in constants.items() if k not in explicit},
        "by": {**{k: v for k, v in given_by.items()}, **{k: "heuristic" for k in used}},
        "options": {k: v for k, v in options.items() if isinstance(v, int)},
        "flavour": flavour,
    }


def roots_of(folder):
    """The folders in which a repository's modules may begin."""
    return [folder] + [folder / d for d in ("src", "python", "lib") if (folder / d).is_dir()]


def import_file(path, root, roots):
    """The module of a repository's file, with objects in place of the packages that are not installed."""
    import triton.runtime.driver

    name, folder = module_name(path, root)
    for place in [str(path.parent)] * (folder == str(path.parent)) + [folder] + [str(r) for r in roots]:
        if place not in sys.path:
            sys.path.insert(0, place)
    own = {p.name.removesuffix(".py") for r in roots for p in pathlib.Path(r).iterdir()}
    sys.meta_path.append(Finder(own | {name.split(".")[0]}))
    os.chdir(root)
    triton.runtime.driver.set_active(FakeDriver())
    return importlib.import_module(name)


def judge_file(path, root, roots):
    """Yields one record a kernel."""
    functions, entries = entry_names(ast.parse(path.read_text(errors="replace")))
    record = {"root": str(root), "file": str(path.relative_to(root))}
    if not entries:
        return []
    try:
        module = import_file(path, root, roots)
    except BaseException as e:
        error = f"import: {type(e).__name__}: {e}"[:300]
        return [{**record, "kernel": k, "error": error, "stage": "import"} for k in entries]
    out = []
    for kernel in entries:
        obj = getattr(module, kernel, None)
        chain, jit = unwrap(obj)
        item = {**record, "kernel": kernel}
        if jit is None:
            out.append({**item, "error": "not a module-level kernel", "stage": "find"})
            continue
        pointers = names_used_as_pointers(functions[kernel], functions)
        error = ""
        for flavour in range(6):
            signal.alarm(20)
            try:
                out.append({**item, **attempt(chain, jit, pointers, flavour)})
                error = ""
                break
            except Exception as e:
                error = f"{type(e).__name__}: {e}"
            finally:
                signal.alarm(0)
        if error:
            out.append({**item, "error": error[-600:], "stage": "compile"})
    return out


def timeout(*_):
    raise RuntimeError("timeout")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    # Folders for forks of Triton, by the vendors' names that repositories give them, and for another language.
    forks = "_ascend _kunlunxin _cambricon _mthreads _aipu _iluvatar _metax _hygon _arm _amd _tsingmicro _sunrise gluon"
    parser.add_argument("--exclude", default=rf"(^|/)(tests?|{'|'.join(forks.split())})(/|$)")
    args = parser.parse_args()
    import triton  # once, before the forks
    import triton.language
    import triton.runtime.autotuner
    from triton._C import libtriton

    work = []
    for folder in args.folders:
        folder = folder.resolve()
        roots = roots_of(folder)
        for path in sorted(folder.rglob("*.py")):
            if re.search(args.exclude, str(path.relative_to(folder))):
                continue
            text = path.read_text(errors="replace")
            if re.search(r"^\s*@(\w+\.)?jit\b", text, re.M) and "triton" in text and "cutlass" not in text:
                work.append((path, folder, roots))
    results, running = [], {}
    while work or running:
        while work and len(running) < args.jobs:
            path, folder, roots = work.pop()
            read, write = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(read)
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.dup2(null, 2)
                signal.signal(signal.SIGALRM, timeout)
                try:
                    out = judge_file(path, folder, roots)
                except BaseException as e:
                    error = f"{type(e).__name__}: {e}"[:300]
                    out = [{"file": str(path.relative_to(folder)), "kernel": "?", "error": error, "stage": "script"}]
                with os.fdopen(write, "w") as f:
                    json.dump(out, f, default=str)
                os._exit(0)
            os.close(write)
            running[pid] = (read, path)
        # Read one to its end; the other waits in its pipe or goes on.
        pid, (read, path) = next(iter(running.items()))
        with os.fdopen(read) as f:
            data = f.read()
        os.waitpid(pid, 0)
        del running[pid]
        crashed = {"file": str(path), "kernel": "?", "error": "crashed", "stage": "script"}
        results += json.loads(data) if data else [crashed]
        if len(work) % 50 == 0:
            print(f"{len(results)} kernels, {len(work)} files left", file=sys.stderr)
    json.dump(results, open(args.output, "w"), indent=1)
    good = sum("error" not in r for r in results)
    print(f"\n{len(results)} entry kernels, {good} accepted", file=sys.stderr)


if __name__ == "__main__":
    main()
