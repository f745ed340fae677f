# What the relocatable package holds: `cmake --install BUILD --component package --strip --prefix FOLDER` lays it out,
# and ci/package builds, checks and packs it. The package is told by its folders:
#   bin/tegula  bin/samples/  lib/  include/  samples/NAME/*.py  tests/bin/  tests/simt/
#   tests/conformance/kernels/
# Programs find libraries and files relative to themselves.

# tegula_package_program(target folder): an executable below the package's root; it finds lib/.
function(tegula_package_program target folder)
  string(REGEX REPLACE "[^/]+" ".." up ${folder})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${up}/lib")
  install(TARGETS ${target} RUNTIME DESTINATION ${folder} COMPONENT package)
  set_property(GLOBAL APPEND PROPERTY TEGULA_PACKAGED ${target})
endfunction()

# tegula_package_library(target)
function(tegula_package_library target)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${target} LIBRARY DESTINATION lib COMPONENT package)
  set_property(GLOBAL APPEND PROPERTY TEGULA_PACKAGED ${target})
endfunction()

# tegula_package_files(folder files...)
function(tegula_package_files folder)
  install(FILES ${ARGN} DESTINATION ${folder} COMPONENT package)
endfunction()

# The target `packaged` builds all of it. Called once, after every folder.
function(tegula_package_end)
  get_property(targets GLOBAL PROPERTY TEGULA_PACKAGED)
  add_custom_target(packaged DEPENDS ${targets})
endfunction()
