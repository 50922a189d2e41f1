# Debian packages, split as Debian does: the shared library under its soname, what programs are built with, the command.
#
#   cmake --preset package && cmake --build --preset package && (cd build/package && cpack)
#
# Included last: CPack takes the settings that it finds.
if(NOT BUILD_SHARED_LIBS)
  message(FATAL_ERROR "FOLDLINE_BUILD_PACKAGES needs a shared library: -DBUILD_SHARED_LIBS=ON, or cmake --preset package")
endif()
set(runtime libfoldline${FOLDLINE_SOVERSION})
set(release 1)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME foldline)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # the first line of each description below
set(CPACK_PACKAGE_CONTACT "foldline maintainers <maintainers@foldline.example>"
    CACHE STRING "Maintainer of the packages: name <address>")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${release})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(exactly "(= ${PROJECT_VERSION}-${release})")
set(about
    "Sums, dot products, norms, means and variances that are the exact results
rounded once: the same bits for any order of the data, number of threads and
instruction set, without overflow on the way.
.
This package contains")

set(CPACK_COMPONENTS_ALL foldline_runtime foldline_development)
set(CPACK_DEBIAN_FOLDLINE_RUNTIME_PACKAGE_NAME ${runtime})
set(CPACK_DEBIAN_FOLDLINE_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_FOLDLINE_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_FOLDLINE_RUNTIME_DESCRIPTION "exact sums at the speed of memory (shared library)
${about} the shared library.")

set(CPACK_DEBIAN_FOLDLINE_DEVELOPMENT_PACKAGE_NAME libfoldline-dev)
set(CPACK_DEBIAN_FOLDLINE_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_FOLDLINE_DEVELOPMENT_PACKAGE_DEPENDS "${runtime} ${exactly}")
set(CPACK_DEBIAN_FOLDLINE_DEVELOPMENT_DESCRIPTION "exact sums at the speed of memory (development files)
${about} the C++20 headers and the files
for CMake and pkg-config.")

if(FOLDLINE_BUILD_C)
  list(APPEND CPACK_COMPONENTS_ALL foldline_c foldline_c_development)
  set(c_runtime libfoldline-c${FOLDLINE_SOVERSION})
  set(CPACK_DEBIAN_FOLDLINE_C_PACKAGE_NAME ${c_runtime})
  set(CPACK_DEBIAN_FOLDLINE_C_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_FOLDLINE_C_PACKAGE_DEPENDS "${runtime} ${exactly}")
  set(CPACK_DEBIAN_FOLDLINE_C_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
  set(CPACK_DEBIAN_FOLDLINE_C_DESCRIPTION "exact sums at the speed of memory (shared library for C)
${about} the shared library for C and the
languages that call it.")
  set(CPACK_DEBIAN_FOLDLINE_C_DEVELOPMENT_PACKAGE_NAME libfoldline-c-dev)
  set(CPACK_DEBIAN_FOLDLINE_C_DEVELOPMENT_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_FOLDLINE_C_DEVELOPMENT_PACKAGE_DEPENDS "${c_runtime} ${exactly}")
  set(CPACK_DEBIAN_FOLDLINE_C_DEVELOPMENT_DESCRIPTION "exact sums at the speed of memory (development files for C)
${about} the header foldline.h and the files
for CMake and pkg-config.")
endif()

if(FOLDLINE_BUILD_CLI)
  list(APPEND CPACK_COMPONENTS_ALL foldline_command)
  set(CPACK_DEBIAN_FOLDLINE_COMMAND_PACKAGE_NAME foldline)
  set(CPACK_DEBIAN_FOLDLINE_COMMAND_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_FOLDLINE_COMMAND_PACKAGE_DEPENDS "${runtime} ${exactly}")
  set(CPACK_DEBIAN_FOLDLINE_COMMAND_DESCRIPTION "exact sums at the speed of memory (command)
${about} the command foldline, which computes
them of files and pipes in constant memory.")
endif()

if(FOLDLINE_BUILD_LADDER)
  list(APPEND CPACK_COMPONENTS_ALL foldline_ladder)
  set(CPACK_DEBIAN_FOLDLINE_LADDER_PACKAGE_NAME foldline-ladder)
  set(CPACK_DEBIAN_FOLDLINE_LADDER_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_FOLDLINE_LADDER_PACKAGE_DEPENDS "${runtime} ${exactly}")
  set(CPACK_DEBIAN_FOLDLINE_LADDER_PACKAGE_RECOMMENDS clang-19) # for exec and check
  set(CPACK_DEBIAN_FOLDLINE_LADDER_PACKAGE_ENHANCES foldline)
  set(CPACK_DEBIAN_FOLDLINE_LADDER_DESCRIPTION "exact sums at the speed of memory (the textbooks' GPU kernels)
${about} the program behind foldline
ladder: the textbooks' CUDA kernels, verified and counted in a simulator.")
  install(FILES packaging/debian/foldline-ladder.lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
          RENAME foldline-ladder COMPONENT foldline_ladder EXCLUDE_FROM_ALL)
endif()

# Every package has a folder with the licence and the history of its packaging. EXCLUDE_FROM_ALL: for packages only.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(packaging/debian/changelog.in package/changelog.Debian @ONLY)
find_program(GZIP gzip REQUIRED)
execute_process(COMMAND ${GZIP} -9nf package/changelog.Debian WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
                COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES packaging/debian/copyright ${PROJECT_BINARY_DIR}/package/changelog.Debian.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}
          COMPONENT ${component}
          EXCLUDE_FROM_ALL)
endforeach()

include(CPack)
