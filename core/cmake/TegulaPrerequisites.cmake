# Included before project(): if Debian packages that every build needs are missing, the first configuration ends here,
# with one message that has the command to install them. Without this check CMake would stop at one after the other. A
# system without dpkg, and LLVM from another place (-DMLIR_DIR=...), pass: what is missing there CMake finds out.
if(DEFINED CACHE{CMAKE_PROJECT_NAME} OR DEFINED MLIR_DIR)
  return()
endif()
find_program(TEGULA_DPKG_QUERY dpkg-query)
mark_as_advanced(TEGULA_DPKG_QUERY)
if(TEGULA_DPKG_QUERY)
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../../ci/install --check
    RESULT_VARIABLE status OUTPUT_VARIABLE command OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_VARIABLE reason
    ERROR_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    string(REGEX REPLACE "^install: " "" reason "${reason}")
    message(FATAL_ERROR "tegula: ${reason}\n  ${command}\n")
  endif()
endif()
