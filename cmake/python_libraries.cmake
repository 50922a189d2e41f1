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
if(NOT OpenMP_CXX_FOUND OR NOT hwy_FOUND OR NOT FastFloat_FOUND OR NOT BLIS_LIBRARY OR NOT ZLIB_LIBRARY OR NOT LIBLZMA_LIBRARY
   OR NOT FOLDLINE_ZSTD_LIBRARY OR NOT BZIP2_FOUND)
  # Lines that begin with a space are printed as they are.
  message(FATAL_ERROR "Packages that foldline is built from are missing. On Debian or Ubuntu:\n"
                      "  apt-get install g++ libhwy-dev libfast-float-dev libblis-openmp-dev zlib1g-dev liblzma-dev libzstd-dev libbz2-dev\n")
endif()
