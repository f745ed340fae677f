#!/usr/bin/env python3
"""The source lines that compiled kernels name, as each target's own tools read them: of the kernel, of functions in
other modules that it calls, and of most instructions of a product, an attention and a softmax. A kernel that moves in
its file keeps its code.

    tests/lines/lines.py build/all/bin/tegula cuda|rocm|vulkan [TOOL...]

TOOL: for rocm llvm-dwarfdump and llvm-objcopy, for vulkan spirv-dis and spirv-val. `--report` prints the shares.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parents[1] / "samples"
# Of the instructions, those whose line is one of a function's body; the others compute what the whole kernel shares,
# such as the thread's number, or come from no line.
LEAST_SHARE = 0.9


class Wrong(Exception):
    pass


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, **more)
    if done.returncode:
        raise Wrong(f"{command[0]} ends with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def line_of(file, comment):
    """The number of the line that ends in the comment."""
    found = [i for i, line in enumerate((HERE / file).read_text().splitlines(), 1) if line.endswith(f"  # {comment}")]
    if len(found) != 1:
        raise Wrong(f"{file} has {len(found)} lines that end in '# {comment}'")
    return found[0]


def expect(is_so, what, text):
    if not is_so:
        raise Wrong(f"{what}:\n{text}")


class Ptx:
    """PTX text, the same with and without an assembler. Copies of registers and loads of parameters do not count: the
    assembler makes no instructions of most of them."""
    targets = ("sm_75", "sm_90a")

    def __init__(self, tools):
        expect(not tools, "cuda takes no tools", tools)

    def compile(self, tegula, target, arguments, folder):
        return run(tegula, "compile", *arguments, f"--target={target}", "--emit=ptx", cwd=folder).decode()

    def code(self, text):
        """Without places."""
        return re.sub(r"(?m)^\t\.(loc|file)\t.*\n", "", text)

    def places(self, text):
        files = dict(re.findall(r'(?m)^\t\.file\t(\d+) "(.*)"$', text))
        names = {label: bytes(int(c) for c in codes.split(",")[:-1]).decode()
                 for label, codes in re.findall(r"(?m)^(\$L__callee\d+):\n\t\.b8 (.*)$", text)}
        place, calls = None, ()
        for line in text.splitlines():
            directive = re.match(r"\t\.loc\t(\d+) (\d+) \d+(?:, function_name (\S+), inlined_at (\d+) (\d+) \d+)?$",
                                 line)
            if directive:
                file, number, callee, call_file, call_line = directive.groups()
                place = (files[file], int(number)) if int(number) else None
                calls = ((names[callee], files[call_file], int(call_line)),) if callee else ()
            elif re.match(r"\s+(@!?%\w+ )?(?!mov\.|ld\.param\.)[a-z][\w.:]*[\s;]", line):
                yield place, calls


class CodeObject:
    """DWARF's line table in an ELF file; an instruction counts by its bytes."""
    targets = ("gfx942", "gfx1100")

    def __init__(self, tools):
        self.dwarfdump, self.objcopy = tools

    def compile(self, tegula, target, arguments, folder):
        return run(tegula, "compile", *arguments, f"--target={target}", "--emit=hsaco", cwd=folder)

    def file(self, code):
        self.kept = tempfile.NamedTemporaryFile(suffix=".hsaco")
        self.kept.write(code)
        self.kept.flush()
        return self.kept.name

    def code(self, code):
        with tempfile.NamedTemporaryFile() as text:
            run(self.objcopy, f"--dump-section=.text={text.name}", self.file(code), "/dev/null")
            return pathlib.Path(text.name).read_bytes()

    def calls(self, code):
        """(function, file, line of the call) of each inlined call."""
        text = run(self.dwarfdump, "--debug-info", self.file(code)).decode()
        for entry in re.findall(r"DW_TAG_inlined_subroutine\n(.*?)\n\n", text, re.DOTALL):
            value = dict(re.findall(r'DW_AT_(abstract_origin|call_file|call_line)\s+\(.*?"?([^" ()]+)"?\)', entry))
            yield value["abstract_origin"], value["call_file"], int(value["call_line"])

    def places(self, code):
        text = run(self.dwarfdump, "--debug-line", self.file(code)).decode()
        first = 1 if re.search(r"(?m)^ +version: [1-4]$", text) else 0
        names = re.findall(r'(?m)^ +name: "(.*)"$', text)
        folders = dict(re.findall(r'(?m)^include_directories\[ *(\d+)\] = "(.*)"$', text))
        of = re.findall(r"(?m)^ +dir_index: (\d+)$", text)
        files = {i + first: (folders[d] + "/" if d in folders else "") + name
                 for i, (name, d) in enumerate(zip(names, of))}
        rows = re.findall(r"(?m)^0x([0-9a-f]{16}) +(\d+) +\d+ +(\d+) .*$", text)
        calls = tuple(self.calls(code))
        for row, following in zip(rows, rows[1:]):
            place = (files[int(row[2])], int(row[1])) if int(row[1]) else None
            for _ in range(int(following[0], 16) - int(row[0], 16)):
                yield place, calls


