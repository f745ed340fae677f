# One helper per kind of target, so that a folder's CMakeLists.txt is a list of what is in it.

# tegula_room(NAME target SOURCES ... [DEPS ...] [MLIR])
# A folder of the library: static, position-independent, symbols hidden. MLIR: links LLVM and MLIR, precompiled headers.
function(tegula_room)
  cmake_parse_arguments(ROOM "MLIR" "NAME" "SOURCES;DEPS" ${ARGN})
  add_library(${ROOM_NAME} STATIC ${ROOM_SOURCES})
  target_include_directories(${ROOM_NAME} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${ROOM_NAME} PUBLIC ${ROOM_DEPS} Threads::Threads)
  if(ROOM_MLIR)
    tegula_use_mlir(${ROOM_NAME})
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

# tegula_without_optimization(target)
# Compiles the target's own files without optimization, in less than half of the time. For tests and their tools, unless
# they compute for seconds.
function(tegula_without_optimization target)
  target_compile_options(${target} PRIVATE -O0)
endfunction()

# tegula_test(NAME target LABEL folder SOURCES ... [DEPS ...] [MLIR] [LONG] [OPTIMIZED] [TIMEOUT seconds]
#             [SHARDS n] [ENVIRONMENT ...] [PROPERTIES ...])
# A GoogleTest executable and its ctest tests, with its folder's name as label. LONG: not in `ci/test --quick`. The
# test's own files are optimized where it computes for seconds (OPTIMIZED), a little with MLIR, as precompiled headers
# for optimized code need, and else not.
function(tegula_test)
  cmake_parse_arguments(TEST "MLIR;LONG;OPTIMIZED" "NAME;LABEL;TIMEOUT;SHARDS"
    "SOURCES;DEPS;ENVIRONMENT;PROPERTIES" ${ARGN})
  add_executable(${TEST_NAME} ${TEST_SOURCES})
  target_include_directories(${TEST_NAME} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_definitions(${TEST_NAME} PRIVATE TEGULA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(TEST_MLIR OR TEST_OPTIMIZED)
    target_compile_options(${TEST_NAME} PRIVATE -O1)
  else()
    tegula_without_optimization(${TEST_NAME})
  endif()
  target_link_libraries(${TEST_NAME} PRIVATE ${TEST_DEPS} GTest::gmock GTest::gtest GTest::gtest_main)
  if(TEST_MLIR)
    tegula_use_mlir(${TEST_NAME})
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
