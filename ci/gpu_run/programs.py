"""Where programs are, in a package and in a build folder."""
import pathlib


class BadUse(Exception):
    """What the user can mend."""


class Package:
    """A package (tests/bin, bin, samples/) or a build folder (bin)."""

    def __init__(self, folder, root):
        self.folder = folder
        self.run_all = folder / "samples" / "run-all"
        if not self.run_all.is_file():
            self.run_all = root / "samples" / "run-all"

    def program(self, name):
        """Its path, or None."""
        for place in ("tests/bin", "bin"):
            path = self.folder / place / name
            if path.is_file():
                return path
        return None


def is_package(folder):
    return (folder / "bin" / "tegula").is_file()


def find(root, named):
    if named:
        folder = pathlib.Path(named).resolve()
        if not is_package(folder):
            raise BadUse(f"'{named}' is no package and no build folder: it has no bin/tegula")
        return Package(folder, root)
    for pattern in ("build/package/*/", "build/*/"):
        found = [folder for folder in root.glob(pattern) if is_package(folder)]
        if found:
            return Package(max(found, key=lambda folder: (folder / "bin" / "tegula").stat().st_mtime), root)
    raise BadUse("there is no package in build/package and no build folder in build/; ci/package makes a package, "
                 "--package names one")
