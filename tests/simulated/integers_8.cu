// The kernels of 8-bit integers and bool.
#include "kernel_words.hpp"

#include "cuda/reduce/reduce_int8.cu"
