"""Pictures of the internals: levels, rooms, and a product, a load and a launch on their way through them."""

import functools
import re

import draw
from draw import Drawing, picture

MATMUL = ("samples/07_matmul_descriptor/matmul_descriptor.py::matmul_descriptor", "--target=sm_90a",
          "--signature=desc<64x64xf16>, desc<64x64xf16>, desc<64x64xf16>, i32, i32, i32", "--const", "BLOCK_M=64",
          "--const", "BLOCK_N=64", "--const", "BLOCK_K=64", "--num-warps=4", "--num-stages=3")
POINTERS = ("samples/05_matmul/matmul.py::matmul_2d", "--target=sm_90a",
            "--signature=*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1",
            "--const", "BLOCK_M=64", "--const", "BLOCK_N=64", "--const", "BLOCK_K=64", "--const", 'PRECISION="tf32"',
            "--num-warps=4", "--num-stages=3")
ADD = ("samples/01_vector_add/vector_add.py::add_kernel", "--signature=*fp32:16, *fp32:16, *fp32:16, i32:16", "--const",
       "BLOCK=1024")


@functools.lru_cache(maxsize=None)
def compiled(tools, level, *words):
    """The lines of a level's text, without the definitions before the kernel."""
    lines = tools.run("compile", *words, f"--emit={level}").splitlines()
    return [line.strip() for line in lines if not re.match(r"#|module", line)]


def first(lines, *patterns):
    """The first line with each of the patterns; the IR has it, or the picture is wrong."""
    for line in lines:
        if all(re.search(pattern, line) for pattern in patterns):
            return line
    raise ValueError(f"no line has {patterns}")


def fitted(line, width):
    """The line and its font size, so that it fits so many pixels: without its types if need be, then smaller, then
    cut at a word, or within the only one."""
    line = re.sub(r"%arg(\d+)", r"%a\1", line)
    if len(line) * 11.5 * 0.6 > width:
        line = re.sub(r" : .*", "", line)
    size = max(9.5, min(11.5, width / (len(line) * 0.6)))
    while len(line) * size * 0.6 > width:
        kept = line.removesuffix(" ...")
        line = (kept.rsplit(" ", 1)[0] if " " in kept else kept[:-4]) + " ..."
    return line, size


def ladder(tools, title, steps, width=820, left=70, right=244, row=54):
    """One row for each step, from above to below: its level, one real line of its text, and who makes it so.
    steps: (level, line, decider, kind). A step without a level belongs to the level above; those of the kind "device"
    are alternatives. Files that a decider names, from the root or from core/passes on, must exist."""
    drawing = Drawing(width, 14 + len(steps) * row, title)
    middle = width - left - right - 26
    arrow_x = left + 12 + middle / 2
    for index, (level, line, decider, kind) in enumerate(steps):
        y = 10 + index * row
        drawing.text(left, y + 22, level, size=13, anchor="end", weight="bold")
        drawing.box(left + 12, y, middle, row - 20, kind=kind)
        text, size = fitted(line, middle - 16)
        drawing.text(left + 20, y + 21, text, size=size, mono=True)
        for file in re.findall(r"[\w/]+\.cpp", decider):
            if not any((tools.root / folder / file).is_file() for folder in ("", "core/passes")):
                raise ValueError(f"a picture names {file}, which does not exist")
        parts = decider.split("\n")
        for number, part in enumerate(parts):
            drawing.text(left + middle + 22, y + 21 + (number - (len(parts) - 1) / 2) * 14, part, size=11,
                         color=draw.FAINT)
        if index + 1 < len(steps) and steps[index + 1][0] and kind != "device":
            drawing.arrow(arrow_x, y + row - 19, arrow_x, y + row - 2)
    return drawing


