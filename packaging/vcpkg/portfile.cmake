# An overlay port of the sources around it: vcpkg install foldline --overlay-ports=packaging
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DFOLDLINE_BLIS=OFF # no port has it; matrix products are slow without
    -DFOLDLINE_BUILD_CLI=OFF
    -DFOLDLINE_BUILD_TESTS=OFF
    -DFOLDLINE_BUILD_EXAMPLES=OFF
    -DFOLDLINE_WERROR=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/foldline)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
