// The kernels of 32-bit integers.
#include "kernel_words.hpp"

#include "cuda/reduce/reduce_int32.cu"