@picture("walk_product")
def walk_product(tools):
    tile, planned, simt, ptx = (compiled(tools, level, *MATMUL) for level in ("tile", "planned", "simt", "ptx"))
    code = re.search(r"wgmma\.mma_async\S+", first(ptx, r"wgmma\.mma_async")).group()
    source = (tools.root / "samples/07_matmul_descriptor/matmul_descriptor.py").read_text().splitlines()
    return ladder(tools, "A matrix product at each level, and the file that decides", [
        ("source", first(source, r"tl\.dot").strip(), "the kernel's author", "input"),
        ("tile", first(tile, r"tile\.dot"), "frontend/language/emit/OpsDot.cpp", "step"),
        ("planned", first(planned, r"simt\.product"),
         "products/ProductChoice.cpp: instruction\nproducts/PlanProducts.cpp: buffers", "step"),
        ("", first(planned, r"simt\.copy_tile"),
         "loops/MarkTileCopies.cpp: hardware copies\nloops/PipelineCopies.cpp: ring, stages", "memory"),
        ("", first(planned, r"simt\.wait_products"), "loops/LoopProducts.cpp: the previous\niteration's product",
         "wait"),
        ("simt", first(simt, r"simt\.matmul_async"), "tosimt/Mma.cpp: one thread's registers", "step"),
        ("", first(simt, r"simt\.load_tile"), "tosimt/BarrierObjects.cpp\nsimt/SpecializeWarps.cpp: producer's warps",
         "memory"),
        ("ptx", code, "backends/cuda/codegen/AsyncMatmul.cpp", "device"),
    ])


@picture("walk_copy")
def walk_copy(tools):
    tile, planned, simt, ptx = (compiled(tools, level, *POINTERS) for level in ("tile", "planned", "simt", "ptx"))
    source = (tools.root / "samples/05_matmul/matmul.py").read_text().splitlines()
    derived = re.search(r'(!tile\.desc<\S+>) \{[^%]*?"a_ptr \(derived\)"', "\n".join(planned))
    return ladder(tools, "A load through pointers that hardware copies, at each level, and the file that decides", [
        ("source", first(source, r"a = tl\.load").strip(), "the kernel's author", "input"),
        ("tile", first(tile, r"tile\.load"), "frontend/language/emit/OpsMemory.cpp", "step"),
        ("planned", f'%a: {derived[1]} {{tile.name = "a_ptr (derived)", ...}}',
         "backends/cuda/passes/DescribeLoads.cpp:\nthe tensor behind the pointers", "memory"),
        ("", first(planned, r"simt\.copy_tile"),
         "loops/MarkTileCopies.cpp: by hardware\nloops/ProducerChoice.cpp: who starts it", "memory"),
        ("simt", first(simt, r"simt\.load_tile"), "tosimt/BarrierObjects.cpp: the copy and\nits announcement", "step"),
        ("ptx", re.sub(r"\.mbarrier::\S+", "...", first(ptx, r"cp\.async\.bulk\.tensor.*mbarrier")),
         "backends/cuda/codegen/AsyncCopy.cpp", "device"),
    ])


@picture("walk_load")
def walk_load(tools):
    cuda = ("--target=sm_90a", )
    tile, planned, simt, ptx = (compiled(tools, level, *ADD, *cuda) for level in ("tile", "planned", "simt", "ptx"))
    asm = compiled(tools, "asm", *ADD, "--target=gfx1100")
    bytecode = compiled(tools, "bytecode", *ADD, "--target=cpu")
    source = (tools.root / "samples/01_vector_add/vector_add.py").read_text().splitlines()
    return ladder(tools, "A load by threads at each level, and the file that decides", [
        ("source", first(source, r"x = tl\.load").strip(), "the kernel's author", "input"),
        ("tile", first(tile, r"tile\.load"), "frontend/language/emit/OpsMemory.cpp", "step"),
        ("planned", first(planned, r"tile\.load"),
         "layouts/LayoutGroups.cpp: the layout,\nso the width of the access", "step"),
        ("simt", first(simt, r"simt\.load"), "tosimt/Memory.cpp: two accesses of\nfour elements a thread", "step"),
        ("ptx", first(ptx, r"ld\.global"), "backends/cuda/codegen/GlobalMemory.cpp:\nthe mask is a predicate",
         "device"),
        ("gcn", first(asm, r"global_load_b128").replace("\t", " "),
         "backends/rocm/codegen/Memory.cpp:\nthe mask is a branch around it", "device"),
        ("cpu", re.sub(r"^\d+\s+", "", first(bytecode, r"= Load")).split(";")[0].strip(),
         "from the tile level at once;\nbackends/cpu/executor/Memory.cpp", "device"),
    ])


