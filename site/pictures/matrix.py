"""Pictures of matrix products: timelines of the schedules that the compiler makes (schedule.py), and of the passes."""

import functools
import pathlib
import re

import draw
import schedule

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MATMUL = "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1"
ATTENTION = "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, fp32"
EPILOGUE = ("*fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, "
            "fp32")
NAMES = {"a_ptr": "A", "b_ptr": "B", "residual_ptr": "R", "q_ptr": "Q", "k_ptr": "K", "v_ptr": "V"}


@functools.lru_cache
def expanded(tools, kernel, signature, target, warps, stages, **constants):
    words = [f"{name}={value}" for name, value in constants.items()]
    return tools.run("compile", kernel, f"--target={target}", f"--signature={signature}", "--const", *words,
                     f"--num-warps={warps}", f"--num-stages={stages}", "--emit=expanded")


def matmul(tools, target, m, n, k, warps, stages):
    return expanded(tools, "samples/05_matmul/matmul.py::matmul_2d", MATMUL, target, warps, stages, BLOCK_M=m,
                   BLOCK_N=n, BLOCK_K=k, PRECISION="tf32")


def names_of_passes():
    """The name of each pass of ours, by its class."""
    names = {}
    for file in sorted([*ROOT.glob("core/passes/*.td"), *ROOT.glob("backends/*/passes/*.td")]):
        names |= dict(re.findall(r'def (\w+) : Pass<"([\w-]+)"', file.read_text(encoding="utf-8")))
    return names


def product_of(a, b):
    """The text of a product that reads these blocks."""
    if a.startswith("Q"):
        return f"Q{b}"
    if b.startswith("V") or not (a or b):
        return f"P{b}" if b else "0"
    return re.sub(r"\D", "", b)


def timeline(rows, title, scale=46, label=118, row=26, end=None):
    """draw.timeline, but text stands only in spans that it fits; of a wait's reason, else its first letter."""
    def fitted(text, width, kind):
        short = text[:1] if kind == "wait" else ""
        return text if len(text) * 5.2 <= width else short if width >= 8 else ""

    fitting = [(name, [(begin, stop, fitted(text, (stop - begin) * scale, kind), kind)
                       for begin, stop, text, kind in spans]) for name, spans in rows]
    return draw.timeline(title, fitting, scale=scale, label=label, row=row)


def stacked(title, parts, gap=26):
    """Drawings one above the other, each with a line of text above it."""
    whole = draw.Drawing(max(each.width for _, each in parts), sum(each.height + gap for _, each in parts), title)
    top = 0
    for text, each in parts:
        whole.text(8, top + 17, text, size=12, weight="bold")
        whole.parts.append(f'<g transform="translate(0 {draw.number(top + gap)})">')
        whole.parts += each.parts
        whole.parts.append("</g>")
        top += each.height + gap
    return whole


@draw.picture("matrix-issue")
def issue(tools):
    costs = schedule.Costs(copy=0.5, load=0.5, latency=1.5, product=1.5, store=0.4)
    parts = []
    for target, text in (("sm_75", "sm_75: loads into registers one iteration ahead, then to shared memory; mma.sync"),
                         ("sm_80", "sm_80: asynchronous copies of threads; mma.sync"),
                         ("sm_90a", "sm_90a: a producer warp, copies by hardware; wgmma")):
        m, n, k, warps = (128, 256, 64, 8) if target == "sm_90a" else (128, 128, 32, 4)
        run = schedule.Schedule(matmul(tools, target, m, n, k, warps, 3), costs, {"K": k * 4}, names=NAMES,
                                product_name=product_of)
        parts.append((text, timeline(run.rows(0, 13), text)))
    return stacked("one kernel on three targets: copies, warps and tensor cores over time", parts)


@draw.picture("matrix-rings")
def rings(tools):
    costs = schedule.Costs(copy=0.5, latency=1.75, product=1)
    run = schedule.Schedule(matmul(tools, "sm_80", 128, 128, 32, 4, 3), costs, {"K": 32 * 7}, names=NAMES,
                            product_name=product_of)
    rows = []
    for name in "AB":
        for stage in range(3):
            spans = [(begin, end, f"{'copy ' if kind == 'memory' else 'read '}{text}", kind)
                     for buffer, at, begin, end, text, kind in run.uses if buffer.name == name and at == stage]
            rows.append((f"ring {name}, stage {stage}", spans))
    return timeline(rows + run.rows()[1:2], "the stages of two rings over time: copies fill them, products read them",
                    scale=64)


@draw.picture("matrix-producer")
def producer(tools):
    costs = schedule.Costs(copy=0.6, latency=1, product=1, store=0.7, copy_out=0.8)
    run = schedule.Schedule(matmul(tools, "sm_90a", 128, 256, 64, 8, 3), costs, {"K": 64 * 6}, names=NAMES,
                            product_name=product_of)
    return timeline(run.rows(0, 14), "a producer warp, two groups of consumer warps, the tensor cores")


