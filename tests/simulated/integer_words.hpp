// CUDA's functions of packed integers and of rounding that the kernels along an axis call.
#pragma once

#include <cstdint>

inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i)
    c += static_cast<std::int8_t>(a >> (8 * i)) * static_cast<std::int8_t>(b >> (8 * i));
  return c;
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(high) << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
  return result;
}
inline unsigned __vsetne4(unsigned a, unsigned b) {
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) result |= unsigned{((a ^ b) >> (8 * i) & 0xff) != 0} << (8 * i);
  return result;
}
inline double __drcp_rn(double x) { return 1 / x; }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }

/// f of each half.
template <class F>
inline unsigned of_halves(unsigned a, unsigned b, const F& f) {
  const auto of = [&](unsigned x, unsigned y) {
    return static_cast<unsigned>(f(static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y))) & 0xffffu;
  };
  return of(a >> 16, b >> 16) << 16 | of(a, b);
}
inline unsigned __vmaxu2(unsigned a, unsigned b) {
  return of_halves(a, b, [](std::uint16_t x, std::uint16_t y) { return x > y ? x : y; });
}
inline unsigned __vminu2(unsigned a, unsigned b) {
  return of_halves(a, b, [](std::uint16_t x, std::uint16_t y) { return x < y ? x : y; });
}
inline unsigned __vmaxs2(unsigned a, unsigned b) {
  return __vmaxu2(a ^ 0x80008000u, b ^ 0x80008000u) ^ 0x80008000u;
}
inline unsigned __vmins2(unsigned a, unsigned b) {
  return __vminu2(a ^ 0x80008000u, b ^ 0x80008000u) ^ 0x80008000u;
}
inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vminu2(of_halves(a, b, [](std::uint16_t x, std::uint16_t y) { return x + y; }), c);
}
