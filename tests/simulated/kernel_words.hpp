// To be included first. Words of kernels as nvcc takes them: it inlines functions that several files have,
// and shared memory needs no initial value. And functions that the library's headers name and its kernels of
// integers do not call.
#pragma once

#include <cuda_runtime.h>

#undef __forceinline__
#define __forceinline__ inline
#undef __shared__
#define __shared__ thread_local __attribute__((section("simt_shared"), used))

unsigned __reduce_max_sync(unsigned mask, unsigned value);
std::size_t __cvta_generic_to_shared(const void* address);
std::size_t __cvta_generic_to_global(const void* address);
bool __isGlobal(const void* address);

#pragma clang diagnostic ignored "-Wsizeof-array-div"  // ints that are cleared four at a time
#pragma clang diagnostic ignored "-Wassume"            // of a function that may do more than tell
