# LLVM and MLIR 22.1. Debian's MLIR archives name the shared LLVM library, and a process with both a static and a shared
# LLVM crashes: development links both shared; the static package replaces the imported LLVM target by its archives.

# MLIR's version file compares for equality: 22.1, not 22.
find_package(MLIR 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22/lib/cmake/mlir)
message(STATUS "MLIR in ${MLIR_DIR}, LLVM ${LLVM_PACKAGE_VERSION}")
find_program(TEGULA_MLIR_TBLGEN mlir-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)

if(TEGULA_STATIC_LLVM)
  # The archives depend on each other in circles: a linker script groups them under the name of the shared library's
  # target.
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  list(JOIN archives " " archives)
  file(WRITE ${PROJECT_BINARY_DIR}/libLLVM-archives.a "GROUP ( ${archives} )\n")
  get_target_property(configurations LLVM IMPORTED_CONFIGURATIONS)
  foreach(configuration IN LISTS configurations)
    set_target_properties(LLVM PROPERTIES IMPORTED_LOCATION_${configuration} ${PROJECT_BINARY_DIR}/libLLVM-archives.a
                                          IMPORTED_SONAME_${configuration} "")
  endforeach()
  set(TEGULA_MLIR_LIBRARIES MLIROptLib MLIRArithDialect MLIRMathDialect MLIRSCFDialect MLIRFuncDialect
    MLIRFuncInlinerExtension
      MLIRUBDialect MLIRTransforms MLIRParser MLIRPass MLIRIR LLVM -l:libz.a -l:libzstd.a -l:libtinfo.a)
  # A section for each function, so that the linker leaves out what nothing calls.
  add_compile_options(-ffunction-sections -fdata-sections)
  # Packed relocations need glibc 2.36, as the package does. The unwinder, libgcc_s, stays shared: exceptions leave
  # libtegula-cpu and libtegula-runtime, and one that one copy of the unwinder throws and another catches aborts.
  add_link_options(-fuse-ld=lld -Wl,--gc-sections -Wl,-z,pack-relative-relocs -static-libstdc++)
else()
  set(TEGULA_MLIR_LIBRARIES MLIR LLVM)
endif()
set(TEGULA_MLIR_INCLUDES ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

# One set of precompiled headers serves every room: they cost most of a file's compile time otherwise.
function(tegula_mlir_flags target)
  target_include_directories(${target} SYSTEM PUBLIC ${TEGULA_MLIR_INCLUDES})
  separate_arguments(definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${target} PUBLIC ${definitions})
endfunction()

# By Clang's own option, whose path ccache makes relative; CMake's default passes paths through -Xclang, where it does
# not.
set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
foreach(library tegula_mlir_pch tegula_mlir_pch_sanitized tegula_mlir_pch_unoptimized)
  tegula_precompiled_headers(${library} ${PROJECT_SOURCE_DIR}/core/ir/Pch.h
    "${LLVM_PACKAGE_VERSION} ${LLVM_DEFINITIONS}")
  tegula_mlir_flags(${library})
endforeach()
set_target_properties(tegula_mlir_pch PROPERTIES TEGULA_NOT_SANITIZED ON)
tegula_without_optimization(tegula_mlir_pch_unoptimized)

# tegula_use_mlir(target [WITHOUT_OPTIMIZATION]): links LLVM and MLIR, with precompiled headers.
function(tegula_use_mlir target)
  cmake_parse_arguments(USE "WITHOUT_OPTIMIZATION" "" "" ${ARGN})
  tegula_mlir_flags(${target})
  target_link_libraries(${target} PUBLIC ${TEGULA_MLIR_LIBRARIES})
  get_target_property(notSanitized ${target} TEGULA_NOT_SANITIZED)
  if(USE_WITHOUT_OPTIMIZATION)
    tegula_without_optimization(${target})
    tegula_reuse_headers(${target} tegula_mlir_pch_unoptimized)
  elseif(TEGULA_SANITIZERS AND NOT notSanitized)
    tegula_reuse_headers(${target} tegula_mlir_pch_sanitized)
  else()
    tegula_reuse_headers(${target} tegula_mlir_pch)
  endif()
endfunction()
