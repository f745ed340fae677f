"""Pictures of passes: the pipelines, loads ahead of products, rows that begin anywhere, places in shared memory."""

import math
import re

import draw
import matrix
import schedule

PASS = re.compile(r"create(\w+)\(\)")


def extensions_of(point, names):
    """The passes that code generators add at an extension point."""
    for file in sorted(matrix.ROOT.glob("backends/*/codegen/CodeGenerator.cpp")):
        text = file.read_text(encoding="utf-8")
        body = re.search(r"void extend\(.*?\n  }\n", text, re.DOTALL)
        for case in re.split(r"\bcase ", body[0])[1:] if body else ():
            if case.startswith(f"tile::ExtensionPoint::{point}:"):
                yield from (names[name] for name in PASS.findall(case) if name in names)
        if body and f"point != tile::ExtensionPoint::{point} " in body[0]:  # a backend with a single point
            yield from (names[name] for name in PASS.findall(body[0]) if name in names)


def passes_of(function, names):
    """(name, whether only some targets get it) of the passes that a function of the pipelines adds."""
    text = "".join((matrix.ROOT / "core/passes" / file).read_text(encoding="utf-8")
                   for file in ("TilePipeline.cpp", "Pipelines.cpp"))
    body = re.search(rf"void {function}\(.*?\n}}\n", text, re.DOTALL)[0]
    for line in body.splitlines():
        found, point = PASS.search(line.split("//")[0]), re.search(r"addExtensions\(ExtensionPoint::(\w+)\)", line)
        if found and found[1] in names:
            yield names[found[1]], len(line) - len(line.lstrip()) > 2
        elif point:
            yield from ((name, True) for name in extensions_of(point[1], names))
        elif "buildSimtPipeline(" in line and function != "buildSimtPipeline":
            yield from passes_of("buildSimtPipeline", names)


@draw.picture("passes-levels")
def levels(_):
    names = matrix.names_of_passes()
    planned, expanded = (list(passes_of(f"build{part}Pipeline", names)) for part in ("Planned", "Expanded"))
    split = [name for name, _ in planned].index("tile-assign-layouts")
    columns = [("tile level", "every backend", list(passes_of("buildTilePipeline", names))),
               ("tile level", "targets with threads", planned[:split]),
               ("planned level", "tensors have layouts", planned[split:] + expanded),
               ("simt level", "code of one thread", list(passes_of("buildThreadPipeline", names)))]
    width, gap, row = 186, 26, 22
    tallest = max(len(each) for _, _, each in columns)
    drawing = draw.Drawing(20 + 4 * width + 3 * gap, 66 + tallest * row + 48,
                           "the passes of each level, in their order")
    for index, (level, note, steps) in enumerate(columns):
        x = 10 + index * (width + gap)
        drawing.box(x, 8, width, 40, f"{level}\n{note}", "input", size=12)
        if index:
            drawing.arrow(x - gap + 3, 28, x - 3, 28)
        for place, (name, isConditional) in enumerate(steps):
            drawing.box(x, 56 + place * row, width, row - 3, name, "wait" if isConditional else "step", size=11.5)
    y = 66 + tallest * row
    for index, (text, column) in enumerate((("CPU: bytecode", 0), ("CUDA, ROCm: LLVM IR; Vulkan: SPIR-V", 3))):
        x = 10 + column * (width + gap)
        drawing.arrow(x + width / 2, 56 + len(columns[column][2]) * row, x + width / 2, y - 2)
        drawing.box(x, y, width, 34, text, "device", size=11)
    return drawing


@draw.picture("passes-loads")
def loads(tools):
    costs = schedule.Costs(load=0.5, latency=1.5, product=1.5, store=0.4)
    parts = []
    for stages, text in ((1, "num_stages = 1: each load stands where the source has it"),
                         (2, "num_stages = 2: the next iteration's loads before this one's product")):
        run = schedule.Schedule(matrix.matmul(tools, "sm_75", 128, 128, 32, 4, stages), costs, {"K": 32 * 4},
                                names=matrix.NAMES, product_name=matrix.product_of)
        parts.append((text, matrix.timeline(run.rows(0, 16), text, scale=42)))
    return matrix.stacked("a loop of products with one stage and with two", parts)


