# Text files as a C++ function, so that a binary finds them without a path.

# tegula_embed(OUTPUT file.cpp HEADER "path/X.h" NAMESPACE "a::b" FUNCTION name FILES ...)
# Writes `std::string_view a::b::name()`, which gives the files' texts one after another. The output changes only when
# they do. Each text becomes raw string literals of at most 8 KiB, below what compilers accept in one.
function(tegula_embed)
  cmake_parse_arguments(EMBED "" "OUTPUT;HEADER;NAMESPACE;FUNCTION" "FILES" ${ARGN})
  set(literals "")
  foreach(file IN LISTS EMBED_FILES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(LENGTH "${text}" length)
    set(begin 0)
    while(begin LESS length)
      string(SUBSTRING "${text}" ${begin} 8192 piece)
      string(APPEND literals "R\"tegula(${piece})tegula\"\n")
      math(EXPR begin "${begin} + 8192")
    endwhile()
  endforeach()
  string(CONCAT content "// Generated from text files by tegula_embed.\n#include \"${EMBED_HEADER}\"\n\n"
         "namespace ${EMBED_NAMESPACE} {\n\nstd::string_view ${EMBED_FUNCTION}() {\n  return\n${literals};\n}\n\n"
         "} // namespace ${EMBED_NAMESPACE}\n")
  set(old "")
  if(EXISTS ${EMBED_OUTPUT})
    file(READ ${EMBED_OUTPUT} old)
  endif()
  if(NOT content STREQUAL old)
    file(WRITE ${EMBED_OUTPUT} "${content}")
  endif()
endfunction()