@picture("walk_launch")
def walk_launch(tools):
    drawing = Drawing(820, 330, "The ways of a repeated, a known and a new launch from the call to the driver")
    columns = [("call", 10, 106), ("bind", 150, 116), ("select", 300, 124), ("compile", 458, 196), ("driver", 690, 120)]
    for name, x, width in columns:
        drawing.text(x + width / 2, 20, name, size=13, anchor="middle", weight="bold")
    drawing.box(10, 130, 106, 60, "Kernel::launch\n(C++, C,\nPython, CLI)", "input", size=12)
    drawing.box(150, 40, 116, 46, "Repeat::rebind\nsame types, facts?", "step", size=12)
    drawing.box(150, 136, 116, 48, "Binding\ntypes, facts", "step", size=12)
    drawing.box(300, 136, 124, 48, "select\nPickTable, no lock", "step", size=12)
    drawing.box(300, 240, 124, 64, "choose\nconfiguration,\nvariant", "step", size=12)
    drawing.box(458, 196, 196, 34, "disk cache", "memory", size=12)
    drawing.box(458, 240, 196, 64, "libtegula-compiler\nast, tile, planned, simt,\nthe target's code", "compute",
                size=12)
    drawing.box(690, 244, 120, 56, "Driver::load\nthe artifact", "device", size=12)
    drawing.box(690, 126, 120, 68, "LaunchFrame,\nDriver::launch\ngrid, arguments", "device", size=12)
    drawing.arrow(116, 146, 148, 74)
    drawing.arrow(116, 160, 148, 160)
    drawing.arrow(266, 160, 298, 160)
    drawing.arrow(362, 184, 362, 238, color=draw.FAINT)
    drawing.text(370, 214, "not found", size=11, color=draw.FAINT)
    drawing.arrow(424, 160, 688, 160)
    drawing.text(556, 154, "known: a look-up", size=11, anchor="middle", color=draw.FAINT)
    drawing.line(266, 62, 750, 62)
    drawing.arrow(750, 62, 750, 124)
    drawing.text(510, 56, "repeated: one pass over the arguments", size=11, anchor="middle", color=draw.FAINT)
    drawing.arrow(208, 88, 208, 134)
    drawing.text(214, 114, "no", size=11, color=draw.FAINT)
    drawing.arrow(424, 262, 456, 222)
    drawing.arrow(424, 276, 456, 276)
    drawing.arrow(654, 214, 688, 258)
    drawing.arrow(654, 276, 688, 276)
    drawing.arrow(750, 242, 750, 196)
    drawing.text(556, 322, "new: chosen, compiled once, and kept in the table", size=11, anchor="middle",
                 color=draw.FAINT)
    return drawing


def lines_of_code(lines):
    """How many lines of the text are ops or instructions, not braces, labels, comments and directives."""
    return sum(1 for line in lines if re.match(r"(%|@%|[a-z]+[._]|return\b)", line))


