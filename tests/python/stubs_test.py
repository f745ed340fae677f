"""The stubs (*.pyi) agree with the package and with the compiler's tables, and type checkers use them.
usage: stubs_test.py SOURCE_DIR   needs mypy, of the Debian package of that name"""
import ast
import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tegula
import tegula.language as tl

SOURCE = sys.argv.pop(1)
PACKAGE = os.path.join(SOURCE, "frontend/python/tegula")
BUILTINS = os.path.join(SOURCE, "frontend/language/builtins")
TEXT = r'"(?:[^"\\]|\\.)*"'

# What stubtest reports of these is no error, by what its line matches.
FORGIVEN = {
    r'does not have argument "(of_two|of_one|_name)"': "functions made in a loop keep its variable as a default",
    r"cannot reconcile @property on stub": "functools.cached_property",
    r"^tegula\.language\..*(is not a function|is not a type|differs from runtime type|\*args argument)":
        "names of the language are objects that explain themselves; the test of the tables compares these",
    r"^tegula(\.errors)?\.TritonError\.": "the class has None, its objects a place",
}


def stub(name):
    with open(os.path.join(PACKAGE, name), encoding="utf-8") as file:
        return ast.parse(file.read())


def parameters(arguments, is_method=False):
    """[(name, default as text or None)] of a syntax tree's arguments; `*name` for a rest, behind which names follow."""
    positional = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    result = [(item.arg, default and ast.unparse(default)) for item, default in zip(positional, defaults)]
    if arguments.vararg:
        result.append(("*" + arguments.vararg.arg, None))
    result += [(item.arg, default and ast.unparse(default))
               for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return result[is_method:]


def functions(body):
    return {node.name: node.args for node in body if isinstance(node, ast.FunctionDef)}


def members(tree, name):
    return functions(next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name).body)


