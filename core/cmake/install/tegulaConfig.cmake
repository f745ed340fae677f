# find_package(tegula): the targets tegula::runtime, which programs link, and tegula::tegula, the command; and the
# function tegula_add_kernels.
include(${CMAKE_CURRENT_LIST_DIR}/tegulaTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/TegulaAddKernels.cmake)