@picture("architecture_levels")
def architecture_levels(tools):
    """The levels, with the number of lines that one kernel has at each."""
    drawing = Drawing(820, 330, "The levels of the compiler, with the operations that a matrix product has at each")
    pointers = ("samples/05_matmul/matmul.py::matmul_2d",
                "--signature=*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1",
                "--const", "BLOCK_M=64", "--const", "BLOCK_N=64", "--const", "BLOCK_K=64", "--const",
                'PRECISION="tf32"', "--num-warps=4", "--num-stages=3")
    count = {}
    for level in ("tile", "planned", "simt"):
        count[level] = lines_of_code(compiled(tools, level, *pointers, "--target=sm_90a"))

    def level(x, y, width, name, text, kind):
        drawing.box(x, y, width, 62, "", kind)
        drawing.text(x + width / 2, y + 22, name, anchor="middle", weight="bold")
        for number, line in enumerate(text.split("\n")):
            drawing.text(x + width / 2, y + 38 + number * 14, line, size=11, anchor="middle")

    level(10, 60, 116, "source", "kernel.py", "input")
    level(166, 60, 116, "ast", "syntax tree", "step")
    level(322, 60, 136, "tile", f"whole tiles\n{count['tile']} ops", "step")
    level(498, 60, 140, "planned", f"layouts, buffers\n{count['planned']} ops", "step")
    level(678, 60, 132, "simt", f"one thread\n{count['simt']} ops", "step")
    for x1, x2, text in ((126, 166, "parse"), (282, 322, "emit"), (458, 498, "plan"), (638, 678, "threads")):
        drawing.arrow(x1 + 2, 91, x2 - 2, 91)
        drawing.text((x1 + x2) / 2, 52, text, size=11, anchor="middle", color=draw.FAINT)
    drawing.text(10, 26, "the same for all targets", size=12, color=draw.FAINT)
    drawing.line(10, 34, 458, 34)
    drawing.text(498, 26, "by the target's description", size=12, color=draw.FAINT)
    drawing.line(498, 34, 810, 34)
    level(322, 200, 136, "bytecode", "CPU: whole tiles", "device")
    level(498, 200, 96, "spirv", "Vulkan", "device")
    level(606, 200, 96, "ptx, cubin", "NVIDIA, by LLVM", "device")
    level(714, 200, 96, "hsaco", "AMD, by LLVM", "device")
    drawing.arrow(390, 122, 390, 198)
    for x in (546, 654, 762):
        drawing.arrow(744, 122, x, 198)
    drawing.box(322, 288, 488, 32, "artifact: binary, guards, conditions, what a launch must know", "memory")
    for x in (390, 546, 654, 762):
        drawing.arrow(x, 262, x, 286)
    return drawing


# The rooms that the picture shows: folder, words below it, column, row, kind.
ROOMS = [
    ("frontend/cli", "command line", 0, 0, "input"),
    ("core/runtime/c", "C interface", 1, 0, "input"),
    ("core/runtime", "launch API", 0, 1, "step"),
    ("core/tuning", "records, tables", 0, 2, "step"),
    ("frontend/compiler", "one compilation", 2, 0, "compute"),
    ("frontend/language", "parser, emitter", 2, 1, "compute"),
    ("core/passes", "pipelines", 3, 1, "compute"),
    ("core/ir", "tile, simt, layout", 3, 2, "compute"),
    ("backends/cuda", "driver", 1, 1, "device"),
    ("backends/gpu", "CUDA's and HIP's driver", 1, 2, "device"),
    ("backends/cuda/codegen", "simt to PTX", 4, 0, "device"),
    ("backends/llvm", "simt to LLVM IR", 4, 1, "device"),
    ("core/contracts", "Artifact, Backend, CodeGenerator, Compiler", 0, 3, "memory"),
    ("core/target", "descriptions", 3, 3, "memory"),
    ("core/layout", "linear layouts", 4, 3, "memory"),
    ("core/support", "types, files, diagnostics (arrows to it are left out)", 0, 4, "wait"),
]


