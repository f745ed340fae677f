#!/usr/bin/env python3
"""The binary interface of the C functions is the committed one: names, parameters, layouts, enumerators, SONAME.
usage: abi.py LIBRARY HEADERS LIST COMPILER             compares, by abidiff of the Debian package abigail-tools
       abi.py --renew LIBRARY HEADERS LIST COMPILER     writes LIST anew
       abi.py --self-test LIBRARY HEADERS LIST COMPILER plants changes in copies of the headers; each must be found

LIST is what abidw prints of a library that is compiled with full debug information from the headers alone: each
declared function with an empty body. The real library has line tables only, or no debug information, so of it the
SONAME and the names of its C functions are compared. That it defines these functions as the headers declare them is
what its own compilation checks, which includes the headers.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

SONAME_PLACE = "core/cmake/TegulaTargets.cmake"
ADVICE = f"""
Additions that earlier programs do not notice: a function, an enumerator, a member behind the end of a structure that
begins with struct_size. For these raise TEGULA_ABI_VERSION in core/runtime/include/tegula/types.h, and renew the list:

  ci/release --renew-abi

Every other difference breaks programs that were built earlier: a function, enumerator or member that is gone, has
another type, another value or another place, or a member that was added to a structure without struct_size. Undo it. If
it must be, raise SOVERSION in {SONAME_PLACE} and TEGULA_ABI_OLDEST, too: docs/release.md, "The binary interface"."""


def failure(text):
    sys.exit(f"abi.py: {text}")


def run(*command):
    """The output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        failure(f"{' '.join(command)} ends with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def stub_source(folder):
    """C source that defines every declared function. The headers in `folder` are changed: an anonymous enum, whose
    enumerators no function mentions and debug information would leave out, gets the name of the type before it."""
    functions, enums = [], []
    for header in sorted(folder.glob("*.h")):
        text = without_comments(header.read_text(encoding="utf-8"))

        def named(match):
            enums.append(f"{match[1]}_values")
            return f"{match[0][:-1]}{enums[-1]} {{"

        text = re.sub(r"typedef int32_t (\w+);\s*enum \{", named, text)
        if "enum {" in text:
            failure(f"{header.name} has an enum that does not follow its `typedef int32_t NAME;`")
        header.write_text(text, encoding="utf-8")
        functions += re.findall(r"^TEGULA_EXPORT ([^;]+);", text, re.M)
    lines = [f"#include <tegula/{header.name}>" for header in sorted(folder.glob("*.h"))]
    lines += [f"TEGULA_EXPORT {function} {{ __builtin_trap(); }}" for function in functions]
    lines.append(f"TEGULA_EXPORT void enumerators({', '.join(f'enum {name} *{name}' for name in enums)}) {{}}")
    return "\n".join(lines) + "\n"


def header_library(headers, soname, compiler, work):
    """Compiles the library made from the headers; its path."""
    folder = work / "include" / "tegula"
    folder.mkdir(parents=True)
    for header in headers.glob("*.h"):
        (folder / header.name).write_text(header.read_text(encoding="utf-8"), encoding="utf-8")
    source, library = work / "functions.c", work / "library.so"
    source.write_text(stub_source(folder), encoding="utf-8")
    run(compiler, "-std=c11", "-g", "-O0", "-w", "-shared", "-fPIC", "-fvisibility=hidden", "-nostdlib",
        f"-I{work / 'include'}", f"-Wl,-soname,{soname}", str(source), "-o", str(library))
    return library


def soname_of(library):
    names = re.findall(r"SONAME\s+(\S+)", run("objdump", "-p", str(library)))
    return names[0] if names else failure(f"{library} has no SONAME")


def functions_of(library):
    lines = run("nm", "-D", "--defined-only", str(library)).splitlines()
    return {name for line in lines if (name := line.split()[-1].split("@")[0]).startswith("tegula_")}


def differences(library, headers, pinned, compiler):
    """What differs from the list, as text; empty where nothing does."""
    text = pinned.read_text(encoding="utf-8")
    listed = set(re.findall(r"<elf-symbol name='(tegula_\w+)'", text))
    found = functions_of(library)
    problems = [f"{name} stands in the list, and the library does not export it" for name in sorted(listed - found)]
    problems += [f"{name} is exported by the library, and not in the list" for name in sorted(found - listed)]
    with tempfile.TemporaryDirectory() as work:
        made = header_library(headers, soname_of(library), compiler, pathlib.Path(work))
        done = subprocess.run(["abidiff", "--no-default-suppression", "--no-show-locs", str(pinned), str(made)],
                              capture_output=True, text=True, check=False)
    if done.returncode & 3:
        failure(f"abidiff ends with {done.returncode}: {done.stdout}{done.stderr}")
    if done.returncode:
        problems.append(done.stdout.rstrip())
    return "\n".join(problems)


def renew(library, headers, pinned, compiler):
    with tempfile.TemporaryDirectory() as work:
        made = header_library(headers, soname_of(library), compiler, pathlib.Path(work))
        text = run("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--short-locs",
                   "--no-elf-needed", "--type-id-style", "hash", str(made))
    pinned.write_text(re.sub(r"(<abi-instr [^>]*path=')[^']*", r"\1functions.c", text), encoding="utf-8")
    print(f"{pinned}: {len(functions_of(library))} functions, {soname_of(library)}")


# Each changes one header: its name, a text in it, what stands there instead, what is reported of it.
PLANTED = (
    ("tegula.h", "  int64_t elements;\n", "  int32_t elements;\n", "elements"),
    ("tegula.h", "  uint64_t memory_bytes; ", "  uint32_t added; uint64_t memory_bytes; ", "added"),
    ("types.h", "  const char *name;\n  tegula_value value;", "  tegula_value value;\n  const char *name;", "offset"),
    ("types.h", "TEGULA_KERNEL_FAULT = 3, ", "TEGULA_KERNEL_FAULT = 9, ", "TEGULA_KERNEL_FAULT"),
    ("types.h", "tegula_require(uint32_t version)", "tegula_require(uint64_t version)", "tegula_require"),
    ("types.h", "TEGULA_EXPORT size_t tegula_dtype_bytes(tegula_dtype type);", "", "tegula_dtype_bytes"),
    ("types.h", "TEGULA_EXPORT size_t tegula_dtype_bytes(tegula_dtype type);",
     "TEGULA_EXPORT size_t tegula_dtype_bytes(tegula_dtype type);\nTEGULA_EXPORT int tegula_added(int number);",
     "tegula_added"),
)


def self_test(library, headers, pinned, compiler):
    wrong = []
    for name, before, after, expected in PLANTED:
        with tempfile.TemporaryDirectory() as work:
            copies = pathlib.Path(work)
            for header in headers.glob("*.h"):
                text = header.read_text(encoding="utf-8")
                if header.name == name:
                    if text.count(before) != 1:
                        failure(f"{header} has {text.count(before)} times {before!r}; once is expected")
                    text = text.replace(before, after)
                (copies / header.name).write_text(text, encoding="utf-8")
            if expected not in differences(library, copies, pinned, compiler):
                wrong.append(f"not found: {after or 'the absence of ' + before}")
    # A library with another SONAME, and without one function.
    with tempfile.TemporaryDirectory() as work:
        copies = pathlib.Path(work) / "copies"
        copies.mkdir()
        for header in headers.glob("*.h"):
            text = header.read_text(encoding="utf-8")
            (copies / header.name).write_text(re.sub(r"TEGULA_EXPORT [^;]* \*?tegula_version\(void\);", "", text),
                                              encoding="utf-8")
        other = header_library(copies, "libtegula-runtime.so.9", compiler, pathlib.Path(work))
        found = differences(other, headers, pinned, compiler)
        for expected in ("SONAME", "tegula_version stands in the list, and the library does not export it"):
            if expected not in found:
                wrong.append(f"of another library this is not found: {expected}")
    if (found := differences(library, headers, pinned, compiler)):
        wrong.append(f"the headers as they are differ: {found}")
    if wrong:
        failure("\n".join(wrong))
    print(f"{len(PLANTED) + 2} planted changes are found")


def main():
    arguments = sys.argv[1:]
    mode = arguments.pop(0) if arguments and arguments[0].startswith("--") else ""
    if len(arguments) != 4 or mode not in ("", "--renew", "--self-test"):
        sys.exit(__doc__)
    library, headers, pinned = (pathlib.Path(argument) for argument in arguments[:3])
    if mode:
        (renew if mode == "--renew" else self_test)(library, headers, pinned, arguments[3])
        return
    found = differences(library, headers, pinned, arguments[3])
    if found:
        sys.exit(f"the C interface differs from {pinned}:\n{found}\n{ADVICE}")
    print(f"the C interface is that of {pinned.name}")


if __name__ == "__main__":
    main()
