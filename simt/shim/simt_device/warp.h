// What the lanes of a warp do together.
#pragma once

#include "simt_device/builtins.h"

namespace simt {
enum WarpFunction {
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  ballot,
  synchronise,
  active_mask,
  match_any,
  match_all
};
}

extern "C" {
unsigned long long simt_warp_function(int which, unsigned int mask, unsigned long long value,
                                      unsigned int argument, int width) SIMT_CONVERGENT;
unsigned int simt_lane_index() __attribute__((const));
}

namespace simt {
template <class T>
SIMT_INLINE T exchange(int which, unsigned int mask, T value, unsigned int argument, int width) {
  static_assert(sizeof(T) <= 8, "shuffles take 4 or 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = simt_warp_function(which, mask, bits, argument, width);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
}  // namespace simt

template <class T>
SIMT_INLINE T __shfl_sync(unsigned int mask, T value, int lane, int width = 32) {
  return simt::exchange(simt::shuffle, mask, value, static_cast<unsigned int>(lane), width);
}
template <class T>
SIMT_INLINE T __shfl_up_sync(unsigned int mask, T value, unsigned int distance, int width = 32) {
  return simt::exchange(simt::shuffle_up, mask, value, distance, width);
}
template <class T>
SIMT_INLINE T __shfl_down_sync(unsigned int mask, T value, unsigned int distance, int width = 32) {
  return simt::exchange(simt::shuffle_down, mask, value, distance, width);
}
template <class T>
SIMT_INLINE T __shfl_xor_sync(unsigned int mask, T value, int lanes, int width = 32) {
  return simt::exchange(simt::shuffle_xor, mask, value, static_cast<unsigned int>(lanes), width);
}

SIMT_INLINE void __syncwarp(unsigned int mask = 0xffffffff) {
  simt_warp_function(simt::synchronise, mask, 0, 0, 32);
}
SIMT_INLINE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return static_cast<unsigned int>(simt_warp_function(simt::ballot, mask, predicate != 0, 0, 32));
}
SIMT_INLINE int __any_sync(unsigned int mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
SIMT_INLINE int __all_sync(unsigned int mask, int predicate) {
  return __ballot_sync(mask, predicate == 0) == 0;
}
SIMT_INLINE unsigned int __activemask() {
  return static_cast<unsigned int>(simt_warp_function(simt::active_mask, 0, 0, 0, 32));
}
template <class T>
SIMT_INLINE unsigned int __match_any_sync(unsigned int mask, T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return static_cast<unsigned int>(simt_warp_function(simt::match_any, mask, bits, 0, 32));
}
template <class T>
SIMT_INLINE unsigned int __match_all_sync(unsigned int mask, T value, int* all) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  const unsigned int lanes =
      static_cast<unsigned int>(simt_warp_function(simt::match_all, mask, bits, 0, 32));
  *all = lanes != 0;
  return lanes;
}
SIMT_INLINE unsigned int __reduce_add_sync(unsigned int mask, unsigned int value) {
  for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(mask, value, lanes);
  return value;
}

// The forms without a mask, which CUDA 9 deprecated and later ones removed.
#define SIMT_REMOVED(old, now) [[deprecated("CUDA has removed " old ": write " now)]]
template <class T>
SIMT_REMOVED("__shfl", "__shfl_sync(0xffffffff, ...)")
SIMT_INLINE T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(0xffffffff, value, lane, width);
}
template <class T>
SIMT_REMOVED("__shfl_up", "__shfl_up_sync(0xffffffff, ...)")
SIMT_INLINE T __shfl_up(T value, unsigned int distance, int width = 32) {
  return __shfl_up_sync(0xffffffff, value, distance, width);
}
template <class T>
SIMT_REMOVED("__shfl_down", "__shfl_down_sync(0xffffffff, ...)")
SIMT_INLINE T __shfl_down(T value, unsigned int distance, int width = 32) {
  return __shfl_down_sync(0xffffffff, value, distance, width);
}
template <class T>
SIMT_REMOVED("__shfl_xor", "__shfl_xor_sync(0xffffffff, ...)")
SIMT_INLINE T __shfl_xor(T value, int lanes, int width = 32) {
  return __shfl_xor_sync(0xffffffff, value, lanes, width);
}
SIMT_REMOVED("__ballot", "__ballot_sync(0xffffffff, ...)")
SIMT_INLINE unsigned int __ballot(int predicate) { return __ballot_sync(0xffffffff, predicate); }
SIMT_REMOVED("__any", "__any_sync(0xffffffff, ...)")
SIMT_INLINE int __any(int predicate) { return __any_sync(0xffffffff, predicate); }
SIMT_REMOVED("__all", "__all_sync(0xffffffff, ...)")
SIMT_INLINE int __all(int predicate) { return __all_sync(0xffffffff, predicate); }
#undef SIMT_REMOVED
