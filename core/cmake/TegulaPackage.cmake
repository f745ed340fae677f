# What installations hold. There are three components:
#
#   sdk       what a program needs that is built with Tegula: bin/tegula, the libraries, the headers, the CMake package
#             `tegula`, tegula.pc. `cpack` makes a Debian package of it.
#   package   the relocatable package, which ci/package builds, checks and packs: the sdk, and bin/samples, samples,
#             tests. It is told by its folders.
#   wheel     what the Python package has besides its Python files, below tegula/: the libraries, the extension module,
#             the tuning tables. `pip install .` builds and packs it (pyproject.toml).
#
#   cmake --install BUILD --component sdk --prefix FOLDER
#
# Programs find libraries and files relative to themselves.

set(TEGULA_COMPONENTS package sdk)

# tegula_package_program(target folder [SDK]): an executable below the root; it finds lib/.
function(tegula_package_program target folder)
  string(REGEX REPLACE "[^/]+" ".." up ${folder})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${up}/lib")
  install(TARGETS ${target} RUNTIME DESTINATION ${folder} COMPONENT package)
  if("SDK" IN_LIST ARGN)
    install(TARGETS ${target} EXPORT tegula RUNTIME DESTINATION ${folder} COMPONENT sdk)
  endif()
  set_property(GLOBAL APPEND PROPERTY TEGULA_PACKAGED ${target})
endfunction()

# tegula_package_library(target [EXPORT name]): EXPORT, programs link it, as tegula::name. A wheel holds no links: the
# library has there the name by which it is opened.
function(tegula_package_library target)
  cmake_parse_arguments(LIBRARY "" "EXPORT" "" ${ARGN})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${target} LIBRARY DESTINATION lib COMPONENT package)
  if(LIBRARY_EXPORT)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${LIBRARY_EXPORT})
    install(TARGETS ${target} EXPORT tegula LIBRARY DESTINATION lib COMPONENT sdk)
  else()
    install(TARGETS ${target} LIBRARY DESTINATION lib COMPONENT sdk NAMELINK_SKIP)
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION tegula/lib COMPONENT wheel NAMELINK_SKIP)
  set(folder \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/tegula/lib)
  set(names "\"${folder}/$<TARGET_FILE_NAME:${target}>\" \"${folder}/$<TARGET_SONAME_FILE_NAME:${target}>\"")
  install(CODE "file(RENAME ${names})" COMPONENT wheel)
  set_property(GLOBAL APPEND PROPERTY TEGULA_PACKAGED ${target})
endfunction()

# tegula_package_files(folder files... [SDK] [WHEEL])
function(tegula_package_files folder)
  set(files ${ARGN})
  list(REMOVE_ITEM files SDK WHEEL)
  install(FILES ${files} DESTINATION ${folder} COMPONENT package)
  if("SDK" IN_LIST ARGN)
    install(FILES ${files} DESTINATION ${folder} COMPONENT sdk)
  endif()
  if("WHEEL" IN_LIST ARGN)
    install(FILES ${files} DESTINATION tegula/${folder} COMPONENT wheel)
  endif()
endfunction()

# What find_package(tegula) and pkg-config read.
function(tegula_package_config)
  include(CMakePackageConfigHelpers)
  set(sources ${PROJECT_SOURCE_DIR}/core/cmake/install)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/tegulaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  configure_file(${sources}/tegula.pc.in ${PROJECT_BINARY_DIR}/tegula.pc @ONLY)
  foreach(component IN LISTS TEGULA_COMPONENTS)
    install(FILES ${sources}/tegulaConfig.cmake ${sources}/TegulaAddKernels.cmake
                  ${PROJECT_BINARY_DIR}/tegulaConfigVersion.cmake
      DESTINATION lib/cmake/tegula COMPONENT ${component})
    install(EXPORT tegula NAMESPACE tegula:: FILE tegulaTargets.cmake DESTINATION lib/cmake/tegula
      COMPONENT ${component})
    install(FILES ${PROJECT_BINARY_DIR}/tegula.pc DESTINATION lib/pkgconfig COMPONENT ${component})
  endforeach()
endfunction()

# `cpack` in the build folder: tegula_VERSION_ARCHITECTURE.deb.
macro(tegula_debian_package)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_CONTACT "Tegula <maintainers@users.noreply.tegula.example>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compiles kernels of the Triton language and launches them on any device")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_ALL sdk)
  set(CPACK_DEBIAN_SDK_PACKAGE_NAME tegula)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  include(CPack)
endmacro()

# The targets: `packaged` builds the package, `tegula` the sdk, `tegula-python` the wheel. Called once, after every
# folder.
function(tegula_package_end)
  get_property(targets GLOBAL PROPERTY TEGULA_PACKAGED)
  add_custom_target(packaged DEPENDS ${targets})
  tegula_package_config()
endfunction()