class Tables:
    """The compiler's builtins: rows {"name", "parameters", function[, true]}, where `true` makes it a method of
    tensors, too; and functions that are written in the language, by the rows that name them."""

    def __init__(self):
        self.rows, self.methods = {}, set()
        for path in glob.glob(os.path.join(BUILTINS, "Builtins*.cpp")):
            if os.path.basename(path) not in ("BuiltinsPython.cpp", "BuiltinsPrelude.cpp"):  # Python's own; see below
                self._read(path)
        with open(os.path.join(BUILTINS, "BuiltinsPrelude.cpp"), encoding="utf-8") as file:
            names = re.findall(rf"{{({TEXT}), ({TEXT})}}", file.read())
        written = {}
        for path in glob.glob(os.path.join(SOURCE, "frontend/language/prelude/*.py")):
            with open(path, encoding="utf-8") as file:
                written.update(functions(ast.parse(file.read()).body))
        for name, function in names:
            name, function = name.strip('"'), function.strip('"')
            if function in written:
                self.rows.setdefault(name, parameters(written[function]))

    def _read(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name, given, rest in re.findall(rf'{{"([\w.]+)",\s*((?:{TEXT}\s*)+|\w+),([^{{}}]*)}}', text):
            if given[0] != '"':  # a constant that several rows share
                given = re.search(rf"\b{given}\b[^=;]*=\s*((?:{TEXT}\s*)+)", text)[1]
            signature = "".join(part[1:-1] for part in re.findall(TEXT, given)).replace("\\\\", "\\")
            self.rows[name] = parameters(ast.parse(f"def f({signature}): ...").body[0].args)
            if rest.rstrip().endswith("true"):
                self.methods.add(name)


class Stubs(unittest.TestCase):
    def compare(self, name, arguments, row, is_method=False):
        found, expected = parameters(arguments, is_method), row[is_method:]
        # `...` stands for a default that is no plain constant.
        expected = [(parameter, default if other[1:] != ("...",) else "...")
                    for (parameter, default), other in zip(expected, found + [("", "")] * len(expected))]
        self.assertEqual(found, expected, f"{name}: first the stub, then the compiler's table")

    def test_of_language_have_the_parameters_of_the_tables(self):
        tables, tree = Tables(), stub("language/__init__.pyi")
        for name, arguments in functions(tree.body).items():
            self.compare(name, arguments, tables.rows[name])
        for name in ("range", "static_range"):
            self.compare(name, members(tree, name)["__init__"], [("self", None), *tables.rows[name]], True)
        methods = {name: arguments for name, arguments in members(tree, "tensor").items() if name[0] != "_"}
        self.assertEqual(set(methods), tables.methods | {"logical_and", "logical_or"})
        for name, arguments in methods.items():
            self.compare(f"tensor.{name}", arguments, tables.rows.get(name) or tables.rows[f"tensor.{name}"], True)
        methods = members(tree, "tensor_descriptor")
        self.assertEqual({f"descriptor.{name}" for name in methods},
                         {name for name in tables.rows if name.startswith("descriptor.")})
        for name, arguments in methods.items():
            self.compare(f"descriptor.{name}", arguments, tables.rows[f"descriptor.{name}"], True)
        self.assertGreater(len(functions(tree.body)), 100)

    def test_of_language_have_the_names_of_the_package(self):
        for path, module in (("language/__init__.pyi", tl), ("language/math.pyi", tl.math),
                             ("language/extra/libdevice.pyi", tl.extra.libdevice)):
            body, names = stub(path).body, set()
            for node in body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    names.add(node.name)
                elif isinstance(node, ast.AnnAssign):
                    names.add(node.target.id)
                elif isinstance(node, ast.ImportFrom) and (node.module in (None, "types") or node.level > 1):
                    names.update(alias.asname or alias.name for alias in node.names)
            found = {name for name in vars(module) if name[0] != "_"} - {"types", "KernelOnly"}
            names = {name for name in names if name[0] != "_"} - ({"tensor"} if module is not tl else set())
            self.assertEqual(names, found, f"{path}: first the stub, then the package")

    def test_agree_with_the_package(self):
        with tempfile.TemporaryDirectory() as folder:
            config = os.path.join(folder, "mypy.ini")
            with open(config, "w", encoding="utf-8") as file:
                file.write("[mypy]\nignore_missing_imports = True\ncache_dir = /dev/null\n"
                           "[mypy-tegula.profiler]\nignore_errors = True\n")
            lines = run(["stubtest", "--mypy-config-file", config, "--concise", "--ignore-missing-stub", "tegula"],
                        folder)[1]
        files = glob.glob(os.path.join(PACKAGE, "**/*.py*"), recursive=True)
        modules = {module_of(path): path.endswith(".pyi") for path in sorted(files)}  # whether it has a stub
        wrong = []
        for line in lines.splitlines():
            name = line.split(" ")[0]
            while name and name not in modules:
                name = name.rpartition(".")[0]
            if modules.get(name, True) and not any(re.search(pattern, line) for pattern in FORGIVEN):
                wrong.append(line)
        self.assertEqual(wrong, [])
        self.assertIn("tegula.language.load", lines)  # it did look

    def test_check_programs(self):
        right = '''
import tegula
import tegula.language as tl

@tegula.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    total = tl.load(x + at, mask=inside).to(tl.float32) + tl.load(y + at, mask=inside)
    for i in tl.range(0, 4):
        total += tl.sum(total, axis=0) * i
    tl.store(out + at, total, mask=inside & (at[None, :] >= 0).T)

def launch(n: int) -> float:
    x = tegula.zeros(n, tl.float32, "cpu")
    code = add[lambda meta: (tegula.cdiv(n, meta["BLOCK"]),)](x, x, x, n, BLOCK=256, num_warps=4)
    tuned = tegula.autotune(configs=[tegula.Config({"BLOCK": 64}, num_warps=2)], key=["n"])(add)
    tuned[(1,)](x, x, x, n)
    bits: int = code.n_regs if code is not None else 0
    try:
        tegula.synchronize()
    except tegula.errors.OutOfResources as error:
        bits = error.required - error.limit
    return bits + x.stride(0) + float(x.numpy()[0])
'''
        self.assertEqual(self.errors(right), [])
        wrong = '''
import tegula
import tegula.language as tl

def kernel(x: tl.tensor) -> None:
    tl.load(x, masked=True)
    tl.arange("0", 4)
    x.abs(1)
    tl.no_such_function(x)

tegula.cdiv("1", 2)
tegula.Config({}, num_warps="4")
tegula.empty(4, "f32", device=0)
'''
        found = self.errors(wrong)
        self.assertEqual([line for line, _ in found], [6, 7, 8, 9, 11, 12, 13], found)

    def test_check_the_kernels_of_samples(self):
        programs = []
        for path in glob.glob(os.path.join(SOURCE, "samples/[0-9]*/*.py")):
            with open(path, encoding="utf-8") as file:
                text = re.sub("^import triton$", "import tegula as triton", file.read(), flags=re.M)
            programs.append(re.sub("^import triton.language", "import tegula.language", text, flags=re.M))
        self.assertGreater(len(programs), 9)
        self.assertEqual(self.errors(*programs), [])

    def errors(self, *programs):
        """[(line, message)] of mypy."""
        with tempfile.TemporaryDirectory() as folder:
            for number, program in enumerate(programs):
                with open(os.path.join(folder, f"program{number}.py"), "w", encoding="utf-8") as file:
                    file.write(program)
            status, text = run(["mypy", "--cache-dir=/dev/null", "--check-untyped-defs", "--follow-imports=silent",
                                *sorted(os.listdir(folder))], folder)
        found = [(int(line.split(":")[1]), line) for line in text.splitlines() if ": error:" in line]
        self.assertTrue(found or status == 0, text)
        return found


def module_of(path):
    """The name of the module in a file of the package."""
    name = "tegula." + os.path.splitext(os.path.relpath(path, PACKAGE))[0].replace("/", ".")
    return name.removesuffix(".__init__")


def run(command, folder):
    """Status and output of a program of mypy's, which finds the package where this Python does. It starts elsewhere:
    mypy takes files in the current folder for modules of their own."""
    place = os.path.dirname(os.path.dirname(tegula.__file__))
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder,
                          env={**os.environ, "MYPYPATH": place, "PYTHONPATH": place})
    return done.returncode, done.stdout + done.stderr


if __name__ == "__main__":
    unittest.main()
