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
# From a build to the package.
LIBRARIES = ("lib/libtegula-runtime.so.0", "lib/libtegula-cpu.so.0", "lib/libtegula-compiler.so.0")
LAUNCH_PATH = "python/tegula/_launch.abi3.so"


def build_folder():
    """$TEGULA_BUILD, or the build below build/ that was finished last."""
    given = os.environ.get("TEGULA_BUILD")
    places = [pathlib.Path(given)] if given else ROOT.glob("build/*")
    folders = [folder for folder in places if all((folder / name).exists() for name in (*LIBRARIES, LAUNCH_PATH))]
    if not folders:
        raise SystemExit(f"there is no build of Tegula with the Python package in {given or 'build/'}; install "
                         "libpython3-dev and make one, for example by\n"
                         "  cmake --preset cpu && cmake --build --preset cpu")
    return max(folders, key=lambda folder: (folder / LIBRARIES[0]).stat().st_mtime)


def version():
    return re.search(r"project\(tegula VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class BuildWithLibraries(build_py):
    def run(self):
        shutil.rmtree(self.build_lib, ignore_errors=True)  # modules that are there no more
        super().run()
        package, source = pathlib.Path(self.build_lib) / "tegula", build_folder()
        shutil.copy2(source / LAUNCH_PATH, package)
        (package / "lib").mkdir(exist_ok=True)
        for name in LIBRARIES:
            shutil.copy2(source / name, package / "lib")


class PlatformWheel(bdist_wheel):
    """For CPython 3.10 and later of one platform: its extension module keeps to the limited API. The platform is this
    machine's, or $TEGULA_WHEEL_PLATFORM, where the caller knows that the libraries need no more (ci/package)."""

    def get_tag(self):
        return "cp310", "abi3", os.environ.get("TEGULA_WHEEL_PLATFORM") or super().get_tag()[2]


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return True


setup(name="tegula", version=version(), python_requires=">=3.10", license_files=["LICENSE"],
      description="Compiles kernels of the Triton language and launches them on any device that is there",
      package_dir={"": "frontend/python"},
      packages=["tegula", "tegula.language", "tegula.language.extra", "tegula.children.triton"],
      cmdclass={"build_py": BuildWithLibraries, "bdist_wheel": PlatformWheel}, distclass=PlatformDistribution,
      options={"build": {"build_base": "build/pip"}, "egg_info": {"egg_base": "build"}})
