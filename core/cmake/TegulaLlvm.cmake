# LLVM and MLIR 19.1. Debian's MLIR archives name the shared LLVM library, and a process with both a static and a shared
# LLVM crashes: development links both shared; the static package replaces the imported LLVM target by its archives.

# MLIR's version file compares for equality: 19.1, not 19.
find_package(MLIR 19.1 REQUIRED CONFIG PATHS /usr/lib/llvm-19/lib/cmake/mlir)
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
  add_link_options(-fuse-ld=lld -Wl,--gc-sections -static-libstdc++ -static-libgcc)
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

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/core/ir)
file(WRITE ${PROJECT_BINARY_DIR}/core/ir/pch.cpp.in "// The precompiled MLIR headers are built with this file.\n")
configure_file(${PROJECT_BINARY_DIR}/core/ir/pch.cpp.in ${PROJECT_BINARY_DIR}/core/ir/pch.cpp COPYONLY)
add_library(tegula_mlir_pch STATIC ${PROJECT_BINARY_DIR}/core/ir/pch.cpp)
tegula_mlir_flags(tegula_mlir_pch)
target_include_directories(tegula_mlir_pch PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
# By Clang's own option, whose path ccache makes relative; CMake's default passes paths through -Xclang, where it does
# not.
set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
target_precompile_headers(tegula_mlir_pch PRIVATE ${PROJECT_SOURCE_DIR}/core/ir/Pch.h)
# For ccache: which header is precompiled, by which compiler, against which MLIR.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/ir/Pch.h)
file(SHA256 ${PROJECT_SOURCE_DIR}/core/ir/Pch.h pch_sum)
string(SHA256 pch_sum "${pch_sum} ${CMAKE_CXX_COMPILER_VERSION} ${LLVM_PACKAGE_VERSION} ${LLVM_DEFINITIONS}")
file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/tegula_mlir_pch.dir/cmake_pch.hxx.pch.sum "${pch_sum}")

function(tegula_use_mlir target)
  tegula_mlir_flags(${target})
  target_link_libraries(${target} PUBLIC ${TEGULA_MLIR_LIBRARIES})
  target_precompile_headers(${target} REUSE_FROM tegula_mlir_pch)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE) # compiled as libraries are: -fPIE would not fit the precompiled headers
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()
