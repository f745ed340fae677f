"""`pip install .` installs the Python package with the libraries of a build of this tree (docs/python.md)."""

import os
import pathlib
import re
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before version 70
    from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent
LIBRARIES = ("libtegula-runtime.so.0", "libtegula-cpu.so.0", "libtegula-compiler.so.0")


def built_libraries():
    """Those of the build in $TEGULA_BUILD, or of the one below build/ that was finished last."""
    given = os.environ.get("TEGULA_BUILD")
    places = [pathlib.Path(given) / "lib"] if given else ROOT.glob("build/*/lib")
    folders = [folder for folder in places if all((folder / name).exists() for name in LIBRARIES)]
    folders = [folder for folder in folders if folder.parent.name != "asan"]  # Python cannot load it
    if not folders:
        raise SystemExit(f"there is no build of Tegula in {given or 'build/'}; make one first, for example by\n"
                         "  cmake --preset cpu && cmake --build --preset cpu")
    return max(folders, key=lambda folder: (folder / LIBRARIES[0]).stat().st_mtime)


def version():
    return re.search(r"project\(tegula VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class BuildWithLibraries(build_py):
    def run(self):
        super().run()
        target = pathlib.Path(self.build_lib) / "tegula" / "lib"
        target.mkdir(parents=True, exist_ok=True)
        source = built_libraries()
        for name in LIBRARIES:
            shutil.copy2(source / name, target / name)


class PlatformWheel(bdist_wheel):
    """For every Python 3 of one platform: there are libraries in it, and no extension module."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return True


setup(name="tegula", version=version(), python_requires=">=3.10", license_files=["LICENSE"],
      description="Compiles kernels of the Triton language and launches them on any device that is there",
      package_dir={"": "frontend/python"},
      packages=["tegula", "tegula.language", "tegula.language.extra"],
      cmdclass={"build_py": BuildWithLibraries, "bdist_wheel": PlatformWheel}, distclass=PlatformDistribution,
      options={"build": {"build_base": "build/pip"}, "egg_info": {"egg_base": "build"}})
