#include "simd/processor.hpp"

namespace foldline::simd {

#if defined(__x86_64__)
// The features that Highway 1.0 and later compile AVX2 and AVX3 with. The compiler's runtime asks the
// processor once, at program start.
bool processor_has(Target target) {
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
                        __builtin_cpu_supports("bmi2");
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
