#!/usr/bin/env bash
# ci/check-package accepts a package that is fit, and sees each thing that makes one unfit. usage: SOURCE_DIR CXX
set -euo pipefail
check=$1/ci/check-package cxx=("$2" -Wno-unused-command-line-argument)
shared=(-shared -fPIC -fvisibility=hidden -s -nostdlib++ -static-libgcc)
visible='extern "C" __attribute__((visibility("default")))'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# library FILE SYMBOL [OPTIONS...]: a stripped library that exports SYMBOL alone.
library() {
  local file=$1 symbol=$2
  shift 2
  echo "$visible int $symbol() { return 1; }" | "${cxx[@]}" -x c++ - "${shared[@]}" -o "$file" "$@"
}

# A package that is fit, made anew.
good_package() {
  rm -rf package
  mkdir -p package/bin package/lib package/include/tegula
  touch package/LICENSE package/include/tegula/{tegula.hpp,types.hpp,tegula.h,tuning.h,types.h}
  library package/lib/libtegula-runtime.so.0 tegulaLaunch
  library package/lib/libtegula-compiler.so.0 tegulaCompiler
  library package/lib/libtegula-cpu.so.0 tegulaCpuDevices
  # shellcheck disable=SC2016  # the loader's variable
  echo 'extern "C" int tegulaLaunch(); int main() { return tegulaLaunch(); }' |
    "${cxx[@]}" -x c++ - -Lpackage/lib -l:libtegula-runtime.so.0 -s -nostdlib++ -static-libgcc \
      -Wl,-rpath,'$ORIGIN/../lib' -o package/bin/tegula
}

# expect STATUS PATTERN ARGUMENTS...: ci/check-package prints a line that PATTERN matches.
expect() {
  local wanted=$1 pattern=$2 status=0 output
  shift 2
  output=$("$check" "$@" 2>&1) || status=$?
  if [ "$status" -ne "$wanted" ] || ! grep -Eq -- "$pattern" <<<"$output"; then
    printf 'status %s (expected %s), or nothing matches %s in:\n%s\n' "$status" "$wanted" "$pattern" "$output"
    exit 1
  fi
}

good_package
truncate -s 23000000 fits.tar.xz
expect 0 '^4 programs and libraries are fit' package fits.tar.xz

truncate -s 23000001 large.tar.xz
expect 1 'large.tar.xz has 23000001 bytes; 23000000 at most' package large.tar.xz

# A library that the package lacks, and one that only it has.
library libelsewhere.so elsewhere
echo "extern \"C\" int elsewhere(); $visible int extra() { return elsewhere(); }" |
  "${cxx[@]}" -x c++ - -L. -l:libelsewhere.so "${shared[@]}" -o package/lib/libextra.so
expect 1 'lib/libextra.so needs libelsewhere.so, which is not in the package' package
cp libelsewhere.so package/lib/
expect 0 'fit to run' package
rm package/lib/libextra.so package/lib/libelsewhere.so

# A glibc that is too new, by its stand-in; 2.4 is not newer than 2.36.
for version in 2.4 2.36 2.37; do
  mkdir -p "stub$version"
  echo "GLIBC_$version { tomorrow; };" >"stub$version/map"
  library "stub$version/libc.so.6" tomorrow -Wl,-soname,libc.so.6 "-Wl,--version-script=stub$version/map" -nostdlib
  echo "extern \"C\" int tomorrow(); $visible int extra() { return tomorrow(); }" |
    "${cxx[@]}" -x c++ - -x none "stub$version/libc.so.6" -shared -fPIC -fvisibility=hidden -s -nostdlib \
      -o package/lib/libextra.so
  if [ "$version" = 2.37 ]; then
    expect 1 'lib/libextra.so needs glibc 2.37; 2.36 at most' package
  else
    expect 0 'fit to run' package
  fi
done
rm package/lib/libextra.so

# Exports.
library package/lib/libextra.so _ZN4llvm5ValueE
expect 1 'lib/libextra.so exports 1 symbols of LLVM and MLIR, such as _ZN4llvm5ValueE' package
library package/lib/libextra.so LLVMContextCreate
expect 1 'exports 1 symbols of LLVM' package
rm package/lib/libextra.so
echo 'extern "C" { __attribute__((visibility("default"))) int tegulaCompiler() { return 1; }
  __attribute__((visibility("default"))) int other() { return 1; } }' |
  "${cxx[@]}" -x c++ - "${shared[@]}" -o package/lib/libtegula-compiler.so.0
expect 1 'libtegula-compiler.so.0 exports 2 symbols; tegulaCompiler alone' package

# A runtime library that has grown.
good_package
truncate -s 2000000 package/lib/libtegula-runtime.so.0
expect 1 'libtegula-runtime.so.0 has 2000000 bytes; less than 2000000' package

# A place that is not relative, symbols left in, something missing.
good_package
library package/lib/libextra.so extra -Wl,-rpath,/usr/local/lib
expect 1 "lib/libextra.so looks for libraries in '/usr/local/lib'" package
echo 'int extra() { return 1; }' |
  "${cxx[@]}" -x c++ - -shared -fPIC -nostdlib++ -static-libgcc -o package/lib/libextra.so
expect 1 'lib/libextra.so is not stripped' package
rm package/lib/libextra.so package/bin/tegula package/LICENSE
expect 1 'bin/tegula is missing' package
expect 1 'LICENSE is missing' package
mkdir empty
expect 1 'there is no program and no library' empty

expect 2 "there is no folder 'nowhere'" nowhere
expect 2 'a folder and at most an archive'
expect 0 '^usage' --help
echo "every check was seen to fail"
