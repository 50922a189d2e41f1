// The kernels of 16-bit integers.
#include "kernel_words.hpp"

#include "cuda/reduce/reduce_int16.cu"
