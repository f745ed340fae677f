"""The README's picture: from a kernel file to four kinds of device. It is committed as docs/readme.svg."""

import draw
from draw import Drawing, picture

COMPILER = [("frontend", "parses, emits"), ("tile IR", "whole tiles"), ("planned IR", "layouts, buffers"),
            ("simt IR", "one thread")]
# Code, who makes it; device, who drives it.
DEVICES = [("bytecode", "whole tiles", "CPU, all cores", "executor, checked mode"),
           ("SPIR-V", "own writer", "any Vulkan 1.2 device", "Vulkan driver"),
           ("AMDGPU code", "LLVM, lld", "AMD GPU", "HIP driver"),
           ("PTX, cubin", "LLVM, ptxas", "NVIDIA GPU", "CUDA driver")]


@picture("readme")
def readme(tools):
    drawing = Drawing(860, 358, "The way from a kernel file in the Triton language, through frontend, tile IR, planned "
                                "IR and simt IR, to code for NVIDIA, AMD, Vulkan and the CPU, and to a launch")

    def box(x, y, width, height, name, words, kind):
        drawing.box(x, y, width, height, "", kind)
        drawing.text(x + width / 2, y + height / 2 - 3, name, size=14, anchor="middle", weight="bold")
        drawing.text(x + width / 2, y + height / 2 + 14, words, size=11.5, anchor="middle")

    box(10, 36, 130, 64, "kernel.py", "@triton.jit", "input")
    for index, (name, words) in enumerate(COMPILER):
        box(186 + index * 174, 36, 132, 64, name, words, "step")
        drawing.arrow(142 + index * 174 + (0 if index == 0 else 2), 68, 184 + index * 174, 68)
    drawing.text(186, 24, "compiler library: C++20, MLIR, no Python", size=12, color=draw.FAINT)
    width, step, top = 190, 216, 158
    for index, (code, maker, device, driver) in enumerate(DEVICES):
        x = 10 + index * step
        box(x, top, width, 52, code, maker, "compute")
        box(x, top + 132, width, 56, device, driver, "device")
        drawing.arrow(x + width / 2, top + 54, x + width / 2, top + 76)
        drawing.arrow(x + width / 2, top + 112, x + width / 2, top + 130)
    drawing.box(10, top + 78, 3 * step + width, 32,
                "launch API: C++, C, Python, command line (one runtime library, no vendor SDK; tuning, caches, "
                "bundles)", "memory")
    # The CPU takes whole tiles, GPUs the code of one thread.
    tile, simt, cpu = 186 + 174 + 66, 186 + 3 * 174 + 66, 10 + width / 2
    drawing.line(tile, 102, tile, 118)
    drawing.line(tile, 118, cpu, 118)
    drawing.arrow(cpu, 118, cpu, top - 2)
    drawing.line(simt, 102, simt, 136)
    drawing.line(simt, 136, cpu + step, 136)
    for index in (1, 2, 3):
        drawing.arrow(cpu + index * step, 136, cpu + index * step, top - 2)
    return drawing
