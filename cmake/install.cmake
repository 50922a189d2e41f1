# What `cmake --install` installs: the library for find_package(foldline) -> foldline::foldline and for `pkg-config foldline`.
# The components are those of the Debian packages (package.cmake); cli/ adds foldline_command.
include(CMakePackageConfigHelpers)

install(
  TARGETS foldline
  EXPORT foldline-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          COMPONENT foldline_runtime
          NAMELINK_COMPONENT foldline_development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT foldline_development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME foldline_development)
install(DIRECTORY include/foldline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/include/foldline/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/foldline)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/foldline)
install(EXPORT foldline-targets NAMESPACE foldline:: DESTINATION ${package_folder})
configure_package_config_file(cmake/foldline-config.cmake.in foldline-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(foldline-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/foldline-config.cmake ${PROJECT_BINARY_DIR}/foldline-config-version.cmake
              cmake/foldline-zstd.cmake
        DESTINATION ${package_folder})

include(cmake/pkg_config.cmake)

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(
    uninstall
    COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -P
            ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
    COMMENT "Removing what the last `cmake --install` of this build installed"
    VERBATIM)
endif()
