# foldline::zstd. The targets of zstd's own package have had several names, so the library itself is looked for.
if(NOT TARGET foldline::zstd)
  find_library(FOLDLINE_ZSTD_LIBRARY zstd REQUIRED)
  find_path(FOLDLINE_ZSTD_INCLUDE_DIR zstd.h REQUIRED)
  mark_as_advanced(FOLDLINE_ZSTD_LIBRARY FOLDLINE_ZSTD_INCLUDE_DIR)
  add_library(foldline::zstd UNKNOWN IMPORTED)
  set_target_properties(foldline::zstd PROPERTIES IMPORTED_LOCATION "${FOLDLINE_ZSTD_LIBRARY}"
                                                  INTERFACE_INCLUDE_DIRECTORIES "${FOLDLINE_ZSTD_INCLUDE_DIR}")
endif()
