"""The reference of the command line: the help texts of `tegula` and of each of its commands. Needs Python's library
only."""

import re
import subprocess


def help_of(tegula, *words):
    result = subprocess.run([str(tegula), *words, "--help"], capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(f"{tegula} {' '.join(words)} --help failed: {result.stderr.strip()}")
    return result.stdout


def section(text, title):
    """(name, meaning) of each line `  NAME  meaning` below `TITLE:`."""
    match = re.search(rf"^{title}:\n((?:  .*\n)+)", text, re.MULTILINE)
    if not match:
        raise RuntimeError(f"the help text of tegula has no section '{title}:'")
    return [tuple(line.strip().split(None, 1)) for line in match[1].splitlines()]


def page(tegula):
    """(name, Markdown)."""
    top = help_of(tegula)
    commands, variables = section(top, "Commands"), section(top, "Environment")
    parts = ["# Command line\n", sentence(top.split("\n", 1)[0].partition(": ")[2]) + ".\n",
             "| command | what it does |\n|---|---|"]
    parts += [f"| [`tegula {name}`](#{name}) | {meaning} |" for name, meaning in commands]
    parts += ["\n## First steps\n", "```bash"]
    steps = re.search(r"^First steps:\n((?:  .*\n)+)", top, re.MULTILINE)
    parts += [line.removeprefix("  ") for line in steps[1].splitlines()] if steps else []
    parts += ["```\n"] + re.findall(r"^(Exit status: .*)\n", top, re.MULTILINE)
    parts += ["\n## Environment\n", "| variable | meaning |\n|---|---|"]
    cells = ((name, re.sub(r"\|", r"\\|", meaning)) for name, meaning in variables)
    parts += [f"| `{name}` | {meaning} |" for name, meaning in cells]
    for name, _ in commands:
        text = help_of(tegula, name).strip()
        summary, _, rest = text.partition("\n")
        parts += [f"\n## `tegula {name}` {{#{name}}}\n", f"{summary}\n", "```text", rest.strip(), "```"]
    return "reference/command-line.md", "\n".join(parts) + "\n"


def sentence(text):
    return text[:1].upper() + text[1:]
