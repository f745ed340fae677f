# One helper per kind of target, so that a folder's CMakeLists.txt is a list of what is in it.

# tegula_room(NAME target SOURCES ... [DEPS ...] [MLIR] [NOT_SANITIZED])
# A folder of the library: static, position-independent, symbols hidden. MLIR: links LLVM and MLIR, precompiled headers.
# NOT_SANITIZED: the sanitizers leave it out. For tools of tests, and for rooms whose code is mostly generated or
# templates of MLIR: with sanitizers these took more time to compile than all others together.
function(tegula_room)
  cmake_parse_arguments(ROOM "MLIR;NOT_SANITIZED" "NAME" "SOURCES;DEPS" ${ARGN})
  add_library(${ROOM_NAME} STATIC ${ROOM_SOURCES})
  target_include_directories(${ROOM_NAME} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${ROOM_NAME} PUBLIC ${ROOM_DEPS} Threads::Threads)
  set_target_properties(${ROOM_NAME} PROPERTIES TEGULA_NOT_SANITIZED "${ROOM_NOT_SANITIZED}")
  if(ROOM_MLIR)
    tegula_use_mlir(${ROOM_NAME})
  endif()
endfunction()

# tegula_small_code(room [sources...]): the room's code is compiled for size, but for these sources, which every launch
# runs. Of the rooms of the runtime library, whose code otherwise runs once.
function(tegula_small_code room)
  if(NOT TEGULA_SANITIZERS AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(${room} PRIVATE -Os)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O2)
  endif()
endfunction()

