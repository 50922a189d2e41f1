// Where a thread is, barriers and fences.
#pragma once

#include "simt_device/keywords.h"
#include "vector_types.h"

extern "C" {
unsigned int simt_thread_index(int axis) __attribute__((const));
unsigned int simt_block_index(int axis) __attribute__((const));
unsigned int simt_block_extent(int axis) __attribute__((const));
unsigned int simt_grid_extent(int axis) __attribute__((const));
/// Returns the number of threads whose value is not 0.
unsigned int simt_barrier(unsigned int value) SIMT_CONVERGENT;
/// level: 0 for a block, 1 for the device, 2 for the system
void simt_fence(int level) SIMT_CONVERGENT;
long long simt_clock() SIMT_CONVERGENT;
long long simt_nanoseconds() SIMT_CONVERGENT;
void simt_pause() SIMT_CONVERGENT;
[[noreturn]] void simt_trap();
}

namespace simt {
template <unsigned int (*Get)(int)>
struct Builtin {
  SIMT_INLINE unsigned int get_x() const { return Get(0); }
  SIMT_INLINE unsigned int get_y() const { return Get(1); }
  SIMT_INLINE unsigned int get_z() const { return Get(2); }
  __declspec(property(get = get_x)) unsigned int x;
  __declspec(property(get = get_y)) unsigned int y;
  __declspec(property(get = get_z)) unsigned int z;
  SIMT_INLINE operator uint3() const { return {get_x(), get_y(), get_z()}; }
  SIMT_INLINE operator dim3() const { return {get_x(), get_y(), get_z()}; }
};
}  // namespace simt

inline constexpr simt::Builtin<simt_thread_index> threadIdx;
inline constexpr simt::Builtin<simt_block_index> blockIdx;
inline constexpr simt::Builtin<simt_block_extent> blockDim;
inline constexpr simt::Builtin<simt_grid_extent> gridDim;
inline constexpr int warpSize = 32;

SIMT_INLINE void __syncthreads() { simt_barrier(0); }
SIMT_INLINE int __syncthreads_count(int predicate) { return static_cast<int>(simt_barrier(predicate != 0)); }
SIMT_INLINE int __syncthreads_or(int predicate) { return simt_barrier(predicate != 0) != 0; }
SIMT_INLINE int __syncthreads_and(int predicate) { return simt_barrier(predicate == 0) == 0; }

SIMT_INLINE void __threadfence_block() { simt_fence(0); }
SIMT_INLINE void __threadfence() { simt_fence(1); }
SIMT_INLINE void __threadfence_system() { simt_fence(2); }

SIMT_INLINE long long clock64() { return simt_clock(); }
SIMT_INLINE unsigned long long __globaltimer() { return static_cast<unsigned long long>(simt_nanoseconds()); }
SIMT_INLINE void __nanosleep(unsigned int) { simt_pause(); }
SIMT_INLINE void __trap() { simt_trap(); }
