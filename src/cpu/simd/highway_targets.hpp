// Which of Highway's targets the kernels are compiled for. To be included before hwy/foreach_target.h.
#pragma once

// Targets that a build does without besides; CMakePresets.json names some for sanitizers, with which kernels
// take minutes to compile.
#if !defined(FOLDLINE_LESS_SIMD)
#define FOLDLINE_LESS_SIMD 0
#endif

#if defined(__x86_64__)
// Highway's x86 targets that matter here, and the plain C++ one; SSE4 and the variants of AVX-512 add
// nothing.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | (FOLDLINE_LESS_SIMD))
#elif defined(__aarch64__)
// SVE's vectors have no size at compile time, so there are no arrays of them.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif
