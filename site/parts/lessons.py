"""The lessons: a page for each sample, from the comment at the head of its program and from its files. Needs Python's
library only."""

import ast
import pathlib
import re
import subprocess
import tempfile

OVERVIEW = """# Lessons

Each program of `samples/` has one idea, and is shown here as it stands there: its text, its kernel, and the program
around it, which compares the result with plain C++ in double precision. `ci/quickstart` builds and runs all of them.
Times are those of the machine that the text names.

| lesson | what it is about |
|---|---|
"""
LANGUAGES = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".c": "c"}


def head_comment(text):
    """The lines of the `//` comment at the head of a file, without the marks, and the rest of the file."""
    lines = text.splitlines()
    count = next((place for place, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return [re.sub(r"^// ?", "", line) for line in lines[:count]], "\n".join(lines[count:]).strip() + "\n"


def docstring(text):
    """The same of a Python program, whose text is its docstring."""
    node = ast.parse(text).body[0]
    lines = text.splitlines()
    return node.value.value.splitlines(), "\n".join(lines[node.end_lineno:]).strip() + "\n"


def as_markdown(lines):
    """Prose, with the lines that are indented as blocks of text."""
    result, block = [], []

    def flush():
        while block and not block[-1].strip():
            block.pop()
        if block:
            result.extend(["```text", *block, "```", ""])
        block.clear()

    for line in lines:
        if line.startswith("  ") or block and not line.strip():
            block.append(line[2:])
        else:
            flush()
            result.append(line)
    flush()
    return "\n".join(result).strip() + "\n"


def listing(file, text, heading):
    language = LANGUAGES[file.suffix]
    return f"## {heading}\n\n`{file}`:\n\n```{language}\n{text.rstrip()}\n```\n"


def split_title(lines):
    """(number, title, other lines) of the text 'Lesson N: title. More.' A long title ends at its first comma; then its
    sentence is part of the text, too."""
    text = "\n".join(lines)
    first, _, rest = text.partition("\n\n")
    first = " ".join(first.split())
    match = re.match(r"(?:PyTorch, l|L)esson (\d+): (.*?)(?:\.(?:\s|$)|$)", first)
    if not match:
        return None, None, lines
    title, begin = match[2], first[match.end():].strip()
    if len(title) > 50:
        title, begin = title.split(",")[0], f"{sentence(title)}. {begin}".strip()
    return match[1], title, [*([begin, ""] if begin else []), *rest.splitlines()]


def sentence(text):
    return text[:1].upper() + text[1:]


class Lessons:
    """`pages()` gives (name, Markdown); `pictures` has (name, bytes) of the pictures that they show."""

    def __init__(self, root, programs):
        self.root, self.programs = pathlib.Path(root), pathlib.Path(programs)
        self.pictures = {}

    def pages(self):
        made = list(self._pages())
        rows = []
        for name, text in made:
            title, rest = re.match(r"# ([^\n]*)\n+((?!```|#|!).+?\n\n)?", text, re.DOTALL).groups()
            rows.append(f"| [{title}]({name.removeprefix('lessons/')}) | {' '.join((rest or '').split())} |")
        return [("lessons/index.md", OVERVIEW + "\n".join(rows) + "\n"), *made]

    def _pages(self):
        samples = self.root / "samples"
        for main in sorted(samples.glob("[0-9][0-9]_*/main.cpp")):
            yield self._lesson(main)
        yield self._python(samples / "python" / "vector_add.py", "python", "The first kernel from Python")
        found = []
        for file in (samples / "pytorch").glob("*.py"):
            number, title, rest = split_title(docstring(file.read_text(encoding="utf-8"))[0])
            found.append((number or "9", file, title, rest))
        for number, file, title, rest in sorted(found):
            yield self._python(file, f"pytorch-{file.stem}", f"PyTorch {number}: {title}", rest)
        yield self._outside(samples / "external")

    def _lesson(self, main):
        folder = main.parent
        head, program = head_comment(main.read_text(encoding="utf-8"))
        number, title, rest = split_title(head)
        if number is None:
            raise RuntimeError(f"{main}: expected '// Lesson N: title.' in the first line")
        summary = re.search(r'samples::Lesson lesson\("[^"]*",\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', program)
        summary = "".join(re.findall(r'"([^"]*)"', summary[1])) + "\n" if summary else ""
        parts = [f"# {number}. {sentence(title)}\n", sentence(summary), as_markdown(rest)]
        shown = self._shown(folder.name)
        parts += [f"![{words}](../pictures/lessons/{name})\n" for name, words in shown]
        for file in sorted(folder.glob("*.py")):
            parts.append(listing(file.relative_to(self.root), file.read_text(encoding="utf-8"), "The kernel"))
        parts.append(listing(main.relative_to(self.root), program, "The program"))
        for file in sorted(folder.glob("*.cpp")):
            if file != main:
                parts.append(listing(file.relative_to(self.root), file.read_text(encoding="utf-8"), "Its reference"))
        return f"lessons/{folder.name}.md", "\n".join(parts)

    def _shown(self, sample):
        """The pictures that the sample writes: it is run on the CPU, once."""
        if sample != "10_image_filters":
            return []
        with tempfile.TemporaryDirectory() as out:
            command = [self.programs / "samples" / sample, "--device", "cpu", "--repeat", "1", "--out", out]
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode:
                raise RuntimeError(f"{command[0]} failed: {result.stdout}{result.stderr}")
            files = sorted(pathlib.Path(out).glob("*.png"), key=lambda file: file.stat().st_mtime_ns)
            for file in files:
                self.pictures[f"pictures/lessons/{file.name}"] = file.read_bytes()
        return [(file.name, f"what the sample writes as {file.name}") for file in files]

    def _python(self, file, name, title, rest=None):
        head, program = docstring(file.read_text(encoding="utf-8"))
        parts = [f"# {sentence(title)}\n", as_markdown(rest if rest is not None else head),
                 listing(file.relative_to(self.root), program, "The program")]
        return f"lessons/{name}.md", "\n".join(parts)

    def _outside(self, folder):
        text = (folder / "README.md").read_text(encoding="utf-8")
        text = re.sub(r"^```$(.*?)^```$", r"```bash\1```", text, flags=re.MULTILINE | re.DOTALL)
        parts = [text]
        for file in sorted([*folder.glob("*.py"), *folder.glob("*.c*")]):
            parts.append(listing(file.relative_to(self.root), file.read_text(encoding="utf-8"), f"`{file.name}`"))
        return "lessons/external.md", "\n".join(parts)