class Spirv:
    """OpLine, which holds to the end of its block and knows no calls."""
    targets = ("spirv:generic", "spirv:sg32")

    def __init__(self, tools):
        self.dis, self.val = tools

    def compile(self, tegula, target, arguments, folder):
        """The module in the compiled kernel's file: from its magic number on, to the end of its last function."""
        with tempfile.NamedTemporaryFile() as file:
            run(tegula, "compile", *arguments, f"--target={target}", "-o", file.name, cwd=folder)
            kernel = pathlib.Path(file.name).read_bytes()
        begin = kernel.index((0x07230203).to_bytes(4, "little"))
        end = begin + 20
        word = lambda at: int.from_bytes(kernel[at:at + 4], "little")
        while True:
            code, count = word(end) & 0xffff, word(end) >> 16
            end += 4 * count
            if code == 56 and word(end) & 0xffff not in (8, 54):  # OpFunctionEnd, behind it no OpLine or OpFunction
                break
        module = kernel[begin:end]
        run(self.val, "--target-env", "vulkan1.2", "-", input=module)
        return run(self.dis, "--raw-id", "--no-color", "--no-header", "-", input=module).decode()

    def code(self, text):
        return re.sub(r"(?m)^ *(%\d+ = OpString.*|OpLine.*|OpNoLine)\n", "", text)

    def places(self, text):
        files = dict(re.findall(r'(?m)^ *(%\d+) = OpString "(.*)"$', text))
        place, inside = None, False
        for line in text.splitlines():
            line = line.strip()
            op = re.search(r"\bOp\w+", line).group()
            if op == "OpLine":
                _, file, number, _ = line.split()
                place = (files[file], int(number))
            elif op in ("OpNoLine", "OpLabel", "OpFunctionEnd"):
                place = None
            elif op == "OpFunction":
                inside = True
            elif inside and op not in ("OpFunctionParameter", "OpPhi", "OpVariable", "OpLoopMerge", "OpSelectionMerge",
                                       "OpBranch", "OpBranchConditional", "OpReturn", "OpReturnValue", "OpUnreachable"):
                yield place, ()


FORMS = {"cuda": Ptx, "rocm": CodeObject, "vulkan": Spirv}
CALLER = ["caller.py::caller", "--signature=*fp32:16, *fp32:16, i32, fp32", "--const=BLOCK=256"]


def check_caller(form, tegula, target):
    code = form.compile(tegula, target, CALLER, HERE)
    found = list(form.places(code))
    lines = {place for place, _ in found}
    wanted = {("caller.py", line_of("caller.py", comment)) for comment in ("index", "load", "inner call", "store")}
    wanted |= {("./scaling.py" if ("./scaling.py", line_of("scaling.py", "root")) in lines else "scaling.py",
                line_of("scaling.py", comment)) for comment in ("root", "product")}
    expect(wanted <= lines, f"{target}: no instruction of {sorted(wanted - lines)}", sorted(map(str, lines)))
    if isinstance(form, Spirv):
        return
    calls = {call for _, calls in found for call in calls}
    wanted = {("twice", "caller.py", line_of("caller.py", "outer call")),
              ("scaled", "caller.py", line_of("caller.py", "inner call"))}
    expect(wanted <= calls, f"{target}: no inlined call {sorted(wanted - calls)}", sorted(calls))