def rooms_table(tools):
    """What each room may include, of the table of docs/architecture.md."""
    table = {}
    for line in (tools.root / "docs/architecture.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0].startswith("`"):
            table[cells[0].strip("`")] = set(re.findall(r"`([^`<]+)`", cells[2]))
    return table


@picture("architecture_rooms")
def architecture_rooms(tools):
    table = rooms_table(tools)
    each, row, gap = 136, 56, 24
    wide = {"core/contracts": 3, "core/support": 5}
    drawing = Drawing(20 + 5 * each + 4 * gap, 44 + 5 * row + 4 * 30 + 10,
                      "Rooms and what they include: runtime on the left, compiler on the right, below what they share")
    place = {}
    for name, words, column, line, kind in ROOMS:
        if name not in table:
            raise ValueError(f"docs/architecture.md has no room '{name}'")
        x, y = 10 + column * (each + gap), 36 + line * (row + 30)
        width = wide.get(name, 1) * (each + gap) - gap
        place[name] = (x, y, width)
        drawing.box(x, y, width, row, "", kind)
        size = min(12, (width - 14) / (0.66 * len(name)))  # bold letters are wider
        drawing.text(x + width / 2, y + 24, name, size=size, anchor="middle", weight="bold")
        drawing.text(x + width / 2, y + 41, words, size=10.5, anchor="middle")
    drawing.text(10 + each + gap / 2, 22, "runtime library, no LLVM", size=12, anchor="middle", color=draw.FAINT)
    drawing.text(10 + 3.5 * (each + gap), 22, "compiler library: MLIR, LLVM", size=12, anchor="middle",
                 color=draw.FAINT)
    border = 10 + 2 * (each + gap) - gap / 2
    drawing.line(border, 8, border, 36 + 3 * (row + 30) - 15, dashed=True)

    def reachable(start, without):
        seen, todo = set(), [other for other in table[start] if other in place and other != without]
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += [other for other in table[name] if other in place]
        return seen

    for name in place:
        for other in sorted(table[name]):
            # Of what a room includes, arrows show what it does not reach by another one.
            if other not in place or other == "core/support" or other in reachable(name, other):
                continue
            (x1, y1, w1), (x2, y2, w2) = place[name], place[other]
            if y1 == y2:
                left = x1 > x2
                drawing.arrow(x1 if left else x1 + w1, y1 + row / 2, x2 + w2 + 2 if left else x2 - 2, y2 + row / 2)
                continue
            start = x1 + w1 / 2
            end = min(max(start, x2 + 14), x2 + w2 - 14)
            drawing.arrow(start, y1 + row, end, y2 - 2)
    return drawing


@picture("instruction_c")
def instruction_c(tools):
    """The accumulator of mma.sync m16n8k16, as `tegula layout` prints it."""
    lines = tools.run("layout", 'mma("m16n8k16","c")').splitlines()
    cells = [line.split()[1:] for line in lines if re.match(r"\s+\d+\s+\d+:\d+", line)]
    kinds = ("input", "compute", "memory", "device")
    return draw.grid("The accumulator of mma.sync m16n8k16: in each cell lane:register", cells,
                     row_names=[f"m {m}" for m in range(len(cells))],
                     column_names=[f"n {n}" for n in range(len(cells[0]))], cell=(52, 22),
                     kinds=[[kinds[int(cell.split(":")[1]) % 4] for cell in line] for line in cells])


@picture("backend")
def backend(tools):
    drawing = Drawing(760, 214, "The two halves of a backend: a code generator in the compiler library, a driver in "
                                "the runtime library, the artifact between them")
    drawing.box(10, 40, 150, 56, "core/passes\nsimt or tile IR", "step")
    drawing.box(210, 30, 190, 76, "code generator\ndescribe, extend,\naddPasses, generate", "device")
    drawing.box(450, 40, 130, 56, "Artifact\nbinary, metadata", "memory")
    drawing.box(10, 150, 150, 52, "core/runtime\nlaunches", "step")
    drawing.box(210, 140, 190, 66, "driver\nenumerate, load,\nallocate, launch", "device")
    drawing.box(450, 148, 300, 50, "the vendor's library, opened at run time", "other")
    drawing.arrow(160, 68, 208, 68)
    drawing.arrow(400, 68, 448, 68)
    drawing.arrow(160, 174, 208, 174)
    drawing.arrow(400, 174, 448, 174)
    drawing.line(515, 98, 515, 122)
    drawing.line(515, 122, 350, 122)
    drawing.arrow(350, 122, 350, 138)
    drawing.text(305, 20, "backends/<name>", size=12, anchor="middle", color=draw.FAINT)
    drawing.text(600, 62, "kept in caches and", size=11, color=draw.FAINT)
    drawing.text(600, 77, "bundles in between", size=11, color=draw.FAINT)
    return drawing
