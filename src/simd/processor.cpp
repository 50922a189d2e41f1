#include "simd/processor.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace foldline::simd {

#if defined(__x86_64__)
namespace {

/// clang before 19 does not know the name "f16c". The system supports it where it supports AVX.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

}  // namespace

// What the kernels' code may use.
bool processor_has(Target target) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                               __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && has_f16c();
  switch (target) {
    case Target::portable:
      return true;
    case Target::avx2:
      return has_avx2;
    case Target::avx512:
      return has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd");
    default:
      return false;
  }
}
#elif defined(__aarch64__)
bool processor_has(Target target) { return target == Target::neon; }
#else
bool processor_has(Target target) { return target == Target::portable; }
#endif

}  // namespace foldline::simd
