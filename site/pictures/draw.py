"""Drawings of the documentation: SVG written by hand, so that the same data gives the same bytes on every machine.

A picture is a function that returns a Drawing, registered by its name:

    @picture("levels")
    def levels(tools):
        drawing = Drawing(720, 200, "the levels of the compiler, from source text to machine code")
        drawing.box(10, 20, 120, 40, "source text", kind="input")
        ...
        return drawing

`tools.run("layout", ...)` gives the output of the command line `tegula layout ...`, so that a picture shows what the
program does and not what somebody remembers. Coordinates are pixels, (0, 0) is the upper left corner.
"""

from xml.sax.saxutils import escape, quoteattr

PICTURES = {}

# Fill, outline and text colour of each kind of thing; the same kind has the same colour in all pictures.
KINDS = {
    "input": ("#e3f2fd", "#1565c0"),    # what the user writes
    "step": ("#f5f5f5", "#616161"),     # a pass, a level, a function
    "memory": ("#fff3e0", "#e65100"),   # global memory, shared memory, copies
    "compute": ("#e8f5e9", "#2e7d32"),  # matrix instructions, arithmetic
    "wait": ("#ffffff", "#9e9e9e"),     # idle, waiting, barriers
    "device": ("#ede7f6", "#4527a0"),   # backends and devices
    "other": ("#fce4ec", "#ad1457"),    # a peer's result, a warning
}
INK = "#212121"
FAINT = "#757575"
CHARACTER = 0.56  # average width of a character, in font sizes


