// CUDA's words that are no C++, for kernel files that clang compiles as C++.
#pragma once

#ifndef SIMT_KERNEL_FILE
#error "kernels are compiled by simt-cc, not by a C++ compiler alone"
#endif

#include <cstddef>

#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __shared__
#undef __managed__
#undef __forceinline__
#undef __noinline__
#undef __launch_bounds__
#undef __align__
#undef __restrict__

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900

/// A word that translations of whole programs find kernels by.
#ifndef SIMT_KERNEL
#define SIMT_KERNEL
#endif
/// Not inlined, so that its name is there for messages.
#define __global__ SIMT_KERNEL __attribute__((noinline))
/// For functions and variables. What both can have is an alignment: this one marks variables of the device
/// for simt-cc, which gives them a usual one.
#define __device__ __attribute__((always_inline, aligned(2048)))
#define __host__
#define __constant__ __attribute__((section("simt_constant"), used))
/// A variable of a function that is not on the stack, and that can be declared extern, is thread_local.
/// simt-cc makes ordinary variables of them; `used` keeps those that are never written.
#define __shared__ constinit thread_local __attribute__((section("simt_shared"), used))
#define __managed__ __attribute__((aligned(2048)))
#define __grid_constant__
#define __forceinline__
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
/// A promise to the host's compiler would let it move accesses over barriers.
#define __restrict__
#define __restrict

namespace simt {
template <class T>
constexpr std::size_t alignment() {
  return alignof(T);
}
template <std::size_t N>
constexpr std::size_t alignment() {
  return N;
}
}  // namespace simt
/// nvcc takes `__shared__ alignas(16) T x[4]`, where clang takes attributes of its own form only.
#define alignas(...) __attribute__((aligned(::simt::alignment<__VA_ARGS__>())))

/// Wrappers of the runtime's functions leave no trace: their calls have the line of the kernel's source.
#define SIMT_INLINE __attribute__((always_inline, nodebug)) inline
/// Their calls are neither moved into branches nor made one where a branch has two.
#define SIMT_CONVERGENT __attribute__((convergent, nomerge))
