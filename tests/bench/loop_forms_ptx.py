"""What the loops of a kernel's PTX do: how operands arrive, who starts their copies, what the loads are."""
import re

LABEL = re.compile(r"^\s*(\$?[\w$]+):")
BRANCH = re.compile(r"\bbra(?:\.uni)?\s+(\$?[\w$]+)")
PRODUCT = re.compile(r"\b(?:wgmma\.mma_async|mma\.sync)\b")
COPY = re.compile(r"\bcp\.async\.(?:bulk\.tensor\.\dd\.shared\S*\.global|c[ag]\.shared)")
LOAD = re.compile(r"\bld\.(?:volatile\.|relaxed\.|acquire\.)?(?:\w+\.)?global\S*?(?:\.v(\d))?\.\w(\d+)\s")


def loops_of(lines):
    """Ranges of lines (first, behind the last) from a label to a branch back to it."""
    labels, found = {}, {}
    for number, line in enumerate(lines):
        if match := LABEL.match(line):
            labels[match[1]] = number
        elif (match := BRANCH.search(line)) and match[1] in labels:
            found[labels[match[1]]] = number + 1  # the last branch to a label ends its loop
    return list(found.items())


def count(lines, pattern):
    return sum(bool(pattern.search(line)) for line in lines)


def innermost(lines, pattern):
    """Of the loops with such an instruction, those without a smaller one inside."""
    loops = [(begin, end) for begin, end in loops_of(lines) if count(lines[begin:end], pattern)]
    return [(begin, end) for begin, end in loops
            if not any((b, e) != (begin, end) and begin <= b and e <= end for b, e in loops)]


def loaded_bytes(lines):
    return sum(int(match[1] or 1) * int(match[2]) // 8 for line in lines for match in LOAD.finditer(line))


class Loops:
    """The innermost loops with products, and those with copies."""

    def __init__(self, ptx):
        lines = ptx.splitlines()
        products = [lines[begin:end] for begin, end in innermost(lines, PRODUCT)]
        copies = [line for begin, end in innermost(lines, COPY) for line in lines[begin:end] if COPY.search(line)]
        self.is_asynchronous = "wgmma.mma_async" in ptx
        self.loaded = max(map(loaded_bytes, products), default=0)  # in one loop, by each thread
        self.by_hardware = sum("bulk" in line for line in copies)
        self.by_threads = len(copies) - self.by_hardware
        # Registers move between groups of warps only where some warps are producers.
        start_copies = [count(loop, COPY) > 0 for loop in products]
        self.producer = "no" if "setmaxnreg" not in ptx else "part" if any(start_copies) else "yes"

    def copied(self, form, threads):
        """How many of a form's two operands arrive by copies: those which the ordinary loads leave out."""
        left = self.loaded - form.beside // threads
        smaller, both = (size // threads for size in (min(form.operands), sum(form.operands)))
        if self.by_hardware + self.by_threads == 0 or left > both * 3 // 4:
            return 0
        return 1 if left > smaller // 2 else 2