def primed(rows, count):
    """The rows with the blocks and products of the second program, from number `count` on, as 0', 1', ..."""
    def text_of(text):
        found = re.fullmatch(r"([A-Z]?)(\d+)", text)
        return f"{found[1]}{int(found[2]) - count}'" if found and int(found[2]) >= count else text

    return [(name, [(begin, end, text_of(text), kind) for begin, end, text, kind in spans]) for name, spans in rows]


@draw.picture("matrix-resident")
def resident(tools):
    costs = schedule.Costs(copy=0.5, latency=1, product=1, store=0.8, copy_out=1)
    run = schedule.Schedule(matmul(tools, "sm_90a", 128, 256, 64, 8, 3), costs, {"K": 64 * 4}, grid=(2, 1, 1),
                            names=NAMES, product_name=product_of)
    return timeline(primed(run.rows(0, 20), 4), "two programs of the grid in one launched program", scale=42)


@draw.picture("matrix-wgmma")
def wgmma(tools):
    costs = schedule.Costs(copy=0.5, latency=1, product=1.5, global_store=1.5)
    text = expanded(tools, "samples/06_matmul_persistent/matmul_persistent.py::matmul_persistent", MATMUL, "sm_90a", 8,
                   3, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, GROUP_M=8, PROGRAMS=132)
    run = schedule.Schedule(text, costs, {"K": 64 * 5, "M": 128, "N": 128}, names=NAMES, product_name=product_of)
    rows = run.rows(0, 13)
    for name in "A":
        for stage in range(4):
            rows.append((f"ring {name}, stage {stage}",
                         [(begin, end, f"{'copy ' if kind == 'memory' else 'read '}{text}", kind)
                          for buffer, at, begin, end, text, kind in run.uses if buffer.name == name and at == stage]))
    return timeline(rows, "products in flight across the end of an iteration")


@draw.picture("matrix-attention")
def attention(tools):
    text = expanded(tools, "samples/08_flash_attention/flash_attention.py::attention_forward", ATTENTION, "sm_90a", 8,
                   2, HEAD=128, BLOCK_Q=128, BLOCK_K=128, CAUSAL=False)
    costs = schedule.Costs(copy=0.6, latency=0.5, product=1, store=0.8, copy_out=1,
                           ops={"math.exp2": ("softmax", 1.75)})
    run = schedule.Schedule(text, costs, {"keys": 128 * 4, "queries": 128}, names=NAMES, product_name=product_of)
    return timeline(run.rows(0, 21), "two groups of warps take turns: products of one beside the softmax of the other",
                    scale=40)


@draw.picture("matrix-epilogue")
def epilogue(tools):
    costs = schedule.Costs(copy=0.5, latency=0.75, product=1, store=0.5, copy_out=0.5)
    run = schedule.Schedule(matmul(tools, "sm_90a", 128, 256, 64, 8, 4), costs, {"K": 64 * 4}, grid=(2, 1, 1),
                            names=NAMES, product_name=product_of)
    return timeline(primed(run.rows(4, 21), 4), "a result that is stored in four parts through two halves of a buffer")


@draw.picture("matrix-residual")
def residual(tools):
    costs = schedule.Costs(copy=0.5, latency=0.75, product=1, store=1, copy_out=1.5,
                           ops={"simt.shared_load": ("add", 0.4)})
    text = expanded(tools, "tests/bench/variations_kernels.py::product", EPILOGUE, "sm_90a", 8, 3, BLOCK_M=128,
                   BLOCK_N=256, BLOCK_K=64, GROUP=8, EPILOGUE="residual")
    run = schedule.Schedule(text, costs, {"K": 64 * 4, "M": 128, "N": 256}, names=NAMES, product_name=product_of)
    return timeline(run.rows(3, 18), "the producer copies a residual through the stages of A's ring")


@draw.picture("matrix-way")
def way(_):
    drawing = draw.Drawing(896, 330, "the way of a tl.dot from the choice of its instruction to the threads")
    lanes = [
        ("no instruction:\nmultiply-adds", ["tile-schedule-loops", "", "tile-to-simt: Dot.cpp"], "fma of one thread"),
        ("opaque fragments", ["tile-load-fragments\ntile-schedule-loops", "tile-place-fragments\ntile-stage-operands",
                              "tile-to-simt: Matrix.cpp"], "simt.fragment_mma"),
        ("registers,\nknown layout", ["tile-pipeline-copies\ntile-schedule-loops",
                                     "tile-assign-layouts\ntile-stage-operands", "tile-to-simt: Mma.cpp"], "simt.mma"),
        ("shared memory", ["tile-plan-products\ntile-pipeline-copies", "tile-assign-layouts\ntile-persistent-loop",
                           "tile-to-simt: Mma.cpp"], "simt.matmul_async"),
    ]
    written = re.findall(r"tile-[\w-]+", " ".join(" ".join(steps) for _, steps, _ in lanes))
    if unknown := set(written) - set(names_of_passes().values()):
        raise ValueError(f"there is no pass {', '.join(sorted(unknown))}")
    for x, text in ((222, "where A and B are"), (356, "copies and loads"), (500, "layouts, buffers"),
                    (640, "threads"), (766, "simt level")):
        drawing.text(x, 16, text, size=11, color=draw.FAINT)
    drawing.box(10, 140, 66, 48, "tl.dot", "input")
    drawing.arrow(78, 164, 98, 164)
    drawing.box(100, 128, 100, 72, "tile-select-\nproducts:\nchooseProduct", "step", size=12)
    for index, (place, steps, result) in enumerate(lanes):
        y = 30 + index * 74
        drawing.arrow(202, 164, 218, y + 26)
        drawing.box(220, y, 108, 52, place, "input", size=10.5)
        x = 328
        for step, width in zip(steps, (132, 132, 126)):
            if step:
                drawing.arrow(x + 2, y + 26, x + 14, y + 26)
                drawing.box(x + 16, y, width - 6, 52, step, "step", size=10)
            else:
                drawing.line(x + 2, y + 26, x + width + 8, y + 26)
            x += width + 10
        drawing.arrow(x + 2, y + 26, x + 12, y + 26)
        drawing.box(x + 14, y, 126, 52, result, "compute", size=11)
    return drawing


