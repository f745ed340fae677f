# What installations hold. The components:
#
#   sdk       what a program needs that is built with Tegula: bin/tegula, the libraries, the headers, the CMake package
#             `tegula`, tegula.pc.
#   package   the relocatable package, which ci/package builds, checks and packs: the sdk, and bin/samples, samples,
#             tests. It is told by its folders.
#   wheel     what the Python package has besides its Python files, below tegula/: the libraries, the extension module,
#             the tuning tables. `pip install .` builds and packs it (pyproject.toml).
#   runtime   the first of four Debian packages, which `cpack` makes: what programs with bundles load, libtegula-runtime
#             and libtegula-cpu
#   compiler  libtegula-compiler, bin/tegula, the tuning tables
#   dev       the headers, the CMake package, tegula.pc, the links by which linkers find libraries
#   python    the Python package for the system's python3
#
#   cmake --install BUILD --component sdk --prefix FOLDER
#
# Programs find libraries and files relative to themselves.

set(TEGULA_COMPONENTS package sdk dev)

# tegula_package_program(target folder [DEBIAN component]): an executable below the root; it finds lib/. DEBIAN, here
# and below: it belongs to the sdk, and to this one of the Debian packages.
function(tegula_package_program target folder)
  cmake_parse_arguments(PROGRAM "" "DEBIAN" "" ${ARGN})
  string(REGEX REPLACE "[^/]+" ".." up ${folder})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${up}/lib")
  install(TARGETS ${target} RUNTIME DESTINATION ${folder} COMPONENT package)
  if(PROGRAM_DEBIAN)
    install(TARGETS ${target} EXPORT tegula RUNTIME DESTINATION ${folder} COMPONENT sdk)
    install(TARGETS ${target} RUNTIME DESTINATION ${folder} COMPONENT ${PROGRAM_DEBIAN})
  endif()
  set_property(GLOBAL APPEND PROPERTY TEGULA_PACKAGED ${target})
endfunction()

# tegula_package_library(target DEBIAN component [EXPORT name]): EXPORT, programs link it, as tegula::name. A wheel
# holds no links: the library has there the name by which it is opened.
function(tegula_package_library target)
  cmake_parse_arguments(LIBRARY "" "DEBIAN;EXPORT" "" ${ARGN})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${target} LIBRARY DESTINATION lib COMPONENT package)
  if(LIBRARY_EXPORT)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${LIBRARY_EXPORT})
    install(TARGETS ${target} EXPORT tegula LIBRARY DESTINATION lib COMPONENT sdk)
    install(TARGETS ${target} LIBRARY DESTINATION lib COMPONENT dev NAMELINK_ONLY)
  else()
    install(TARGETS ${target} LIBRARY DESTINATION lib COMPONENT sdk NAMELINK_SKIP)
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION lib COMPONENT ${LIBRARY_DEBIAN} NAMELINK_SKIP)
  install(TARGETS ${target} LIBRARY DESTINATION tegula/lib COMPONENT wheel NAMELINK_SKIP)
  set(folder \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/tegula/lib)
  set(names "\"${folder}/$<TARGET_FILE_NAME:${target}>\" \"${folder}/$<TARGET_SONAME_FILE_NAME:${target}>\"")
  install(CODE "file(RENAME ${names})" COMPONENT wheel)
  set_property(GLOBAL APPEND PROPERTY TEGULA_PACKAGED ${target})
endfunction()

# tegula_package_files(folder files... [DEBIAN component] [WHEEL])
function(tegula_package_files folder)
  cmake_parse_arguments(FILES "WHEEL" "DEBIAN" "" ${ARGN})
  set(files ${FILES_UNPARSED_ARGUMENTS})
  install(FILES ${files} DESTINATION ${folder} COMPONENT package)
  if(FILES_DEBIAN)
    install(FILES ${files} DESTINATION ${folder} COMPONENT sdk)
    install(FILES ${files} DESTINATION ${folder} COMPONENT ${FILES_DEBIAN})
  endif()
  if(FILES_WHEEL)
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

# tegula_debian_package(component name section "depends, ..." summary)
macro(tegula_debian_package component name section depends summary)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}")
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/${name} RENAME copyright COMPONENT ${component})
endmacro()

# `cpack` in the build folder: NAME_VERSION_ARCHITECTURE.deb for each. The libraries must be of one build. The first
# name ends with the number in the SONAME, so that the packages of two binary interfaces can be installed side by side.
macro(tegula_debian_packages)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_CONTACT "Tegula <maintainers@users.noreply.tegula.example>")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  set(CPACK_COMPONENTS_ALL "")
  get_target_property(abi tegula-runtime SOVERSION)
  set(runtime "libtegula-runtime${abi} (= ${PROJECT_VERSION})")
  set(compiler "tegula-compiler (= ${PROJECT_VERSION})")
  tegula_debian_package(runtime libtegula-runtime${abi} libs "" "Launches compiled Triton kernels: what programs load")
  # Opened at run time where they are installed.
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS libsqlite3-0)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS libvulkan1)
  tegula_debian_package(compiler tegula-compiler devel "${runtime}" "Compiles Triton kernels: library and command")
  tegula_debian_package(dev libtegula-dev libdevel "${compiler}, ${runtime}" "Headers, CMake package, pkg-config")
  if(TARGET tegula-python)
    set(python "python3 (>= 3.10), ${compiler}, ${runtime}")
    tegula_debian_package(python python3-tegula python "${python}" "Launches Triton kernels from Python")
    set(scripts ${PROJECT_SOURCE_DIR}/core/cmake/install/python3-tegula)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${scripts}/postinst ${scripts}/prerm)
  endif()
  include(CPack)
endmacro()

# The targets: `packaged` builds the package, `tegula` the sdk, `tegula-python` the wheel. Called once, after every
# folder.
function(tegula_package_end)
  get_property(targets GLOBAL PROPERTY TEGULA_PACKAGED)
  add_custom_target(packaged DEPENDS ${targets})
  tegula_package_config()
endfunction()
