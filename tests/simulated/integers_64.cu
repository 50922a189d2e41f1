// The kernels of 64-bit integers.
#include "kernel_words.hpp"

#include "cuda/reduce/reduce_int64.cu"
