#!/usr/bin/env python3
"""Runs the commands of pages word for word: the fenced blocks of a page whose language is bash, or that have none, are
one shell script, whose line numbers are the page's.

usage: commands.py SOURCE_DIR BUILD_DIR      in a folder whose build/cpu, build/all and build/rocm are that build
       commands.py --fresh SOURCE_DIR PAGES  in the tree itself, without a build: what installs and builds, too"""
import os
import pathlib
import subprocess
import sys
import tempfile

PAGES = ("README.md", "docs/getting-started.md", "docs/python.md", "docs/rocm.md", "samples/external/README.md")
# Beginnings of commands that are not run, with the reason; those with True run in a fresh tree (fresh.sh).
LEFT_OUT = {
    "./ci/quickstart": (True, "installs packages and builds"),
    "./ci/test": (False, "is what this test is part of"),
    "./ci/install": (True, "installs packages"),
    "cmake --preset cpu": (True, "configures anew"),
    "cmake --build --preset cpu": (True, "builds"),
    "cmake --preset cuda-vulkan": (True, "configures anew"),
    "python3 -m venv .venv": (False, "tests/install/fresh.sh runs it with what follows"),
    "./ci/package --wheel": (False, "builds the release; tests/install/release.sh installs what it makes"),
    ".venv/bin/pip install build/package": (False, "installs what was left out"),
    ".venv/bin/pip install .": (False, "builds; tests/install/fresh.sh runs it"),
    "PYTHONPATH=python python3 tests/python/pytorch_test.py": (False, "needs PyTorch, in the relocatable package"),
    "TEGULA_DEVICE=cuda:0": (False, "needs an NVIDIA GPU"),
    "build/external/cuda_driver": (False, "needs an NVIDIA GPU"),
}
# What a page's commands must print.
EXPECTED = {"docs/getting-started.md": "\nTrue\n", "docs/python.md": "python/vector_add on cpu\n",
            "docs/rocm.md": "amdgcn-amd-amdhsa", "samples/external/README.md": "1000 squares, 1000 of them right"}


def shell_lines(text):
    """The page's lines, those outside of shell blocks empty."""
    lines, fence = [], None
    for line in text.splitlines():
        if line.startswith("```"):
            fence = line[3:].strip() if fence is None else None
            lines.append("")
        else:
            lines.append(line if fence in ("", "bash") else "")
    return lines


def without_left_out(lines, is_fresh, found):
    """Empties the lines of commands that are left out, with the lines that continue them."""
    result, continues = [], False
    for line in lines:
        beginning = next((text for text in LEFT_OUT if line.startswith(text)), None)
        if beginning:
            found.add(beginning)
        is_left_out = continues or (beginning and not (is_fresh and LEFT_OUT[beginning][0]))
        continues = bool(is_left_out) and line.endswith("\\")
        result.append("" if is_left_out else line)
    return result


def run(page, lines, folder, scratch):
    """Runs the commands in `folder`; whether they succeed and print what is expected."""
    script = scratch / "script.sh"
    # One line before the page's first one.
    script.write_text("set -e; shopt -s expand_aliases; trap 'echo \"line $((LINENO - 1)) of the page fails\"' ERR\n" +
                      "\n".join(lines) + "\n")
    environment = {**os.environ, "HOME": str(scratch / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(["bash", str(script)], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    text = "\n" + done.stdout
    is_right = done.returncode == 0 and EXPECTED.get(page, "") in text
    commands = sum(1 for line in lines if line and not line.startswith(" "))
    print(f"{page}: {commands} lines of commands, {'ok' if is_right else f'FAILED (status {done.returncode})'}")
    if not is_right:
        print(text)
        if done.returncode == 0:
            print(f"the output lacks {EXPECTED[page]!r}")
    return is_right


def folder_of_build(source, build, scratch):
    """A folder with links to the tree's parts, and the build by the names that pages give it."""
    folder = scratch / "tree"
    (folder / "build").mkdir(parents=True)
    for part in source.iterdir():
        if part.name not in ("build", ".git"):
            (folder / part.name).symlink_to(part)
    for name in ("cpu", "all", "rocm"):
        (folder / "build" / name).symlink_to(build)
    return folder


def main():
    is_fresh = sys.argv[1] == "--fresh"
    source = pathlib.Path(sys.argv[2 if is_fresh else 1]).resolve()
    pages = sys.argv[3:] if is_fresh else PAGES
    found, are_right = set(), True
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        (scratch / "home").mkdir()
        folder = source if is_fresh else folder_of_build(source, pathlib.Path(sys.argv[2]).resolve(), scratch)
        for page in pages:
            lines = without_left_out(shell_lines((source / page).read_text()), is_fresh, found)
            are_right = run(page, lines, folder, scratch) and are_right
    for beginning in sorted(set(LEFT_OUT) - found) if not is_fresh else ():
        print(f"no page has a command that begins with '{beginning}': its exception is not needed")
        are_right = False
    return 0 if are_right else 1


if __name__ == "__main__":
    sys.exit(main())