def warps_of(text, shape):
    """The warp that holds each block of 16 x 16 elements of the tensor f32 with this shape whose layout has the most
    registers, as `cells[row][column]`; of blocks that several warps hold, the first."""
    layouts = dict(re.findall(r"^(#\w+) = #layout.distributed<(.*)>$", text, re.MULTILINE))
    used = {name for name in re.findall(rf"tensor<{shape[0]}x{shape[1]}xf32, (#\w+)>", text) if "warp" in layouts[name]}
    layout = layouts[max(used, key=lambda name: text.count(f"f32, {name}>"))]
    bases = {}
    for kind, text_of in re.findall(r"(register|lane|warp)((?: \([\d,]+\))+)", layout):
        bases[kind] = [tuple(int(each) for each in basis.split(",")) for basis in re.findall(r"\(([\d,]+)\)", text_of)]
    cells = [[None] * (shape[1] // 16) for _ in range(shape[0] // 16)]

    def places(kind):
        points = [(0, 0)]
        for basis in bases.get(kind, []):
            points += [(row ^ basis[0], column ^ basis[1]) for row, column in points]
        return points

    for warp, (row, column) in enumerate(places("warp")):
        for i, j in places("register"):
            at = cells[(row ^ i) // 16]
            at[(column ^ j) // 16] = warp if at[(column ^ j) // 16] is None else at[(column ^ j) // 16]
    return cells


@draw.picture("matrix-warps")
def warps(tools):
    attention_text = expanded(tools, "samples/08_flash_attention/flash_attention.py::attention_forward", ATTENTION,
                             "sm_80", 8, 2, HEAD=128, BLOCK_Q=128, BLOCK_K=128, CAUSAL=False)
    drawing = draw.Drawing(640, 318, "the warps that hold a result of 128 x 128")
    kinds = ("memory", "compute", "device", "input")
    for left, title, text in ((20, "a product alone: square blocks", matmul(tools, "sm_80", 128, 128, 32, 8, 3)),
                              (340, "scores of an attention: whole rows", attention_text)):
        drawing.text(left, 20, title, size=13)
        for row, line in enumerate(warps_of(text, (128, 128))):
            for column, warp in enumerate(line):
                drawing.box(left + column * 34, 32 + row * 34, 34, 34, str(warp), kinds[warp % 4], size=12)
    return drawing


@draw.picture("matrix-tensor")
def tensor(tools):
    text = matmul(tools, "sm_90a", 128, 256, 64, 8, 3)
    head = next(line for line in text.splitlines() if "func.func" in line)
    names = re.findall(r'%arg\d+: [^%]*?tile\.name = "(\w+)"', head)
    found = re.search(r"!tile.desc<(\d+)x(\d+)xf16> \{[^%]*?axes = \[\{extent = array<i64: 1, (\d+)>[^}]*?"
                      r"stride = array<i64: 1, (\d+)>[^}]*\}, \{extent = array<i64: 1, (\d+)>", head)
    rows, columns, extent, stride, depth = (int(each) for each in found.groups())
    drawing = draw.Drawing(640, 250, "a tensor that is derived from pointers and masks, and the block of one iteration")
    drawing.box(130, 40, 320, 170, "", "memory")
    drawing.text(290, 32, f"extent {names[depth]}, elements side by side", size=12, anchor="middle")
    drawing.text(122, 128, f"extent {names[extent]},", size=12, anchor="end")
    drawing.text(122, 144, f"{names[stride]} apart", size=12, anchor="end")
    drawing.box(130, 100, 320, 44, "", "wait")
    drawing.box(250, 100, 60, 44, f"{rows}\nx {columns}", "compute", size=12)
    drawing.arrow(312, 122, 436, 122, "next iteration")
    drawing.text(460, 116, f"row: program_id(0) * {rows}", size=12)
    drawing.text(460, 134, f"column: k, in steps of {columns}", size=12)
    drawing.text(130, 232, "masks m < M and k < K are the extents: outside, hardware fills in zeros", size=12)
    return drawing