def check_moved(form, tegula, target):
    """Three lines further down: other places, the same code."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("caller.py", "scaling.py"):
            (pathlib.Path(folder) / name).write_text("#\n\n\n" + (HERE / name).read_text())
        before, after = (form.compile(tegula, target, CALLER, where) for where in (HERE, folder))
        expect(form.code(before) == form.code(after), f"{target}: a kernel that moved has other code", "")
        moved = {place for place, _ in form.places(after)}
        expect(("caller.py", line_of("caller.py", "load") + 3) in moved, f"{target}: no line moved",
               sorted(map(str, moved)))


KERNELS = {
    "product": ["05_matmul/matmul.py::matmul_grouped",
                "--signature=*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1",
                "--const", "BLOCK_M=64", "BLOCK_N=64", "BLOCK_K=32", "GROUP_M=8", "PRECISION='ieee'"],
    "attention": ["08_flash_attention/flash_attention.py::attention_forward",
                  "--signature=" + 4 * "*fp16:16, " + "i32:16, i32:16, fp32", "--const", "HEAD=64", "BLOCK_Q=64",
                  "BLOCK_K=32", "CAUSAL=True"],
    "softmax": ["03_softmax/softmax.py::softmax_fused", "--signature=*fp32:16, *fp32:16, i32:16, i32:16, i32",
                "--const", "BLOCK=1024"],
}


def check_shares(form, tegula, target, reports):
    for name, arguments in KERNELS.items():
        file, kernel = arguments[0].split("::")
        text = (SAMPLES / file).read_text().splitlines()
        definition = next(i for i, line in enumerate(text, 1) if line.startswith(f"def {kernel}("))
        found = [place for place, _ in form.places(form.compile(tegula, target, arguments, SAMPLES))]
        heads = (definition - 1, definition)  # the decorator's line and the next one
        share = sum(1 for place in found if place and place[1] not in heads) / len(found)
        if reports:
            print(f"{target}: {name}: {100 * share:.1f}% of {len(found)}, "
                  f"{len({place for place in found if place})} lines")
        expect(share >= LEAST_SHARE, f"{target}: {name}: only {100 * share:.1f}% of the code has a line of a body",
               sorted({place for place in found if place}))


def sections(elf):
    """Name and content of each section of an ELF file of 64 bits."""
    number = lambda at, size: int.from_bytes(elf[at:at + size], "little")
    headers = [number(0x28, 8) + 64 * i for i in range(number(0x3c, 2))]
    of = lambda header: elf[number(header + 24, 8):][:number(header + 32, 8)]
    names = of(headers[number(0x3e, 2)])
    return {names[number(header, 4):].split(b"\0")[0].decode(): of(header) for header in headers}


def check_bundle(tegula, target):
    """In bundles a cubin has its code and its lines, and no text of PTX; only where there is an assembler."""
    with tempfile.TemporaryDirectory() as folder:
        bundle = pathlib.Path(folder) / "caller.tgb"
        run(tegula, "build", *CALLER, f"--targets={target}", "-o", bundle, cwd=HERE)
        built = bundle.read_bytes()
        begin = built.find(b"\x7fELF")
        if begin < 0:
            return
        found = sections(built[begin:])
        whole = sections(run(tegula, "compile", *CALLER, f"--target={target}", "--emit=cubin", cwd=HERE))
        for name in (".text.caller", ".debug_line"):
            expect(found[name] and len(found[name]) == len(whole[name]), f"{target}: the bundle's {name}", found[name])
        for name in (".nv_debug_ptx_txt", ".nv_debug_line_sass"):
            expect(whole[name] and not found[name], f"{target}: the bundle's {name}", found[name])
        expect(str(HERE).encode() not in built, f"{target}: the bundle names a folder of this machine", "")


def main():
    reports = "--report" in sys.argv
    tegula, backend, *tools = [part for part in sys.argv[1:] if part != "--report"]
    form = FORMS[backend](tools)
    tegula = pathlib.Path(tegula).resolve()
    for target in form.targets:
        try:
            check_caller(form, tegula, target)
            check_moved(form, tegula, target)
            check_shares(form, tegula, target, reports)
            if backend == "cuda":
                check_bundle(tegula, target)
        except Wrong as wrong:
            sys.exit(f"lines.py: {wrong}")
    print(f"{backend}: lines of the kernel and of the functions that it calls, on {' and '.join(form.targets)}")


if __name__ == "__main__":
    main()
