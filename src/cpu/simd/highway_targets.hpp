// Selects the Highway targets that kernels are compiled for. Include before hwy/foreach_target.h.
#pragma once

// Further targets to leave out: the option FOLDLINE_LESS_SIMD of CMake.
#if !defined(FOLDLINE_LESS_SIMD)
#define FOLDLINE_LESS_SIMD 0
#endif

#if defined(__x86_64__)
// SSE4 and the variants of AVX-512 gain nothing over AVX2, AVX-512 and plain C++.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | (FOLDLINE_LESS_SIMD))
#elif defined(__aarch64__)
// SVE vectors have no compile-time size, so arrays of them are impossible.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif
