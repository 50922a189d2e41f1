# foldline.pc. Its paths are relative to the file itself, so that an installed prefix can be moved.
#
# A shared library brings what it needs, and its users need no Highway headers: `Libs.private` serves only those who link a
# static library that stands beside it. (`Requires.private` would make `pkg-config --cflags` fail where libhwy.pc is missing.)
# Where only a static library is installed, every link needs all of it, with and without `pkg-config --static`.
set(pc_blis "")
if(FOLDLINE_BLIS)
  set(pc_blis " -lblis")
endif()
if(BUILD_SHARED_LIBS)
  set(pc_flags "")
  set(pc_libraries "")
  set(pc_dependencies "Libs.private: -lhwy${pc_blis} ${OpenMP_CXX_FLAGS}")
else()
  set(pc_flags " -DFOLDLINE_STATIC")
  set(pc_libraries "${pc_blis} ${OpenMP_CXX_FLAGS}")
  set(pc_dependencies "Requires: libhwy")
  if(FOLDLINE_CUDA)
    string(APPEND pc_libraries " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl -lpthread")
  endif()
endif()

set(pc_folder ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pc ${pc_folder} ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH libraries_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH headers_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(cmake/foldline.pc.in foldline.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/foldline.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
