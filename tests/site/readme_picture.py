#!/usr/bin/env python3
"""README's picture, the only one that is committed, is what its function makes now; and another one is seen.
usage: readme_picture.py SOURCE_DIR TEGULA
"""

import pathlib
import subprocess
import sys
import tempfile

COMMITTED = "docs/readme.svg"


def differences(made, committed):
    """(line, made, committed) of the first line that differs; none where the texts are equal."""
    pairs = zip([*made.splitlines(), None], [*committed.splitlines(), None])
    return next(((number, a, b) for number, (a, b) in enumerate(pairs, 1) if a != b), None)


def main():
    source, tegula = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        make = source / "site" / "pictures" / "make.py"
        subprocess.run([sys.executable, make, "--tegula", tegula, folder, "readme"], check=True)
        made = (pathlib.Path(folder) / "readme.svg").read_text(encoding="utf-8")
    if not differences(made, made.replace("<title>", "<title>x", 1)) or not differences(made, made + "x\n"):
        sys.exit("a picture that differs is not seen")
    file = source / COMMITTED
    found = differences(made, file.read_text(encoding="utf-8")) if file.is_file() else (1, made.split("\n")[0], None)
    if found:
        line, now, then = found
        sys.exit(f"{COMMITTED}:{line}: expected {now!r}, found {then!r}; make it again with\n"
                 f"  python3 site/pictures/make.py --tegula {tegula} docs readme")
    print(f"{COMMITTED} is what site/pictures makes")


main()
