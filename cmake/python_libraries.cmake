# For the Python package: says in one line what Debian lacks, and takes static libraries where they can be part of a module, so that the
# module runs without them.
find_package(OpenMP QUIET COMPONENTS CXX)
find_package(hwy QUIET)
find_package(FastFloat QUIET)
find_library(BLIS_LIBRARY NAMES libblis.a blis)
find_library(ZLIB_LIBRARY NAMES libz.a z)
find_library(LIBLZMA_LIBRARY NAMES liblzma.a lzma)
find_library(FOLDLINE_ZSTD_LIBRARY NAMES libzstd.a zstd)
find_package(BZip2 QUIET) # Debian's static one is not position-independent
# The command comes along where its libraries are.
find_package(CLI11 QUIET)
find_package(fmt QUIET)
find_package(nlohmann_json QUIET)
if(CLI11_FOUND AND fmt_FOUND AND nlohmann_json_FOUND)
  set(FOLDLINE_BUILD_CLI ON)
else()
  message(STATUS "The package will not have the foldline command, for which Debian's libcli11-dev libfmt-dev nlohmann-json3-dev are missing")
endif()
if(NOT OpenMP_CXX_FOUND OR NOT hwy_FOUND OR NOT FastFloat_FOUND OR NOT BLIS_LIBRARY OR NOT ZLIB_LIBRARY OR NOT LIBLZMA_LIBRARY
   OR NOT FOLDLINE_ZSTD_LIBRARY OR NOT BZIP2_FOUND)
  # Lines that begin with a space are printed as they are.
  message(FATAL_ERROR "Packages that foldline is built from are missing. On Debian or Ubuntu:\n"
                      "  apt-get install g++ libhwy-dev libfast-float-dev libblis-openmp-dev zlib1g-dev liblzma-dev libzstd-dev libbz2-dev\n")
endif()