@draw.picture("passes-edges")
def edges(_):
    count, begin, group, extent, cell = 30, 5, 8, 32, 21
    drawing = draw.Drawing(40 + 40 * cell, 176, "groups of eight elements of a row that is not aligned")
    kinds = ("memory", "compute", "device", "input")
    left = 20
    for index in range(0, 40, group):
        drawing.text(left + index * cell + 3, 14, f"+{index * 2} bytes", size=10, color=draw.FAINT)
    for y, text, shift in ((52, "as in the source: thread t has elements 8t to 8t + 7", 0),
                           (126, "rotated by 5: thread 0 has the row's first three elements and its end", begin)):
        drawing.text(left, y - 14, text, size=12)
        for i in range(extent):
            element = (i - shift) % extent
            if element < count:
                drawing.box(left + (begin + element) * cell, y, cell, 26, str(element), kinds[i // group], size=10)
        for index in range(0, 41, group):
            drawing.line(left + index * cell, y - 8, left + index * cell, y + 36, dashed=True)
    return drawing


def shared_events(text):
    """Of a kernel of the simt level: its buffers as [place, bytes, name], and what happens to them, in the order of the
    text, as (what, buffer or none, loop depth); equal neighbours are one."""
    buffers, alias, events, depth = {}, {}, [], 0
    for line in text.splitlines():
        found = re.search(r"(%\w+) = simt.shared_alloc at (\d+) : <([\dx]+)x(f16|f32|i8)", line)
        if found:
            size = {"f16": 2, "f32": 4, "i8": 1}[found[4]] * math.prod(int(each) for each in found[3].split("x"))
            buffers[found[1]] = [int(found[2]), size, f"{found[3]} {found[4]}"]
            alias[found[1]] = found[1]
            continue
        view = re.search(r"(%\w+) = simt.(?:stage|part|transpose) (%\w+)", line)
        if view and view[2] in alias:
            alias[view[1]] = alias[view[2]]
            continue
        if "scf.for" in line:
            depth = len(line) - len(line.lstrip())
        elif depth and line.startswith(" " * depth + "}"):
            depth = 0
        access = re.search(r"simt\.(shared_store|shared_load|load_matrix|async_load|barrier)\b", line)
        if access:
            what = access[1].replace("shared_", "").replace("_matrix", "").replace("async_load", "copy")
            used = [alias[each] for each in re.findall(r"%\w+", line) if each in alias]
            event = (what, used[0] if used else None, depth > 0)
            if used or what == "barrier":
                events += [event] if not events or events[-1] != event else []
    return buffers, events


@draw.picture("passes-shared")
def shared(tools):
    buffers, events = shared_events(tools.run(
        "compile", "samples/08_flash_attention/flash_attention.py::attention_forward", "--target=gfx942",
        f"--signature={matrix.ATTENTION}", "--const", "HEAD=128", "BLOCK_Q=128", "BLOCK_K=64", "CAUSAL=False",
        "--num-warps=8", "--num-stages=2", "--emit=simt"))
    most = max(place + size for place, size, _ in buffers.values())
    width = 56
    drawing = draw.Drawing(90 + len(events) * width + 10, 250, "buffers in shared memory over the text of a kernel")

    def y_of(place):
        return 190 - place / most * 170

    for place in range(0, most + 1, most // 4):
        drawing.text(82, y_of(place) + 4, f"{place // 1024} KiB", size=11, anchor="end", color=draw.FAINT)
        drawing.line(85, y_of(place), 90, y_of(place))
    for name, (place, size, text) in buffers.items():
        uses = [number for number, (_, used, _) in enumerate(events) if used == name]
        first, last = uses[0], uses[-1]
        drawing.box(92 + first * width, y_of(place + size), (last - first + 1) * width - 4,
                    y_of(place) - y_of(place + size) - 2, text, "memory", size=12)
    for number, (what, _, _) in enumerate(events):
        x = 90 + (number + 0.5) * width
        drawing.text(x, 206, what, size=11, anchor="middle")
        if what == "barrier":
            drawing.line(x, 14, x, 192, dashed=True)
    inside = [number for number, event in enumerate(events) if event[2]]
    drawing.line(92 + inside[0] * width, 216, 86 + (inside[-1] + 1) * width, 216, width=3)
    drawing.text(90 + (inside[0] + inside[-1] + 1) / 2 * width, 232, "the loop over keys", size=11, anchor="middle")
    return drawing


@draw.picture("passes-facts")
def facts(_):
    first, count, limit, cell = 64, 32, 80, 24
    rows = (("v = pid * 64 + arange(0, 64)", [str(first + i) for i in range(count)], "contiguity 64, divisibility 64"),
            (f"v % M, M = {limit}", [str((first + i) % limit) for i in range(count)], "contiguity 16, divisibility 16"),
            (f"v < M, M = {limit}", ["1" if first + i < limit else "0" for i in range(count)], "constancy 16"))
    drawing = draw.Drawing(20 + count * cell + 10, 190, "facts of three tensors along their axis")
    for number, (text, values, fact) in enumerate(rows):
        y = 30 + number * 56
        drawing.text(14, y - 8, text, size=12, mono=True)
        drawing.text(14 + count * cell, y - 8, fact, size=12, anchor="end")
        for i, value in enumerate(values):
            kind = "memory" if number == 0 or i < 16 else "compute"
            drawing.box(14 + i * cell, y, cell, 24, value, kind, size=11)
    return drawing
