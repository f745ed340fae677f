#!/usr/bin/env python3
"""The symbols that the runtime library exports are those of its interfaces.
usage: symbols.py LIBRARY HEADERS symbols.txt

symbols.txt lists the C functions of each version of the interface: a function that stands there never goes away. The
C++ interface is exported too, and nothing else.
"""

import glob
import os
import re
import subprocess
import sys


def main():
    library, headers, pinned = sys.argv[1:]
    text = ""
    for header in sorted(glob.glob(os.path.join(headers, "*.h"))):
        with open(header, encoding="utf-8") as file:
            text += re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    declared = set(re.findall(r"^TEGULA_EXPORT [^;]*?\b(tegula_\w+)\s*\(", text, re.M))
    with open(pinned, encoding="utf-8") as file:
        listed = {line.strip() for line in file if line.strip() and not line.startswith("#")}
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    exported = {line.split()[-1].split("@")[0] for line in lines}
    c_names = {name for name in exported if name.startswith("tegula_")}
    problems = []
    for what, one, other in (("is declared, but not in symbols.txt", declared, listed),
                             ("stands in symbols.txt, but is not declared", listed, declared),
                             ("is declared, but not exported", declared, c_names),
                             ("is exported, but not declared", c_names, declared)):
        problems += [f"{name} {what}" for name in sorted(one - other)]
    # Functions, classes and templates over them in the namespace tegula.
    problems += [f"{name} is exported, and belongs to no interface" for name in sorted(exported - c_names)
                 if not re.match(r"_Z\w*6tegula", name)]
    print("\n".join(problems) or f"{len(listed)} functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
