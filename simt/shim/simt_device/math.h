// Functions on numbers that CUDA has and C++ lacks.
#pragma once

#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>

#include "simt_device/builtins.h"

#define SIMT_MIN_MAX(T)                                           \
  SIMT_INLINE constexpr T min(T a, T b) { return b < a ? b : a; } \
  SIMT_INLINE constexpr T max(T a, T b) { return a < b ? b : a; }
SIMT_MIN_MAX(int)
SIMT_MIN_MAX(unsigned int)
SIMT_MIN_MAX(long)
SIMT_MIN_MAX(unsigned long)
SIMT_MIN_MAX(long long)
SIMT_MIN_MAX(unsigned long long)
SIMT_MIN_MAX(float)
SIMT_MIN_MAX(double)
#undef SIMT_MIN_MAX
#define SIMT_MIXED(T, A, B)                                                                   \
  SIMT_INLINE constexpr T min(A a, B b) { return min(static_cast<T>(a), static_cast<T>(b)); } \
  SIMT_INLINE constexpr T max(A a, B b) { return max(static_cast<T>(a), static_cast<T>(b)); } \
  SIMT_INLINE constexpr T min(B a, A b) { return min(static_cast<T>(a), static_cast<T>(b)); } \
  SIMT_INLINE constexpr T max(B a, A b) { return max(static_cast<T>(a), static_cast<T>(b)); }
SIMT_MIXED(unsigned int, int, unsigned int)
SIMT_MIXED(long, int, long)
SIMT_MIXED(long, unsigned int, long)
SIMT_MIXED(long long, int, long long)
SIMT_MIXED(long long, unsigned int, long long)
SIMT_MIXED(long long, long, long long)
SIMT_MIXED(unsigned long, int, unsigned long)
SIMT_MIXED(unsigned long, unsigned int, unsigned long)
SIMT_MIXED(unsigned long, long, unsigned long)
SIMT_MIXED(unsigned long long, int, unsigned long long)
SIMT_MIXED(unsigned long long, unsigned int, unsigned long long)
SIMT_MIXED(unsigned long long, unsigned long, unsigned long long)
SIMT_MIXED(double, float, double)
SIMT_MIXED(float, int, float)
SIMT_MIXED(double, int, double)
#undef SIMT_MIXED

// Bits.
SIMT_INLINE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
SIMT_INLINE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
SIMT_INLINE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
SIMT_INLINE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
SIMT_INLINE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
SIMT_INLINE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
SIMT_INLINE int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
SIMT_INLINE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
SIMT_INLINE double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned int>(low));
}
SIMT_INLINE int __popc(unsigned int x) { return std::popcount(x); }
SIMT_INLINE int __popcll(unsigned long long x) { return std::popcount(x); }
SIMT_INLINE int __clz(int x) { return std::countl_zero(static_cast<unsigned int>(x)); }
SIMT_INLINE int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
SIMT_INLINE int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned int>(x)) + 1; }
SIMT_INLINE int __ffsll(long long x) {
  return x == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(x)) + 1;
}
SIMT_INLINE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
SIMT_INLINE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
SIMT_INLINE unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>(((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >>
                                   32);
}
SIMT_INLINE unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}

// Integers.
SIMT_INLINE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
SIMT_INLINE unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
SIMT_INLINE int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
SIMT_INLINE unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) * b) >> 32);
}
SIMT_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
SIMT_INLINE long long __mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
SIMT_INLINE unsigned int __sad(int a, int b, unsigned int sum) {
  return sum + static_cast<unsigned int>(a < b ? b - a : a - b);
}

// Floating point, rounded to nearest unless the name says otherwise.
SIMT_INLINE float __fadd_rn(float a, float b) { return a + b; }
SIMT_INLINE float __fsub_rn(float a, float b) { return a - b; }
SIMT_INLINE float __fmul_rn(float a, float b) { return a * b; }
SIMT_INLINE float __fdiv_rn(float a, float b) { return a / b; }
SIMT_INLINE float __fdividef(float a, float b) { return a / b; }
SIMT_INLINE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SIMT_INLINE float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
SIMT_INLINE float __frcp_rn(float x) { return 1 / x; }
SIMT_INLINE double __dadd_rn(double a, double b) { return a + b; }
SIMT_INLINE double __dsub_rn(double a, double b) { return a - b; }
SIMT_INLINE double __dmul_rn(double a, double b) { return a * b; }
SIMT_INLINE double __ddiv_rn(double a, double b) { return a / b; }
SIMT_INLINE double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
SIMT_INLINE double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
SIMT_INLINE float __sinf(float x) { return std::sin(x); }
SIMT_INLINE float __cosf(float x) { return std::cos(x); }
SIMT_INLINE float __expf(float x) { return std::exp(x); }
SIMT_INLINE float __logf(float x) { return std::log(x); }
SIMT_INLINE float __powf(float x, float y) { return std::pow(x, y); }
SIMT_INLINE float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
SIMT_INLINE float rsqrtf(float x) { return 1 / __builtin_sqrtf(x); }
SIMT_INLINE double rsqrt(double x) { return 1 / __builtin_sqrt(x); }
SIMT_INLINE float sinpif(float x) { return static_cast<float>(std::sin(x * 3.14159265358979323846)); }
SIMT_INLINE float cospif(float x) { return static_cast<float>(std::cos(x * 3.14159265358979323846)); }
SIMT_INLINE double sinpi(double x) { return std::sin(x * 3.14159265358979323846); }
SIMT_INLINE double cospi(double x) { return std::cos(x * 3.14159265358979323846); }

// Conversions: rn to the nearest, rz towards 0, rd down, ru up.
SIMT_INLINE int __float2int_rn(float x) { return static_cast<int>(std::nearbyint(x)); }
SIMT_INLINE int __float2int_rz(float x) { return static_cast<int>(x); }
SIMT_INLINE int __float2int_rd(float x) { return static_cast<int>(std::floor(x)); }
SIMT_INLINE int __float2int_ru(float x) { return static_cast<int>(std::ceil(x)); }
SIMT_INLINE unsigned int __float2uint_rz(float x) { return static_cast<unsigned int>(x); }
SIMT_INLINE unsigned int __float2uint_rn(float x) { return static_cast<unsigned int>(std::nearbyint(x)); }
SIMT_INLINE float __int2float_rn(int x) { return static_cast<float>(x); }
SIMT_INLINE float __uint2float_rn(unsigned int x) { return static_cast<float>(x); }
SIMT_INLINE double __int2double_rn(int x) { return x; }
SIMT_INLINE int __double2int_rn(double x) { return static_cast<int>(std::nearbyint(x)); }
SIMT_INLINE int __double2int_rz(double x) { return static_cast<int>(x); }
SIMT_INLINE float __double2float_rn(double x) { return static_cast<float>(x); }
SIMT_INLINE float __double2float_rz(double x) {
  const float nearest = static_cast<float>(x);
  return std::fabs(static_cast<double>(nearest)) > std::fabs(x) ? std::nextafter(nearest, 0.0F) : nearest;
}
SIMT_INLINE long long __double2ll_rn(double x) { return static_cast<long long>(std::nearbyint(x)); }
SIMT_INLINE double __ll2double_rn(long long x) { return static_cast<double>(x); }
SIMT_INLINE double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
