# tegula_add_kernels(target FILE.py[::KERNEL]... TARGETS ... SIGNATURES ...
#                    [CONSTANTS ...] [OPTIONS ...] [NAMESPACE name])
#
# A static library with kernels that are compiled when their sources change, and the header TARGET.hpp with one function
# for each kernel, in the namespace TARGET or the one that is given. Values are those of `tegula build`, whose help
# explains them: TARGETS of --targets, SIGNATURES of --signature, CONSTANTS of --const; OPTIONS are further arguments,
# such as --configs=tuned. Of a FILE.py with several kernels those are built that SIGNATURES name.
# Kernels that import others: their files are not known here, so that a change of theirs alone rebuilds nothing.
function(tegula_add_kernels target)
  cmake_parse_arguments(KERNELS "" "NAMESPACE" "TARGETS;SIGNATURES;CONSTANTS;OPTIONS" ${ARGN})
  # A misspelt keyword is one more value of the keyword before it.
  foreach(value IN LISTS KERNELS_UNPARSED_ARGUMENTS KERNELS_TARGETS KERNELS_SIGNATURES KERNELS_CONSTANTS
                         KERNELS_OPTIONS)
    if(value MATCHES "^[A-Z_]+$")
      message(FATAL_ERROR "tegula_add_kernels(${target} ...): unknown keyword '${value}'; the keywords are TARGETS, "
                          "SIGNATURES, CONSTANTS, OPTIONS and NAMESPACE")
    endif()
  endforeach()
  set(files "")
  set(sources "")
  foreach(kernel IN LISTS KERNELS_UNPARSED_ARGUMENTS)
    string(REGEX REPLACE "::[^/]*$" "" file ${kernel})
    string(REGEX MATCH "::[^/]*$" name ${kernel})
    get_filename_component(file ${file} ABSOLUTE)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "tegula_add_kernels(${target} ...): there is no file '${file}'; FILE.py or FILE.py::KERNEL "
                          "is expected")
    endif()
    list(APPEND sources ${file})
    list(APPEND files ${file}${name})
  endforeach()
  if(NOT files OR NOT KERNELS_TARGETS)
    message(FATAL_ERROR "tegula_add_kernels(${target} ...): kernel files and TARGETS are expected")
  endif()
  if(NOT KERNELS_NAMESPACE)
    set(KERNELS_NAMESPACE ${target})
  endif()
  set(arguments "")
  foreach(signature IN LISTS KERNELS_SIGNATURES)
    list(APPEND arguments "--signature=${signature}")
  endforeach()
  foreach(constant IN LISTS KERNELS_CONSTANTS)
    list(APPEND arguments --const "${constant}")
  endforeach()
  list(JOIN KERNELS_TARGETS "," targets)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels)
  file(MAKE_DIRECTORY ${folder})
  set(bundle ${folder}/${target}.tgb)
  add_custom_command(OUTPUT ${bundle} ${folder}/${target}.hpp ${folder}/${target}.c
    COMMAND tegula::tegula build ${files} -o ${bundle} --targets=${targets} ${arguments} ${KERNELS_OPTIONS} --quiet
            --header=${folder}/${target}.hpp --embed=${folder}/${target}.c --namespace=${KERNELS_NAMESPACE}
    DEPENDS ${sources} tegula::tegula VERBATIM
    COMMENT "Compiling the kernels of ${target}")
  # The source is right in both languages; the project may have no compiler for C.
  set_source_files_properties(${folder}/${target}.c PROPERTIES OBJECT_DEPENDS ${bundle} LANGUAGE CXX)
  add_library(${target} STATIC ${folder}/${target}.c ${folder}/${target}.hpp)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${target} PUBLIC ${folder})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC tegula::runtime)
endfunction()
