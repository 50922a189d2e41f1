// Atomic operations. The runtime does them: threads are its own, so that no processor instruction is needed.
#pragma once

#include <type_traits>

#include "simt_device/builtins.h"

namespace simt {
enum AtomicOperation {
  atomic_add,
  atomic_exchange,
  atomic_min_signed,
  atomic_min_unsigned,
  atomic_max_signed,
  atomic_max_unsigned,
  atomic_and,
  atomic_or,
  atomic_xor,
  atomic_increment,
  atomic_decrement,
  atomic_compare_and_swap,
  atomic_add_float,
  atomic_add_double
};
}

extern "C" {
unsigned int simt_atomic_32(int operation, void* address, unsigned int a, unsigned int b) SIMT_CONVERGENT;
unsigned long long simt_atomic_64(int operation, void* address, unsigned long long a,
                                  unsigned long long b) SIMT_CONVERGENT;
}

namespace simt {
template <class T>
SIMT_INLINE T atomic(int operation, volatile T* address, std::type_identity_t<T> a,
                     std::type_identity_t<T> b) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomic operations take 4 or 8 bytes");
  void* const place = const_cast<T*>(address);
  if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(T, simt_atomic_32(operation, place, __builtin_bit_cast(unsigned int, a),
                                                __builtin_bit_cast(unsigned int, b)));
  else
    return __builtin_bit_cast(T, simt_atomic_64(operation, place, __builtin_bit_cast(unsigned long long, a),
                                                __builtin_bit_cast(unsigned long long, b)));
}
template <class T>
constexpr int adding() {
  return std::is_same_v<T, float>    ? atomic_add_float
         : std::is_same_v<T, double> ? atomic_add_double
                                     : atomic_add;
}
}  // namespace simt

#define SIMT_ATOMIC(name, operation)                                       \
  template <class T>                                                       \
  SIMT_INLINE T name(T* address, std::type_identity_t<T> value) {          \
    return simt::atomic<T>(operation, address, value, T{});                \
  }                                                                        \
  template <class T>                                                       \
  SIMT_INLINE T name##_block(T* address, std::type_identity_t<T> value) {  \
    return simt::atomic<T>(operation, address, value, T{});                \
  }                                                                        \
  template <class T>                                                       \
  SIMT_INLINE T name##_system(T* address, std::type_identity_t<T> value) { \
    return simt::atomic<T>(operation, address, value, T{});                \
  }
SIMT_ATOMIC(atomicAdd, simt::adding<T>())
SIMT_ATOMIC(atomicExch, simt::atomic_exchange)
SIMT_ATOMIC(atomicMin, std::is_signed_v<T> ? simt::atomic_min_signed : simt::atomic_min_unsigned)
SIMT_ATOMIC(atomicMax, std::is_signed_v<T> ? simt::atomic_max_signed : simt::atomic_max_unsigned)
SIMT_ATOMIC(atomicAnd, simt::atomic_and)
SIMT_ATOMIC(atomicOr, simt::atomic_or)
SIMT_ATOMIC(atomicXor, simt::atomic_xor)
SIMT_ATOMIC(atomicInc, simt::atomic_increment)
SIMT_ATOMIC(atomicDec, simt::atomic_decrement)
#undef SIMT_ATOMIC

template <class T>
SIMT_INLINE T atomicSub(T* address, std::type_identity_t<T> value) {
  return simt::atomic<T>(simt::adding<T>(), address, T(0) - value, T{});
}
template <class T>
SIMT_INLINE T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return simt::atomic<T>(simt::atomic_compare_and_swap, address, expected, value);
}
