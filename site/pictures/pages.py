"""Pictures of the pages on the language, layouts, loops, devices, tuning and tests."""

import ast
import re

from draw import FAINT, INK, KINDS, Drawing, picture, timeline

# Eight fill colours for warps, lanes or banks that must be told apart.
PALETTE = ("#bbdefb", "#ffe0b2", "#c8e6c9", "#d1c4e9", "#f8bbd0", "#fff9c4", "#b2dfdb", "#d7ccc8")
EDGE = "#9e9e9e"


def shown_grid(text):
    """The cells of the grid that `tegula layout` prints: rows of words."""
    lines = text.rstrip("\n").split("\n")
    begin = max(index for index, line in enumerate(lines) if not line.strip()) + 2
    return [line.split()[1:] for line in lines[begin:]]


def cells(drawing, x, y, rows, fills, cell, size=11, bold=()):
    """A table with its upper left corner at (x, y), and the numbers of its rows and columns beside it. `bold` are the
    (row, column) of cells with a thick outline."""
    width, height = cell
    for column in range(len(rows[0])):
        drawing.text(x + (column + 0.5) * width, y - 6, str(column), size=10, anchor="middle", color=FAINT)
    for index, line in enumerate(rows):
        drawing.text(x - 6, y + (index + 0.5) * height + 4, str(index), size=10, anchor="end", color=FAINT)
        for column, text in enumerate(line):
            drawing.add("rect", x=x + column * width, y=y + index * height, width=width, height=height,
                        fill=fills[index][column], stroke=EDGE)
            drawing.text(x + (column + 0.5) * width, y + (index + 0.5) * height + size * 0.35, str(text), size=size,
                         anchor="middle")
    for row, column in bold:
        drawing.add("rect", x=x + column * width + 1, y=y + row * height + 1, width=width - 2, height=height - 2,
                    fill="none", stroke=INK, stroke_width=2)


def legend(drawing, x, y, entries):
    """Small squares with words, one below the other; entries are (fill, text)."""
    for index, (fill, text) in enumerate(entries):
        drawing.add("rect", x=x, y=y + index * 22, width=14, height=14, fill=fill, stroke=EDGE)
        drawing.text(x + 22, y + index * 22 + 12, text, size=12)


@picture("layout-blocked")
def layout_blocked(tools):
    grid = shown_grid(tools.run("layout", "blocked([1,2],[4,4],[2,1],[1,0],[16,8])"))
    warps = [[int(cell.split("/")[0]) for cell in line] for line in grid]
    drawing = Drawing(760, 420, "a blocked layout of 16 x 8 elements over two warps of 16 lanes")
    mine = [(row, column) for row, line in enumerate(grid) for column, cell in enumerate(line)
            if cell.startswith("0/6:")]
    words = [[cell.split("/")[1] for cell in line] for line in grid]
    cells(drawing, 40, 30, words, [[PALETTE[warp] for warp in line] for line in warps], (56, 23), bold=mine)
    legend(drawing, 520, 34, [(PALETTE[0], "warp 0"), (PALETTE[1], "warp 1")])
    for index, line in enumerate(("A cell is lane:register.", "Framed: all that lane 6 of",
                                  "warp 0 holds, registers 0 to 3.", "", "A thread has 1 x 2 elements,",
                                  "a warp 4 x 4 threads, two", "warps are 8 rows; then the",
                                  "pattern repeats, in registers", "2 and 3.")):
        drawing.text(520, 104 + index * 19, line, size=12)
    return drawing


