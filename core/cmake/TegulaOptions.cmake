# What can be chosen, and the flags that follow from it.

set(TEGULA_BACKENDS "cpu"
  CACHE STRING "Backends to build: folders of backends/. The CPU backend is always built: it is the oracle.")
option(TEGULA_TESTS "Build the tests" ON)
set(TEGULA_TEST_FOLDERS "" CACHE STRING "Folders of tests/ to build, and samples; empty: all")
option(TEGULA_STATIC_LLVM "Link LLVM and MLIR statically into libtegula-compiler, for a relocatable package" OFF)
set(TEGULA_SANITIZERS "" CACHE STRING "Sanitizers to build with, e.g. address,undefined")


# Most of a file's compile time is headers: several sources are compiled as one. Names at file scope are unique in a
# room.
option(TEGULA_UNITY "Compile the sources of a room in groups; OFF compiles each alone, e.g. for clangd" ON)
set(CMAKE_UNITY_BUILD ${TEGULA_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
# MLIR's trait identities contain the compiler's spelling of a local type's name, and Debian's MLIR was built with
# Clang: with another compiler `tile.yield` is no terminator to it.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR
    "tegula: build with Clang 22, which Debian's MLIR was built with: use a preset, or -DCMAKE_CXX_COMPILER=clang++-22")
endif()
# The presets ask for line tables only: full debug information of MLIR-heavy files is most of their compile and link
# time.

# Without contraction a result does not depend on what the compiler fused; `dot` asks for fma by name.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-deprecated-declarations -ffp-contract=off)

# Targets whose property TEGULA_NOT_SANITIZED is set are compiled as in the other presets, whose objects ccache has.
if(TEGULA_SANITIZERS)
  # The list of exceptions by its older spelling, by which ccache knows that its content matters.
  set(sanitized -O1 -fsanitize=${TEGULA_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer
      -fsanitize-blacklist=${CMAKE_CURRENT_LIST_DIR}/sanitizers.ignore)
  # vptr checks need RTTI identity across LLVM's shared libraries, which hide theirs. The others look at each access of
  # a member and take a quarter of the compile time; of an address that is null or outside, AddressSanitizer tells.
  if(TEGULA_SANITIZERS MATCHES undefined)
    list(APPEND sanitized -fno-sanitize=vptr,null,alignment,object-size)
  endif()
  add_compile_options("$<$<NOT:$<BOOL:$<TARGET_PROPERTY:TEGULA_NOT_SANITIZED>>>:${sanitized}>")
  add_link_options(-fsanitize=${TEGULA_SANITIZERS})
endif()

find_program(TEGULA_CCACHE ccache)
if(TEGULA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Objects are the same for every preset and checkout: paths below the checkout are relative to the build folder
  # (base_dir), which debug information does not name (hash_dir), and a precompiled header is known by the checksum
  # beside it (TegulaLlvm.cmake), not by its content, which holds paths. The sloppiness is what ccache's manual asks for
  # with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 ${TEGULA_CCACHE})
endif()
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -Xclang -fno-pch-timestamp)

find_program(TEGULA_MOLD mold)
if(TEGULA_MOLD AND NOT TEGULA_STATIC_LLVM)
  add_link_options(-fuse-ld=mold)
endif()
find_package(Threads REQUIRED)
