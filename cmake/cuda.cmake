# CUDA, for the sources of src/cuda/ that end in .cu. The runtime is linked statically, so that programs start where there is no
# driver and say so.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  # Machine code for Hopper; for all others of compute capability 7.5 and more, code that the driver compiles.
  set(CMAKE_CUDA_ARCHITECTURES 75-virtual 80-virtual 90-virtual 90a-real CACHE STRING "CUDA architectures")
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
# For the sources that include CUDA's headers, and no others: the rest of a target is compiled as it is without CUDA, and ccache has it.
set(cuda_headers ${CUDAToolkit_INCLUDE_DIRS})
list(TRANSFORM cuda_headers REPLACE "(.+)" "-isystem;\\1")
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 does not know it of nvcc 13
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