def picture(name):
    """Registers the decorated function, which takes the tools and returns a Drawing, as picture `name`."""
    def register(function):
        if name in PICTURES:
            raise ValueError(f"two pictures are named '{name}'")
        PICTURES[name] = function
        return function
    return register


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Drawing:
    """A picture of fixed size. `title` says what it shows, for people who hear pages."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.parts = []

    def add(self, element, text=None, **attributes):
        words = ""
        for name, value in attributes.items():
            text_of = number(value) if isinstance(value, (int, float)) else value
            words += f" {name.replace('_', '-')}={quoteattr(text_of)}"
        self.parts.append(f"<{element}{words}/>" if text is None else f"<{element}{words}>{escape(text)}</{element}>")

    def text(self, x, y, text, size=13, anchor="start", color=INK, weight="normal", mono=False):
        """One line whose baseline is at y."""
        self.add("text", text, x=x, y=y, font_size=size, text_anchor=anchor, fill=color, font_weight=weight,
                 font_family="monospace" if mono else "sans-serif")

    def box(self, x, y, width, height, text="", kind="step", size=13, mono=False):
        """A rectangle with lines of text (separated by \\n) in its middle."""
        fill, outline = KINDS[kind]
        self.add("rect", x=x, y=y, width=width, height=height, rx=4, fill=fill, stroke=outline)
        lines = text.split("\n") if text else []
        widest = max((len(line) for line in lines), default=0) * CHARACTER * size
        if widest > width:
            size = size * width / widest
        for index, line in enumerate(lines):
            middle = y + height / 2 + (index - (len(lines) - 1) / 2) * size * 1.25 + size * 0.35
            self.text(x + width / 2, middle, line, size=size, anchor="middle", mono=mono)

    def line(self, x1, y1, x2, y2, color=FAINT, width=1.5, dashed=False):
        dash = {"stroke_dasharray": "4 3"} if dashed else {}
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=color, stroke_width=width, **dash)

    def arrow(self, x1, y1, x2, y2, text="", color=FAINT, dashed=False):
        """A line with a head at (x2, y2) and a word above its middle."""
        dash = {"stroke_dasharray": "4 3"} if dashed else {}
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=color, stroke_width=1.5, marker_end="url(#head)", **dash)
        if text:
            self.text((x1 + x2) / 2, (y1 + y2) / 2 - 5, text, size=11, anchor="middle", color=FAINT)

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(self.width)} {number(self.height)}" '
                f'width="{number(self.width)}" height="{number(self.height)}" role="img">')
        marker = ('<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
                  f'<path d="M0,0 L8,4 L0,8 z" fill="{FAINT}"/></marker></defs>')
        ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
        return "\n".join([head, f"<title>{escape(self.title)}</title>", marker, ground, *self.parts, "</svg>", ""])


def flow(title, columns, width=760, row=46, gap=34):
    """Columns of boxes from left to right, an arrow between neighbouring columns. A column is a list of
    (text, kind); boxes of a column share its height."""
    tallest = max(len(column) for column in columns)
    height = tallest * (row + 10) + 20
    drawing = Drawing(width, height, title)
    each = (width - 20 - gap * (len(columns) - 1)) / len(columns)
    for index, column in enumerate(columns):
        x = 10 + index * (each + gap)
        top = (height - (len(column) * (row + 10) - 10)) / 2
        for place, (text, kind) in enumerate(column):
            drawing.box(x, top + place * (row + 10), each, row, text, kind)
        if index:
            drawing.arrow(x - gap + 3, height / 2, x - 3, height / 2)
    return drawing


def timeline(title, rows, unit="", scale=60, label=150, row=30, marks=()):
    """One line for each actor: rows are (actor, [(begin, end, text, kind), ...]), times in units of `scale` pixels.
    `marks` are (time, text): dashed vertical lines, such as barriers."""
    end = max((span[1] for _, spans in rows for span in spans), default=1)
    head = 28 if marks else 10
    drawing = Drawing(label + end * scale + 20, head + len(rows) * (row + 8) + 30, title)
    for time, text in marks:
        x = label + time * scale
        drawing.line(x, head - 4, x, head + len(rows) * (row + 8), dashed=True)
        drawing.text(x, head - 9, text, size=11, anchor="middle", color=FAINT)
    for index, (actor, spans) in enumerate(rows):
        y = head + index * (row + 8)
        drawing.text(label - 8, y + row / 2 + 4, actor, size=12, anchor="end")
        for begin, stop, text, kind in spans:
            drawing.box(label + begin * scale, y, (stop - begin) * scale, row, text, kind, size=11)
    y = head + len(rows) * (row + 8) + 4
    drawing.arrow(label, y, label + end * scale, y)
    drawing.text(label + end * scale, y + 16, f"time{', ' + unit if unit else ''}", size=11, anchor="end", color=FAINT)
    return drawing


def grid(title, cells, cell=(40, 24), row_names=(), column_names=(), kinds=None):
    """A table of small cells: `cells[row][column]` is the text, `kinds[row][column]` its colour."""
    left = 12 + max((len(str(name)) for name in row_names), default=0) * 7
    top = 26 if column_names else 10
    width, height = cell
    columns = max(len(line) for line in cells)
    drawing = Drawing(left + columns * width + 12, top + len(cells) * height + 12, title)
    for index, name in enumerate(column_names):
        drawing.text(left + (index + 0.5) * width, top - 8, str(name), size=11, anchor="middle", color=FAINT)
    for index, line in enumerate(cells):
        y = top + index * height
        if index < len(row_names):
            drawing.text(left - 6, y + height / 2 + 4, str(row_names[index]), size=11, anchor="end", color=FAINT)
        for column, text in enumerate(line):
            kind = kinds[index][column] if kinds else "step"
            drawing.box(left + column * width, y, width, height, str(text), kind, size=11)
    return drawing


def bars(title, groups, limit, unit, line=None, width=760, row=20):
    """Horizontal bars: groups are (name, [(label, value, kind), ...]); `limit` is the value at the right edge; `line`
    is (value, text) of a vertical line to compare with."""
    label = 14 + max(len(name) for name, _ in groups) * 7.2
    count = sum(len(values) for _, values in groups)
    height = 34 + count * row + len(groups) * 8 + 24
    drawing = Drawing(width, height, title)
    scale = (width - label - 90) / limit
    y = 34
    if line:
        x = label + line[0] * scale
        drawing.line(x, 22, x, height - 24, dashed=True)
        drawing.text(x, 16, line[1], size=11, anchor="middle", color=FAINT)
    for name, values in groups:
        drawing.text(label - 8, y + len(values) * row / 2 + 4, name, size=12, anchor="end")
        for text, value, kind in values:
            fill, outline = KINDS[kind]
            drawing.add("rect", x=label, y=y + 2, width=min(value, limit) * scale, height=row - 4, fill=fill,
                        stroke=outline)
            end, words = label + min(value, limit) * scale, f"{value:g} {text}"
            drawing.add("rect", x=end + 3, y=y + 3, width=len(words) * CHARACTER * 11 + 4, height=row - 6,
                        fill="#ffffff")  # the line to compare with does not cross the words
            drawing.text(end + 6, y + row / 2 + 4, words, size=11)
            y += row
        y += 8
    drawing.text(width - 12, height - 8, unit, size=11, anchor="end", color=FAINT)
    return drawing
