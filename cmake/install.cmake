# find_package(foldline) -> foldline::foldline
include(CMakePackageConfigHelpers)

install(
  TARGETS foldline
  EXPORT foldline-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/foldline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/include/foldline/version.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/foldline)
install(EXPORT foldline-targets NAMESPACE foldline:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/foldline)
configure_package_config_file(cmake/foldline-config.cmake.in foldline-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/foldline)
write_basic_package_version_file(foldline-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/foldline-config.cmake ${PROJECT_BINARY_DIR}/foldline-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/foldline)