@picture("layout-mma")
def layout_mma(tools):
    grid = shown_grid(tools.run("layout", 'mma("m16n8k16","c")'))
    registers = [[int(cell.split(":")[1]) for cell in line] for line in grid]
    drawing = Drawing(760, 420, "which lane and register of a warp hold each element of a 16 x 8 accumulator")
    mine = [(row, column) for row, line in enumerate(grid) for column, cell in enumerate(line)
            if cell.startswith("6:")]
    cells(drawing, 40, 30, grid, [[PALETTE[register] for register in line] for line in registers], (56, 23), bold=mine)
    legend(drawing, 520, 34, [(PALETTE[register], f"register {register}") for register in range(4)])
    for index, line in enumerate(("A cell is lane:register of C,", "of the instruction m16n8k16.", "",
                                  "Framed: the elements of lane 6,", "(1,4) (1,5) and, in registers",
                                  "2 and 3, (9,4) (9,5).", "", "Four lanes hold a row.")):
        drawing.text(520, 148 + index * 19, line, size=12)
    return drawing


def chunk_places(tools, layout):
    """Of 8 rows of 64 halves: for each row and chunk of 8 halves, in which eighth of a line it is stored."""
    grid = shown_grid(tools.run("layout", layout))
    return [[int(line[chunk * 8]) // 8 % 8 for chunk in range(8)] for line in grid]


@picture("layout-swizzle")
def layout_swizzle(tools):
    drawing = Drawing(760, 330, "rows of 128 bytes in shared memory, without and with the 128-byte swizzle")
    for x, layout, title, found in (
            (40, "rowmajor(8x64xf16)", "row-major", "one group of banks: 8 rounds"),
            (410, "swizzle(128, 8x64xf16)", "swizzle with a span of 128 bytes", "eight groups of banks: 1 round")):
        places = chunk_places(tools, layout)
        drawing.text(x, 20, title, size=13, weight="bold")
        cells(drawing, x, 50, places, [[PALETTE[place] for place in line] for line in places], (38, 26),
              bold=[(row, 2) for row in range(8)])
        count = len({line[2] for line in places})
        assert count == (1 if "one" in found else 8), layout
        drawing.text(x, 282, "Framed: 8 lanes read chunk 2 of 8 rows.", size=12)
        drawing.text(x, 300, found, size=12)
    drawing.text(40, 322, "Row: line of 64 f16; column: chunk of 8 f16 (16 bytes); a cell: the group of 4 banks that "
                 "holds the chunk.", size=11, color=FAINT)
    return drawing


@picture("layout-conversion")
def layout_conversion(tools):
    source, target = "register: (0,1) (0,2); lane: (1,0) (2,0)", "register: (1,0) (2,0); lane: (0,1) (0,2)"
    plan = tools.run("layout", source, "--to", target)
    gives = plan_map(plan, "lane gives register")
    drawing = Drawing(760, 250, "a transpose of 4 x 4 elements in four lanes, by four rounds of shuffles")
    for x, layout, title in ((30, source, "from: a lane has a row"), (580, target, "to: a lane has a column")):
        grid = shown_grid(tools.run("layout", layout))
        drawing.text(x, 20, title, size=13, weight="bold")
        cells(drawing, x, 50, grid, [[PALETTE[int(cell.split(":")[0])] for cell in line] for line in grid], (40, 30))
    drawing.text(30, 196, "A cell is lane:register;", size=12, color=FAINT)
    drawing.text(30, 214, "a colour is a lane.", size=12, color=FAINT)
    drawing.text(230, 20, "the plan: what each lane does in each round", size=13, weight="bold")
    taken = plan_map(plan, "and takes from lane")
    rounds = [[f"gives r{gives(turn, lane)}, takes from {taken(turn, lane)}" for lane in range(4)] for turn in range(4)]
    for turn, line in enumerate(rounds):
        drawing.text(230, 64 + turn * 40, f"round {turn}", size=11)
        for lane, words in enumerate(line):
            x = 280 + lane * 70
            drawing.add("rect", x=x, y=44 + turn * 40, width=66, height=34, fill=PALETTE[lane], stroke=EDGE)
            for index, word in enumerate(words.split(", ")):
                drawing.text(x + 33, 58 + turn * 40 + index * 14, word, size=10, anchor="middle")
    for lane in range(4):
        drawing.text(313 + lane * 70, 38, f"lane {lane}", size=10, anchor="middle", color=FAINT)
    drawing.text(230, 226, plan.splitlines()[2].split(";")[0], size=12)
    return drawing


def plan_map(plan, name):
    """The linear map that a printed plan gives for the round and the lane."""
    line = next(line for line in plan.splitlines() if line.strip().startswith(name))
    bases = [[int(basis) for basis in re.findall(r"\((\d+)\)", part)] for part in line[len(name) + 2:].split(";")[:2]]

    def value(turn, lane):
        found = 0
        for number, part in zip((turn, lane), bases):
            for bit, basis in enumerate(part):
                found ^= basis if number >> bit & 1 else 0
        return found
    return value


MATMUL = ("compile", "samples/05_matmul/matmul.py::matmul_2d", "--target=sm_80",
          "--signature=*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1",
          "--const", "BLOCK_M=128", "BLOCK_N=128", "BLOCK_K=32", "PRECISION=None", "--emit=expanded")


@picture("loop-schedule")
def loop_schedule(tools):
    """Stages, prefetch distance and the order in an iteration are read from the expanded loop of samples/05_matmul:
    iteration i waits for block i, starts the copy of block i + ahead, then reads block i and multiplies."""
    text = tools.run(*MATMUL, "--num-stages", "4")
    stages = int(re.search(r"simt\.shared_alloc : <(\d+)x", text).group(1))
    before, loop = text.split("scf.for ", 1)
    loop = loop[:loop.index("scf.yield")]
    buffers = len(re.findall(r"simt\.shared_alloc", before))
    ahead = len(re.findall(r"simt\.copy ", before)) // buffers
    order = [op for op in re.findall(r"simt\.wait_copies|simt\.copy |simt\.shared_load|tile\.dot", loop)]
    assert order.index("simt.wait_copies") < order.index("simt.copy ") < order.index("tile.dot"), order
    rounds, start = 6, 1.2  # iterations that are drawn; the time of the copies before the loop
    rows = []
    for stage in range(stages):
        spans = []
        for block in range(stage, rounds + ahead, stages):
            begin = block * start / ahead if block < ahead else start + block - ahead + 0.15
            end = start + min(block, rounds)
            if begin < start + rounds:
                spans.append((begin, end, f"copy block {block}", "memory"))
            if block < rounds:
                spans.append((start + block + 0.12, start + block + 1, f"use {block}", "compute"))
        rows.append((f"shared stage {stage}", spans))
    marks = [(start + turn, f"iteration {turn}") for turn in range(rounds)]
    rows.append(("tensor cores", [(start + turn + 0.25, start + turn + 1, f"product {turn}", "compute")
                                  for turn in range(rounds)]))
    return timeline(f"a loop with {stages} stages: copies run {ahead} iterations ahead of their products", rows,
                    unit="in iterations", scale=82, label=110, marks=marks)


@picture("simt-ring")
def simt_ring(_):
    """Executes the producer's and the consumer's rules of docs/simt.md: a copy may start when its stage is empty, takes
    2 units, and a block is used for 1 unit."""
    stages, blocks = 3, 7
    arrived, used = {}, {}
    producer, consumer, place = [], [], {stage: [] for stage in range(stages)}
    now = 0.0
    for block in range(blocks):
        free = used.get(block - stages, 0.0)
        if free > now:
            producer.append((now, free, "wait", "wait"))
        begin = max(now, free)
        now = begin + 0.4
        producer.append((begin, now, str(block), "input"))
        arrived[block] = begin + 2.0
        ready = max(arrived[block], used.get(block - 1, 0.0))
        used[block] = ready + 1.0
        if arrived[block] > used.get(block - 1, 0.0):
            consumer.append((used.get(block - 1, 0.0), ready, "wait", "wait"))
        consumer.append((ready, used[block], f"use {block}", "compute"))
        place[block % stages] += [(begin, arrived[block], f"copy {block}", "memory"),
                                  (ready, used[block], f"read {block}", "compute")]
    rows = [("producer thread", producer)]
    rows += [(f"stage {stage}", place[stage]) for stage in range(stages)] + [("consumer warps", consumer)]
    return timeline("a ring of three stages between a producer and its consumers", rows, scale=66, label=115)


EXAMPLE = '''import torch
import triton
import triton.language as tl
from .activations import gelu

BLOCKS = [256, 1024]

@triton.autotune([triton.Config({"B": b}) for b in BLOCKS], key=["n"])
@triton.jit
def scaled_gelu(x, y, n, by, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, by * gelu(tl.load(x + i, mask=i < n)), mask=i < n)

def forward(x, by):
    y = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["B"]),)
    scaled_gelu[grid](x, y, x.numel(), by)
    return y'''


@picture("language-file")
def language_file(_):
    lines = EXAMPLE.split("\n")
    fates = {}
    for node in ast.parse(EXAMPLE).body:
        is_function = isinstance(node, ast.FunctionDef)
        is_kernel = is_function and any("jit" in ast.unparse(mark) for mark in node.decorator_list)
        own = "input" if is_kernel else "wait" if is_function else "compute"
        if isinstance(node, ast.Import) and node.names[0].name == "torch":
            own = "wait"
        for mark in getattr(node, "decorator_list", ()):
            fates.update({line: "compute" for line in range(mark.lineno, mark.end_lineno + 1)})
        fates.update({line: own for line in range(node.lineno, node.end_lineno + 1)})
    drawing = Drawing(760, 30 + 20 * len(lines), "what Tegula does with each line of a kernel file")
    for number, line in enumerate(lines, 1):
        y = 12 + (number - 1) * 20
        if line:
            fill, _ = KINDS[fates[number]]
            drawing.add("rect", x=10, y=y, width=560, height=20, fill=fill)
        indent = len(line) - len(line.lstrip())
        drawing.text(18 + indent * 7.2, y + 15, line.lstrip(), size=12, mono=True)
    for y, kind, words in ((90, "compute", ("evaluated, if a", "kernel needs it")), (190, "input", ("compiled",)),
                           (290, "wait", ("parsed, then skipped",))):
        fill, outline = KINDS[kind]
        drawing.add("rect", x=590, y=y, width=14, height=14, fill=fill, stroke=outline)
        for index, word in enumerate(words):
            drawing.text(612, y + 12 + index * 16, word, size=12)
    return drawing


@picture("math-errors")
def math_errors(tools):
    """From the table of docs/math.md itself."""
    rows = []
    for line in (tools.root / "docs" / "math.md").read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in line.strip("|").split("|")]
        if len(fields) == 7 and re.fullmatch(r"[\d.]+", fields[1]) and re.fullmatch(r"[\d.]+", fields[2]):
            rows.append((fields[0], float(fields[1]), float(fields[2])))
    rows.sort(key=lambda row: row[2])
    left, scale, height = 220, 84, 17
    rows = [row for row in rows if row[1] <= 6]
    drawing = Drawing(760, 54 + len(rows) * height, "errors of f32 functions in ulp: measured, and stated")
    fill, outline = KINDS["compute"]
    for ulp in range(7):
        drawing.line(left + ulp * scale, 24, left + ulp * scale, 26 + len(rows) * height, color="#e0e0e0", width=1)
        drawing.text(left + ulp * scale, 18, f"{ulp} ulp", size=10, anchor="middle", color=FAINT)
    for index, (name, stated, measured) in enumerate(rows):
        y = 28 + index * height
        drawing.text(left - 8, y + 11, name.split(" (")[0], size=11, anchor="end")
        drawing.add("rect", x=left, y=y + 2, width=measured * scale, height=height - 6, fill=fill, stroke=outline)
        drawing.line(left + stated * scale, y, left + stated * scale, y + height - 2, color=KINDS["other"][1], width=2)
    drawing.text(left, 46 + len(rows) * height, "bar: the largest error that was measured; red line: the stated bound",
                 size=11, color=FAINT)
    return drawing


@picture("oracles")
def oracles(_):
    rows = (("layouts, bank conflicts", "brute-force enumeration", "tests/layout"),
            ("matrix instructions' tables", "formulas of the vendors' manuals", "tests/layout"),
            ("functions of floats", "MPFR, long double", "tests/math"),
            ("passes, simt kernels", "an executor of simt modules: races, waits, fences", "tests/simt"),
            ("the CPU backend", "references in extended precision; Triton's interpreter", "tests/conformance"),
            ("GPUs and Vulkan devices", "the CPU backend", "tests/conformance"),
            ("AMD's machine code", "an emulator of its instructions", "tests/rocm"),
            ("the emulator", "a model written from AMD's manuals", "tests/emulator"))
    drawing = Drawing(760, 20 + len(rows) * 40, "each part with the independent implementation that tests compare with")
    for index, (part, oracle, folder) in enumerate(rows):
        y = 12 + index * 40
        drawing.box(10, y, 200, 30, part, "step", size=12)
        drawing.arrow(310, y + 15, 213, y + 15)
        drawing.box(312, y, 320, 30, oracle, "compute", size=12)
        drawing.text(642, y + 19, folder, size=11, color=FAINT)
    drawing.text(261, 20, "checks", size=11, anchor="middle", color=FAINT)
    return drawing


@picture("conformance")
def conformance(_):
    drawing = Drawing(760, 220, "how the conformance suite runs a case")
    drawing.box(10, 80, 112, 60, "coordinator:\ncases, longest\nfirst", "step", size=12)
    for index in range(3):
        y = 12 + index * 70
        drawing.box(156, y, 96, 56, f"worker {index},\na process", "step", size=12)
        drawing.arrow(125, 110, 153, y + 28)
    drawing.box(288, 80, 90, 60, "inputs of\na case", "input", size=12)
    drawing.arrow(255, 110, 285, 110)
    for y, words, kind in ((30, "results of the CPU backend,\nonce for each case", "compute"),
                           (134, "results of each device:\nvulkan:0, cuda:0, ...", "device")):
        drawing.box(412, y, 184, 56, words, kind, size=12)
        drawing.arrow(381, 110, 409, y + 28)
        drawing.arrow(599, y + 28, 629, 110)
    drawing.box(632, 80, 118, 60, "compared by the\npolicy of each\noutput", "step", size=12)
    return drawing


@picture("past-the-end")
def past_the_end(_):
    count, block = 1000, 256
    scale, drawing = 0.68, Drawing(760, 120, "four programs of 256 elements over an array of 1000 elements")
    for program in range(4):
        first = program * block
        inside = min(block, count - first)
        drawing.box(20 + first * scale, 40, inside * scale, 30, f"program {program}", "input", size=12)
        if inside < block:
            drawing.box(20 + (first + inside) * scale, 40, (block - inside) * scale, 30, "", "other")
        drawing.text(20 + first * scale, 34, str(first), size=10, color=FAINT)
    x = 20 + count * scale
    drawing.line(x, 30, x, 92, color=KINDS["other"][1], dashed=True)
    drawing.text(x - 6, 106, f"element {count % block} of program {count // block} would be x[{count}]: past the end",
                 size=12, anchor="end")
    return drawing


def chain(drawing, y, boxes, height=50, left=10, gap=26):
    """Boxes from left to right with arrows; boxes are (width, text, kind)."""
    x = left
    for index, (width, text, kind) in enumerate(boxes):
        if index:
            drawing.arrow(x - gap + 3, y + height / 2, x - 3, y + height / 2)
        drawing.box(x, y, width, height, text, kind, size=12)
        x += width + gap


@picture("python-launch")
def python_launch(_):
    drawing = Drawing(760, 172, "a launch from Python: the first one compiles, later ones look up what it prepared")
    drawing.text(10, 18, "first launch with new types, constants or options", size=12, weight="bold")
    chain(drawing, 26, ((120, "kernel[grid](...)", "input"), (150, "text of the kernel,\nvalues of its names", "step"),
                        (120, "compiler library,\nor its cache", "step"), (120, "module on\nthe device", "device"),
                        (110, "prepared\nlaunch", "step")))
    drawing.text(10, 104, "repeated launch, in C", size=12, weight="bold")
    chain(drawing, 112, ((120, "kernel[grid](...)", "input"), (150, "compare the names,\nmake the key", "step"),
                         (120, "find the prepared\nlaunch", "step"), (120, "8 bytes for\neach argument", "step"),
                         (110, "device", "device")))
    return drawing


@picture("rocm-path")
def rocm_path(_):
    drawing = Drawing(760, 140, "from the simt kernel to AMD machine code, and where it runs")
    chain(drawing, 42, ((84, "simt kernel", "step"), (118, "AmdgcnPrinter:\nLLVM IR", "step"),
                        (118, "AMDGPU backend\nof LLVM: object", "step"), (100, "lld: HSACO,\ncode object", "step"),
                        (90, "HIP\nentry points", "step")))
    drawing.box(662, 10, 92, 50, "libamdhip64:\nan AMD GPU", "device", size=12)
    drawing.box(662, 76, 92, 50, "the emulator,\non the CPU", "device", size=12)
    drawing.arrow(626, 62, 659, 38)
    drawing.arrow(626, 72, 659, 98)
    return drawing


@picture("vulkan-path")
def vulkan_path(_):
    drawing = Drawing(760, 190, "from the simt kernel to a Vulkan pipeline")
    chain(drawing, 50, ((112, "simt kernel,\nprofile", "step"), (128, "code generator:\nSPIR-V 1.5", "step"),
                        (138, "driver declares the\ndevice's float controls", "step"),
                        (128, "compiler of the\ndevice's driver", "device"), (110, "pipeline", "device")))
    drawing.text(66, 40, "compiler library", size=11, color=FAINT)
    drawing.text(420, 40, "runtime library", size=11, anchor="middle", color=FAINT)
    drawing.box(164, 130, 128, 44, "kernel cache", "memory", size=12)
    drawing.arrow(214, 103, 214, 127)
    drawing.box(482, 130, 128, 44, "device code cache", "memory", size=12)
    drawing.arrow(546, 103, 546, 127)
    return drawing


@picture("tuning-pick")
def tuning_pick(_):
    drawing = Drawing(760, 190, "how a launch finds the code that it runs")
    chain(drawing, 20, ((88, "call", "input"), (150, "specialization:\ndevice, types,\nconstants given", "step"),
                        (130, "pick: entry for\nthe key (facts,\nbuckets)", "step"),
                        (140, "configuration:\nconstexpr values,\nwarps, stages", "step"),
                        (120, "variant: artifact\nand its guards", "device")), height=62)
    drawing.box(150, 120, 340, 56, "a new key: the call, a record, a table, a measurement\n"
                "or the first configuration decides", "memory", size=12)
    drawing.arrow(353, 85, 340, 117)
    drawing.arrow(470, 117, 500, 85)
    drawing.box(540, 120, 210, 56, "compiled for the facts of the\nlaunch, if no variant fits", "memory", size=12)
    drawing.arrow(660, 117, 660, 85)
    return drawing


@picture("tuning-halving")
def tuning_halving(_):
    """The rule of docs/tuning.md, "Measurement": the slower half is dropped, and the next round measures longer."""
    drawing, x, left, length = Drawing(760, 190, "successive halving of 16 configurations"), 20, 16, 60
    turn = 0
    while left >= 1 and turn < 5:
        width = length * (1 + turn * 0.45)
        for index in range(16):
            kept = index < left
            goes_on = index < left // 2
            if kept:
                kind = "compute" if goes_on or left == 1 else "wait"
                fill, outline = KINDS[kind]
                drawing.add("rect", x=x, y=20 + index * 8, width=width, height=6, fill=fill, stroke=outline)
        drawing.text(x + width / 2, 166, f"round {turn + 1}: {left}", size=12, anchor="middle")
        x, left, turn = x + width + 26, left // 2, turn + 1
    drawing.text(20, 184, "a bar: the time for which one configuration is measured; white: dropped after the round",
                 size=11, color=FAINT)
    return drawing


@picture("bundle-choice")
def bundle_choice(_):
    drawing = Drawing(760, 170, "which code of a bundle a launch takes")
    chain(drawing, 16, ((120, "launch: types,\nconstants, device", "input"),
                        (130, "instances with\nthese types and\nconstants", "step"),
                        (130, "code of the\nnearest target", "step"), (130, "nearest tuning\nrow", "step"),
                        (120, "artifact whose\nguards hold", "device")), height=60)
    drawing.arrow(355, 80, 355, 106)
    drawing.text(362, 97, "no code for the device", size=11, color=FAINT)
    drawing.box(240, 110, 230, 48, "tile IR of the instance, compiled\nif the compiler library is there", "memory",
                size=12)
    drawing.arrow(473, 134, 520, 134)
    drawing.box(523, 110, 220, 48, "else: an error that lists\nthe bundle's targets", "other", size=12)
    return drawing


@picture("start-libraries")
def start_libraries(_):
    drawing = Drawing(760, 220, "the libraries, who links them, and when they are opened")
    for y, text in ((14, "your program,\nC++ or C"), (84, "tegula, the\ncommand line"), (154, "Python package")):
        drawing.box(10, y, 130, 52, text, "input", size=12)
        drawing.arrow(143, y + 26, 207, 110)
    drawing.box(210, 76, 150, 68, "libtegula-runtime:\ndevices, buffers,\nlaunches; no LLVM", "step", size=12)
    for y, text, kind in ((14, "libtegula-cpu:\nthe device cpu", "device"),
                          (84, "drivers of the system:\nCUDA, HIP, Vulkan", "device"),
                          (154, "libtegula-compiler:\nfront end, passes, LLVM", "step")):
        drawing.box(470, y, 170, 52, text, kind, size=12)
        drawing.arrow(363, 110, 467, y + 26, dashed=True)
    drawing.text(408, 40, "opened when", size=11, anchor="middle", color=FAINT)
    drawing.text(408, 54, "needed", size=11, anchor="middle", color=FAINT)
    drawing.text(650, 176, "only if a kernel", size=11, color=FAINT)
    drawing.text(650, 190, "must be compiled", size=11, color=FAINT)
    return drawing


@picture("terms-hierarchy")
def terms_hierarchy(_):
    drawing = Drawing(760, 250, "a grid of programs, their warps and lanes, and the memory at each level")
    levels = (("grid", "one launch", "global memory"), ("program", "block, workgroup", "shared memory, LDS"),
              ("warp", "subgroup, wave", "shuffles"), ("thread", "lane, work item", "registers"))
    for index, (name, other, memory) in enumerate(levels):
        x, y = 10 + index * 34, 10 + index * 34
        fill, outline = KINDS[("device", "input", "compute", "step")[index]]
        drawing.add("rect", x=x, y=y, width=520 - index * 68, height=230 - index * 50, rx=4, fill=fill, stroke=outline)
        drawing.text(x + 10, y + 20, name, size=13, weight="bold")
        drawing.text(x + 20 + len(name) * 9, y + 20, other, size=12, color=FAINT)
        drawing.box(560, 14 + index * 46, 180, 32, memory, "memory", size=12)
        drawing.line(x + 520 - index * 68, y + 16, 557, 30 + index * 46, dashed=True)
    return drawing
