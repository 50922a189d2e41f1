// Scans of many short vectors at once: those that lie side by side a lane each, others one element after the
// other; compiled once per instruction set.
//
// Where the exponents of a vector's elements are close enough, all prefix sums are exact as one double (of
// floats and bfloat16, of halves always) or two (of doubles: the sum and the sum of its errors), and each
// result is rounded once. That is known before anything is written. Sums of integers are 64-bit integers.
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "arithmetic/one_lane.hpp"
#include "contract/short_scans.hpp"
#include "cpu/simd/environment.hpp"
#include "cpu/simd/highway_targets.hpp"
#include "foldline/detail/visit_type.hpp"

#define HWY_TARGET_INCLUDE "cpu/scan/short_scans_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/simd/strided-inl.hpp"
//
#include "cpu/scan/short_floats-inl.hpp"
//
#include "cpu/scan/short_halves-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Scans of integers T, with results of 64 bits: those of fewer always fit.
template <class T>
std::int64_t ScanIntegers(const ShortScans& scans, std::uint8_t* uncertain) {
  using Sum = std::uint64_t;  // or int64, with the same bits
  constexpr std::int64_t block = 64;
  const auto load = [](const std::byte* at) FOLDLINE_LAMBDA {
    T value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<Sum>(
        static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
  };
  if constexpr (sizeof(T) == 8) {
    // All magnitudes together, for one look at each element.
    std::uint64_t largest = 0;
    for (std::int64_t i = 0; i < scans.vectors; ++i)
      for (std::int64_t k = 0; k < scans.terms; ++k) {
        const Sum value = load(scans.x + (i * scans.x_across + k * scans.x_along) * std::int64_t{sizeof(T)});
        largest |= std::is_signed_v<T> && static_cast<std::int64_t>(value) < 0 ? ~value : value;
      }
    if (largest > std::uint64_t{INT64_MAX} / 2 / static_cast<std::uint64_t>(scans.terms)) {
      std::memset(uncertain, 1, static_cast<std::size_t>(scans.vectors));
      return scans.vectors;
    }
  }
  std::int64_t i = 0;
  if (scans.x_across == 1 && scans.out_across == 1)
    for (; i + block <= scans.vectors; i += block) {
      Sum sums[block] = {};
      for (std::int64_t k = 0; k < scans.terms; ++k) {
        const std::byte* const x = scans.x + (i + k * scans.x_along) * std::int64_t{sizeof(T)};
        for (std::int64_t c = 0; c < block; ++c) sums[c] += load(x + c * std::int64_t{sizeof(T)});
        std::memcpy(scans.out + (i + k * scans.out_along) * std::int64_t{sizeof(Sum)}, sums, sizeof sums);
      }
    }
  for (; i < scans.vectors; ++i) {
    Sum sum = 0;
    const std::byte* x = scans.x + i * scans.x_across * std::int64_t{sizeof(T)};
    std::byte* out = scans.out + i * scans.out_across * std::int64_t{sizeof(Sum)};
    for (std::int64_t k = 0; k < scans.terms; ++k) {
      sum += load(x + k * scans.x_along * std::int64_t{sizeof(T)});
      std::memcpy(out + k * scans.out_along * std::int64_t{sizeof(Sum)}, &sum, sizeof sum);
    }
  }
  return 0;
}

std::int64_t ScanShortVectors(const ShortScans& scans, std::uint8_t* uncertain) {
  if (scans.type == ElementType::float64) return FloatingScans<double>(scans).Scan(uncertain);
  if (scans.type == ElementType::float32) return FloatingScans<float>(scans).Scan(uncertain);
  if (scans.type == ElementType::bfloat16) return FloatingScans<bfloat16>(scans).Scan(uncertain);
  if (scans.type == ElementType::half) return HalfScans(scans).Scan();
  return detail::visit_integer(scans.type, [&]<class T>(std::type_identity<T>) -> std::int64_t {
    if constexpr (std::is_same_v<T, bool>)
      return 0;  // not asked for
    else
      return ScanIntegers<T>(scans, uncertain);
  });
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

std::int64_t cpu::scan_short_vectors(const ShortScans& scans, Target target, std::uint8_t* uncertain) {
  using ScanShort = std::int64_t (*)(const ShortScans&, std::uint8_t*);
  static constexpr simd::Compiled<ScanShort> compiled[] = {FOLDLINE_FOR_EACH_TARGET(ScanShortVectors)};
  const ArithmeticEnvironment environment;
  return simd::kernels_for(target, compiled)(scans, uncertain);
}

}  // namespace foldline
#endif