# tegula_run(NAME test TARGET executable LABELS labels... [TIMEOUT seconds] [SHARDS n] [PROPERTIES ...])
# ctest tests that run a GoogleTest executable: one, or n that share its tests among them, so that a long executable
# keeps several cores busy. PROPERTIES are for all of them.
function(tegula_run)
  cmake_parse_arguments(RUN "" "NAME;TARGET;TIMEOUT;SHARDS" "LABELS;ENVIRONMENT;PROPERTIES" ${ARGN})
  if(NOT RUN_TIMEOUT)
    set(RUN_TIMEOUT 600)
  endif()
  if(NOT RUN_SHARDS)
    set(RUN_SHARDS 1)
  endif()
  math(EXPR last "${RUN_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(name ${RUN_NAME})
    set(environment ${RUN_ENVIRONMENT})
    if(RUN_SHARDS GREATER 1)
      set(name ${RUN_NAME}_${shard})
      list(APPEND environment GTEST_TOTAL_SHARDS=${RUN_SHARDS} GTEST_SHARD_INDEX=${shard})
    endif()
    add_test(NAME ${name} COMMAND ${RUN_TARGET})
    set_tests_properties(${name} PROPERTIES
      LABELS "${RUN_LABELS}" TIMEOUT ${RUN_TIMEOUT} ENVIRONMENT "${environment}" ${RUN_PROPERTIES})
  endforeach()
endfunction()

# tegula_text_tests(LABEL label files...)
# ctest tests LABEL_FILE, each of which executes the RUN lines of FILE.mlir, with tegula-opt and FileCheck.
function(tegula_text_tests)
  cmake_parse_arguments(TEXT "" "LABEL" "" ${ARGN})
  foreach(file IN LISTS TEXT_UNPARSED_ARGUMENTS)
    get_filename_component(name ${file} NAME)
    add_test(NAME ${TEXT_LABEL}_${name}
             COMMAND bash ${PROJECT_SOURCE_DIR}/tests/ir/run_lines.sh ${CMAKE_CURRENT_SOURCE_DIR}/${file}.mlir
                     $<TARGET_FILE:tegula-opt> ${TEGULA_FILECHECK})
    set_tests_properties(${TEXT_LABEL}_${name} PROPERTIES LABELS ${TEXT_LABEL} TIMEOUT 60)
  endforeach()
endfunction()

# tegula_leave_to_the_tested(target)
# Sanitizers look at what is tested and not at the tests, but for ThreadSanitizer, which must see every atomic operation
# and lock.
function(tegula_leave_to_the_tested target)
  if(NOT TEGULA_SANITIZERS MATCHES thread)
    set_target_properties(${target} PROPERTIES TEGULA_NOT_SANITIZED ON)
  endif()
endfunction()

# tegula_without_optimization(target)
# Compiles the target's own files without optimization, in less than half of the time. For tests and their tools, unless
# they compute for seconds.
function(tegula_without_optimization target)
  target_compile_options(${target} PRIVATE -O0)
  tegula_leave_to_the_tested(${target})
endfunction()

# tegula_precompiled_headers(target header versions)
# A library whose precompiled header others use: target_precompile_headers(... REUSE_FROM target). `versions` names what
# the header's content depends on beside its text; ccache knows it by the checksum of both, which lies beside it.
function(tegula_precompiled_headers target header versions)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  file(WRITE ${source}.in "// The precompiled header is built with this file.\n")
  configure_file(${source}.in ${source} COPYONLY)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${source})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_precompile_headers(${target} PRIVATE ${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(SHA256 ${header} sum)
  string(SHA256 sum "${sum} ${CMAKE_CXX_COMPILER_VERSION} ${versions}")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum "${sum}")
endfunction()

# tegula_reuse_headers(target library): the target's files begin with the precompiled header of that library.
function(tegula_reuse_headers target library)
  target_precompile_headers(${target} REUSE_FROM ${library})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE) # compiled as libraries are: -fPIE would not fit the precompiled header
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# tegula_test(NAME target LABEL folder SOURCES ... [DEPS ...] [MLIR] [LONG] [OPTIMIZED] [TIMEOUT seconds]
#             [SHARDS n] [ENVIRONMENT ...] [PROPERTIES ...])
# A GoogleTest executable and its ctest tests, with its folder's name as label. LONG: not in `ci/test --quick`. The
# test's own files are optimized only where it computes for seconds (OPTIMIZED).
function(tegula_test)
  cmake_parse_arguments(TEST "MLIR;LONG;OPTIMIZED" "NAME;LABEL;TIMEOUT;SHARDS"
    "SOURCES;DEPS;ENVIRONMENT;PROPERTIES" ${ARGN})
  add_executable(${TEST_NAME} ${TEST_SOURCES})
  target_include_directories(${TEST_NAME} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_definitions(${TEST_NAME} PRIVATE TEGULA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  tegula_leave_to_the_tested(${TEST_NAME})
  target_link_libraries(${TEST_NAME} PRIVATE ${TEST_DEPS} GTest::gmock GTest::gtest GTest::gtest_main)
  if(TEST_OPTIMIZED AND TEST_MLIR) # at the level of the precompiled header: Clang refuses another one
    tegula_use_mlir(${TEST_NAME})
  elseif(TEST_OPTIMIZED)
    target_compile_options(${TEST_NAME} PRIVATE -O1)
  elseif(TEST_MLIR)
    tegula_use_mlir(${TEST_NAME} WITHOUT_OPTIMIZATION)
  else()
    tegula_without_optimization(${TEST_NAME})
    tegula_reuse_headers(${TEST_NAME} tegula_test_headers)
  endif()
  set(labels ${TEST_LABEL})
  if(TEST_LONG)
    list(APPEND labels long)
  endif()
  tegula_run(NAME ${TEST_NAME} TARGET ${TEST_NAME} LABELS ${labels} TIMEOUT ${TEST_TIMEOUT} SHARDS ${TEST_SHARDS}
    ENVIRONMENT ${TEST_ENVIRONMENT} PROPERTIES ${TEST_PROPERTIES})
endfunction()

# tegula_shared_library(NAME target ROOMS ... [EXPORTS version-script])
# A shared library made of rooms: it exports what they mark visible, or of that only what the version script names.
function(tegula_shared_library)
  cmake_parse_arguments(LIBRARY "" "NAME;EXPORTS" "ROOMS" ${ARGN})
  add_library(${LIBRARY_NAME} SHARED ${PROJECT_SOURCE_DIR}/core/cmake/empty.cpp)
  foreach(room IN LISTS LIBRARY_ROOMS)
    target_link_libraries(${LIBRARY_NAME} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${room}>")
  endforeach()
  if(NOT TEGULA_SANITIZERS)
    target_link_options(${LIBRARY_NAME} PRIVATE -Wl,-z,defs)
  endif()
  if(LIBRARY_EXPORTS)
    target_link_options(${LIBRARY_NAME} PRIVATE -Wl,--version-script=${LIBRARY_EXPORTS})
    set_property(TARGET ${LIBRARY_NAME} APPEND PROPERTY LINK_DEPENDS ${LIBRARY_EXPORTS})
  endif()
  set_target_properties(${LIBRARY_NAME} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
endfunction()
