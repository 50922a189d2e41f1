// The choice among kernels that Highway compiled once per instruction set. Include after them.
//
// Only Highway's headers are used: its library measures the processor's clock for 3 ms at program start.
#pragma once

#include <cstddef>

#include "foldline/context.hpp"
#include "foldline/error.hpp"
#include "hwy/detect_targets.h"
#include "simd/processor.hpp"

namespace foldline::simd {

/// The kernels for one instruction set: a function, or a struct of functions.
template <class Kernels>
struct Compiled {
  Target target;
  Kernels kernels;
};

/// The entry for a target that available_targets() lists.
template <class Kernels, std::size_t n>
const Kernels& kernels_for(Target target, const Compiled<Kernels> (&compiled)[n]) {
  for (const Compiled<Kernels>& entry : compiled)
    if (entry.target == target) return entry.kernels;
  throw InvalidArgument("foldline: this build has no code for the target that was planned");
}

/// The best kernels that this processor can run; the last ones run anywhere.
template <class Kernels, std::size_t n>
const Kernels& best_kernels(const Compiled<Kernels> (&compiled)[n]) {
  for (const Compiled<Kernels>& entry : compiled)
    if (processor_has(entry.target)) return entry.kernels;
  return compiled[n - 1].kernels;
}

}  // namespace foldline::simd

// Entries of a table of Compiled, the fastest first: `name` in the namespace of each instruction set.
#if HWY_TARGETS & HWY_AVX3
#define FOLDLINE_AVX512(name) {Target::avx512, N_AVX3::name},
#else
#define FOLDLINE_AVX512(name)
#endif
#if HWY_TARGETS & HWY_AVX2
#define FOLDLINE_AVX2(name) {Target::avx2, N_AVX2::name},
#else
#define FOLDLINE_AVX2(name)
#endif
#if HWY_TARGETS & HWY_NEON
#define FOLDLINE_NEON(name) {Target::neon, N_NEON::name},
#else
#define FOLDLINE_NEON(name)
#endif
#if HWY_TARGETS & HWY_EMU128
#define FOLDLINE_PORTABLE(name) {Target::portable, N_EMU128::name},
#elif HWY_TARGETS & HWY_SCALAR
#define FOLDLINE_PORTABLE(name) {Target::portable, N_SCALAR::name},
#else
#define FOLDLINE_PORTABLE(name)
#endif
#define FOLDLINE_FOR_EACH_TARGET(name) \
  FOLDLINE_AVX512(name) FOLDLINE_AVX2(name) FOLDLINE_NEON(name) FOLDLINE_PORTABLE(name)
